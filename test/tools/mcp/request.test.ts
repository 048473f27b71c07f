import { getEventListeners } from 'node:events';
import type { RequestOptions } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RequestLimits, sendRequest } from '../../../src/tools/mcp/session/request.js';
import type { McpSession } from '../../../src/tools/mcp/session/session.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Sends a request that never receives a response, through a session without a server. */
function start(limits: RequestLimits) {
  let options: RequestOptions | undefined;
  const send = (_client: unknown, given: RequestOptions) => {
    options = given;
    return new Promise<never>((_, reject) => {
      const fail = () => reject(new Error('SDK'));
      if (given.signal?.aborted) fail();
      else given.signal?.addEventListener('abort', fail);
    });
  };
  const running = { lastPendingAt: 0, end: () => {} };
  const session = {
    calls: { start: () => Promise.resolve(running) },
    hasId: false,
    report: () => undefined,
    use: (operation: (client: unknown) => unknown) => operation({}),
  } as unknown as McpSession;
  const start = Date.now();
  const call = { facts: { server: 'slow', toolCallId: 'call_1' }, method: 'tools/call', params: {} };
  const result = sendRequest(session, { send, call, facts: { method: 'tools/call' } }, limits).catch(
    (error: unknown) => ({
      error,
      after: Date.now() - start,
    }),
  );
  return {
    result,
    running,
    reportProgress: () => options?.onprogress?.({ progress: 1 }),
  };
}

describe('sendRequest', () => {
  it('fails after the inactivity timeout', async () => {
    const { result } = start({ timeout: 100, totalTimeout: 10_000 });
    await vi.advanceTimersByTimeAsync(99);
    const timers = vi.getTimerCount();
    vi.advanceTimersByTime(1);
    expect(await result).toMatchObject({ error: { kind: 'timeout', milliseconds: 100 }, after: 100 });
    // The inactivity timeout, and the total one.
    expect(vi.getTimerCount()).toBe(timers - 2);
  });

  it('counts the time that has passed before the request', async () => {
    const { result } = start({ timeout: 10_000, totalTimeout: 100, elapsed: 60 });
    await vi.advanceTimersByTimeAsync(40);
    expect(await result).toMatchObject({ error: { kind: 'total-timeout', milliseconds: 100 }, after: 40 });
  });

  it('restarts the inactivity timeout at each progress notification', async () => {
    const { result, reportProgress } = start({ timeout: 100, totalTimeout: 10_000 });
    for (let count = 0; count < 5; count++) {
      await vi.advanceTimersByTimeAsync(90);
      reportProgress();
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(await result).toMatchObject({ error: { kind: 'timeout' }, after: 5 * 90 + 100 });
  });

  it('pauses the inactivity timeout while the server waits for the host', async () => {
    const { result, running } = start({ timeout: 100, totalTimeout: 10_000 });
    await vi.advanceTimersByTimeAsync(50);
    running.lastPendingAt = performance.now() + 400;
    await vi.advanceTimersByTimeAsync(1000);
    expect(await result).toMatchObject({ error: { kind: 'timeout' }, after: 50 + 400 + 100 });
  });

  it('fails at the total timeout despite progress', async () => {
    const { result, reportProgress } = start({ timeout: 100, totalTimeout: 250 });
    for (let count = 0; count < 5; count++) {
      await vi.advanceTimersByTimeAsync(60);
      reportProgress();
    }
    expect(await result).toMatchObject({ error: { kind: 'total-timeout', milliseconds: 250 }, after: 250 });
  });

  it('rejects with the reason of an abort and removes its timers and listeners', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const timers = vi.getTimerCount();
    const { result } = start({ signal: controller.signal, timeout: 100, totalTimeout: 250 });
    controller.abort(reason);
    expect(await result).toMatchObject({ error: reason, after: 0 });
    expect(vi.getTimerCount()).toBe(timers);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
