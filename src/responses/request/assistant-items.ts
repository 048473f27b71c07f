import type {
  AssistantPart,
  CustomPart,
  FilePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../core/prompt.js';
import { type Commentary, commentaryOf, itemOf } from '../../core/custom.js';
import { type JSONObject, objectOf, type PlainObject, stringOf } from '../../core/shared/json.js';
import {
  type AssistantMessage,
  type HostedInputItem,
  type InputContent,
  type InputItem,
  isReasoning,
  type ItemRelations,
  type ReasoningItem,
  toArgumentsJson,
  toItemReference,
} from '../wire.js';
import { toFileContent, toFullMediaType } from './content.js';
import type { HostedCalls, ServerCalls } from './hosted-calls.js';
import { type OptionsOfPart, readPartOptions } from './read-options.js';
import type { ToolNames } from './tool-names.js';
import type { ReceivedItems } from './turn-memory.js';

export interface AssistantItemsContext {
  readonly store: boolean;
  readonly relations: ItemRelations;
  readonly toolNames: ToolNames;
  /** Returns the conversion of a call that the host executed. Undefined for a call of a function. */
  readonly hostedOf: (part: ToolCallPart | ToolResultPart) => HostedCalls | undefined;
  readonly serverCalls: () => ServerCalls;
  /** Items of the same turn. Undefined outside of a turn. */
  readonly received: ReceivedItems | undefined;
  /** Shows images of the assistant in the next message of the user. */
  readonly showImages: (content: readonly InputContent[]) => void;
  /** Ids and contents of the reasoning items of earlier messages. */
  readonly sentReasoning: Set<string>;
  /** Ids of reasoning items that the API could not use. */
  readonly removedReasoning: () => ReadonlySet<string>;
  readonly warn: (message: string) => void;
  /** Returns the `id` field of a message or call. It is empty if the settings omit ids, and the item does not need it. */
  readonly takeId: (id: string | undefined, isNeeded?: boolean) => { id?: string };
  /** Returns false for an id that the request already contains. */
  readonly claimId: (id: string) => boolean;
}

/** Converts the parts of an assistant message to items, in the same order. */
export function toAssistantItems(
  parts: readonly AssistantPart[],
  context: AssistantItemsContext,
): InputItem[] {
  const items: InputItem[] = [];
  // Created for the answers that have any.
  let reasoning: Map<string, KnownReasoning> | undefined;

  for (const part of parts) {
    switch (part.type) {
      case 'text':
        items.push(toMessage(part.text, toMessageFields(part), items.at(-1), context));
        break;
      case 'reasoning': {
        const commentary = commentaryOf(part);
        if (commentary !== undefined) {
          items.push(toMessage(part.text, commentary, items.at(-1), context));
          break;
        }
        const item = addReasoning(part, (reasoning ??= new Map()), items.at(-1), context);
        if (item !== undefined) items.push(item);
        break;
      }
      case 'tool-call':
        // A call that is still provider-executed belongs to a hosted tool.
        if (part.providerExecuted !== true) items.push(...toCalls(part, context));
        else items.push(...context.serverCalls().toItems(part));
        break;
      case 'tool-result':
        items.push(...context.serverCalls().toItems(part));
        break;
      case 'file':
        // A text has no other form than a message.
        if (part.data.type === 'text')
          items.push(toMessage(part.data.text, toMessageFields(part), items.at(-1), context));
        else addFile(part, context);
        break;
      case 'custom':
        items.push(...toCarriedItems(part, context));
        break;
      default:
        context.warn(
          `Assistant content of type "${stringOf(objectOf(part)?.type)}" is not supported and not sent.`,
        );
    }
  }
  for (const [key, { contents }] of reasoning ?? []) {
    context.sentReasoning.add(key);
    for (const content of contents) context.sentReasoning.add(toContentKey(key, content));
  }
  return items;
}

/** Creates a message after the previous item of the same answer. */
function toMessage(
  text: string,
  { id, phase, agent }: Commentary,
  previous: InputItem | undefined,
  context: AssistantItemsContext,
): AssistantMessage {
  // The API may reject reasoning with an id in front of a message without one: its follower is missing. Reasoning that
  // is not sent requires no follower, and its message must not have an id.
  const isNeeded =
    previous !== undefined &&
    isReasoning(previous) &&
    previous.id !== undefined &&
    (context.store || previous.encrypted_content !== undefined);
  return {
    // OpenAI treats the type as optional, llama.cpp requires it for this role.
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
    ...context.takeId(id, isNeeded || undefined),
    ...(phase !== undefined && { phase }),
    ...(agent !== undefined && { agent }),
  };
}

/** Shows an image to the model. The API accepts no files of the assistant. */
function addFile(part: FilePart, context: Pick<AssistantItemsContext, 'showImages' | 'warn'>): void {
  const mediaType = toFullMediaType(part.mediaType);
  const content = /^image\//.test(mediaType)
    ? toFileContent(part.data, { mediaType, defaultName: () => 'image', providers: [] })
    : undefined;
  if (content !== undefined) context.showImages([content]);
  else
    context.warn(
      `Files of assistant messages are not sent because the API does not accept them (${mediaType}).`,
    );
}

/** Returns the item that a part carries, or a reference to it. Content of other APIs is not sent. */
function toCarriedItems(part: CustomPart, context: AssistantItemsContext): InputItem[] {
  const found = itemOf(part);
  if (found === undefined) {
    context.warn(`Assistant content of type "${part.kind}" is not supported and not sent.`);
    return [];
  }
  const item: HostedInputItem = { ...found, type: stringOf(found.type) };
  if (part.own?.isWindow === true) context.relations.windows.add(item);
  const { id } = item;
  if (id !== undefined && !context.claimId(id)) return [];
  // Items of extensions are always sent as they were received.
  const isStored = context.store && part.own?.unstored !== true && !item.type.includes(':');
  const isReferred = isStored && id !== undefined && context.received?.has(id) !== true;
  return [isReferred ? toItemReference(id, [item], context.relations) : item];
}

function toMessageFields(part: TextPart | FilePart): Commentary {
  if (part.providerOptions === undefined && part.own === undefined) return NO_FIELDS;
  const { itemId, phase } = readPartOptions(part);
  return {
    ...(itemId !== undefined && { id: itemId }),
    ...(phase !== undefined && { phase }),
    ...toAgent(part),
  };
}

const NO_FIELDS: Commentary = {};

function toCalls(part: ToolCallPart, context: AssistantItemsContext): readonly InputItem[] {
  const { itemId, async, namespace } = readPartOptions(part);
  const isPlain = part.providerOptions === undefined && part.own === undefined;
  // Fields without which the API does not recognize a call.
  const origin = isPlain
    ? {}
    : { ...(namespace !== undefined && { namespace }), ...toCaller(part), ...toAgent(part) };
  const takeId = () => context.takeId(itemId);
  const wireName = context.toolNames.toWire(part.toolName, namespace);
  const hosted = context.hostedOf(part)?.toCall(part, { itemId, takeId, wireName });
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

const toAgent = (options: OptionsOfPart): { agent?: JSONObject } =>
  options.own?.agent === undefined ? {} : { agent: options.own.agent };

/** Returns the caller of a call, which the call and its output have to name. */
export function toCaller(part: OptionsOfPart): { caller?: PlainObject } {
  const { caller } = readPartOptions(part);
  if (caller === undefined) return {};
  const { callerId, ...others } = caller;
  return { caller: { ...others, ...(callerId !== undefined && { caller_id: callerId }) } };
}

/** The newest item of an id, with all contents under which the id was sent. */
interface KnownReasoning {
  readonly item: ReasoningItem;
  readonly contents: Set<string>;
}

const toContentKey = (key: string, content: string): string => JSON.stringify([key, content]);

/**
 * Joins the parts of a reasoning item: a history has one part for each summary text. Returns the item for its first
 * part, and undefined for later parts and for reasoning of other APIs. Some servers repeat ids, so that another content after
 * other items is another item.
 */
function addReasoning(
  part: ReasoningPart,
  reasoning: Map<string, KnownReasoning>,
  previous: InputItem | undefined,
  context: Pick<AssistantItemsContext, 'sentReasoning' | 'removedReasoning'>,
): ReasoningItem | undefined {
  const { itemId, reasoningEncryptedContent } = readPartOptions(part);
  const key = itemId ?? reasoningEncryptedContent;
  // Some servers, such as OpenRouter, attach the same reasoning to every parallel call:
  // https://github.com/OpenRouterTeam/ai-sdk-provider/issues/254
  if (key === undefined || context.removedReasoning().has(key)) return undefined;
  const content = reasoningEncryptedContent;
  const ofId = reasoning.get(key);
  const isOther =
    content !== undefined &&
    ofId !== undefined &&
    ofId.contents.size > 0 &&
    !ofId.contents.has(content) &&
    ofId.item !== previous;
  const known = isOther ? undefined : ofId;
  if (
    known === undefined &&
    context.sentReasoning.has(content === undefined ? key : toContentKey(key, content))
  )
    return undefined;

  const isKnownId = ofId !== undefined || context.sentReasoning.has(key);
  const item: ReasoningItem = known?.item ?? {
    type: 'reasoning',
    // Without an id, only content that the request contains is sent.
    ...(itemId !== undefined && part.own?.unstored !== true && !isKnownId && { id: itemId }),
    summary: [],
    ...toAgent(part),
  };
  const contents = ofId?.contents ?? new Set();
  // Only the content of the finished item is valid. It is in the last part.
  if (content !== undefined) {
    item.encrypted_content = content;
    contents.add(content);
  }
  if (part.text !== '') addText(item, part);
  reasoning.set(key, { item, contents });
  return known === undefined ? item : undefined;
}

/** Adds text to the field from which it came: some servers accept it in no other. */
function addText(item: ReasoningItem, { text, own }: ReasoningPart): void {
  if (own?.reasoningChannel === 'text') (item.content ??= []).push({ type: 'reasoning_text', text });
  else item.summary.push({ type: 'summary_text', text });
}
