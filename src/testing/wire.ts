import type { PlainObject } from '../shared/json.js';

/** Token counts in the API's own shape. */
export interface ResponseUsage {
  readonly input_tokens: number;
  /** How many of the input tokens came out of a cache. */
  readonly input_tokens_details?: { readonly cached_tokens: number };
  readonly output_tokens: number;
  /** How many of the output tokens went into reasoning. */
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
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  readonly encrypted_content?: string;
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** An item the emulator passes on as it is, for example a `web_search_call`. */
export interface RawItem {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The items that the emulator streams piece by piece. */
export type StreamedItem = MessageItem | ReasoningItem | FunctionCallItem;

export type OutputItem = StreamedItem | { readonly type: 'raw'; readonly item: RawItem };

/** The response object, with the items still as {@link OutputItem}; `toWireResponse` gives the JSON. */
export interface EmulatedResponse {
  readonly id: string;
  readonly createdAt: number;
  readonly status: 'completed' | 'incomplete' | 'failed';
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
  readonly incompleteReason?: IncompleteReason;
  readonly error?: { readonly code: string; readonly message: string };
  /** What the response repeats of the request: model, tools, instructions and so on. */
  readonly echo: PlainObject;
}

/** Why an answer ends before it is whole. */
export type IncompleteReason = 'max_output_tokens' | 'content_filter';

/** One server-sent event of the API; `type` also stands in its `event:` line. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}
