import type { PlainObject } from '../../core/shared/json.js';
import type { IncompleteReason, RawItem, ResponseUsage, StreamEvent } from './wire.js';

/** One output item in short notation. The emulator adds ids, status and the other fields. */
export type ScriptedItem =
  /** An assistant message. `phase` is `commentary` for texts before the answer, and `final_answer`. */
  | { readonly text: string; readonly phase?: string }
  /** A refusal. */
  | { readonly refusal: string }
  /** A reasoning item; each string is one part of its summary. */
  | { readonly reasoning: string | readonly string[] }
  /**
   * A function call. String `arguments` are sent unchanged, so they may be invalid JSON. `program` is the `call_id` of the
   * program that makes the call.
   */
  | {
      readonly call: string;
      readonly arguments?: PlainObject | string;
      readonly callId?: string;
      readonly namespace?: string;
      readonly program?: string;
    }
  /**
   * Any item in the format of the Responses API. Only `output_item.added` and `output_item.done` are streamed for it;
   * other APIs omit it.
   */
  | RawItem;

/** Response to the next request, instead of the rule-based model's response. */
export type ScriptedResponse =
  readonly ScriptedItem[] | ScriptedOutput | ScriptedStatus | (Fault & Omit<ScriptedOutput, 'fault'>);

/** A response with output. */
export interface ScriptedOutput {
  /** @default the output of the rule-based model */
  readonly output?: readonly ScriptedItem[];
  /** Token counts; `null` omits them, as some servers do. @default estimated from the text */
  readonly usage?: ResponseUsage | null;
  /** Ends the response as `incomplete`, with its last item unfinished. @default completed */
  readonly incomplete?: IncompleteReason;
  /** Rewrites the events of a Responses API stream, to imitate the dialect of another server. */
  readonly events?: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** Course of a response in background mode. */
  readonly background?: BackgroundScript;
  /** A response with a fault is a {@link Fault}. */
  readonly fault?: undefined;
}

/** Course of a response in background mode, which a fault affects in its first connection only. */
export interface BackgroundScript {
  /**
   * Number of requests for its state that find it unfinished. A response with `Infinity` stays `queued`.
   * @default 1
   */
  readonly polls?: number;
  /** Number of events after which each connection that streams it is cut. @default the connections are not cut */
  readonly cutAfter?: number;
  /** Cuts every second request for its state, beginning with the first. @default false */
  readonly cutPolls?: boolean;
}

/** A plain HTTP response: an error, or a recorded body. */
export interface ScriptedStatus {
  readonly status: number;
  /** The `Retry-After` header: seconds, or an HTTP date. */
  readonly retryAfter?: number | string;
  /** Additional headers. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body; an object is sent as JSON. @default the API's error for the status */
  readonly body?: string | PlainObject;
}

/**
 * An injected fault. `after` is the number of events that are sent before it. By default `cut`, `early-end` and `stall`
 * omit only the terminal event, and `malformed`, `error-event` and `failed` follow `response.created` and
 * `response.in_progress`. The faults without `after` apply to the complete response.
 */
export type Fault =
  /** The connection is dropped; with `after: 0` before the headers. */
  | { readonly fault: 'cut'; readonly after?: number }
  /** The body ends properly, but too early. */
  | { readonly fault: 'early-end'; readonly after?: number }
  /** The stream stops, and the connection stays open. */
  | { readonly fault: 'stall'; readonly after?: number }
  /** One `data:` line is invalid JSON; the stream continues after it. */
  | { readonly fault: 'malformed'; readonly after?: number }
  /** Waits `delay` milliseconds before each event. */
  | { readonly fault: 'slow'; readonly delay: number }
  /** The stream ends with an error: an `error` event, or the error format of another API. */
  | ErrorEventFault
  /** The stream ends with `response.failed`; other APIs handle it as `error-event`. */
  | { readonly fault: 'failed'; readonly after?: number; readonly code?: string; readonly message?: string }
  /** Status 200 with a web page, as returned by a proxy or a wrong URL. */
  | { readonly fault: 'html' }
  /** Status 200 with an empty body. */
  | { readonly fault: 'empty' }
  /** A response in the format of the Chat Completions API. */
  | { readonly fault: 'chat-completions' }
  /** No response at all; the connection stays open. */
  | { readonly fault: 'headers-never' };

/** A stream that ends with an `error` event. */
export interface ErrorEventFault {
  readonly fault: 'error-event';
  /** Number of events before it. @default 2 */
  readonly after?: number;
  /** Position of code and message: next to `type`, under `error`, or under `error` without `type`. @default 'nested' */
  readonly shape?: 'flat' | 'nested' | 'bare';
  /** @default 'server_error' */
  readonly code?: string | null;
  /** @default OpenAI's message for a server error */
  readonly message?: string;
  /** Sends `response.failed` after it, as OpenAI does. Ignored for the shape `bare`. @default false */
  readonly thenFailed?: boolean;
}

/**
 * Rules that requests are validated against and that shape the responses.
 *
 * - `openai`: the rules of OpenAI.
 * - `llamacpp`, `vllm`, `responses.js`: the input that these servers accept, with their own error texts. llama.cpp and
 *   vLLM return reasoning as plain text and reject images for models without `vl`, `vision`, `omni` or `llava` in their
 *   names; llama.cpp and responses.js report truncated responses as completed; responses.js ignores messages with the role
 *   `developer`.
 * - `none`: no validation. Compatible servers accept nearly anything.
 */
export type RequestRules = 'openai' | 'llamacpp' | 'vllm' | 'responses.js' | 'none';

/** Rewrites the output of a response, scripted or not. */
export type RewriteOutput = (
  items: readonly ScriptedItem[],
  request: { readonly model: string; readonly body: PlainObject },
) => readonly ScriptedItem[];
