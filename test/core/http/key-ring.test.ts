import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createKeyRing } from '../../../src/core/http/key-ring.js';
import { createTurn } from '../../_core.js';

const url = 'http://127.0.0.1/v1/responses';

const failure = (statusCode: number, responseHeaders?: Record<string, string>) =>
  new APICallError({ message: 'no', statusCode, url, requestBodyValues: {}, responseHeaders });

/** Creates a key ring with a clock that the test controls. */
function ringOf(keys: string | string[]) {
  const clock = { now: 1_000_000 };
  return { clock, ring: createKeyRing(keys, { url, now: () => clock.now }) };
}

describe('key rotation', () => {
  it('rotates keys from a list and from a comma-separated string', async () => {
    for (const keys of [['a', 'b', 'c'], 'a, b ,c,']) {
      const { ring } = ringOf(keys);
      const given = [];
      for (let call = 0; call < 4; call++) given.push(await ring.take(undefined));
      expect(given).toEqual(['a', 'b', 'c', 'a']);
    }
  });

  it('uses one key for all rounds of a turn', async () => {
    const { ring } = ringOf(['a', 'b']);
    const turn = createTurn();
    expect(await ring.take(turn)).toBe('a');
    expect(await ring.take(createTurn())).toBe('b');
    expect(await ring.take(turn)).toBe('a');
  });

  it('calls a key function once per turn', async () => {
    let asked = 0;
    const ring = createKeyRing(async () => `token-${++asked}`, { url });
    const turn = createTurn();
    expect([await ring.take(turn), await ring.take(turn), await ring.take(createTurn())]).toEqual([
      'token-1',
      'token-1',
      'token-2',
    ]);
  });

  it('returns undefined if no key is set', async () => {
    for (const setting of [undefined, '', [], ' , ']) {
      expect(await createKeyRing(setting, { url }).take(undefined)).toBeUndefined();
    }
  });
});

describe('failing keys', () => {
  it('disables a rate-limited key for the time in `Retry-After`, then uses it again', async () => {
    const { ring, clock } = ringOf(['a', 'b']);
    expect(ring.refuse('a', failure(429, { 'retry-after': '5' }))).toBe(true);
    expect([await ring.take(undefined), await ring.take(undefined)]).toEqual(['b', 'b']);
    clock.now += 5000;
    expect(new Set([await ring.take(undefined), await ring.take(undefined)])).toEqual(new Set(['a', 'b']));
  });

  it('continues a turn with another key if its key is refused', async () => {
    const { ring } = ringOf(['a', 'b']);
    const turn = createTurn();
    expect(await ring.take(turn)).toBe('a');
    expect(ring.refuse('a', failure(401))).toBe(true);
    expect([await ring.take(turn), await ring.take(turn)]).toEqual(['b', 'b']);
  });

  it('reports the number of keys and the next retry if none is left, without showing a key', async () => {
    const { ring, clock } = ringOf(['sk-one', 'sk-two']);
    expect(ring.refuse('sk-one', failure(401))).toBe(true);
    expect(ring.refuse('sk-two', failure(429, { 'retry-after-ms': '2500' }))).toBe(false);
    const error = await ring.take(undefined).catch(caught => caught);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error.message).toContain('all 2 were refused or are over their rate limit');
    expect(error.message).toContain('becomes available in 3 s');
    expect(error.message).not.toContain('sk-');
    expect(error).toMatchObject({
      isRetryable: true,
      statusCode: 429,
      responseHeaders: { 'retry-after': '3' },
    });
    clock.now += 2500;
    expect(await ring.take(undefined)).toBe('sk-two');
  });

  it('keeps a key after an error that is unrelated to the key', async () => {
    const { ring } = ringOf(['a', 'b']);
    for (const error of [failure(400), failure(500), new Error('network')])
      expect(ring.refuse('a', error)).toBe(false);
    expect(await ring.take(undefined)).toBe('a');
  });

  it('keeps a key after an unrelated 403 and disables it after a 403 about the key', async () => {
    const forbidden = (error: object) =>
      new APICallError({ message: 'no', statusCode: 403, url, requestBodyValues: {}, data: { error } });
    const { ring } = ringOf(['a', 'b']);
    for (const error of [
      { message: 'Project does not have access to model o9', code: 'model_not_found' },
      { message: 'Not here.', code: 'unsupported_country_region_territory' },
    ])
      expect(ring.refuse('a', forbidden(error))).toBe(true);
    expect(ring.refuse('b', forbidden({ message: 'Not here.' }), new Set(['a']))).toBe(false);
    expect(await ring.take(undefined)).toBe('a');
    expect(await ring.take(undefined)).toBe('b');
    expect(ring.refuse('a', forbidden({ message: 'Your API key is blocked.' }))).toBe(true);
    expect([await ring.take(undefined), await ring.take(undefined)]).toEqual(['b', 'b']);
  });

  it('repeats the last refusal without its body if every key was refused', async () => {
    const { ring } = ringOf(['a', 'b']);
    ring.refuse('b', failure(401));
    const last = new APICallError({ message: 'Wrong key.', statusCode: 401, url, requestBodyValues: 'body' });
    expect(ring.refuse('a', last)).toBe(false);
    await expect(ring.take(undefined)).rejects.toMatchObject({
      message: 'Wrong key.',
      statusCode: 401,
      isRetryable: false,
      requestBodyValues: undefined,
    });
  });

  it('returns a single key even after it was refused', async () => {
    const { ring } = ringOf('only');
    expect(ring.refuse('only', failure(401))).toBe(false);
    expect(await ring.take(undefined)).toBe('only');
  });
});
