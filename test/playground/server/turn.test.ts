import { describe, expect, it, vi } from 'vitest';
import { createApprovalDesk } from '../../../playground/server/turn/approvals.js';
import { createRedactor } from '../../../playground/server/turn/redaction.js';
import { createRunningTurns } from '../../../playground/server/turn/running-turns.js';
import { toHistory } from '../../../playground/server/turn/history.js';
import { createTraceRecorder } from '../../../playground/server/turn/trace-recorder.js';
import type { StoredMessage } from '../../../playground/shared/playground-state.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';

describe('the approval desk', () => {
  const signal = new AbortController().signal;

  it('returns a decision once', async () => {
    const desk = createApprovalDesk();
    const { approvalId, decision } = desk.ask({ signal });

    expect(desk.decide(approvalId, { approved: true })).toBe(true);
    expect(desk.decide(approvalId, { approved: false })).toBe(false);
    expect(desk.decide('another', { approved: true })).toBe(false);
    await expect(decision).resolves.toEqual({ approved: true });
  });

  it('cancels pending approvals when the turn ends', async () => {
    const desk = createApprovalDesk();
    const controller = new AbortController();
    const { approvalId, decision } = desk.ask({ signal: controller.signal });
    controller.abort(new Error('over'));

    await expect(decision).rejects.toThrow('over');
    await expect(desk.ask({ signal: controller.signal }).decision).rejects.toThrow('over');
    expect(desk.decide(approvalId, { approved: true })).toBe(false);
  });
});

describe('the running turns', () => {
  const never = new AbortController().signal;

  it('are stopped by name, also when a new turn has the same name', () => {
    const turns = createRunningTurns();
    const first = turns.open('a', { signal: never });
    const second = turns.open('a', { signal: never });
    const other = turns.open('b', { signal: never });
    const wasThere = turns.stop('a');

    expect([first, second, other].map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    expect(wasThere).toBe(true);
    expect(turns.stop('a')).toBe(false);
  });

  it('end with the request of the page', () => {
    const controller = new AbortController();
    const { signal } = createRunningTurns().open('a', { signal: controller.signal });
    controller.abort();

    expect(signal.aborted).toBe(true);
  });

  it('are awaited when all are stopped', async () => {
    const turns = createRunningTurns();
    const turn = turns.open('a', { signal: never });
    let hasClosed = false;
    turn.signal.addEventListener('abort', () =>
      setImmediate(() => {
        hasClosed = true;
        turn.close();
      }),
    );
    await turns.stopAll();

    expect(hasClosed).toBe(true);
  });
});

describe('the trace recorder', () => {
  it('delivers events in batches, in order, with their times', () => {
    vi.useFakeTimers();
    try {
      const batches: (readonly TraceEvent[])[] = [];
      let time = 1000;
      const recorder = createTraceRecorder({ deliver: events => batches.push(events), now: () => time });
      recorder.record({ type: 'first-token' });
      time = 1012.34;
      recorder.record({ type: 'warning', message: 'a' });
      vi.advanceTimersByTime(40);
      recorder.record({ type: 'warning', message: 'b' });
      recorder.flush();
      recorder.flush();
      vi.advanceTimersByTime(100);

      expect(batches).toEqual([
        [
          { type: 'first-token', at: 0 },
          { type: 'warning', message: 'a', at: 12.3 },
        ],
        [{ type: 'warning', message: 'b', at: 12.3 }],
      ]);
      expect(recorder.events).toEqual(batches.flat());
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the redactor', () => {
  const { text, json, headers } = createRedactor(() => ['secret-value', 'secret-value-and-more', 'abc']);

  it.each([
    ['a secret-value here', 'a [redacted] here'],
    ['secret-value-and-more', '[redacted]'],
    ['abc is too short to be a secret', 'abc is too short to be a secret'],
    ['key sk-proj-0123456789abcdef', 'key [redacted]'],
    ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer [redacted]'],
    ['https://user:password@host/', 'https://[redacted]@host/'],
  ])('converts %s to %s', (given, expected) => {
    expect(text(given)).toBe(expected);
  });

  it('redacts names and values everywhere in JSON and changes nothing else', () => {
    expect(json({ 'secret-value': [1, null, { deep: 'x secret-value' }] })).toEqual({
      '[redacted]': [1, null, { deep: 'x [redacted]' }],
    });
  });

  it('redacts every header with a sensitive name', () => {
    expect(
      headers([
        ['X-Goog-Api-Key', 'k'],
        ['content-type', 'text/plain'],
        ['cookie', 'c'],
      ]),
    ).toEqual({
      'X-Goog-Api-Key': '[redacted]',
      'content-type': 'text/plain',
      cookie: '[redacted]',
    });
  });
});

describe('the history of a turn', () => {
  const responseFrom = (url: string): StoredMessage => ({
    message: {
      id: url,
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'Hm.', providerMetadata: { openai: { itemId: 'rs_1' } } },
        { type: 'text', text: 'Yes.', providerMetadata: { openai: { itemId: 'msg_1' } } },
      ],
    },
    trace: [{ type: 'request', at: 0, exchange: 1, round: 1, method: 'POST', url, headers: {}, body: {} }],
  });

  it('is unchanged for the same server', () => {
    const own = responseFrom('http://127.0.0.1:1/v1/responses');

    expect(toHistory([own], { baseURL: 'http://127.0.0.1:1/v1' })).toEqual([own.message]);
  });

  it('contains no reasoning and no item ids for another server', () => {
    const [message] = toHistory([responseFrom('https://a.example/v1/responses')], {
      baseURL: 'https://b.example/v1',
    });

    expect(message?.parts).toEqual([{ type: 'step-start' }, { type: 'text', text: 'Yes.' }]);
  });

  it('omits a response that failed before its first part', () => {
    const failed: StoredMessage = {
      message: { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }] },
      trace: [],
    };

    expect(toHistory([failed], { baseURL: 'http://127.0.0.1:1' })).toEqual([]);
  });
});
