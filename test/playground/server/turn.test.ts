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

  it('hands on what was decided, once', async () => {
    const desk = createApprovalDesk();
    const { approvalId, answer } = desk.ask({ signal });

    expect(desk.settle(approvalId, { approved: true })).toBe(true);
    expect(desk.settle(approvalId, { approved: false })).toBe(false);
    expect(desk.settle('another', { approved: true })).toBe(false);
    await expect(answer).resolves.toEqual({ approved: true });
  });

  it('waits for nobody once the turn has ended', async () => {
    const desk = createApprovalDesk();
    const controller = new AbortController();
    const { approvalId, answer } = desk.ask({ signal: controller.signal });
    controller.abort(new Error('over'));

    await expect(answer).rejects.toThrow('over');
    await expect(desk.ask({ signal: controller.signal }).answer).rejects.toThrow('over');
    expect(desk.settle(approvalId, { approved: true })).toBe(false);
  });
});

describe('the running turns', () => {
  const never = new AbortController().signal;

  it('are stopped by their name, also when a new one of that name begins', () => {
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

  it('are waited for when all are stopped', async () => {
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
  it('hands events on in batches, in order, with their times', () => {
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
    ['abc is too short to be one', 'abc is too short to be one'],
    ['key sk-proj-0123456789abcdef', 'key [redacted]'],
    ['Authorization: Bearer abcdefgh12345678', 'Authorization: Bearer [redacted]'],
    ['https://user:password@host/', 'https://[redacted]@host/'],
  ])('makes of %s: %s', (given, expected) => {
    expect(text(given)).toBe(expected);
  });

  it('looks at names and values everywhere in JSON, and changes nothing else', () => {
    expect(json({ 'secret-value': [1, null, { deep: 'x secret-value' }] })).toEqual({
      '[redacted]': [1, null, { deep: 'x [redacted]' }],
    });
  });

  it('takes every header that sounds like a secret for one', () => {
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
  const answerFrom = (url: string): StoredMessage => ({
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

  it('is whole where it was made', () => {
    const own = answerFrom('http://127.0.0.1:1/v1/responses');

    expect(toHistory([own], { baseURL: 'http://127.0.0.1:1/v1' })).toEqual([own.message]);
  });

  it('goes to another server without reasoning and ids of items', () => {
    const [message] = toHistory([answerFrom('https://a.example/v1/responses')], {
      baseURL: 'https://b.example/v1',
    });

    expect(message?.parts).toEqual([{ type: 'step-start' }, { type: 'text', text: 'Yes.' }]);
  });

  it('leaves out an answer that failed before its first word', () => {
    const failed: StoredMessage = {
      message: { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }] },
      trace: [],
    };

    expect(toHistory([failed], { baseURL: 'http://127.0.0.1:1' })).toEqual([]);
  });
});
