import { delay, type FetchFunction } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { toRetryAfter } from '../core/http/retry.js';
import { onceAborted } from '../core/shared/abort.js';
import { once } from '../core/shared/once.js';
import { functionSetting, parseSettings } from '../core/shared/settings.js';

/*
 * Rate limits as servers report them, for each key and model. They are read from the responses of any provider, because all
 * of them accept a `fetch`.
 */

/** Options of `createRateLimitedFetch`. */
export interface RateLimitOptions {
  /**
   * Longest time in milliseconds that a request waits because the server would certainly reject it, or for a free place of
   * `maxConcurrent`. A request that had to wait longer is answered at once with the status 429 and the time, without being
   * sent, so that a provider with several keys takes another one, and `withFallback` another model. With several keys, use 0.
   * @default 10000
   */
  maxWait?: number;
  /**
   * Maximum number of requests with one key at the same time, until their responses have been read.
   * @default no limit
   */
  maxConcurrent?: number;
  /**
   * Sends the requests.
   * @default the global `fetch`
   */
  fetch?: FetchFunction;
}

const schema = once<z.ZodType<RateLimitOptions>>(() =>
  z.strictObject({
    maxWait: z.number().min(0).optional(),
    maxConcurrent: z.number().int().min(1).optional(),
    fetch: functionSetting<FetchFunction>().optional(),
  }),
);

/** Limits that a server has reported for a key and a model. */
interface State {
  /** The end of the time for which the server rejects requests. */
  blockedUntil: number;
  readonly budgets: Map<string, Budget>;
}

/** A number of requests or tokens that is left. */
interface Budget {
  left: number;
  /** The number at the time of the reset. Unknown if the budget is renewed at once, and not bit by bit. */
  readonly limit: number | undefined;
  readonly readAt: number;
  readonly resetAt: number;
}

/** Number of keys and models after which those without a limit in force are forgotten. */
const MAX_STATES = 1000;

/**
 * Creates a `fetch` for any provider that does not send requests which the server would certainly reject, by the headers of
 * its last responses: `retry-after`, `x-ratelimit-*`, `anthropic-ratelimit-*`, `ratelimit-*` and `ratelimit`.
 *
 * @example
 * ```ts
 * const openai = createOpenAI({ fetch: createRateLimitedFetch({ maxConcurrent: 4 }) });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option.
 */
export function createRateLimitedFetch(options: RateLimitOptions = {}): FetchFunction {
  const checked = parseSettings(schema(), options, 'the options of createRateLimitedFetch()');
  const { maxWait = 10_000, maxConcurrent = Infinity, fetch = globalThis.fetch } = checked;
  const states = new Map<string, State>();
  const places = createPlaces(maxConcurrent);

  return async (input, init) => {
    const { key, model, tokens, signal } = factsOf(input, init);
    const name = `${key} ${model}`;
    const deadline = Date.now() + maxWait;
    const release = await places.take(key, { maxWait, signal });
    if (release === undefined) return toRejection(1000);
    try {
      for (;;) {
        const wait = waitOf(states.get(name), tokens);
        if (wait <= 0) break;
        if (Date.now() + wait > deadline) {
          release();
          return toRejection(wait);
        }
        await delay(wait, signal && { abortSignal: signal });
      }
      spend(states.get(name), tokens);
      const response = await fetch(input, init);
      const state = readLimits(response, states.get(name));
      if (state !== undefined) states.set(name, state);
      if (states.size > MAX_STATES)
        for (const [id, one] of states) if (waitOf(one, 0) <= 0) states.delete(id);
      return maxConcurrent === Infinity ? response : whenRead(response, release);
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Headers that contain the key of a request. */
const KEYS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'];

/** Characters of one token at most, so that the estimate is never too high. Media are not counted. */
const CHARS_PER_TOKEN = 8;

function factsOf(input: Parameters<FetchFunction>[0], init: RequestInit | undefined) {
  const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
  const headers = new Headers(init?.headers);
  const text = typeof init?.body === 'string' ? init.body : '';
  const ofBody = /"model"\s*:\s*"([^"]+)"/.exec(text.slice(0, 2000))?.[1];
  const ofPath = /\/(?:models|deployments)\/([^/:?]+)/.exec(url)?.[1];
  return {
    key: [new URL(url).origin, ...KEYS.map(name => headers.get(name))].join(' '),
    model: ofBody ?? ofPath ?? '',
    tokens: text.includes('base64') ? 1 : Math.max(1, Math.floor(text.length / CHARS_PER_TOKEN)),
    signal: init?.signal ?? undefined,
  };
}

const needOf = (kind: string, tokens: number): number =>
  kind.includes('token') && !kind.includes('output') ? tokens : 1;

/** Returns the time for which a request would certainly be rejected, in milliseconds. */
function waitOf(state: State | undefined, tokens: number): number {
  if (state === undefined) return 0;
  const now = Date.now();
  let until = state.blockedUntil;
  for (const [kind, { left, limit, readAt, resetAt }] of state.budgets) {
    const missing = needOf(kind, tokens) - left;
    if (missing <= 0 || resetAt <= now) continue;
    // A budget that is renewed bit by bit may suffice before it is complete. More than all of it is for the server to judge.
    const share = limit === undefined ? 1 : missing / (limit - left);
    if (share <= 1) until = Math.max(until, readAt + (resetAt - readAt) * share);
  }
  return Math.ceil(until - now);
}

function spend(state: State | undefined, tokens: number): void {
  for (const [kind, budget] of state?.budgets ?? []) budget.left -= needOf(kind, tokens);
}

/** Reads the limits of a response. Undefined if there are none. */
function readLimits(response: Response, before: State | undefined): State | undefined {
  const now = Date.now();
  const all = Object.fromEntries(response.headers.entries());
  const wait = response.status === 429 || response.status === 503 ? toRetryAfter(all, now) : undefined;
  const budgets = new Map(before?.budgets);
  for (const [name, value] of Object.entries(all)) {
    if (!name.includes('ratelimit')) continue;
    // RateLimit: "default";r=50;t=30 (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/)
    const isField = name === 'ratelimit';
    const left = isField ? /\br=(\d+)/.exec(value)?.[1] : name.includes('remaining') ? value : undefined;
    const reset = isField ? /\bt=(\d+)/.exec(value)?.[1] : all[name.replace('remaining', 'reset')];
    const resetAt = toTime(reset, now);
    if (left === undefined || left === '' || Number.isNaN(Number(left)) || resetAt === undefined) continue;
    const kind = name.replace(/^(?:x-|anthropic-)?ratelimit-?/, '').replace(/-?remaining-?/, '');
    // The reset of OpenAI and Anthropic is the time at which the budget is complete again; that of others renews it at once.
    const limit = kind === '' ? NaN : Number(all[name.replace('remaining', 'limit')]);
    budgets.set(kind, { left: Number(left), limit: limit > 0 ? limit : undefined, readAt: now, resetAt });
  }
  if (wait === undefined && budgets.size === 0) return before;
  return { blockedUntil: wait === undefined ? (before?.blockedUntil ?? 0) : now + wait, budgets };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time: seconds from now, seconds or milliseconds since 1970, a duration such as `6m0s`, or a date. */
function toTime(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value === '') return undefined;
  const number = Number(value);
  if (!Number.isNaN(number))
    return number > 1e12 ? number : number > 1e9 ? number * 1000 : now + number * 1000;
  if (/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(value)) {
    const pieces = [...value.matchAll(/([\d.]+)(ms|[smhd])/gy)];
    return pieces.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (UNITS[unit] ?? 0), now);
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

/** Returns the answer to a request that is not sent. */
function toRejection(wait: number): Response {
  const message = `The rate limit of this key is reached for ${wait} ms. The request was not sent (maxWait).`;
  return new Response(
    JSON.stringify({ error: { message, type: 'rate_limit_error', code: 'rate_limit_exceeded' } }),
    {
      status: 429,
      headers: {
        'content-type': 'application/json',
        'retry-after-ms': String(wait),
        'retry-after': String(Math.ceil(wait / 1000)),
      },
    },
  );
}

/** Limits the requests of each key that run at the same time, in the order in which they arrive. */
function createPlaces(maximum: number) {
  const keys = new Map<string, { running: number; readonly waiting: (() => void)[] }>();
  return {
    /** Returns the function that frees the place, or undefined if none is free in time. */
    async take(
      key: string,
      { maxWait, signal }: { maxWait: number; signal: AbortSignal | undefined },
    ): Promise<(() => void) | undefined> {
      if (maximum === Infinity) return () => {};
      const known = keys.get(key) ?? { running: 0, waiting: [] };
      keys.set(key, known);
      const { waiting } = known;
      if (known.running < maximum) known.running++;
      else {
        const isFree = await new Promise<boolean>(resolve => {
          const end = (isFree: boolean): void => {
            clearTimeout(timer);
            stop?.();
            const position = waiting.indexOf(take);
            if (position !== -1) waiting.splice(position, 1);
            resolve(isFree);
          };
          const take = (): void => end(true);
          const timer = setTimeout(end, maxWait, false);
          waiting.push(take);
          const stop = signal && onceAborted(signal, () => end(false));
        });
        if (!isFree) {
          signal?.throwIfAborted();
          return undefined;
        }
      }
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        // The place goes to the request that has waited longest.
        const next = waiting[0];
        if (next !== undefined) next();
        else if (--known.running === 0) keys.delete(key);
      };
    },
  };
}

/** Calls a function when the body of a response has been read, has failed or is cancelled. */
function whenRead(response: Response, onEnd: () => void): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    onEnd();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    cancel(reason) {
      onEnd();
      return reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
