import type { PlainObject } from '../shared/json.js';
import type { IncompleteReason, RawItem, ResponseUsage, StreamEvent } from './wire.js';

/** One output item, in short: ids, status and the rest are filled in. */
export type ScriptedItem =
  /** A message of the assistant. */
  | { readonly text: string }
  /** A message that refuses. */
  | { readonly refusal: string }
  /** A reasoning item; each string is one part of its summary. */
  | { readonly reasoning: string | readonly string[] }
  /** A function call. A string as `arguments` is sent as it is, so it may be broken JSON. */
  | { readonly call: string; readonly arguments?: PlainObject | string; readonly callId?: string }
  /**
   * Any item in the Responses API's own shape. Only its `output_item.added` and `output_item.done` are streamed; other
   * APIs leave it out.
   */
  | RawItem;

/** What the next request gets instead of the rule-based model's answer. */
export type ScriptedResponse =
  readonly ScriptedItem[] | ScriptedOutput | ScriptedStatus | (Fault & Omit<ScriptedOutput, 'fault'>);

/** An answer with output. */
export interface ScriptedOutput {
  /** @default what the rule-based model says */
  readonly output?: readonly ScriptedItem[];
  /** Token counts; `null` leaves them out, as some servers do. @default counted */
  readonly usage?: ResponseUsage | null;
  /** Ends the response as `incomplete`, its last item unfinished. @default completed */
  readonly incomplete?: IncompleteReason;
  /** Rewrites the events of a stream of the Responses API, to speak the dialect of another server. */
  readonly events?: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** An answer with a fault is a {@link Fault}. */
  readonly fault?: undefined;
}

/** An answer that is one HTTP response: an error, or a recorded body. */
export interface ScriptedStatus {
  readonly status: number;
  /** The `Retry-After` header: seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
  /** Further headers. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; an object is sent as JSON. @default the API's own error for that status */
  readonly body?: string | PlainObject;
}

/**
 * Something that goes wrong. `after` counts the events that still arrive; by default the terminal event is
 * the first one missing for `cut`, `early-end` and `stall`, and `response.created` and
 * `response.in_progress` come before the others.
 */
export type Fault =
  /** The socket is destroyed; with `after: 0` before the headers. */
  | { readonly fault: 'cut'; readonly after?: number }
  /** The body ends properly, but too early. */
  | { readonly fault: 'early-end'; readonly after?: number }
  /** Nothing more arrives, and the connection stays open. */
  | { readonly fault: 'stall'; readonly after?: number }
  /** One `data:` line is no JSON; the stream goes on after it. */
  | { readonly fault: 'malformed'; readonly after?: number }
  /** `delay` milliseconds before each event. */
  | { readonly fault: 'slow'; readonly delay: number }
  /** An error ends the stream: an `error` event, on other routes the API's error in its place. */
  | ErrorEventFault
  /** `response.failed` ends the stream; on other routes the same as `error-event`. */
  | { readonly fault: 'failed'; readonly after?: number; readonly code?: string; readonly message?: string }
  /** 200 with a web page, as a proxy or a wrong URL answers. */
  | { readonly fault: 'html' }
  /** 200 with nothing in it. */
  | { readonly fault: 'empty' }
  /** The Chat Completions API answers. */
  | { readonly fault: 'chat-completions' }
  /** Not even headers arrive. */
  | { readonly fault: 'headers-never' };

/** A stream that ends with an `error` event. */
export interface ErrorEventFault {
  readonly fault: 'error-event';
  /** How many events arrive before it. @default 2 */
  readonly after?: number;
  /** Where code and message stand: beside `type`, under `error`, or under `error` with no `type`. @default 'nested' */
  readonly shape?: 'flat' | 'nested' | 'bare';
  /** @default 'server_error' */
  readonly code?: string | null;
  /** What it says. @default what OpenAI says of an error of its own */
  readonly message?: string;
  /** Sends `response.failed` after it, as OpenAI does; not for the shape `bare`. @default false */
  readonly thenFailed?: boolean;
}

/**
 * Whose rules a request is checked by.
 *
 * - `openai`: OpenAI's own.
 * - `mistral`: those of the Mistral API for its present models, on chat completions with its error bodies; on
 *   `/responses` as vLLM applies them.
 * - `mistral-v3`: the same for its older models, which take no text beside tool calls.
 */
export type RequestRules = 'openai' | 'mistral' | 'mistral-v3';
