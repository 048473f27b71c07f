import type { CoreCall } from '../../core/call.js';
import { itemOf } from '../../core/custom.js';
import type { Part, PartOf } from '../../core/part.js';
import type { ProviderTool, ToolCallPart, ToolResultPart } from '../../core/prompt.js';
import { messageOf } from '../../shared/errors.js';
import { idOf, type JSONObject, type PlainObject, stringOf } from '../../shared/json.js';
import type { DeclaredTools } from './hosted-item.js';

type Awaitable<Value> = Value | PromiseLike<Value>;

type ShownPart = Exclude<Part, { type: 'stream-start' | 'response-metadata' | 'finish' | 'raw' | 'error' }>;

/** Members that no version of the model interface has. */
type InternalMember = 'own' | 'ofLoop' | 'output' | 'citations' | 'isComplete';

/** Versions of the model interface have types of their own for JSON. */
type OfAnyVersion<One> = One extends unknown
  ? {
      [Member in keyof One as Exclude<Member, InternalMember>]: Member extends 'result'
        ? NonNullable<unknown>
        : Member extends 'providerMetadata' | 'providerOptions'
          ? Readonly<Record<string, object>> | undefined
          : One[Member];
    }
  : never;

/** A call or a result of a history. */
type HistoryPart =
  | OfAnyVersion<ToolCallPart>
  | (OfAnyVersion<ToolResultPart> & {
      readonly output: {
        readonly type: ToolResultPart['output']['type'];
        readonly value?: unknown;
        readonly reason?: string | undefined;
      };
    });

/** A part of a stream, except for those that begin or end it. */
export type ExtensionPart = OfAnyVersion<ShownPart>;

/** An item or event with the fields of its type, as the server sends it. */
type Namespaced = JSONObject & { readonly type: `${string}:${string}` };

/**
 * A codec for an extension of Open Responses. Its functions have the names and the meaning of those of
 * `@ai-sdk/open-responses`, so that the same object works in both providers.
 */
export interface OpenResponsesExtension {
  /** The implementor and the name of the extension, for example `acme.document_search`. The id of its provider tool. */
  readonly id: `${string}.${string}`;
  /** Type of the tool in the request. @default the id with a colon */
  readonly toolType?: `${string}:${string}`;
  /** Types of the items that `decodeItem` shows. */
  readonly itemTypes?: readonly `${string}:${string}`[];
  /** Types of the events that `decodeEvent` shows. */
  readonly eventTypes?: readonly `${string}:${string}`[];
  /** Returns the fields of the tool, besides its type. Undefined leaves it out, with a warning. @default its arguments */
  encodeTool?(options: { name: string; args: Record<string, unknown> }): Awaitable<object | undefined>;
  /** Returns the fields of a tool choice that requires the tool, besides its type. @default no fields */
  encodeToolChoice?(options: { name: string; args: Record<string, unknown> }): Awaitable<object | undefined>;
  /** Returns the parts that show a finished item. Hosts without a part for it receive none. @default it is not shown */
  decodeItem?(options: {
    item: Namespaced & { id: string; status: string };
    mode: 'generate' | 'stream';
  }): Awaitable<readonly ExtensionPart[] | undefined>;
  /** Returns the items of a call or result whose item is not in the history. @default a function call with its output */
  encodeInputItem?(options: {
    part: HistoryPart;
    tool: ProviderTool;
  }): Awaitable<object | readonly object[] | undefined>;
  /** Returns the parts that show an event. `state` lasts for one response. @default it is not shown */
  decodeEvent?(options: {
    event: Namespaced & { sequence_number: number };
    state: Map<string, unknown>;
  }): Awaitable<readonly ExtensionPart[] | undefined>;
}

export interface ReadContext {
  readonly call: Pick<CoreCall, 'isStream' | 'includeRawChunks'>;
  readonly declared: DeclaredTools;
}

interface DecoderContext {
  readonly byItem: ReadonlyMap<string, OpenResponsesExtension>;
  readonly byEvent: ReadonlyMap<string, OpenResponsesExtension>;
}

/** Shows the items and events of one response. */
export function createDecoder({ call, declared }: ReadContext, { byItem, byEvent }: DecoderContext) {
  const states = new Map<string, Map<string, unknown>>();
  const calls = new Set<string>();
  const results = new Set<string>();
  let hasHostCalls = false;

  return { convert, hasHostCalls: () => hasHostCalls };

  async function convert(part: Part): Promise<readonly Part[]> {
    if (part.type === 'raw') return convertEvent(part);
    const item = part.type === 'custom' ? itemOf(part) : undefined;
    const extension = byItem.get(stringOf(item?.type));
    if (part.type !== 'custom' || item === undefined || extension === undefined) return [part];
    const mode = call.isStream ? 'stream' : 'generate';
    const decoded = await attempt(extension, item, () =>
      extension.decodeItem?.({ item: item as Namespaced & { id: string; status: string }, mode }),
    );
    const shows = [...new Set(decoded.flatMap(one => ('toolCallId' in one ? [one.toolCallId] : [])))];
    const carrier = shows.length === 0 ? part : { ...part, own: { ...part.own, shows } };
    return [carrier, ...decoded.flatMap(one => show(one, idOf(item.id)))];
  }

  async function convertEvent(part: PartOf<'raw'>): Promise<readonly Part[]> {
    const event = part.rawValue as Namespaced & { sequence_number: number };
    const extension = byEvent.get(event.type);
    if (extension === undefined) return [part];
    const state = states.get(extension.id) ?? new Map<string, unknown>();
    states.set(extension.id, state);
    const decoded = await attempt(extension, event, () => extension.decodeEvent?.({ event, state }));
    const shown = decoded.flatMap(one => show(one, idOf(event.item_id)));
    return call.includeRawChunks === true ? [part, ...shown] : shown;
  }

  /** The failure of a codec is an error of the response. */
  async function attempt(
    { id }: OpenResponsesExtension,
    { type }: PlainObject,
    decode: () => Awaitable<readonly ExtensionPart[] | undefined>,
  ): Promise<readonly (ShownPart | PartOf<'error'>)[]> {
    try {
      return ((await decode()) ?? []) as readonly ShownPart[];
    } catch (cause) {
      const message = `The extension "${id}" could not show "${stringOf(type)}": ${messageOf(cause)}`;
      return [{ type: 'error', error: new Error(message, { cause }) }];
    }
  }

  /** Returns the parts that the host accepts. A call is shown once, by an event or by its item. */
  function show(part: ShownPart | PartOf<'error'>, ofItem: string | undefined): readonly Part[] {
    if (part.type === 'error') return [part];
    const shown = ofItem === undefined ? part : { ...part, own: { ...part.own, ofItem } };
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return [shown];
    const known = part.type === 'tool-call' ? calls : results;
    const isFinal = part.type === 'tool-call' || part.preliminary !== true;
    if (known.has(part.toolCallId)) return [];
    if (isFinal) known.add(part.toolCallId);
    const isHostCall = part.type === 'tool-call' && part.providerExecuted !== true;
    hasHostCalls ||= isHostCall;
    const mode = isHostCall || declared.names.has(part.toolName) ? 'full' : declared.host.undeclaredCalls;
    if (mode === 'none') return [];
    if (mode === 'full' || part.type === 'tool-result') return [shown];
    const { toolCallId: id, toolName, input } = part;
    return [
      { type: 'tool-input-start', id, toolName, providerExecuted: true },
      { type: 'tool-input-delta', id, delta: input },
      { type: 'tool-input-end', id },
    ];
  }
}
