import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider';
import { toRetryAfter } from './retry.js';
import { toWireError } from './api-error.js';

/** The keys of a provider and how they are doing. */
export interface KeyRing {
  /**
   * The key for a request. All requests of one turn get the same: encrypted reasoning is bound to it.
   *
   * @returns undefined where no key is set.
   * @throws APICallError (429, retryable) where none is free and one at least is cooling down; the server's last
   *   refusal where it refused all.
   */
  take(turn: object | undefined): Promise<string | undefined>;
  /**
   * Reports that a request with this key failed.
   *
   * @returns whether another key is worth trying at once.
   */
  refuse(key: string, error: unknown): boolean;
}

/** How long a key that was refused is left alone, in milliseconds. */
const RETIREMENT = 10 * 60_000;

/** How long a key rests after 429 without a `Retry-After`, in milliseconds. */
const COOL_DOWN = 30_000;

/** One key or several, as a list or separated by commas, or a function that gives one for each turn. */
export type ApiKeySetting = string | readonly string[] | (() => string | Promise<string>);

/** Keys in a text that may change: an environment variable. */
export interface KeysFromElsewhere {
  readonly read: () => string | undefined;
}

/**
 * Hands out keys in turn. A key that the server refuses is left alone for a while, one that is over its rate limit for
 * as long as the server says. A single key is always handed out: the server's own answer tells more than ours.
 */
export function createKeyRing(
  setting: ApiKeySetting | KeysFromElsewhere | undefined,
  { url, now = Date.now }: { url: string; now?: () => number },
): KeyRing {
  const pinned = new WeakMap<object, string>();
  const restUntil = new Map<string, number>();
  /** How the server refused the keys that are left alone. */
  const refusals = new Map<string, APICallError>();
  let next = 0;

  return {
    async take(turn) {
      const kept = turn === undefined ? undefined : pinned.get(turn);
      const key = kept !== undefined && isFree(kept) ? kept : await choose();
      if (turn !== undefined && key !== undefined) pinned.set(turn, key);
      return key;
    },

    refuse(key, error) {
      const keys = currentKeys();
      if (keys.length < 2 || !APICallError.isInstance(error)) return false;
      const { statusCode, responseHeaders } = error;
      // Set anew, so that the last refusal is the last of the map.
      refusals.delete(key);
      if (isAboutKey(error)) {
        refusals.set(key, error);
        restUntil.set(key, now() + RETIREMENT);
      } else if (statusCode === 429) {
        restUntil.set(key, now() + (toRetryAfter(responseHeaders, now()) ?? COOL_DOWN));
      } else {
        return false;
      }
      return keys.some(isFree);
    },
  };

  async function choose(): Promise<string | undefined> {
    if (typeof setting === 'function') return (await setting()) || undefined;
    const keys = currentKeys();
    if (keys.length < 2) return keys[0];
    for (let tried = 0; tried < keys.length; tried++) {
      const key = keys[next++ % keys.length];
      if (key !== undefined && isFree(key)) return key;
    }
    const refusal = [...refusals].findLast(([key]) => keys.includes(key))?.[1];
    const isRefused = keys.every(key => refusals.has(key));
    throw isRefused && refusal !== undefined ? withoutRequest(refusal) : toExhaustedError(keys);
  }

  function currentKeys(): string[] {
    if (typeof setting === 'function') return [];
    return toKeys(isElsewhere(setting) ? setting.read() : setting);
  }

  function isFree(key: string): boolean {
    return (restUntil.get(key) ?? 0) <= now();
  }

  function toExhaustedError(keys: readonly string[]): APICallError {
    const wait = Math.min(...keys.map(key => restUntil.get(key) ?? 0)) - now();
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    return new APICallError({
      message:
        `Expected a usable API key for ${url}, got none: all ${keys.length} were refused or are over their rate limit. ` +
        `The first is tried again in ${seconds} s.`,
      url,
      requestBodyValues: undefined,
      statusCode: 429,
      responseHeaders: { 'retry-after': String(seconds) },
      isRetryable: true,
    });
  }
}

const isElsewhere = (setting: unknown): setting is KeysFromElsewhere =>
  typeof setting === 'object' && setting !== null && 'read' in setting;

/** Servers answer 403 for what is not the key's fault, too: a model, a region, a firewall. */
function isAboutKey({ statusCode, data, message }: APICallError): boolean {
  if (statusCode !== 403) return statusCode === 401;
  const { code = '', type = '', message: told = message } = toWireError(data) ?? {};
  const words = `${code} ${type} ${told}`;
  return /auth|api[ _-]?key|credential|token|account/i.test(words) && !/model/i.test(words);
}

/** A refusal as the error of another request: the body that was refused is none of its business. */
const withoutRequest = ({
  message,
  url,
  statusCode,
  responseHeaders,
  isRetryable,
  data,
}: APICallError): APICallError =>
  new APICallError({
    message,
    url,
    requestBodyValues: undefined,
    statusCode,
    responseHeaders,
    isRetryable,
    data,
  });

/** Keys of a list, or of one text that separates them by commas. */
function toKeys(setting: Exclude<ApiKeySetting, () => unknown> | undefined): string[] {
  if (setting === undefined) return [];
  const list = typeof setting === 'string' ? setting.split(',') : setting;
  return [...new Set(list.map(key => key.trim()).filter(key => key !== ''))];
}

export const missingKeyError = (): LoadAPIKeyError =>
  new LoadAPIKeyError({
    message:
      'Expected an API key for api.openai.com, got none. Pass `apiKey` to createKelivoResponsesProvider(), ' +
      'or set the environment variable OPENAI_API_KEY.',
  });
