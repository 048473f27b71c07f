import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { retryDelay, toRetryAfter } from '../../../src/core/http/retry.js';
import { repeat } from '../../../src/core/shared/repeat.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import {
  call,
  callRound,
  exchangeOf,
  finishOf,
  ofType,
  type ScriptedRound,
  scriptedModel,
  stream,
  textRound,
} from '../../tool-loop/_scripted-model.js';
import { serverError } from '../../tool-loop/_server-error.js';
import { scriptedTools } from '../../tool-loop/_tools.js';

const failing =
  (...[options]: Parameters<typeof serverError>): ScriptedRound =>
  () => {
    throw serverError(options);
  };

async function run(rounds: ScriptedRound[], options: { maxRetries?: number; initialDelay?: number } = {}) {
  const tools = scriptedTools({ echo: () => 'ran' });
  const model = scriptedModel(...rounds);
  const parts = await stream(withToolLoop(model, { tools, retry: { initialDelay: 1, ...options } }));
  return { model, tools, parts };
}

describe('retrying a later round', () => {
  it('repeats the request unchanged without running the tool again', async () => {
    const rounds = [
      callRound(call('c1', 'echo')),
      failing(),
      failing({ statusCode: 429 }),
      textRound('Done.'),
    ];
    const { model, tools, parts } = await run(rounds);
    expect(tools.calls).toHaveLength(1);
    expect(model.requests[3]).toEqual(model.requests[1]);
    expect(exchangeOf(model.requests[3]).outputs).toEqual([['c1', 'ran']]);
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('waits for the time that the server requests', async () => {
    const limited = failing({ statusCode: 429, responseHeaders: { 'retry-after-ms': '40' } });
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    const { parts } = await run([callRound(call('c1', 'echo')), limited, textRound('Done.')]);
    expect(setTimeout).toHaveBeenCalledWith(expect.any(Function), 40);
    setTimeout.mockRestore();
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('gives up after `maxRetries`', async () => {
    const { model, parts } = await run([callRound(call('c1', 'echo')), failing(), failing()], {
      maxRetries: 1,
    });
    expect(model.requests).toHaveLength(3);
    expect(ofType(parts, 'error')).toMatchObject([{ error: { statusCode: 500, isRetryable: false } }]);
    expect(finishOf(parts)).toMatchObject({ finishReason: 'error', usage: { totalTokens: 15 } });
  });

  it.each([
    ['cannot succeed', { statusCode: 400 }],
    ['requires a delay of more than a minute', { statusCode: 429, responseHeaders: { 'retry-after': '61' } }],
  ])('does not retry an error that %s', async (_, error) => {
    const { model, parts } = await run([callRound(call('c1', 'echo')), failing(error)]);
    expect(model.requests).toHaveLength(2);
    expect(finishOf(parts).finishReason).toBe('error');
  });
});

describe('retrying the first round', () => {
  it('is left to the host', async () => {
    const model = scriptedModel(failing(), textRound('Hi'));
    const turn = stream(withToolLoop(model, { tools: scriptedTools({}) }));
    await expect(turn).rejects.toMatchObject({ statusCode: 500, isRetryable: true });
    expect(model.requests).toHaveLength(1);
  });
});

/** Repeats as the tool loop does. */
const retry = (operation: () => Promise<never>, signal: AbortSignal, random?: () => number) =>
  repeat(
    operation,
    (error, attempt) =>
      retryDelay(error, { attempt, maxRetries: 3, initialDelay: 1000, ...(random && { random }) }),
    signal,
  );

describe('retry', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Returns the times of the attempts in milliseconds since the first one. */
  async function attemptTimes(options: { random: () => number; responseHeaders?: Record<string, string> }) {
    const startedAt = Date.now();
    const times: number[] = [];
    const operation = async () => {
      times.push(Date.now() - startedAt);
      throw serverError({ responseHeaders: options.responseHeaders });
    };
    const { signal } = new AbortController();
    const failed = expect(retry(operation, signal, options.random)).rejects.toMatchObject({
      statusCode: 500,
    });
    await vi.advanceTimersByTimeAsync(60_000);
    await failed;
    return times;
  }

  it.each([
    [0, [0, 750, 2250, 5250]],
    [0.5, [0, 1000, 3000, 7000]],
    [1, [0, 1250, 3750, 8750]],
  ])('doubles its delays and spreads them: with the random number %d', async (random, times) => {
    expect(await attemptTimes({ random: () => random })).toEqual(times);
  });

  it('waits exactly as long as the server requests', async () => {
    const responseHeaders = { 'retry-after': '2' };
    expect(await attemptTimes({ random: () => 1, responseHeaders })).toEqual([0, 2000, 4000, 6000]);
  });

  it('stops when the signal aborts during a delay', async () => {
    const controller = new AbortController();
    const operation = async () => {
      throw serverError();
    };
    const failed = expect(retry(operation, controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
    await vi.advanceTimersByTimeAsync(100);
    const timers = vi.getTimerCount();
    controller.abort();
    await failed;
    expect(vi.getTimerCount()).toBe(timers - 1);
  });
});

describe('toRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[Record<string, string> | undefined, number | undefined]>([
    [undefined, undefined],
    [{}, undefined],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': '-1', 'retry-after': '9' }, 9000],
  ])('reads %j as %j ms', (headers, milliseconds) => {
    expect(toRetryAfter(headers, now)).toBe(milliseconds);
  });
});
