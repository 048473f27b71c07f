import type { PlainObject } from '../../shared/json.js';

/** Token counts in the format of the API. */
export interface ResponseUsage {
  readonly input_tokens: number;
  /** Number of input tokens that were read from the cache. */
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
