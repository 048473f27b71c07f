import { idOf, objectOf, type PlainObject } from '../../core/shared/json.js';

/** Token counts in the format of the API. */
export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details?: {
    readonly cached_tokens: number;
    /** Number of input tokens that were written to the cache. */
    readonly cache_write_tokens?: number;
  };
  readonly output_tokens: number;
  readonly output_tokens_details?: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export type MessageContent =
  | {
      readonly type: 'output_text';
      readonly text: string;
      readonly annotations: readonly unknown[];
      readonly logprobs: readonly unknown[];
    }
  | { readonly type: 'refusal'; readonly refusal: string };

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  readonly status: ItemStatus;
  readonly role: 'assistant';
  readonly content: readonly MessageContent[];
  readonly phase?: string;
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  /** The complete reasoning, from servers that do not encrypt it. */
  readonly content?: readonly { readonly type: 'reasoning_text'; readonly text: string }[];
  readonly encrypted_content?: string;
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly namespace?: string;
  readonly caller?: { readonly type: 'program'; readonly caller_id: string };
}

/** An item that the emulator sends unchanged, for example a `web_search_call`. */
export interface RawItem {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Items that the emulator streams in deltas. */
export type StreamedItem = MessageItem | ReasoningItem | FunctionCallItem;

export type OutputItem = StreamedItem | { readonly type: 'raw'; readonly item: RawItem };

/** The response object before its conversion to JSON by `toWireResponse`. */
export interface EmulatedResponse {
  readonly id: string;
  readonly createdAt: number;
  readonly status: 'completed' | 'incomplete' | 'failed';
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
  readonly incompleteReason?: IncompleteReason;
  readonly error?: { readonly code: string; readonly message: string };
  /** Request fields that the response repeats, such as model, tools and instructions. */
  readonly echo: PlainObject;
}

export type IncompleteReason = 'max_output_tokens' | 'content_filter';

/** One server-sent event of the API. Its `event:` line repeats the `type`. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export const toWireItem = (item: OutputItem): PlainObject => (item.type === 'raw' ? item.item : { ...item });

/** Returns the id of a conversation, which a request names by its id or an object with the id. */
export const toConversationId = (given: unknown): string | undefined => idOf(objectOf(given)?.id ?? given);

/** Earlier responses, against which the replayed items of a later request are validated. */
export interface ItemMemory {
  /** Stores a finished response and its conversation. */
  remember(response: EmulatedResponse, options: { items: readonly PlainObject[]; store: boolean }): void;
  /** Returns a stored item. Requests with `store: false` store nothing. */
  findItem(id: string): PlainObject | undefined;
  /** Returns the input and output items of a stored response, or of a conversation, or `undefined`. */
  findConversation(id: string): readonly PlainObject[] | undefined;
  /** Returns the id of the reasoning item with this encrypted content, or `undefined` if the emulator did not create it. */
  findReasoningId(encryptedContent: string): string | undefined;
  /** Returns the id of the reasoning item that preceded a message or call. */
  findReasoningOf(itemId: string): string | undefined;
  /** Returns true if another item followed the reasoning item in its response. */
  hasFollower(reasoningId: string): boolean;
  /** Returns the call of the model with this `call_id`. */
  findCall(callId: string): PlainObject | undefined;
  /** Returns the conversation that a compaction item replaces, by its encrypted content. */
  findCompacted(encryptedContent: string): readonly PlainObject[] | undefined;
}

export function createItemMemory(): ItemMemory {
  const stored = new Map<string, PlainObject>();
  const conversations = new Map<string, readonly PlainObject[]>();
  const encrypted = new Map<string, string>();
  const reasoningOf = new Map<string, string>();
  const followed = new Set<string>();
  const calls = new Map<string, PlainObject>();
  const compacted = new Map<string, readonly PlainObject[]>();

  function rememberOrder(output: readonly PlainObject[]): void {
    let reasoningId: string | undefined;
    for (const item of output) {
      const id = String(item.id);
      if (reasoningId !== undefined) {
        followed.add(reasoningId);
        if (item.type !== 'reasoning') reasoningOf.set(id, reasoningId);
      }
      if (item.type !== 'reasoning') continue;
      reasoningId = id;
      if (typeof item.encrypted_content === 'string') encrypted.set(item.encrypted_content, id);
    }
  }

  return {
    remember(response, options) {
      const output = response.output.map(toWireItem);
      rememberOrder(output);
      for (const [index, item] of output.entries()) {
        if (typeof item.call_id === 'string' && String(item.type).endsWith('_call'))
          calls.set(item.call_id, item);
        if (item.type === 'compaction') {
          compacted.set(String(item.encrypted_content), [...options.items, ...output.slice(0, index)]);
        }
      }
      const conversationId = toConversationId(response.echo.conversation);
      if (conversationId !== undefined) conversations.set(conversationId, [...options.items, ...output]);
      if (!options.store) return;
      for (const item of output) stored.set(String(item.id), item);
      conversations.set(response.id, [...options.items, ...output]);
    },
    findItem: id => stored.get(id),
    findConversation: responseId => conversations.get(responseId),
    findReasoningId: encryptedContent => encrypted.get(encryptedContent),
    findReasoningOf: itemId => reasoningOf.get(itemId),
    hasFollower: reasoningId => followed.has(reasoningId),
    findCall: callId => calls.get(callId),
    findCompacted: encryptedContent => compacted.get(encryptedContent),
  };
}

/** An error response of the API: the HTTP status and the fields of its `error` object. */
export interface ApiError {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
}

/** Creates an error with status 400 for an invalid request. */
export function badRequest(
  message: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
): ApiError {
  return { status: 400, message, type: 'invalid_request_error', param, code };
}

export const missingParameter = (param: string): ApiError =>
  badRequest(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });

export const unknownParameter = (param: string): ApiError =>
  badRequest(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });

export const emptyArray = (param: string): ApiError =>
  badRequest(
    `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { param, code: 'empty_array' },
  );

export function invalidType(param: string, options: { expected: string; value: unknown }): ApiError {
  return badRequest(
    `Invalid type for '${param}': expected ${options.expected}, but got ${describeType(options.value)} instead.`,
    { param, code: 'invalid_type' },
  );
}

export function invalidValue(
  param: string,
  options: { value: unknown; supported: readonly string[] },
): ApiError {
  return badRequest(
    `Invalid value: '${String(options.value)}'. Supported values are: ${toQuotedList(options.supported)}.`,
    {
      param,
      code: 'invalid_value',
    },
  );
}

/** Returns names in quotes, separated as in a sentence. */
export const toQuotedList = (names: readonly string[]): string =>
  new Intl.ListFormat('en').format(names.map(name => `'${name}'`));

/** Creates the error for an item that is neither in the request nor stored (404). */
export const itemNotFound = (id: string): ApiError => ({
  ...badRequest(
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
    { param: 'input' },
  ),
  status: 404,
});

export const toErrorBody = ({ message, type, param, code }: Omit<ApiError, 'status'>) => ({
  error: { message, type, param, code },
});

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Returns the first error: the API reports one error at a time. */
export function findFirst<Value>(
  values: Iterable<Value>,
  toError: (value: Value, index: number) => ApiError | undefined,
): ApiError | undefined {
  let index = 0;
  for (const value of values) {
    const error = toError(value, index++);
    if (error !== undefined) return error;
  }
  return undefined;
}
