import type {
  JSONObject,
  LanguageModelV2Message,
  LanguageModelV2ReasoningPart,
  LanguageModelV2TextPart,
  LanguageModelV2ToolCallPart,
  SharedV2ProviderOptions,
} from '@ai-sdk/provider';
import { agentOf, type Commentary, commentaryOf } from '../../parts/commentary.js';
import { objectOf, type PlainObject, stringOf } from '../../shared/json.js';
import {
  type AssistantMessage,
  type InputContent,
  type InputItem,
  type ReasoningItem,
  toArgumentsJson,
  toItemReference,
} from '../wire.js';
import type { ReceivedItems } from './received-items.js';
import { toFileContent } from './files.js';
import type { HostedCalls } from './hosted-calls.js';
import { type CarrierPart, carriedItemOf, foreignKindOf } from './opaque-items.js';
import { readPartOptions } from './provider-options.js';
import type { ServerCalls } from './server-calls.js';
import type { ToolNames } from './tool-names.js';

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];
type FilePart = Extract<AssistantPart, { type: 'file' }>;

export interface AssistantItemsContext {
  readonly store: boolean;
  readonly toolNames: ToolNames;
  /** The calls of hosted tools that the host executed. */
  readonly hosted: HostedCalls;
  readonly serverCalls: ServerCalls;
  /** Items of the same turn. */
  readonly received: ReceivedItems;
  /** Shows images of the assistant in the next message of the user. */
  readonly showImages: (content: readonly InputContent[]) => void;
  /** Ids and contents of the reasoning items of earlier messages. */
  readonly sentReasoning: Set<string>;
  /** Ids of reasoning items that the API could not use. */
  readonly removedReasoning: () => ReadonlySet<string>;
  readonly warn: (message: string) => void;
  /** Returns the `id` field of a message or call. It is empty if the settings omit ids. */
  readonly takeId: (id: string | undefined) => { id?: string };
  /** Returns false for an id that the request already contains. */
  readonly claimId: (id: string) => boolean;
}

/** Converts the parts of an assistant message to items, in the same order. */
export function toAssistantItems(
  parts: readonly AssistantPart[],
  context: AssistantItemsContext,
): InputItem[] {
  const items: InputItem[] = [];
  const reasoning = new Map<string, ReasoningItem>();

  for (const part of parts) {
    const carried = toCarriedItems(part, context);
    if (carried !== undefined) {
      items.push(...carried);
      continue;
    }
    switch (part.type) {
      case 'text':
        items.push(toMessage(part.text, toMessageFields(part), context));
        break;
      case 'reasoning': {
        const commentary = commentaryOf(part.providerOptions);
        if (commentary !== undefined) {
          items.push(toMessage(part.text, commentary, context));
          break;
        }
        const item = addReasoning(part, reasoning, context);
        if (item !== undefined) items.push(item);
        break;
      }
      case 'tool-call':
        // A call that is still provider-executed belongs to a hosted tool.
        if (part.providerExecuted !== true) items.push(...toCalls(part, context));
        else items.push(...context.serverCalls.toItems(part));
        break;
      case 'tool-result':
        items.push(...context.serverCalls.toItems(part));
        break;
      case 'file':
        addFile(part, context);
        break;
      default:
        context.warn(
          `Assistant content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`,
        );
    }
  }
  for (const key of reasoning.keys()) context.sentReasoning.add(key);
  return items;
}

/** Shows an image to the model. The API accepts no files of the assistant. */
function addFile({ data, mediaType }: FilePart, { showImages, warn }: AssistantItemsContext): void {
  const content = /^image\//.test(mediaType)
    ? toFileContent(data, { mediaType, defaultName: () => 'image', providers: [] })
    : undefined;
  if (content !== undefined) showImages([content]);
  else warn(`Files of assistant messages are not sent because the API does not accept them (${mediaType}).`);
}

/** Returns the items of a part that carries an item instead of content. Undefined for parts with content. */
function toCarriedItems(
  part: CarrierPart,
  { store, received, claimId, warn }: AssistantItemsContext,
): InputItem[] | undefined {
  if (part.providerOptions === undefined && part.type !== 'custom') return undefined;
  const item = carriedItemOf(part);
  if (item === undefined) {
    const kind = foreignKindOf(part);
    if (kind === undefined) return undefined;
    warn(`Assistant content of type "${kind}" is not supported and not sent.`);
    return [];
  }
  const { id } = item;
  if (id !== undefined && !claimId(id)) return [];
  return [store && id !== undefined && !received.has(id) ? toItemReference(id, [item]) : item];
}

function toMessageFields({ providerOptions }: LanguageModelV2TextPart): Commentary {
  if (providerOptions === undefined) return NO_FIELDS;
  const { itemId, phase } = readPartOptions(providerOptions);
  return {
    ...(itemId !== undefined && { id: itemId }),
    ...(phase !== undefined && { phase }),
    ...toAgent(providerOptions),
  };
}

const NO_FIELDS: Commentary = {};

function toMessage(
  text: string,
  { id, ...fields }: Commentary,
  { takeId }: Pick<AssistantItemsContext, 'takeId'>,
): AssistantMessage {
  return {
    // OpenAI treats the type as optional, llama.cpp requires it for this role.
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
    ...takeId(id),
    ...fields,
  };
}

/** Returns no item for a call that is left out. */
function toCalls(part: LanguageModelV2ToolCallPart, context: AssistantItemsContext): readonly InputItem[] {
  const { itemId, async, namespace } = readPartOptions(part.providerOptions);
  const takeId = () => context.takeId(itemId);
  const wireName = context.toolNames.toWire(part.toolName, namespace);
  const origin = toCallOrigin(part);
  const hosted = context.hosted.toCall(part, { itemId, takeId, wireName });
  if (hosted !== undefined) return hosted.map(item => ({ ...item, ...origin }));
  const call: InputItem = {
    type: 'function_call',
    call_id: part.toolCallId,
    name: wireName,
    arguments: toArgumentsJson(part.input),
    ...takeId(),
    ...(async !== undefined && { async }),
    ...origin,
  };
  return [call];
}

/** Returns the fields without which the API does not recognize a call. */
function toCallOrigin({ providerOptions }: Pick<LanguageModelV2ToolCallPart, 'providerOptions'>) {
  if (providerOptions === undefined) return undefined;
  const { namespace } = readPartOptions(providerOptions);
  return {
    ...(namespace !== undefined && { namespace }),
    ...toCaller(providerOptions),
    ...toAgent(providerOptions),
  };
}

function toAgent(options: SharedV2ProviderOptions | undefined): { agent?: JSONObject } {
  const agent = agentOf(options);
  return agent === undefined ? {} : { agent };
}

/** Returns the caller of a call, which the call and its output have to name. */
export function toCaller(options: SharedV2ProviderOptions | undefined): { caller?: PlainObject } {
  const { caller } = readPartOptions(options);
  if (caller === undefined) return {};
  const { callerId, ...others } = caller;
  return { caller: { ...others, ...(callerId !== undefined && { caller_id: callerId }) } };
}

/**
 * Joins the parts of a reasoning item: a history has one part for each summary text. Returns the item for its first
 * part, and undefined for later parts and for reasoning of other APIs.
 */
function addReasoning(
  part: LanguageModelV2ReasoningPart,
  reasoning: Map<string, ReasoningItem>,
  { sentReasoning, removedReasoning }: Pick<AssistantItemsContext, 'sentReasoning' | 'removedReasoning'>,
): ReasoningItem | undefined {
  const { itemId, reasoningEncryptedContent } = readPartOptions(part.providerOptions);
  const key = itemId ?? reasoningEncryptedContent;
  // Some servers, such as OpenRouter, attach the same reasoning to every parallel call:
  // https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254
  if (key === undefined || sentReasoning.has(key) || removedReasoning().has(key)) return undefined;

  const known = reasoning.get(key);
  const item: ReasoningItem = known ?? {
    type: 'reasoning',
    ...(itemId !== undefined && { id: itemId }),
    summary: [],
    ...toAgent(part.providerOptions),
  };
  // Only the content of the finished item is valid. It is in the last part.
  if (reasoningEncryptedContent !== undefined) item.encrypted_content = reasoningEncryptedContent;
  if (part.text !== '') addText(item, part);
  reasoning.set(key, item);
  return known === undefined ? item : undefined;
}

/** Adds text to the field from which it came: some servers accept it in no other. */
function addText(item: ReasoningItem, { text, providerOptions }: LanguageModelV2ReasoningPart): void {
  if (readPartOptions(providerOptions).reasoningChannel === 'text')
    (item.content ??= []).push({ type: 'reasoning_text', text });
  else item.summary.push({ type: 'summary_text', text });
}
