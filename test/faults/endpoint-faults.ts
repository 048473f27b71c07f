import type { ScriptedResponse } from '../../src/testing/index.js';

/**
 * What a fault leads to.
 *
 * - `answers`: the turn ends with an answer, as if nothing had been.
 * - `rejects, to be repeated` / `rejects for good`: the call rejects, and tells the host whether to repeat it.
 * - `error part`: the stream tells the error, closes its blocks and finishes with `error`.
 */
export type Expected = 'answers' | 'rejects, to be repeated' | 'rejects for good' | 'error part';

export interface EndpointFault {
  readonly fault: string;
  readonly answer: ScriptedResponse;
  /** When it befalls the first request of a turn, which the host repeats or not. */
  readonly first: Expected;
  /** When it befalls the request after a tool ran, which only the loop may repeat. */
  readonly followUp: Expected;
}

const output = [{ text: 'one two three four' }];

/** The loop repeats what the host could repeat. */
const passing = { first: 'rejects, to be repeated', followUp: 'answers' } as const;
const final = { first: 'rejects for good', followUp: 'error part' } as const;
const late = { first: 'error part', followUp: 'error part' } as const;
const harmless = { first: 'answers', followUp: 'answers' } as const;

const status = (code: number, more: object = {}) => ({
  fault: `status ${code}`,
  answer: { status: code, ...more },
});

/** What can go wrong at the endpoint. After two events nothing has been shown, after six some text has. */
export const ENDPOINT_FAULTS: readonly EndpointFault[] = [
  { fault: 'connection cut before the status', answer: { fault: 'cut', after: 0, output }, ...passing },
  { fault: 'connection cut before the output', answer: { fault: 'cut', after: 2, output }, ...passing },
  { fault: 'connection cut in the text', answer: { fault: 'cut', after: 6, output }, ...late },
  { fault: 'connection cut before the terminal event', answer: { fault: 'cut', output }, ...late },
  { fault: 'body ends before the output', answer: { fault: 'early-end', after: 2, output }, ...passing },
  { fault: 'body ends in the text', answer: { fault: 'early-end', after: 6, output }, ...late },
  { fault: 'body ends before the terminal event', answer: { fault: 'early-end', output }, ...late },
  { fault: 'no status ever', answer: { fault: 'headers-never' }, ...passing },
  { fault: 'silence before the output', answer: { fault: 'stall', after: 2, output }, ...passing },
  { fault: 'silence in the text', answer: { fault: 'stall', after: 6, output }, ...late },
  { fault: 'slow events', answer: { fault: 'slow', delay: 10, output }, ...harmless },
  { fault: 'a line that is no JSON', answer: { fault: 'malformed', after: 6, output }, ...harmless },
  { fault: 'an answer without usage', answer: { usage: null, output }, ...harmless },
  { fault: '`error` event, nested', answer: { fault: 'error-event', shape: 'nested', output }, ...passing },
  { fault: '`error` event, flat', answer: { fault: 'error-event', shape: 'flat', output }, ...passing },
  { fault: '`error` event, bare', answer: { fault: 'error-event', shape: 'bare', output }, ...passing },
  {
    fault: '`error` event, then failed',
    answer: { fault: 'error-event', thenFailed: true, output },
    ...passing,
  },
  { fault: '`error` event without a code', answer: { fault: 'error-event', code: null, output }, ...passing },
  {
    fault: '`error` event: rate limit',
    answer: { fault: 'error-event', code: 'rate_limit_exceeded', output },
    ...passing,
  },
  {
    fault: '`error` event: bad prompt',
    answer: { fault: 'error-event', code: 'invalid_prompt', output },
    ...final,
  },
  {
    fault: '`error` event: no quota',
    answer: { fault: 'error-event', code: 'insufficient_quota', output },
    ...final,
  },
  { fault: '`error` event in the text', answer: { fault: 'error-event', after: 6, output }, ...late },
  { fault: '`response.failed`', answer: { fault: 'failed', output }, ...passing },
  { fault: '`response.failed` in the text', answer: { fault: 'failed', after: 6, output }, ...late },
  { fault: 'a web page', answer: { fault: 'html' }, ...final },
  { fault: 'an empty body', answer: { fault: 'empty' }, ...passing },
  { fault: 'chat completions', answer: { fault: 'chat-completions' }, ...final },
  { ...status(400), ...final },
  { ...status(401), ...final },
  { ...status(403), ...final },
  { ...status(404), ...final },
  { ...status(408), ...passing },
  { ...status(409), ...passing },
  { ...status(422), ...final },
  { fault: 'status 429, Retry-After in seconds', answer: { status: 429, retryAfter: 0 }, ...passing },
  {
    fault: 'status 429, Retry-After as a date',
    answer: { status: 429, retryAfter: new Date(0).toUTCString() },
    ...passing,
  },
  {
    fault: 'status 429, retry-after-ms',
    answer: { status: 429, headers: { 'retry-after-ms': '1' } },
    ...passing,
  },
  { ...status(500), ...passing },
  { ...status(502, { body: '<html>Bad gateway</html>' }), ...passing },
  { ...status(503), ...passing },
];
