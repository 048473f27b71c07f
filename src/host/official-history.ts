import type {
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  SharedV2ProviderOptions,
} from '@ai-sdk/provider';
import { approvalMarkOf, type ApprovalResponse, type HostVersion } from '../parts/call-marks.js';
import { COMPACTION_KIND, opaqueItemOf } from '../parts/opaque-items.js';
import { toV2Output } from '../parts/v2-output.js';
import { idOf, objectOf, type PlainObject, stringOf } from '../shared/json.js';
import { toLaterOutput } from '../v3/later-call-options.js';

/*
 * The history of this package contains parts that an official provider misreads or drops without a warning. They are
 * converted to parts that it sends correctly, or withheld with a warning. The parts of all versions of the model interface
 * have the same types where they have the same meaning, so the types of version 2 stand for all of them here.
 */

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];
type ToolPart = Extract<LanguageModelV2Message, { role: 'tool' }>['content'][number];
type CallPart = Extract<AssistantPart, { type: 'tool-call' }>;
type ResultPart = Extract<AssistantPart, { type: 'tool-result' }>;

export interface OfficialHistoryOptions {
  /** Version of the official model. */
  readonly version: HostVersion;
  /** True if the official provider replays items by reference. */
  readonly store: boolean;
  /** Approval responses that version 2 has no message part for. */
  readonly responses: readonly ApprovalResponse[];
  /** Called once for each kind of content that is not sent. */
  readonly warn: (message: string) => void;
}

/** Converts the items, approvals and item ids of a history to those that the official provider of a version can send. */
export function toOfficialHistory(
  prompt: LanguageModelV2Prompt,
  options: OfficialHistoryOptions,
): LanguageModelV2Prompt {
  const history = withSendableItems(withoutHostedRequests(prompt, options), options);
  return withOwnIds(withSendableApprovals(history, options), options);
}

/** The official provider's hint that applies to everything that it cannot send. */
const HINT = 'Switch kelivo-responses on for this conversation to send them.';

/**
 * Withholds items that only this package sends. Of those that the server stored, a reference is sent: the official
 * provider writes one for every reasoning part with an item id.
 */
function withSendableItems(
  prompt: LanguageModelV2Prompt,
  { version, store, warn }: OfficialHistoryOptions,
): LanguageModelV2Prompt {
  const withheld = new Set<string>();
  const withheldPrograms = new Set<string>();

  const toSendable = (part: AssistantPart): AssistantPart[] => {
    const item = carriedItemOf(part);
    if (item === undefined) return [part];
    const { type, providerOptions } = item;
    const id = idOf(objectOf(providerOptions?.openai)?.itemId);
    if (version === 'v4' && type === 'compaction' && id !== undefined) return [toCompaction(part, item, id)];
    if (store && id !== undefined)
      return [{ type: 'reasoning', text: '', providerOptions: { openai: { itemId: id } } }];
    withheld.add(type);
    if (type === 'program') withheldPrograms.add(stringOf(item.callId));
    return [];
  };

  const history = mapAssistant(prompt, content => content.flatMap(toSendable));
  if (withheld.size > 0) {
    warn(
      `Items that @ai-sdk/openai ${majorOf(version)} cannot send were left out of the history: ` +
        `${[...withheld].join(', ')}. ${HINT}`,
    );
  }
  // A call may only refer to a program that the request contains.
  return withheldPrograms.size === 0 ? history : mapAssistant(history, content => content.map(withoutCaller));
}

/** An item that a part carries, from this package (versions 2 and 3) or from a `custom` part (version 4). */
interface CarriedItem {
  readonly type: string;
  readonly callId?: unknown;
  readonly encryptedContent?: unknown;
  readonly providerOptions: SharedV2ProviderOptions | undefined;
}

function carriedItemOf(part: AssistantPart): CarriedItem | undefined {
  const { type: partType, providerOptions }: { type: string; providerOptions?: SharedV2ProviderOptions } =
    part;
  const item = opaqueItemOf(providerOptions);
  if (partType === 'custom') {
    const type = 'kind' in part ? stringOf(part.kind).replace(/^openai\./, '') : 'unknown';
    return {
      type,
      callId: item?.call_id,
      encryptedContent: objectOf(providerOptions?.openai)?.encryptedContent ?? item?.encrypted_content,
      providerOptions,
    };
  }
  if (partType !== 'reasoning' || item === undefined) return undefined;
  return {
    type: stringOf(item.type),
    callId: item.call_id,
    encryptedContent: item.encrypted_content,
    providerOptions,
  };
}

/** Returns the part of `@ai-sdk/openai` 4 for a compaction. Version 2 has no type for it. */
function toCompaction(
  { providerOptions }: AssistantPart,
  { encryptedContent }: CarriedItem,
  itemId: string,
): AssistantPart {
  const openai = { ...providerOptions?.openai, type: 'compaction', itemId, encryptedContent };
  const part: unknown = {
    type: 'custom',
    kind: COMPACTION_KIND,
    providerOptions: { ...providerOptions, openai },
  };
  return part as AssistantPart;
}

function withoutCaller(part: AssistantPart): AssistantPart {
  if (part.type !== 'tool-call' || part.providerOptions?.openai?.caller === undefined) return part;
  const { caller: _, ...openai } = part.providerOptions.openai;
  return { ...part, providerOptions: { ...part.providerOptions, openai } };
}

/**
 * Converts approvals. The official provider takes every response for that of a hosted MCP server, so responses to requests
 * of the tool loop are removed. A denied call gets its result, and an approved one was not run.
 */
function withSendableApprovals(
  given: LanguageModelV2Prompt,
  { version, store, warn, responses }: OfficialHistoryOptions,
): LanguageModelV2Prompt {
  const prompt = withResponses(given, responses);
  /** Calls of the tool loop that waited for an approval, by the ids of the request and the call. */
  const loopCalls = new Map<string, CallPart>();
  const results = new Set<string>();
  for (const part of partsOf(prompt)) {
    if (part.type === 'tool-result') results.add(part.toolCallId);
    const mark = part.type === 'tool-call' ? approvalMarkOf(part.providerOptions) : undefined;
    if (part.type !== 'tool-call' || mark === undefined) continue;
    loopCalls.set(mark.id, part);
    loopCalls.set(part.toolCallId, part);
  }

  const toSendable = (part: ToolPart): ToolPart[] => {
    if (part.type === 'tool-result') {
      const isDenial = objectOf(part.output)?.type === 'execution-denied';
      return isDenial && loopCalls.has(part.toolCallId) ? [toDenial(part, part.output)] : [part];
    }
    // Version 2 has no approval responses, later versions have them in tool messages.
    const response: PlainObject = { ...(part as object) };
    if (response.type !== 'tool-approval-response') return [part];
    const call = loopCalls.get(stringOf(response.approvalId));
    if (call === undefined) {
      if (store || version === 'v2') return [part];
      warn(
        `The response to approval request ${stringOf(response.approvalId)} was not sent: with \`store: false\`, ` +
          `@ai-sdk/openai ${majorOf(version)} does not send the request that it refers to. ${HINT}`,
      );
      return [];
    }
    if (response.approved === true) {
      if (!results.has(call.toolCallId))
        warn(`The approved call of ${call.toolName} was not run, because kelivo-responses is switched off.`);
      return [];
    }
    return results.has(call.toolCallId)
      ? []
      : [toDenial(call, { type: 'execution-denied', reason: response.reason })];
  };

  return prompt.flatMap((message): LanguageModelV2Prompt => {
    if (message.role !== 'tool') return [message];
    const content = message.content.flatMap(toSendable);
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
}

/** Version 2 of the official provider would send the requests of hosted servers and their responses as function calls. */
function withoutHostedRequests(
  prompt: LanguageModelV2Prompt,
  { version, warn }: OfficialHistoryOptions,
): LanguageModelV2Prompt {
  if (version !== 'v2') return prompt;
  const isRequest = (part: AssistantPart | ToolPart): boolean =>
    'toolName' in part && part.toolName === 'mcp_approval_request' && part.toolCallId.startsWith('mcpr');
  const ids = [...partsOf(prompt)].flatMap(part =>
    part.type === 'tool-result' && isRequest(part) ? [part.toolCallId] : [],
  );
  for (const id of ids) {
    warn(
      `The response to approval request ${id} was not sent: @ai-sdk/openai 2 has no hosted MCP servers. ${HINT}`,
    );
  }
  return prompt.flatMap((message): LanguageModelV2Prompt => {
    if (message.role === 'assistant') {
      const content = message.content.filter(part => !isRequest(part));
      return content.length > 0 || message.content.length === 0 ? [{ ...message, content }] : [];
    }
    if (message.role !== 'tool') return [message];
    const content = message.content.filter(part => !isRequest(part));
    return content.length > 0 || message.content.length === 0 ? [{ ...message, content }] : [];
  });
}

/** Adds responses to the end of a history, as versions 3 and 4 have them there. */
function withResponses(
  prompt: LanguageModelV2Prompt,
  responses: readonly ApprovalResponse[],
): LanguageModelV2Prompt {
  if (responses.length === 0) return prompt;
  const content: unknown = responses.map(response => ({ type: 'tool-approval-response', ...response }));
  const message: LanguageModelV2Message = { role: 'tool', content: content as ToolPart[] };
  const at = prompt.findLastIndex(({ role }) => role === 'assistant') + 1;
  return [...prompt.slice(0, at), message, ...prompt.slice(at)];
}

const toDenial = ({ toolCallId, toolName }: CallPart | ResultPart, output: object): ResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: toV2Output(output) as ResultPart['output'],
});

/**
 * Corrects the item ids of calls. Version 2 of the official provider sends every call of the host as a function call with
 * its item id, and refers to hosted calls by their call id. Later versions refer to the item of a hosted call and to that
 * of its result, which may be the same, and to an approval request twice if its call has an item id.
 */
function withOwnIds(
  prompt: LanguageModelV2Prompt,
  { version }: OfficialHistoryOptions,
): LanguageModelV2Prompt {
  const itemIds = new Map<string, string>();
  const resultIds = new Set<string>();
  for (const part of partsOf(prompt)) {
    if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
    const id = itemIdOf(part);
    if (id !== undefined) itemIds.set(part.toolCallId, id);
    if (part.type === 'tool-result') resultIds.add(id ?? part.toolCallId);
  }
  const isRepeated = (part: CallPart): boolean => {
    const { openai, kelivo } = part.providerOptions ?? {};
    const isRequest = kelivo?.approvalFor !== undefined || openai?.approvalRequestId !== undefined;
    return isRequest || (part.providerExecuted === true && resultIds.has(itemIdOf(part) ?? ''));
  };
  const isFunction = (part: CallPart): boolean =>
    itemIdOf(part)?.startsWith('fc') !== false || part.toolName === 'local_shell';
  return mapAssistant(prompt, content =>
    content.map(part => {
      if (part.type === 'tool-call')
        return isRepeated(part) || (version === 'v2' && !isFunction(part)) ? withoutItemId(part) : part;
      if (part.type !== 'tool-result' || version !== 'v2') return part;
      return { ...part, toolCallId: itemIds.get(part.toolCallId) ?? part.toolCallId };
    }),
  );
}

const itemIdOf = ({ providerOptions }: CallPart | ResultPart): string | undefined =>
  idOf(providerOptions?.openai?.itemId);

function withoutItemId(part: CallPart): CallPart {
  const { itemId: _, ...openai } = part.providerOptions?.openai ?? {};
  return { ...part, providerOptions: { ...part.providerOptions, openai } };
}

/** Returns the major version of `@ai-sdk/openai` whose models have a version of the model interface. */
const majorOf = (version: HostVersion): number => Number(version.slice(1));

/**
 * Converts media in the output of a tool to the types of a version. Outputs that this package restored have the types of
 * version 2. Those of the host already have the types of its version.
 */
export const toOfficialOutput = (output: unknown, version: HostVersion): unknown =>
  version === 'v2' ? toV2Output(output) : toLaterOutput(output, version);

function mapAssistant(
  prompt: LanguageModelV2Prompt,
  convert: (content: readonly AssistantPart[]) => AssistantPart[],
): LanguageModelV2Prompt {
  return prompt.flatMap((message): LanguageModelV2Prompt => {
    if (message.role !== 'assistant') return [message];
    const content = convert(message.content);
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
}

/** Returns all parts of calls and responses. */
export function* partsOf(prompt: LanguageModelV2Prompt): Generator<AssistantPart | ToolPart> {
  for (const { role, content } of prompt) if (role === 'assistant' || role === 'tool') yield* content;
}
