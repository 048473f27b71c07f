import { APICallError } from '@ai-sdk/provider';
import { isContextOverflow } from './context-overflow.js';

/*
 * Decides if a request may be sent again: by the host or the tool loop after a pause (`isRetryable`), or at once with
 * another API key (`key`). A request that a server rejects for its contents is changed by `responses/compatibility`.
 */

/** A failed request as the server reports it. */
export interface ReportedFailure {
  /** The HTTP status; undefined for an error inside a stream. */
  readonly status: number | undefined;
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
  /** The request field that the server names as the cause. */
  readonly param?: string;
}

/** State of an API key after a failure. An `unsuited` key was refused for this request only. */
export type KeyState = 'refused' | 'rate-limited' | 'unsuited';

interface RetryRule {
  /** The statuses to which the rule applies, as one value or from the first to the last. @default any */
  readonly status?: number | readonly [first: number, last: number];
  /** The error codes or types to which the rule applies. @default any */
  readonly codes?: readonly string[];
  /** The rule applies to conversations that are too long for the model. */
  readonly isOverflow?: true;
  /** The texts to which the rule applies: code, type and message. @default any */
  readonly text?: (text: string) => boolean;
  /** Applies to errors without a status and a known code, if they concern the input of the request. */
  readonly isAboutInput?: true;
  /** Applies to codes that concern the contents of the request. */
  readonly finalCodes?: true;
  /** True if the same request may succeed later. */
  readonly isRetryable?: boolean;
  /** Makes a request with several API keys continue with another one. */
  readonly key?: KeyState;
}

/**
 * The retry rules. For `isRetryable` and for `key`, the first matching rule that sets the field applies. Without one,
 * nothing is retried.
 */
const RETRY_RULES: readonly RetryRule[] = [
  // Comes with 429, but waiting does not help: https://platform.openai.com/docs/guides/error-codes
  { codes: ['insufficient_quota', 'credit_balance_exhausted'], isRetryable: false, key: 'refused' },
  // The limit of a connection: a new request opens another one.
  { codes: ['websocket_connection_limit_reached'], isRetryable: true },
  // Concern the contents of the request, although gateways report some of them with a status of 500.
  { finalCodes: true, isRetryable: false },
  { isOverflow: true, isRetryable: false },
  // llama.cpp without a multimodal projector answers with the status 500.
  { text: text => /image input is not supported/i.test(text), isRetryable: false },
  { isAboutInput: true, isRetryable: false },
  { status: 401, key: 'refused' },
  // No credits: https://openrouter.ai/docs/api-reference/errors, https://api-docs.deepseek.com/quick_start/error_codes
  { status: 402, key: 'refused' },
  {
    status: 403,
    text: text => /auth|api[ _-]?key|credential|token|account/i.test(text) && !/model/i.test(text),
    key: 'refused',
  },
  // A valid key whose project, organization or region has no access: https://platform.openai.com/docs/guides/error-codes
  { status: 403, key: 'unsuited' },
  // The statuses of the AI SDK's own rule.
  { status: 408, isRetryable: true }, // request timeout
  { status: 409, isRetryable: true }, // conflict
  { status: 429, isRetryable: true, key: 'rate-limited' }, // too many requests
  { status: [500, Infinity], isRetryable: true }, // server error
];

/**
 * The status that an error inside a 200 stream represents, by its code or type. It contains the codes of failed responses
 * in the types of `openai` 7, and those that other servers use.
 */
const STATUS_BY_CODE: ReadonlyMap<string | undefined, number> = new Map(
  Object.entries({
    rate_limit_exceeded: 429,
    rate_limit_error: 429,
    too_many_requests: 429,
    insufficient_quota: 429,
    credit_balance_exhausted: 429,
    server_error: 500,
    internal_error: 500,
    internal_server_error: 500,
    api_error: 500,
    overloaded_error: 503,
    service_unavailable: 503,
    server_is_overloaded: 503,
    slow_down: 503,
    vector_store_timeout: 504,
    timeout: 504,
    invalid_api_key: 401,
    authentication_error: 401,
    permission_error: 403,
    data_residency_mismatch: 403,
    bio_policy: 403,
    cyber_policy: 403,
    misalignment_policy_violation: 403,
    unsupported_country_region_territory: 403,
    model_not_found: 404,
    not_found_error: 404,
    invalid_prompt: 400,
    invalid_request_error: 400,
    invalid_image: 400,
    invalid_image_format: 400,
    invalid_base64_image: 400,
    invalid_image_url: 400,
    invalid_image_mode: 400,
    image_too_large: 400,
    image_too_small: 400,
    image_parse_error: 400,
    image_content_policy_violation: 400,
    image_file_too_large: 400,
    image_file_not_found: 400,
    empty_image_file: 400,
    unsupported_image_media_type: 400,
    failed_to_download_image: 400,
    previous_response_not_found: 400,
    context_length_exceeded: 400,
    invalid_stream_id: 400,
    websocket_stream_limit_reached: 400,
    websocket_connection_limit_reached: 400,
  }),
);

/** The status of codes that the table lacks, by the words in them. The first matching row applies. */
const STATUS_BY_WORD: readonly (readonly [code: RegExp, status: number])[] = [
  [/_policy$|_violation$|_mismatch$/, 403],
  [/rate_limit|quota/, 429],
  [/overload/, 503],
  [/timeout/, 504],
  [/server_error/, 500],
  [/^(?:invalid|image|unsupported)_/, 400],
  [/authentication|unauthorized/, 401],
  [/permission|forbidden/, 403],
  [/not_found/, 404],
  [/bad_request|context_length/, 400],
];

/** Codes that concern the contents of a request. The same request fails again. */
const FINAL_CODE =
  /_policy$|_violation$|_mismatch$|^(?:invalid|image|unsupported)_(?!.*(?:server_error|rate_limit|overload|timeout))|^empty_image|^failed_to_download_image$/;

/** Statuses at the beginning of a message. */
const STATUS_IN_MESSAGE = /^\s*(4(?:0\d|1[0-8]|2[2-9]|31|51|99)|5(?:0[0-8]|2\d))\b/;

/** Words for the input of a request, as in "Your input exceeds the context window". "Your request" says nothing. */
const INPUT_WORDS =
  /\b(?:inputs?|prompt|images?|files?|documents?|schemas?|parameters?|arguments?|context (?:length|window))\b/i;

/** An error without a status or a known code (xAI: "Timed out waiting for first token") is mostly transient. */
const UNKNOWN_STATUS = 500;

/** Failures that this package detects itself, each with its `isRetryable`. */
export const RETRYABLE = {
  connectTimeout: true,
  idleTimeout: true,
  /** The time limit of the call is reached. */
  totalTimeout: false,
  connectionFailure: true,
  /** The certificate is not trusted, or the server does not use TLS. */
  refusedConnection: false,
  truncatedResponse: true,
  /** The text that was streamed is not the beginning of the complete text. */
  contradictedResponse: true,
  noFreeKey: true,
  invalidRequest: false,
  refusedRedirect: false,
  unexpectedResponse: false,
  responseLimit: false,
} as const;

/**
 * Returns the status that an error inside a stream represents. Undefined for an unknown error.
 *
 * responses.js reports each error of its upstream as `server_error`, with the upstream's status at the beginning of the
 * message: https://github.com/huggingface/responses.js
 */
export function statusOfCode({
  code,
  type,
  message = '',
}: Pick<ReportedFailure, 'code' | 'type' | 'message'>): number | undefined {
  const number = Number(code);
  if (number >= 400 && number < 600) return number;
  const known = STATUS_BY_CODE.get(code);
  if (known !== undefined && known !== 500) return known;
  const inMessage = STATUS_IN_MESSAGE.exec(message)?.[1];
  if (inMessage !== undefined) return Number(inMessage);
  if (isContextOverflow({ code, type, message })) return 400;
  const byWord = STATUS_BY_WORD.find(([word]) => word.test(code ?? ''))?.[1];
  return known ?? byWord ?? STATUS_BY_CODE.get(type);
}

/** Returns true if the same request may succeed later. */
export const isRetryable = (failure: ReportedFailure): boolean =>
  matchingRules(failure).find(rule => rule.isRetryable !== undefined)?.isRetryable ?? false;

/** Returns the state of the key that a request failed with, or undefined if the key is not the reason. */
export const keyStateAfter = (failure: ReportedFailure): KeyState | undefined =>
  matchingRules(failure).find(rule => rule.key !== undefined)?.key;

function matchingRules(failure: ReportedFailure): RetryRule[] {
  const { status = UNKNOWN_STATUS, code = '', type = '', message = '', param } = failure;
  const text = [code, type, message].join(' ');
  const isAboutInput = failure.status === undefined && (param !== undefined || INPUT_WORDS.test(message));
  return RETRY_RULES.filter(rule => {
    const [first, last] = typeof rule.status === 'number' ? [rule.status, rule.status] : (rule.status ?? []);
    if (first !== undefined && last !== undefined && !(status >= first && status <= last)) return false;
    if (rule.codes && !rule.codes.some(known => known === code || known === type)) return false;
    if (rule.finalCodes && !FINAL_CODE.test(code)) return false;
    if (rule.isAboutInput && !isAboutInput) return false;
    if (rule.isOverflow && !isContextOverflow(failure)) return false;
    return rule.text?.(text) ?? true;
  });
}

/** Cooldown of a key that the server refused, in milliseconds. */
const REFUSED_KEY_COOLDOWN = 10 * 60_000;

/** Cooldown of a key that is over its rate limit, if the server sends no `Retry-After`, in milliseconds. */
const RATE_LIMIT_COOLDOWN = 30_000;

/** Returns the time for which a key is not used after a failure, in milliseconds. */
export const keyCooldown = (
  state: Exclude<KeyState, 'unsuited'>,
  headers: Record<string, string> | undefined,
  now: number,
): number =>
  state === 'refused' ? REFUSED_KEY_COOLDOWN : (toRetryAfter(headers, now) ?? RATE_LIMIT_COOLDOWN);

/** Reads the delay that a server requests, in milliseconds: `retry-after-ms`, or `retry-after` as seconds or date. */
export function toRetryAfter(headers: Record<string, string> | undefined, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers?.['retry-after-ms'] ?? '');
  if (milliseconds >= 0) return milliseconds;
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export interface RetryOptions {
  readonly maxRetries: number;
  /** Delay before the first retry in milliseconds, doubled for each further one. */
  readonly initialDelay: number;
  /** Returns a number from 0 to 1 that spreads the retries of many clients. @default Math.random */
  readonly random?: () => number;
}

/** The longest delay before a retry, in milliseconds. If a server asks for more, the error goes to the caller. */
const MAX_DELAY = 60_000;

/**
 * Returns the time to wait before an operation is run again that failed with a retryable `APICallError`, in milliseconds.
 * Respects `Retry-After`. Undefined if it is not run again.
 */
export function retryDelay(
  error: unknown,
  { attempt, maxRetries, initialDelay, random = Math.random }: RetryOptions & { readonly attempt: number },
): number | undefined {
  if (attempt >= maxRetries || !APICallError.isInstance(error) || !error.isRetryable) return undefined;
  const backOff = initialDelay * 2 ** attempt * (0.75 + random() / 2);
  const wait = toRetryAfter(error.responseHeaders, Date.now()) ?? backOff;
  return wait > MAX_DELAY ? undefined : wait;
}
