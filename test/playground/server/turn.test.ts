import type { UIMessageChunk } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { createApprovalDesk } from '../../../playground/server/turn/approvals.js';
import { toHistory } from '../../../playground/server/turn/history.js';
import { compactChunks, createChunkGuard, toMessage } from '../../../playground/server/turn/chunks.js';
import { createTurns } from '../../../playground/server/turn/turns.js';
import type { TurnBatch } from '../../../playground/shared/page-event.js';
import { createTraceRecorder } from '../../../playground/server/turn/trace-recorder.js';
import type { PlaygroundMessage, StoredMessage } from '../../../playground/shared/playground-state.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';

const call = {
  conversationId: 'conversation-1',
  server: '',
  tool: 'word-count',
  definition: undefined,
  inputSchema: undefined,
  isDestructive: false,
};

describe('the approval desk', () => {
  const signal = new AbortController().signal;

  it('returns a decision once', async () => {
    const desk = createApprovalDesk();
    const { approvalId, decision } = desk.ask({ signal, call });

    expect(desk.decide(approvalId, { approved: true })).toBe(true);
    expect(desk.decide(approvalId, { approved: false })).toBe(false);
    expect(desk.decide('another', { approved: true })).toBe(false);
    await expect(decision).resolves.toEqual({ approved: true });
  });

  it('cancels pending approvals when the turn ends', async () => {
    const desk = createApprovalDesk();
    const controller = new AbortController();
    const { approvalId, decision } = desk.ask({ signal: controller.signal, call });
    controller.abort(new Error('over'));

    await expect(decision).rejects.toThrow('over');
    await expect(desk.ask({ signal: controller.signal, call }).decision).rejects.toThrow('over');
    expect(desk.decide(approvalId, { approved: true })).toBe(false);
  });
});

describe('the turns of the server', () => {
  const place = {
    responseId: 'response-1',
    conversationId: 'conversation-1',
    thread: 'main',
    parentId: 'question-1',
  } as const;
  const open = () => {
    const batches: TurnBatch[] = [];
    const { promise: ended, resolve } = createDeferred<PlaygroundMessage>();
    const turns = createTurns({
      onBatch: batch => batches.push(batch),
      onChange: () => {},
      onEnd: (_place, message) => resolve(message),
    });
    return { turns, batches, ended };
  };
  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));

  it('deliver the same to a page that comes late as to one from the beginning', async () => {
    const { turns, batches, ended } = open();
    turns.start(place, async ({ signal, recorder, write }) => {
      write({ type: 'start', messageId: 'response-1' });
      write({ type: 'text-start', id: 't' });
      for (const delta of ['one ', 'two ', 'three']) {
        write({ type: 'text-delta', id: 't', delta });
        recorder.flush();
      }
      recorder.record({ type: 'first-token' });
      recorder.flush();
      await untilAborted(signal);
    });
    await Promise.resolve();
    const [late] = turns.snapshots('conversation-1');
    const early = batches.flatMap(({ chunks }) => chunks);
    turns.stop('response-1');
    const message = await ended;

    expect(batches.map(({ isFirst }) => isFirst)).toEqual([true, false, false, false]);
    expect(late?.isFirst).toBe(true);
    expect(late?.chunks).toEqual(compactChunks(early));
    expect(late?.events).toEqual(batches.flatMap(({ events }) => events));
    expect(message).toMatchObject({ id: 'response-1', parts: [{ type: 'text', text: 'one two three' }] });
    expect(turns.snapshots('conversation-1')).toEqual([]);
  });

  it('are stopped by id and counted with their approvals', async () => {
    const { turns, ended } = open();
    turns.start(place, async ({ signal, recorder }) => {
      const call = { toolCallId: 'call-1', toolName: 't', originalName: 't', input: {} };
      recorder.record({ type: 'approval-requested', approvalId: 'a', ...call });
      await untilAborted(signal);
    });
    await Promise.resolve();
    const counts = turns.counts('conversation-1');

    expect(counts).toEqual({ runningTurns: 1, pendingApprovals: 1 });
    expect(turns.inThread(place)).toEqual(place);
    expect(turns.stop('response-2')).toBe(false);
    expect(turns.stop('response-1')).toBe(true);
    await ended;
    expect(turns.stop('response-1')).toBe(false);
    expect(turns.inThread(place)).toBeUndefined();
  });

  it('are awaited when all are stopped', async () => {
    const { turns } = open();
    let hasClosed = false;
    turns.start(place, async ({ signal }) => {
      await untilAborted(signal);
      await new Promise(resolve => setImmediate(resolve));
      hasClosed = true;
    });
    await Promise.resolve();
    await turns.stopAll();

    expect(hasClosed).toBe(true);
  });
});

describe('the guard of a stream', () => {
  const check = (chunks: readonly UIMessageChunk[]) => {
    const problems: string[] = [];
    const guard = createChunkGuard({ onProblem: message => problems.push(message) });
    return { problems, checked: chunks.flatMap(chunk => guard.check(chunk)) };
  };

  it('forwards a valid stream unchanged', () => {
    const chunks: UIMessageChunk[] = [
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: 'x' },
      { type: 'text-end', id: 'a' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 't', input: {} },
      { type: 'tool-output-available', toolCallId: 'c', output: 1 },
    ];

    expect(check(chunks)).toEqual({ problems: [], checked: chunks });
  });

  it('adds a missing start and reports it once', async () => {
    const { problems, checked } = check([
      { type: 'text-delta', id: 'a', delta: 'x' },
      { type: 'text-delta', id: 'a', delta: 'y' },
      { type: 'text-end', id: 'b' },
      { type: 'tool-output-available', toolCallId: 'c', output: 1 },
    ]);

    expect(checked.map(({ type }) => type)).toEqual(['text-start', 'text-delta', 'text-delta']);
    expect(problems).toEqual([
      'text-delta of the block "a" without text-start',
      'text-end of the block "b" without text-start',
      'tool-output-available of an unknown call "c"',
    ]);
    expect((await toMessage(checked, { id: 'm' })).parts).toMatchObject([{ type: 'text', text: 'xy' }]);
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
    parentId: 'question',
    versions: [url],
    outline: [{ type: 'request', at: 0, exchange: 1, round: 1, method: 'POST', url, headers: {}, body: {} }],
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
      parentId: null,
      versions: ['a'],
      outline: [],
    };

    expect(toHistory([failed], { baseURL: 'http://127.0.0.1:1' })).toEqual([]);
  });
});

function createDeferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>(fulfill => {
    resolve = fulfill;
  });
  return { promise, resolve };
}
