import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import {
  type AssistantMessage,
  callsOf,
  type Message,
  type Prompt,
  type SystemMessage,
  type ToolPart,
  type ToolResultPart,
  type UserPart,
} from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { objectOf, stringOf } from '../../core/shared/json.js';
import type { HostedToolReplay } from '../hosted-tools/hosted-tool.js';
import { replayOf } from '../hosted-tools/index.js';
import { type InputContent, type InputItem, isCompaction, isReasoning, type ItemRelations } from '../wire.js';
import { isApprovalPart, REQUEST_NAME } from './approvals.js';
import { type AssistantItemsContext, toAssistantItems, toCaller } from './assistant-items.js';
import { toAdditionalTools, toUpdates, type UpdatesContext } from './conversation-updates.js';
import {
  findReferenceIssue,
  toFileContent,
  toFullMediaType,
  toFunctionOutput,
  type ToolOutputOptions,
} from './content.js';
import {
  createHostedCalls,
  createServerCalls,
  type HostedCalls,
  type ServerCalls,
  type ServerCallsOptions,
} from './hosted-calls.js';
import { collectRemovedReasoning, normalizeItems } from './normalize-items.js';
import { readPartOptions, type ResponsesCallOptions, toCacheBreakpoint } from './read-options.js';
import type { ToolNames } from './tool-names.js';
import type { TurnMemory } from './turn-memory.js';

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
  readonly conversation?: Prompt;
  /** Names under which the ids of uploaded files are known, the preferred one first. */
  readonly fileProviders: readonly string[];
  readonly warn: (warning: Warning) => void;
  /** The messages and items of earlier requests of the same turn. @default none */
  readonly memory?: Pick<TurnMemory, 'messages' | 'received'> | undefined;
  readonly relations: ItemRelations;
}

/** Converts a prompt to input items. Its tool calls must be paired already (see `pairToolCalls`). */
export function toInput(prompt: Prompt, options: ToInputOptions): InputItem[] {
  const {
    store,
    missingReasoning,
    toolNames,
    replays,
    memory,
    relations,
    fileProviders,
    conversation = prompt,
  } = options;
  const warn = (message: string): void => options.warn({ type: 'other', message });
  const messageContext = { ...options, warn };
  const outputs: ToolOutputOptions = { jsonTools: options.toolsWithOutputSchema, fileProviders, warn };
  const functionOutputs: ToolOutputOptions = { wrapsErrors: true, ...outputs };
  // Created for the histories that need them.
  let callers: ReturnType<typeof collectCallers> | undefined;
  let hosted: HostedCalls | undefined;
  let serverCalls: ServerCalls | undefined;
  let removedReasoning: ReadonlySet<string> | undefined;
  const sentIds = new Set<string>();
  const claimId = (id: string): boolean => sentIds.size < sentIds.add(id).size;
  /** Images of the assistant, which the API accepts in messages of the user only. */
  let images: InputContent[] = [];
  const showImages = (content: readonly InputContent[]): void => {
    images.push({ type: 'input_text', text: 'Images of the previous answer:' }, ...content);
  };
  const context: AssistantItemsContext = {
    store,
    relations,
    toolNames,
    hostedOf: part =>
      replays.size > 0 || isApprovalPart(part, prompt) ? (hosted ??= createHosted()) : undefined,
    serverCalls: () =>
      (serverCalls ??= createServerCalls(prompt, { ...context, toolOf: options.serverToolOf })),
    received: memory?.received,
    showImages,
    sentReasoning: new Set(),
    // The ids of other items refer to their reasoning, so it is only omitted if they are.
    removedReasoning: () =>
      (removedReasoning ??=
        missingReasoning === 'omit-ids' ? collectRemovedReasoning(conversation) : new Set()),
    warn,
    claimId,
    // A server that stores nothing does not know these ids, and some servers repeat ids. Calls pair by `call_id`.
    takeId: (id, isNeeded = missingReasoning === 'synthesize') =>
      isNeeded && id !== undefined && claimId(id) ? { id } : {},
  };

  const items: InputItem[] = [];
  const addImages = (): void => {
    if (images.length > 0) items.push({ type: 'message', role: 'user', content: images });
    images = [];
  };
  let isNormal = missingReasoning === 'omit-ids';
  let index = 0;
  for (const message of prompt) {
    if (message.role === 'user') addImages();
    let converted = memory?.messages.at(index, message);
    if (converted === undefined) {
      converted = convert(message);
      if (memory !== undefined && isIndependent(message, options))
        memory.messages.set(index, message, converted);
    }
    index++;
    for (const item of converted) {
      items.push(item);
      isNormal &&= !isReasoning(item) && !isCompaction(item, relations);
    }
  }
  addImages();
  if (isNormal) return items;
  // With a history on the server, the input is only its end.
  const isComplete = conversation === prompt;
  return normalizeItems(items, { isComplete, relations, store, missingReasoning, warn });

  function createHosted(): HostedCalls {
    return createHostedCalls(prompt, {
      replayOf: part => (isApprovalPart(part, prompt) ? replayOf(APPROVAL_ID) : replays.get(part.toolName)),
      toContent: part => toFunctionOutput(part, outputs),
      warn,
    });
  }

  function convert(message: Message): InputItem[] {
    switch (message.role) {
      case 'system':
        return toInstructions(message, messageContext);
      case 'user':
        return [{ type: 'message', role: 'user', content: toUserContent(message.content, messageContext) }];
      case 'assistant':
        return toAssistantItems(message.content, context);
      case 'tool':
        return toToolItems(message.content);
    }
  }

  function toToolItems(parts: readonly ToolPart[]): InputItem[] {
    const items: InputItem[] = [];
    for (const part of parts) {
      if (part.type === 'tool-result') {
        for (const output of toOutputs(part)) items.push(output);
      } else warn(`Tool content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`);
      const { additionalTools } = readPartOptions(part);
      if (additionalTools !== undefined) items.push(...toAdditionalTools(additionalTools, options.updates));
    }
    return items;
  }

  function toOutputs(part: ToolResultPart): readonly InputItem[] {
    const { toolCallId } = part;
    const given = toCaller(part);
    const caller =
      given.caller === undefined ? (callers ??= collectCallers(conversation)).get(toolCallId) : given;
    const items = context.hostedOf(part)?.toOutput(part) ?? [
      {
        type: 'function_call_output',
        call_id: toolCallId,
        output: toFunctionOutput(part, functionOutputs),
      },
    ];
    return caller === undefined ? items : items.map(item => ({ ...item, ...caller }));
  }
}

const APPROVAL_ID = 'openai.mcp_approval_request';

/** Returns the callers of calls, by call id: hosts keep them on the call only. */
function collectCallers(prompt: Prompt): ReadonlyMap<string, ReturnType<typeof toCaller>> {
  const callers = new Map<string, ReturnType<typeof toCaller>>();
  for (const call of callsOf(prompt)) {
    const caller = toCaller(call);
    if (caller.caller !== undefined) callers.set(call.toolCallId, caller);
  }
  return callers;
}

/** Returns true if the items of a message do not depend on others, as ids, reasoning and hosted calls do. */
function isIndependent(
  message: Message,
  options: Pick<ToInputOptions, 'missingReasoning' | 'replays'>,
): boolean {
  if (options.missingReasoning !== 'omit-ids' || options.replays.size > 0) return false;
  switch (message.role) {
    case 'assistant':
      return message.content.every(
        part =>
          part.type === 'text' ||
          (part.type === 'tool-call' &&
            part.providerExecuted !== true &&
            part.own?.approvalFor === undefined),
      );
    case 'tool':
      return !message.content.some(part => part.type === 'tool-result' && part.toolName === REQUEST_NAME);
    default:
      return true;
  }
}

function toInstructions(
  { content, providerOptions }: SystemMessage,
  options: Pick<ToInputOptions, 'systemMessageMode' | 'updates'> & { warn: (message: string) => void },
): InputItem[] {
  const changes = providerOptions && toUpdates({ content, providerOptions }, options.updates);
  if (changes !== undefined) return changes;
  const { promptCacheBreakpoint } = readPartOptions({ providerOptions });
  if (options.systemMessageMode === 'remove') {
    options.warn('system messages are removed for this model');
    return [];
  }
  const text =
    promptCacheBreakpoint === undefined
      ? content
      : [{ type: 'input_text' as const, text: content, ...toCacheBreakpoint(promptCacheBreakpoint) }];
  return [{ type: 'message', role: options.systemMessageMode, content: text }];
}

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
  let index = 0;
  for (const part of parts) {
    const breakpoint = toCacheBreakpoint(readPartOptions(part).promptCacheBreakpoint);
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
    index++;
  }
  return content;
}

function toUserFile(part: UserFile, index: number, options: UserFileOptions): InputContent {
  const content = toFileContent(part.data, {
    mediaType: toFullMediaType(part.mediaType),
    filename: part.filename,
    imageDetail: readPartOptions(part).imageDetail,
    defaultName: extension => `part-${index}.${extension}`,
    providers: options.fileProviders,
    passThrough: options.passThroughFiles,
  });
  if (content !== undefined) return content;
  const issue = findReferenceIssue(part.data, options.fileProviders);
  throw new UnsupportedFunctionalityError({
    functionality:
      issue === undefined ? `file part media type ${toFullMediaType(part.mediaType)}` : 'file reference',
    message:
      issue ??
      'Expected text, images or files, which the Responses API accepts; got a file of media type ' +
        `${toFullMediaType(part.mediaType)}. Remove it or send its content as text, such as a transcript. For a server that accepts it, ` +
        'set `passThroughUnsupportedFiles`.',
  });
}

/**
 * Returns the messages of a history that the server does not have yet. Without `conversation` and `previousResponseId`
 * these are all messages.
 *
 * - With `conversation` the server has all messages up to the last complete response. The results of its tool calls and
 *   later messages are sent. A response that did not end is not in the conversation, and neither are the messages before it.
 *   Of its content, only the text and the calls of functions are sent: the server knows none of its ids.
 * - With `previousResponseId` the server has all messages up to that response. Parts of stored responses contain their
 *   response id in `own.responseId`. If no part contains the id, the last assistant message without a
 *   response id counts as the response. Messages with other ids are tool rounds of a call that started with a
 *   `previousResponseId`, and follow it.
 *
 * Calls that the model wrote as text are sent with their results, because the server has only the text.
 * The server also has the system messages. Instructions that change with every call belong in
 * `providerOptions.openai.instructions`, which the API does not store.
 */
export function toNewMessages(
  prompt: Prompt,
  options: Pick<ResponsesCallOptions, 'conversation' | 'previousResponseId'>,
): Prompt {
  if (options.previousResponseId !== undefined) {
    const known = prompt.findLastIndex(message => responseIdOf(message) === options.previousResponseId);
    const presumed = prompt.findLastIndex(
      message => message.role === 'assistant' && responseIdOf(message) === undefined,
    );
    return toMessagesAfter(prompt, known < 0 ? presumed : known);
  }
  if (options.conversation === undefined) return prompt;
  const last = prompt.findLastIndex(message => message.role === 'assistant' && !isUnfinished(message));
  return toMessagesAfter(prompt, last).flatMap(message => {
    if (message.role !== 'assistant' || !isUnfinished(message)) return message;
    const content = message.content.filter(
      part => part.type === 'text' || (part.type === 'tool-call' && part.providerExecuted !== true),
    );
    return content.length === 0 ? [] : { ...message, content };
  });
}

/** Returns true for a message of this package whose response did not end, because the call was aborted or failed. */
const isUnfinished = ({ content }: AssistantMessage): boolean =>
  content.some(part => part.own?.completed === false) && !content.some(part => part.own?.completed === true);

/** Returns the messages after one that the server has, and before them its calls, if the server has their text alone. */
function toMessagesAfter(prompt: Prompt, index: number): Prompt {
  const after = prompt.slice(index + 1);
  const last = prompt[index];
  const calls =
    last?.role === 'assistant' && after[0]?.role === 'tool'
      ? last.content.filter(part => part.type === 'tool-call' && part.own?.ofText === true)
      : [];
  return calls.length === 0 ? after : [{ role: 'assistant', content: calls }, ...after];
}

function responseIdOf(message: Message): string | undefined {
  if (message.role !== 'assistant') return undefined;
  return message.content.map(part => readPartOptions(part).responseId).findLast(id => id !== undefined);
}
