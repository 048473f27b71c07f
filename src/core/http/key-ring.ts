import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider';
import type { TurnLink } from '../call.js';
import { readError } from '../shared/reported-error.js';
import type { RequestHeaders } from './request.js';
import { keyCooldown, keyStateAfter, RETRYABLE } from './retry.js';

/** The headers that authenticate a request, one set for each key. */
export interface Credentials {
  /**
   * Sends a request with the headers of one key, and with those of another if the server refuses that key.
   *
   * @param turn the turn whose requests are sent with the same key.
   */
  use<Result>(
    turn: TurnLink | undefined,
    send: (headers: RequestHeaders) => Promise<Result>,
  ): Promise<Result>;
  /** Returns the headers of every request. Undefined if they are not known before it: functions return them, or keys rotate. */
  readonly fixed: () => RequestHeaders | undefined;
}

/** The keys of a provider and their state. */
export interface KeyRing {
  /**
   * Returns the key for a request, or undefined if none is set. All requests of one turn get the same key: encrypted
   * reasoning is bound to it.
   *
   * @param tried keys that the server refused for this request.
   * @throws APICallError (429, retryable) if no key is free and at least one is over its rate limit; the server's last
   *   refusal if it refused all keys.
   */
  take(turn: TurnLink | undefined, tried?: ReadonlySet<string>): Promise<string | undefined>;
  /**
   * Reports that a request with this key failed.
   *
   * @param tried keys that the server refused for this request before.
   * @returns true if the request can be sent at once with another key.
   */
  refuse(key: string, error: unknown, tried?: ReadonlySet<string>): boolean;
}

/** One key or several, as a list or separated by commas, or a function that returns one for each turn. */
export type ApiKeySetting = string | readonly string[] | (() => string | Promise<string>);

/** Keys that may change while the provider exists, such as those of an environment variable. */
export interface KeySource {
  readonly read: () => string | undefined;
}

/**
 * Hands out keys in turn. A key that the server refuses, that has no quota left, or that is over its rate limit is not
 * used during its cooldown. A key without access to the model of a request is used again for the next request.
 * A single key is always handed out, because the error of the server is more precise than ours.
 */
export function createKeyRing(
  setting: ApiKeySetting | KeySource | undefined,
  { url, now = Date.now }: { url: string; now?: () => number },
): KeyRing {
  const cooldownEnd = new Map<string, number>();
  /** The refusals of the keys that are not used for that reason, the latest last. */
  const refusals = new Map<string, APICallError>();
  let next = 0;

  const ring: KeyRing = {
    async take(turn, tried = NONE) {
      const ofTurn: { key?: string | undefined } = turn?.stateOf(ring, () => ({})) ?? {};
      const isKept = ofTurn.key !== undefined && isUsable(ofTurn.key, tried);
      const key = isKept ? ofTurn.key : await choose(tried);
      ofTurn.key = key ?? ofTurn.key;
      return key;
    },

    refuse(key, error, tried = NONE) {
      const keys = currentKeys();
      if (keys.length < 2 || !APICallError.isInstance(error)) return false;
      const { statusCode: status, message, data, responseHeaders: headers } = error;
      refusals.delete(key);
      const state = status === undefined ? undefined : keyStateAfter({ message, ...readError(data), status });
      if (state === undefined) return false;
      if (state === 'refused') refusals.set(key, error);
      if (state !== 'unsuited') cooldownEnd.set(key, now() + keyCooldown(state, headers, now()));
      return keys.some(other => other !== key && isUsable(other, tried));
    },
  };
  return ring;

  async function choose(tried: ReadonlySet<string>): Promise<string | undefined> {
    if (typeof setting === 'function') return (await setting()) || undefined;
    const keys = currentKeys();
    if (keys.length < 2) return keys[0];
    for (let count = 0; count < keys.length; count++) {
      const key = keys[next++ % keys.length];
      if (key !== undefined && isUsable(key, tried)) return key;
    }
    const refusal = [...refusals].findLast(([key]) => keys.includes(key))?.[1];
    const isEveryKeyRefused = keys.every(key => refusals.has(key));
    throw isEveryKeyRefused && refusal !== undefined ? withoutRequest(refusal) : toNoFreeKeyError(keys);
  }

  function currentKeys(): string[] {
    if (typeof setting === 'function') return [];
    return toKeys(isKeySource(setting) ? setting.read() : setting);
  }

  function isUsable(key: string, tried: ReadonlySet<string>): boolean {
    return !tried.has(key) && (cooldownEnd.get(key) ?? 0) <= now();
  }

  function toNoFreeKeyError(keys: readonly string[]): APICallError {
    const wait = Math.min(...keys.map(key => cooldownEnd.get(key) ?? 0)) - now();
    const seconds = Math.max(1, Math.ceil(wait / 1000));
    return new APICallError({
      message:
        `Expected a usable API key for ${url}, got none: all ${keys.length} were refused or are over their rate limit. ` +
        `The next key becomes available in ${seconds} s. Retry then, or add a key.`,
      url,
      requestBodyValues: undefined,
      statusCode: 429,
      responseHeaders: { 'retry-after': String(seconds) },
      isRetryable: RETRYABLE.noFreeKey,
    });
  }
}

const NONE: ReadonlySet<string> = new Set();

const isKeySource = (setting: unknown): setting is KeySource =>
  typeof setting === 'object' && setting !== null && 'read' in setting;

/** Copies the refusal of an earlier request without its body. */
function withoutRequest(refusal: APICallError): APICallError {
  const { message, url, statusCode, responseHeaders, isRetryable, data } = refusal;
  const requestBodyValues = undefined;
  return new APICallError({
    message,
    url,
    requestBodyValues,
    statusCode,
    responseHeaders,
    isRetryable,
    data,
  });
}

/** Returns the keys of a list or of a comma-separated string, without duplicates. */
export function toKeys(setting: Exclude<ApiKeySetting, () => unknown> | undefined): string[] {
  if (setting === undefined) return [];
  const list = typeof setting === 'string' ? setting.split(',') : setting;
  return [...new Set(list.map(key => key.trim()).filter(key => key !== ''))];
}

export const missingKeyError = (): LoadAPIKeyError =>
  new LoadAPIKeyError({
    message:
      'Expected an API key for api.openai.com, got none. Pass `apiKey` to createKelivoResponsesProvider(), ' +
      'or set the environment variable OPENAI_API_KEY. To try it without a key, run `npx kelivo-responses emulator` and set ' +
      '`baseURL` or OPENAI_BASE_URL to the address that it prints.',
  });
