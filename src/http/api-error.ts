import { APICallError } from '@ai-sdk/provider';
import { redactStrings } from './redact-strings.js';
import { toErrorText } from './to-error-text.js';
import { idOf, isPlainObject, stringOf, type PlainObject } from '../shared/json.js';

/** What is known of the request an error belongs to. */
export interface ErrorContext {
  /** Where the request went, without query or credentials. */
  readonly url: string;
  readonly requestBody: unknown;
  readonly responseHeaders?: Record<string, string>;
  /** Takes credentials out of what a server says: some repeat the key they refuse. */
  readonly redact: (text: string) => string;
}

/** An error as servers tell it, in one shape. */
export interface WireError {
  readonly message: string;
  readonly code?: string;
  readonly type?: string;
}

/**
 * Reads an error in any of the shapes that servers use: nested `{error:{message,code}}`, flat
 * `{type:"error",code,message}`, a bare text `{error:"text",code}` (xAI), the upstream's own words in
 * `metadata.raw` (OpenRouter), `{detail}` (vLLM's FastAPI), a list of one (Google). A `code` may be null, a text or a number.
 */
export function toWireError(value: unknown): WireError | undefined {
  if (Array.isArray(value)) return toWireError(value[0]);
  if (!isPlainObject(value)) return undefined;
  const { error } = value;
  if (isPlainObject(error)) return fromFields(error, value);
  if (typeof error === 'string' && error !== '') return withCode({ message: error }, value);
  return fromFields(value, value);
}

function fromFields(fields: PlainObject, outer: PlainObject): WireError | undefined {
  const raw = isPlainObject(fields.metadata) ? stringOf(fields.metadata.raw) : '';
  const message =
    idOf(fields.message) ?? idOf(fields.msg) ?? idOf(outer.message) ?? toDetail(outer.detail) ?? idOf(raw);
  if (message === undefined && codeOf(fields) === undefined) return undefined;
  const told = message ?? `error ${codeOf(fields)}`;
  return withCode({ message: raw !== '' && !told.includes(raw) ? `${told}: ${raw}` : told }, fields);
}

const withCode = (error: { message: string }, fields: PlainObject): WireError => {
  const code = codeOf(fields);
  const type = fields.type === 'error' ? undefined : idOf(fields.type);
  return { ...error, ...(code !== undefined && { code }), ...(type !== undefined && { type }) };
};

const codeOf = (fields: PlainObject): string | undefined =>
  typeof fields.code === 'number' ? String(fields.code) : idOf(fields.code);

function toDetail(detail: unknown): string | undefined {
  if (typeof detail === 'string') return idOf(detail);
  return detail === undefined || detail === null ? undefined : JSON.stringify(detail);
}

/** The status that an error inside a 200 stream stands for, by its code or type. */
const STATUS_BY_CODE: ReadonlyMap<string | undefined, number> = new Map(
  Object.entries({
    rate_limit_exceeded: 429,
    rate_limit_error: 429,
    too_many_requests: 429,
    insufficient_quota: 429,
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
    model_not_found: 404,
    not_found_error: 404,
    invalid_prompt: 400,
    invalid_request_error: 400,
  }),
);

/** Errors that no repetition heals, whatever status they come with. */
const FINAL_CODES: ReadonlySet<string> = new Set(['insufficient_quota']);

/** Whether a request that failed with this status may succeed when repeated; the AI SDK's own rule. */
const isRetryableStatus = (status: number | undefined): boolean =>
  status !== undefined && (status === 408 || status === 409 || status === 429 || status >= 500);

/** The error that a stream told in place of an answer. */
export function toStreamError(value: unknown, context: ErrorContext): APICallError {
  const data = redactStrings(value ?? null, context.redact);
  const error = toWireError(data) ?? {
    message: 'The server reported an error without saying which.',
  };
  const status = statusOf(error);
  return new APICallError({
    message: toErrorText(error.message),
    url: context.url,
    requestBodyValues: context.requestBody,
    responseHeaders: context.responseHeaders,
    statusCode: status,
    // An error that names no reason (xAI: "Timed out waiting for first token") is mostly a passing one.
    isRetryable: isRetryable(error, status ?? 500),
    data,
  });
}

/** Whether an error with this status may be retried; some codes are final. */
export const isRetryable = ({ code, type }: WireError, status: number): boolean =>
  isRetryableStatus(status) && !FINAL_CODES.has(code ?? '') && !FINAL_CODES.has(type ?? '');

function statusOf({ code, type }: WireError): number | undefined {
  const number = Number(code);
  if (number >= 400 && number < 600) return number;
  return STATUS_BY_CODE.get(code) ?? STATUS_BY_CODE.get(type);
}
