import { describe, expect, it } from 'vitest';
import { addToTrace, emptyTrace, toTrace } from '../../../playground/shared/trace.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';

const request = (exchange: number, at: number, round = exchange): TraceEvent => ({
  type: 'request',
  exchange,
  round,
  at,
  method: 'POST',
  url: 'http://127.0.0.1/v1/responses',
  headers: {},
  body: { model: 'gpt-5' },
});

const toolStart: TraceEvent = {
  type: 'tool-start',
  at: 20,
  round: 1,
  toolCallId: 'call_1',
  toolName: 'echo',
  input: '{}',
};

describe('a trace', () => {
  it('is the same for events in one batch and one by one', () => {
    const events: TraceEvent[] = [
      { type: 'round-start', at: 1, round: 1 },
      request(1, 2),
      { type: 'response', at: 5, exchange: 1, status: 200, headers: {} },
      { type: 'wire', at: 6, exchange: 1, name: 'response.created', data: { type: 'response.created' } },
      { type: 'first-token', at: 7 },
      toolStart,
      { type: 'exchange-end', at: 30, exchange: 1, end: 'complete' },
      { type: 'turn-end', at: 40, end: 'finished' },
    ];
    const together = toTrace(events);
    const oneByOne = events.reduce((trace, event) => addToTrace(trace, [event]), emptyTrace);

    expect(oneByOne).toEqual(together);
    expect(together.lastAt).toBe(40);
    expect(together.firstTokenAt).toBe(7);
  });

  it('separates the events of parallel exchanges', () => {
    const { exchanges } = toTrace([
      request(1, 0, 1),
      request(2, 1, 1),
      { type: 'wire', at: 2, exchange: 2, name: 'b', data: 2 },
      { type: 'wire', at: 3, exchange: 1, name: 'a', data: 1 },
    ]);

    expect(exchanges.map(({ events }) => events)).toEqual([
      [{ at: 3, name: 'a', data: 1 }],
      [{ at: 2, name: 'b', data: 2 }],
    ]);
  });

  it('contains the start, progress and end of a tool call', () => {
    const running = toTrace([toolStart]);
    const halfway = addToTrace(running, [
      { type: 'tool-progress', at: 25, toolCallId: 'call_1', progress: 2, total: 4, message: 'half' },
    ]);
    const ended = addToTrace(halfway, [
      {
        type: 'tool-end',
        at: 30,
        round: 1,
        toolCallId: 'call_1',
        toolName: 'echo',
        duration: 10,
        isError: true,
      },
    ]);

    expect(running.tools).toMatchObject([{ state: 'running', startAt: 20 }]);
    expect(halfway.tools[0]?.progress).toEqual({ share: 0.5, message: 'half' });
    expect(ended.tools).toMatchObject([{ state: 'failed', startAt: 20, endAt: 30 }]);
  });

  it('contains a call that was rejected before its start as failed', () => {
    const { tools } = toTrace([
      {
        type: 'tool-end',
        at: 9,
        round: 1,
        toolCallId: 'call_1',
        toolName: 'rm',
        duration: 0,
        isError: true,
      },
    ]);

    expect(tools).toMatchObject([{ toolName: 'rm', startAt: 9, endAt: 9, state: 'failed' }]);
  });

  it('marks running calls as stopped when the turn ends', () => {
    const { tools, rounds } = toTrace([
      { type: 'round-start', at: 0, round: 1 },
      toolStart,
      { type: 'turn-end', at: 50, end: 'stopped' },
    ]);

    expect(tools).toMatchObject([{ state: 'stopped', endAt: 50 }]);
    expect(rounds).toMatchObject([{ round: 1, endAt: 50 }]);
  });

  it('contains the decision about a call', () => {
    const wanted: TraceEvent = {
      type: 'approval-requested',
      at: 1,
      approvalId: 'a',
      toolCallId: 'call_1',
      toolName: 'files_write_file',
      originalName: 'write_file',
      server: 'files',
      input: {},
    };
    const { approvals } = toTrace([
      wanted,
      { type: 'approval-decided', at: 8, approvalId: 'a', approved: false },
    ]);

    expect(approvals).toMatchObject([{ server: 'files', requestedAt: 1, decidedAt: 8, approved: false }]);
  });

  it('keeps unchanged objects, so that they are not rendered again', () => {
    const before = toTrace([request(1, 0), request(2, 5)]);
    const after = addToTrace(before, [{ type: 'wire', at: 6, exchange: 2, name: 'x', data: null }]);

    expect(after.exchanges[0]).toBe(before.exchanges[0]);
    expect(after.tools).toBe(before.tools);
  });
});
