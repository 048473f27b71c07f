import type { CoreCall } from '../../core/call.js';
import {
  answerPartsOf,
  type AssistantPart,
  type Message,
  type Prompt,
  toDeniedText,
  type ToolCallPart,
  type ToolPart,
  type ToolResultOutput,
} from '../../core/prompt.js';
import { itemOf } from '../../core/custom.js';
import { idOf, stringOf } from '../../core/shared/json.js';
import { continuesStoredResponse, pairToolCalls } from '../../core/tool-calls/call-pairing.js';
import { isHostedToolPart } from '../../core/tool-calls/hosted-tools.js';
import type { OfficialTraits } from '../../core/versions/version.js';

/*
 * The history of this package contains parts that an official provider misreads or drops without a warning. They are
 * converted to parts that it sends correctly, or withheld with a warning.
 */

export interface OfficialHistoryOptions {
  /** The kinds of content that the official provider of the major can send. */
  readonly traits: OfficialTraits;
  /** True if the official provider replays items by reference. */
  readonly store: boolean;
  /** Called once for each kind of content that is not sent. */
  readonly warn: (message: string) => void;
}

/** Writes the history of a call with the items, approvals, calls and item ids that an official provider can send. */
export function toOfficialHistory(call: CoreCall, options: OfficialHistoryOptions): Prompt {
  const items = withSendableItems(withoutHostedRequests(call.prompt, options), options);
  const paired = pairCalls(withSendableApprovals(items, options), call);
  // Only results of hosted calls are left in assistant messages.
  return withoutTrailingReasoning(withOwnIds(paired, options), options);
}

/** The official provider's hint that applies to everything that it cannot send. */
const HINT = 'Switch kelivo-responses on for this conversation to send them.';

/** Places the result of each call of a function after it. Calls of hosted tools stay as they are. */
function pairCalls(prompt: Prompt, call: CoreCall): Prompt {
  const { tools = [], turn } = call;
  const functions = new Set(tools.flatMap(tool => (tool.type === 'function' ? [tool.name] : [])));
  const hosted = new Set(tools.flatMap(tool => (tool.type === 'provider' ? [tool.name] : [])));
  return pairToolCalls(prompt, {
    keepOrphans: continuesStoredResponse(call),
    isFunctionTool: name => functions.has(name),
    isHostedTool: part =>
      hosted.has(part.toolName) || turn?.hostedCalls?.has(part.toolCallId) === true || isHostedToolPart(part),
  });
}

/**
 * Withholds items that only this package sends. Of those that the server stored, a reference is sent: the official
 * provider writes one for every reasoning part with an item id.
 */
function withSendableItems(
  prompt: Prompt,
  { traits: { major, sendsCompactions }, store, warn }: OfficialHistoryOptions,
): Prompt {
  const withheld = new Set<string>();
  const withheldPrograms = new Set<string>();

  const toSendable = (part: AssistantPart): AssistantPart[] => {
    if (part.type !== 'custom') return [part];
    const { providerOptions } = part;
    const item = itemOf(part);
    const type = item === undefined ? part.kind.replace(/^openai\./, '') : stringOf(item.type);
    const itemId = idOf(providerOptions?.openai?.itemId);
    if (sendsCompactions && type === 'compaction' && itemId !== undefined) {
      const encryptedContent = providerOptions?.openai?.encryptedContent ?? item?.encrypted_content ?? null;
      const openai = { ...providerOptions?.openai, type, itemId, encryptedContent };
      return [{ type: 'custom', kind: 'openai.compaction', providerOptions: { ...providerOptions, openai } }];
    }
    if (store && itemId !== undefined)
      return [{ type: 'reasoning', text: '', providerOptions: { openai: { itemId } } }];
    withheld.add(type);
    if (type === 'program') withheldPrograms.add(stringOf(item?.call_id));
    return [];
  };

  const history = mapAssistant(prompt, content => content.flatMap(toSendable));
  if (withheld.size > 0) {
    warn(
      `Items that @ai-sdk/openai ${major} cannot send were left out of the history: ` +
        `${[...withheld].join(', ')}. ${HINT}`,
    );
  }
  // A call may only refer to a program that the request contains.
  return withheldPrograms.size === 0 ? history : mapAssistant(history, content => content.map(withoutCaller));
}

function withoutCaller(part: AssistantPart): AssistantPart {
  if (part.type !== 'tool-call' || part.providerOptions?.openai?.caller === undefined) return part;
  const { caller: _, ...openai } = part.providerOptions.openai;
  return { ...part, providerOptions: { ...part.providerOptions, openai } };
}

/** Withholds the requests of hosted servers and the responses to them from providers without such servers. */
function withoutHostedRequests(
  prompt: Prompt,
  { traits: { major, hasHostedServers }, warn }: OfficialHistoryOptions,
): Prompt {
  if (hasHostedServers) return prompt;
  const isRequest = (part: AssistantPart): boolean =>
    part.type === 'tool-call' && part.own?.approvalFor !== undefined;
  const requests = new Set<string>();
  const answered = new Set<string>();
  for (const part of answerPartsOf(prompt))
    if (part.type === 'tool-call' && isRequest(part)) requests.add(part.toolCallId);
  const isSendable = (part: ToolPart): boolean => {
    // A host sends a denial as a result, sometimes in addition to the response.
    const id = part.type === 'tool-result' ? part.toolCallId : part.approvalId;
    if (requests.has(id)) answered.add(id);
    return !requests.has(id);
  };
  const history = mapTool(
    mapAssistant(prompt, content => content.filter(part => !isRequest(part))),
    content => content.filter(isSendable),
  );
  for (const id of answered) {
    warn(
      `The response to approval request ${id} was not sent: @ai-sdk/openai ${major} has no hosted MCP servers. ${HINT}`,
    );
  }
  return history;
}

/**
 * Converts approvals. The official provider takes every response for that of a hosted MCP server, so responses to requests
 * of the tool loop are removed. A denied call gets its result, and an approved one was not run.
 */
function withSendableApprovals(
  prompt: Prompt,
  { traits: { major, hasHostedServers }, store, warn }: OfficialHistoryOptions,
): Prompt {
  /** Calls of the tool loop that waited for an approval, by the ids of the request and the call. */
  const loopCalls = new Map<string, ToolCallPart>();
  const results = new Set<string>();
  for (const part of answerPartsOf(prompt)) {
    if (part.type === 'tool-result') results.add(part.toolCallId);
    if (part.type !== 'tool-call' || part.own?.approval === undefined) continue;
    loopCalls.set(part.own.approval.id, part);
    loopCalls.set(part.toolCallId, part);
  }

  const toSendable = (part: ToolPart): ToolPart[] => {
    if (part.type === 'tool-result') {
      const { output } = part;
      const isDenial = output.type === 'execution-denied' && loopCalls.has(part.toolCallId);
      return isDenial ? [toDenial(part, output.reason)] : [part];
    }
    if (part.type !== 'tool-approval-response') return [part];
    const call = loopCalls.get(part.approvalId);
    if (call === undefined) {
      if (store || !hasHostedServers) return [part];
      warn(
        `The response to approval request ${part.approvalId} was not sent: with \`store: false\`, ` +
          `@ai-sdk/openai ${major} does not send the request that it refers to. ${HINT}`,
      );
      return [];
    }
    if (!part.approved) return results.has(call.toolCallId) ? [] : [toDenial(call, part.reason)];
    if (!results.has(call.toolCallId))
      warn(`The approved call of ${call.toolName} was not run, because kelivo-responses is switched off.`);
    return [];
  };
  return mapTool(prompt, content => content.flatMap(toSendable));
}

function toDenial(
  { toolCallId, toolName }: Pick<ToolCallPart, 'toolCallId' | 'toolName'>,
  reason: string | undefined,
): ToolPart {
  const output: ToolResultOutput = { type: 'error-text', value: toDeniedText({ reason }) };
  return { type: 'tool-result', toolCallId, toolName, output };
}

/** Corrects the item ids of calls and of the results of hosted calls. See `OfficialTraits.refersByCallId`. */
function withOwnIds(prompt: Prompt, { traits: { refersByCallId } }: OfficialHistoryOptions): Prompt {
  const itemIds = new Map<string, string>();
  const resultIds = new Set<string>();
  for (const part of answerPartsOf(prompt)) {
    if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
    const id = itemIdOf(part);
    if (id !== undefined) itemIds.set(part.toolCallId, id);
    if (part.type === 'tool-result') resultIds.add(id ?? part.toolCallId);
  }
  // A reference to a request, or to an item that is also the result, would be sent twice.
  const isRepeated = (part: ToolCallPart): boolean =>
    part.own?.approvalFor !== undefined ||
    part.providerOptions?.openai?.approvalRequestId !== undefined ||
    (part.providerExecuted === true && resultIds.has(itemIdOf(part) ?? ''));
  const isFunction = (part: ToolCallPart): boolean =>
    itemIdOf(part)?.startsWith('fc') !== false || part.toolName === 'local_shell';
  return mapAssistant(prompt, content =>
    content.map(part => {
      if (part.type === 'tool-call')
        return isRepeated(part) || (refersByCallId && !isFunction(part)) ? withoutItemId(part) : part;
      if (part.type !== 'tool-result' || !refersByCallId) return part;
      return { ...part, toolCallId: itemIds.get(part.toolCallId) ?? part.toolCallId };
    }),
  );
}

const itemIdOf = (part: AssistantPart): string | undefined => idOf(part.providerOptions?.openai?.itemId);

function withoutItemId(part: ToolCallPart): ToolCallPart {
  const { itemId: _, ...openai } = part.providerOptions?.openai ?? {};
  return { ...part, providerOptions: { ...part.providerOptions, openai } };
}

/**
 * Removes reasoning that the API rejects without the item that follows: at the end of an interrupted turn and, if the server
 * stores items, before a text that lost its id.
 */
const withoutTrailingReasoning = (prompt: Prompt, options: OfficialHistoryOptions): Prompt =>
  prompt.flatMap((message, index): Message[] => {
    const next = prompt[index + 1];
    if (message.role !== 'assistant' || next?.role === 'assistant' || isApprovalAnswer(next))
      return [message];
    const last = message.content.findLastIndex(part => isItem(part, options));
    const isRejected = (part: AssistantPart, at: number): boolean => {
      if (at > last) return true;
      const follower = message.content.slice(at).find(assistantPart => assistantPart.type !== 'reasoning');
      const isUnnamed = follower?.type === 'text' && itemIdOf(follower) === undefined;
      return options.store && isUnnamed && itemIdOf(part)?.startsWith('rs') === true;
    };
    const content = message.content.filter((part, at) => part.type !== 'reasoning' || !isRejected(part, at));
    return content.length === 0 ? [] : [{ ...message, content }];
  });

/** Returns true for a message whose approval responses refer to items of the turn before it. */
const isApprovalAnswer = (message: Message | undefined): boolean =>
  message?.role === 'tool' && message.content.some(part => part.type === 'tool-approval-response');

/** Returns true if the official provider sends the part as an item that may follow reasoning. */
function isItem(part: AssistantPart, options: OfficialHistoryOptions): boolean {
  if (part.type === 'tool-call') return part.providerExecuted !== true;
  if (part.type === 'tool-result') return options.store || options.traits.rebuiltResults.test(part.toolName);
  // A reasoning part with the id of another item is sent as a reference to that item.
  const isReference =
    part.type === 'reasoning' && options.store && itemIdOf(part)?.startsWith('rs') === false;
  return part.type === 'text' || part.type === 'custom' || isReference;
}

/** Converts the content of assistant messages. Messages that lose all of it are left out. */
const mapAssistant = (
  prompt: Prompt,
  convert: (content: readonly AssistantPart[]) => readonly AssistantPart[],
): Prompt =>
  prompt.flatMap((message): Message[] => {
    if (message.role !== 'assistant') return [message];
    const content = convert(message.content);
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });

/** Converts the content of tool messages. Messages that lose all of it are left out. */
const mapTool = (prompt: Prompt, convert: (content: readonly ToolPart[]) => readonly ToolPart[]): Prompt =>
  prompt.flatMap((message): Message[] => {
    if (message.role !== 'tool') return [message];
    const content = convert(message.content);
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
