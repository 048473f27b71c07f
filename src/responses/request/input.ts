import {
  type LanguageModelV2CallWarning,
  type LanguageModelV2Message,
  type LanguageModelV2Prompt,
  type LanguageModelV2ToolResultPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { objectOf, stringOf } from '../../shared/json.js';
import type { HostedToolReplay } from '../hosted-tools/hosted-tool.js';
import type { InputContent, InputItem } from '../wire.js';
import { type AssistantItemsContext, toAssistantItems } from './assistant-items.js';
import { toFileContent } from './files.js';
import { createHostedCalls } from './hosted-calls.js';
import { readPartOptions, type ResponsesCallOptions, toCacheBreakpoint } from './provider-options.js';
import { normalizeReasoning, toEffortUpdate } from './reasoning.js';
import type { ToolNames } from './tool-names.js';
import { toToolOutput } from './tool-output.js';

export interface ToInputOptions {
  readonly store: boolean;
  readonly systemMessageMode: 'system' | 'developer' | 'remove';
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly toolNames: ToolNames;
  /** Replay rules of declared hosted tools, by tool name. */
  readonly replays: ReadonlyMap<string, HostedToolReplay>;
  /** Reason why this call cannot change the reasoning effort. Undefined if it can. */
  readonly effortUpdateIssue: string | undefined;
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
  /** Converted messages of earlier requests of the same turn. */
  readonly known?: ConvertedMessages;
}

/** Converts a prompt to input items. Its tool calls must be paired already (see `pairToolCalls`). */
export function toInput(prompt: LanguageModelV2Prompt, options: ToInputOptions): InputItem[] {
  const { store, missingReasoning, toolNames, replays, known } = options;
  const warn = (message: string): void => options.warn({ type: 'other', message });
  const sentIds = new Set<string>();
  const context: AssistantItemsContext = {
    store,
    toolNames,
    hosted: createHostedCalls(prompt, { replays, toContent: part => toToolOutput(part, { warn }) }),
    sentReasoning: new Set(),
    warn,
    takeId(id) {
      // A server that stores nothing does not know these ids, and some servers repeat ids. Calls pair by `call_id`.
      if (missingReasoning === 'omit-ids' || id === undefined || sentIds.has(id)) return {};
      sentIds.add(id);
      return { id };
    },
  };

  const items: InputItem[] = [];
  for (const [index, message] of prompt.entries()) {
    const converted = known?.at(index, message) ?? convert(message);
    if (isIndependent(message, options)) known?.set(index, message, converted);
    for (const item of converted) items.push(item);
  }
  return normalizeReasoning(items, { store, missingReasoning, warn });

  function convert(message: LanguageModelV2Message): InputItem[] {
    switch (message.role) {
      case 'system':
        return toInstructions(message, { ...options, warn });
      case 'user':
        return [{ role: 'user', content: toUserContent(message.content, { warn }) }];
      case 'assistant':
        return toAssistantItems(message.content, context);
      case 'tool':
        return message.content.flatMap(part => toOutputs(part, context));
    }
  }
}

/** Returns true if the items of a message do not depend on others, as ids, reasoning and hosted calls do. */
function isIndependent(
  message: LanguageModelV2Message,
  { missingReasoning, replays }: Pick<ToInputOptions, 'missingReasoning' | 'replays'>,
): boolean {
  if (missingReasoning !== 'omit-ids' || replays.size > 0) return false;
  return message.role !== 'assistant' || message.content.every(part => part.type !== 'reasoning');
}

function toOutputs(
  part: LanguageModelV2ToolResultPart,
  { hosted, warn }: Pick<AssistantItemsContext, 'hosted' | 'warn'>,
): InputItem[] {
  // `ai` 6 and 7 also put approval responses here.
  if (part.type !== 'tool-result') {
    warn(`Tool content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`);
    return [];
  }
  const output = hosted.toOutput(part);
  if (output !== undefined) return [output];
  return [{ type: 'function_call_output', call_id: part.toolCallId, output: toToolOutput(part, { warn }) }];
}

type SystemMessage = Extract<LanguageModelV2Message, { role: 'system' }>;

function toInstructions(
  { content, providerOptions }: SystemMessage,
  {
    systemMessageMode,
    effortUpdateIssue,
    warn,
  }: Pick<ToInputOptions, 'systemMessageMode' | 'effortUpdateIssue'> & { warn: (message: string) => void },
): InputItem[] {
  const { reasoningEffortUpdate, promptCacheBreakpoint } = readPartOptions(providerOptions);
  if (reasoningEffortUpdate !== undefined) {
    return [toEffortUpdate(reasoningEffortUpdate, { content, issue: effortUpdateIssue })];
  }
  if (systemMessageMode === 'remove') {
    warn('system messages are removed for this model');
    return [];
  }
  const text =
    promptCacheBreakpoint === undefined
      ? content
      : [{ type: 'input_text' as const, text: content, ...toCacheBreakpoint(promptCacheBreakpoint) }];
  return [{ role: systemMessageMode, content: text }];
}

type UserPart = Extract<LanguageModelV2Message, { role: 'user' }>['content'][number];
type UserFile = Extract<UserPart, { type: 'file' }>;

/**
 * Converts the texts and files of a user message.
 *
 * @throws UnsupportedFunctionalityError for files that the API does not accept, such as audio.
 */
function toUserContent(
  parts: readonly UserPart[],
  { warn }: { warn: (message: string) => void },
): InputContent[] {
  return parts.flatMap((part, index): InputContent[] => {
    const breakpoint = toCacheBreakpoint(readPartOptions(part.providerOptions).promptCacheBreakpoint);
    switch (part.type) {
      case 'text':
        return [{ type: 'input_text', text: part.text, ...breakpoint }];
      case 'file':
        return [{ ...toUserFile(part, index), ...breakpoint }];
      default:
        warn(`User content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`);
        return [];
    }
  });
}

function toUserFile(part: UserFile, index: number): InputContent {
  const content = toFileContent(part.data, {
    mediaType: part.mediaType,
    filename: part.filename,
    imageDetail: readPartOptions(part.providerOptions).imageDetail,
    defaultName: extension => `part-${index}.${extension}`,
  });
  if (content === undefined) {
    const functionality = `file part media type ${part.mediaType}`;
    throw new UnsupportedFunctionalityError({
      functionality,
      message:
        `Expected text, images or files, which the Responses API accepts; got a file of media type ` +
        `${part.mediaType}. Remove it or send its content as text, such as a transcript.`,
    });
  }
  return content;
}

/**
 * Returns the messages of a history that the server does not have yet. Without `conversation` and `previousResponseId`
 * these are all messages.
 *
 * - With `conversation` the server has all messages up to the last assistant message. The results of its tool calls and
 *   later messages are sent.
 * - With `previousResponseId` the server has all messages up to that response. Parts of stored responses contain their
 *   response id in `providerOptions.kelivo.responseId`. If no part contains the id, the last assistant message without a
 *   response id counts as the response. Messages with other ids are tool rounds of a call that started with a
 *   `previousResponseId`, and follow it.
 *
 * The server also has the system messages. Instructions that change with every call belong in
 * `providerOptions.openai.instructions`, which the API does not store.
 */
export function toNewMessages(
  prompt: LanguageModelV2Prompt,
  { conversation, previousResponseId }: Pick<ResponsesCallOptions, 'conversation' | 'previousResponseId'>,
): LanguageModelV2Prompt {
  if (previousResponseId !== undefined) {
    const known = prompt.findLastIndex(message => responseIdOf(message) === previousResponseId);
    const presumed = prompt.findLastIndex(
      message => message.role === 'assistant' && responseIdOf(message) === undefined,
    );
    return prompt.slice(1 + (known < 0 ? presumed : known));
  }
  if (conversation === undefined) return prompt;
  return prompt.slice(1 + prompt.findLastIndex(message => message.role === 'assistant'));
}

function responseIdOf(message: LanguageModelV2Message): string | undefined {
  if (message.role !== 'assistant') return undefined;
  return message.content
    .map(part => readPartOptions(part.providerOptions).responseId)
    .findLast(id => id !== undefined);
}

/**
 * Caches the items of a turn's messages. The next request repeats the messages as the same objects at the same indexes
 * and appends to them.
 */
export interface ConvertedMessages {
  at(index: number, message: LanguageModelV2Message): readonly InputItem[] | undefined;
  set(index: number, message: LanguageModelV2Message, items: readonly InputItem[]): void;
}

export function createConvertedMessages(): ConvertedMessages {
  const known: { message: LanguageModelV2Message; items: readonly InputItem[] }[] = [];
  return {
    at(index, message) {
      const converted = known[index];
      return converted?.message === message ? converted.items : undefined;
    },
    set(index, message, items) {
      known[index] = { message, items };
    },
  };
}
