import { KelivoError } from '../../core/shared/errors.js';
import type { JSONObject } from '../../core/shared/json.js';
import type { Part } from '../../core/part.js';
import type { ProviderTool, ToolCallPart, ToolResultPart } from '../../core/prompt.js';

export type Awaitable<Value> = Value | PromiseLike<Value>;

export type ShownPart = Exclude<
  Part,
  { type: 'stream-start' | 'response-metadata' | 'finish' | 'raw' | 'error' }
>;

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
export type Namespaced = JSONObject & { readonly type: `${string}:${string}` };

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

/** The extensions of a provider, checked, by id and by the types of items and events that each of them handles. */
export class ExtensionRegistry {
  readonly byId = new Map<string, OpenResponsesExtension>();
  readonly byItem = new Map<string, OpenResponsesExtension>();
  readonly byEvent = new Map<string, OpenResponsesExtension>();

  /**
   * @param sendsUnknown Sends provider tools without a codec, which OpenAI's servers reject.
   * @throws KelivoError with code `invalid-settings` for an invalid extension.
   */
  constructor(
    extensions: readonly OpenResponsesExtension[] = [],
    readonly sendsUnknown: boolean,
  ) {
    for (const extension of extensions) {
      checkExtension(extension);
      const { id, itemTypes = [], eventTypes = [] } = extension;
      register(this.byId, id, extension);
      for (const type of itemTypes) register(this.byItem, type, extension);
      for (const type of eventTypes) register(this.byEvent, type, extension);
    }
  }
}

const invalid = (id: string, expected: string): KelivoError =>
  new KelivoError({
    code: 'invalid-settings',
    message: `Expected the extension "${id}" to have ${expected}. Correct the setting \`extensions\`.`,
  });

function checkExtension(extension: OpenResponsesExtension): void {
  const { id, toolType, itemTypes = [], eventTypes = [], decodeItem, decodeEvent, encodeTool } = extension;
  const [implementor = ''] = String(id).split('.');
  if (!/^[\w-]+\../.test(id)) throw invalid(id, 'an id of the form `<implementor>.<name>`');
  for (const type of [...(toolType === undefined ? [] : [toolType]), ...itemTypes, ...eventTypes]) {
    if (!type.startsWith(`${implementor}:`))
      throw invalid(id, `types that begin with "${implementor}:", got "${type}"`);
  }
  if (itemTypes.length > 0 !== (decodeItem !== undefined))
    throw invalid(id, '`itemTypes` together with `decodeItem`');
  if (eventTypes.length > 0 !== (decodeEvent !== undefined))
    throw invalid(id, '`eventTypes` together with `decodeEvent`');
  if (
    toolType === undefined &&
    encodeTool === undefined &&
    decodeItem === undefined &&
    decodeEvent === undefined
  )
    throw invalid(id, 'a tool, items or events');
}

function register(
  map: Map<string, OpenResponsesExtension>,
  key: string,
  extension: OpenResponsesExtension,
): void {
  const other = map.get(key);
  if (other !== undefined) throw invalid(extension.id, `"${key}" for itself, which "${other.id}" has, too`);
  map.set(key, extension);
}
