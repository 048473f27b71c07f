import {
  type LanguageModelV2CallWarning,
  type LanguageModelV2Message,
  type LanguageModelV2Prompt,
  type LanguageModelV2ToolResultPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { objectOf, stringOf } from '../../shared/json.js';
import { once } from '../../shared/settings.js';
import type { HostedToolReplay } from '../hosted-tools/hosted-tool.js';
import type { InputContent, InputItem } from '../wire.js';
import { createReceivedItems, type ReceivedItems } from './received-items.js';
import { type AssistantItemsContext, toAssistantItems, toCaller } from './assistant-items.js';
import { toAdditionalTools, toUpdates, type UpdatesContext } from './conversation-updates.js';
import { findReferenceIssue, toFileContent } from './files.js';
import { createHostedCalls, isApprovalRequest } from './hosted-calls.js';
import { withoutCompacted } from './opaque-items.js';
import { readPartOptions, type ResponsesCallOptions, toCacheBreakpoint } from './provider-options.js';
import { collectRemovedReasoning, normalizeReasoning } from './reasoning.js';
import { createServerCalls, type ServerCallsOptions } from './server-calls.js';
import type { ToolNames } from './tool-names.js';
import { toToolOutput, type ToolOutputOptions } from './tool-output.js';

export interface ToInputOptions {
  readonly store: boolean;
  readonly systemMessageMode: 'system' | 'developer' | 'remove';
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly toolNames: ToolNames;
  /** Replay rules of declared hosted tools that the host executes, by tool name. */
  readonly replays: ReadonlyMap<string, HostedToolReplay>;
  /** Converts changes of settings and tools within the conversation. */
  readonly updates: UpdatesContext;
  /** Names of the tools whose outputs the API parses as JSON. */
  readonly toolsWithOutputSchema: ReadonlySet<string>;
  /** Sends audio and video files as they are. */
  readonly passThroughFiles: boolean;
  /** Returns the tool of a call that the server executed. */
  readonly serverToolOf: ServerCallsOptions['toolOf'];
  /** The complete conversation, if the server has a part of it. @default the prompt */
  readonly conversation?: LanguageModelV2Prompt;
  /** Names under which the ids of uploaded files are known, the preferred one first. */
  readonly fileProviders: readonly string[];
  readonly warn: (warning: LanguageModelV2CallWarning) => void;
  /** Converted messages of earlier requests of the same turn. */
  readonly known?: ConvertedMessages;
  /** Items that the server sent in the same turn. */
  readonly received?: ReceivedItems;
}

/** Converts a prompt to input items. Its tool calls must be paired already (see `pairToolCalls`). */
export function toInput(prompt: LanguageModelV2Prompt, options: ToInputOptions): InputItem[] {
  const { store, missingReasoning, toolNames, replays, known, conversation = prompt } = options;
  const { received = createReceivedItems(), serverToolOf: toolOf, fileProviders } = options;
  const warn = (message: string): void => options.warn({ type: 'other', message });
  const messageContext = { ...options, warn };
  const outputs: ToolOutputOptions = { jsonTools: options.toolsWithOutputSchema, fileProviders, warn };
  const callers = once(() => collectCallers(conversation));
  const sentIds = new Set<string>();
  const claimId = (id: string): boolean => sentIds.size < sentIds.add(id).size;
  /** Images of the assistant, which the API accepts in messages of the user only. */
  let images: InputContent[] = [];
  const showImages = (content: readonly InputContent[]): void => {
    images.push({ type: 'input_text', text: 'Images of the previous answer:' }, ...content);
  };
  const context: AssistantItemsContext = {
    store,
    toolNames,
    hosted: createHostedCalls(prompt, { replays, toContent: part => toToolOutput(part, outputs), warn }),
    serverCalls: createServerCalls(prompt, { store, received, toolOf, claimId, showImages, warn }),
    received,
    showImages,
    sentReasoning: new Set(),
    // The ids of other items refer to their reasoning, so it is only omitted if they are.
    removedReasoning: once(() =>
      missingReasoning === 'omit-ids' ? collectRemovedReasoning(conversation) : new Set(),
    ),
    warn,
    claimId,
    takeId(id) {
      // A server that stores nothing does not know these ids, and some servers repeat ids. Calls pair by `call_id`.
      return missingReasoning === 'omit-ids' || id === undefined || !claimId(id) ? {} : { id };
    },
  };

  const items: InputItem[] = [];
  const addImages = (): void => {
    if (images.length > 0) items.push({ role: 'user', content: images });
    images = [];
  };
  let index = 0;
  for (const message of prompt) {
    if (message.role === 'user') addImages();
    const converted = known?.at(index, message) ?? convert(message);
    if (known !== undefined && isIndependent(message, options)) known.set(index, message, converted);
    index++;
    for (const item of converted) items.push(item);
  }
  addImages();
  // With a history on the server, the input is only its end.
  const current = conversation === prompt ? withoutCompacted(items) : items;
  return normalizeReasoning(current, { store, missingReasoning, warn });

  function convert(message: LanguageModelV2Message): InputItem[] {
    switch (message.role) {
      case 'system':
        return toInstructions(message, messageContext);
      case 'user':
        return [{ role: 'user', content: toUserContent(message.content, messageContext) }];
      case 'assistant':
        return toAssistantItems(message.content, context);
      case 'tool':
        return toToolItems(message.content);
    }
  }

  function toToolItems(results: readonly LanguageModelV2ToolResultPart[]): InputItem[] {
    const items: InputItem[] = [];
    for (const part of results) {
      // `ai` 6 and 7 also put approval responses here.
      if (part.type === 'tool-result') {
        for (const output of toOutputs(part)) items.push(output);
      } else warn(`Tool content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`);
      const { additionalTools } = readPartOptions(part.providerOptions);
      if (additionalTools !== undefined) items.push(...toAdditionalTools(additionalTools, options.updates));
    }
    return items;
  }

  function toOutputs(part: LanguageModelV2ToolResultPart): readonly InputItem[] {
    const { toolCallId, providerOptions } = part;
    const own = toCaller(providerOptions);
    const caller = own.caller === undefined ? callers().get(toolCallId) : own;
    const items = context.hosted.toOutput(part) ?? [
      { type: 'function_call_output', call_id: toolCallId, output: toToolOutput(part, outputs) },
    ];
    return caller === undefined ? items : items.map(item => ({ ...item, ...caller }));
  }
}

/** Returns the callers of calls, by call id: hosts keep them on the call only. */
function collectCallers(prompt: LanguageModelV2Prompt): ReadonlyMap<string, ReturnType<typeof toCaller>> {
  const callers = new Map<string, ReturnType<typeof toCaller>>();
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const part of content) {
      if (part.type !== 'tool-call' || part.providerOptions === undefined) continue;
      const caller = toCaller(part.providerOptions);
      if (caller.caller !== undefined) callers.set(part.toolCallId, caller);
    }
  }
  return callers;
}

/** Returns true if the items of a message do not depend on others, as ids, reasoning and hosted calls do. */
function isIndependent(
  message: LanguageModelV2Message,
  { missingReasoning, replays }: Pick<ToInputOptions, 'missingReasoning' | 'replays'>,
): boolean {
  if (missingReasoning !== 'omit-ids' || replays.size > 0) return false;
  switch (message.role) {
    case 'assistant':
      return message.content.every(
        part =>
          part.type === 'text' ||
          (part.type === 'tool-call' && part.providerExecuted !== true && !isApprovalRequest(part)),
      );
    case 'tool':
      return !message.content.some(isApprovalRequest);
    default:
      return true;
  }
}

type SystemMessage = Extract<LanguageModelV2Message, { role: 'system' }>;

function toInstructions(
  { content, providerOptions }: SystemMessage,
  {
    systemMessageMode,
    updates,
    warn,
  }: Pick<ToInputOptions, 'systemMessageMode' | 'updates'> & { warn: (message: string) => void },
): InputItem[] {
  const changes = toUpdates({ content, providerOptions }, updates);
  if (changes !== undefined) return changes;
  const { promptCacheBreakpoint } = readPartOptions(providerOptions);
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
type UserFileOptions = Pick<ToInputOptions, 'fileProviders' | 'passThroughFiles'>;

/**
 * Converts the texts and files of a user message.
 *
 * @throws UnsupportedFunctionalityError for files that the API does not accept, such as audio.
 */
function toUserContent(
  parts: readonly UserPart[],
  options: UserFileOptions & { warn: (message: string) => void },
): InputContent[] {
  const content: InputContent[] = [];
  for (const [index, part] of parts.entries()) {
    const breakpoint = toCacheBreakpoint(readPartOptions(part.providerOptions).promptCacheBreakpoint);
    switch (part.type) {
      case 'text':
        content.push({ type: 'input_text', text: part.text, ...breakpoint });
        break;
      case 'file':
        content.push({ ...toUserFile(part, index, options), ...breakpoint });
        break;
      default:
        options.warn(
          `User content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`,
        );
    }
  }
  return content;
}

function toUserFile(
  part: UserFile,
  index: number,
  { fileProviders, passThroughFiles }: UserFileOptions,
): InputContent {
  const content = toFileContent(part.data, {
    mediaType: part.mediaType,
    filename: part.filename,
    imageDetail: readPartOptions(part.providerOptions).imageDetail,
    defaultName: extension => `part-${index}.${extension}`,
    providers: fileProviders,
    passThrough: passThroughFiles,
  });
  if (content !== undefined) return content;
  const issue = findReferenceIssue(part.data, fileProviders);
  throw new UnsupportedFunctionalityError({
    functionality: issue === undefined ? `file part media type ${part.mediaType}` : 'file reference',
    message:
      issue ??
      'Expected text, images or files, which the Responses API accepts; got a file of media type ' +
        `${part.mediaType}. Remove it or send its content as text, such as a transcript. For a server that accepts it, ` +
        'set `passThroughUnsupportedFiles`.',
  });
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
