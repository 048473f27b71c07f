import { describe, expect, it } from 'vitest';
import { toTrace } from '../../../playground/shared/trace.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';
import { layoutTimeline, toTicks } from '../../../playground/web/traces/timeline-layout.js';

const request = (exchange: number, round: number, at: number): TraceEvent => ({
  type: 'request',
  exchange,
  round,
  at,
  method: 'POST',
  url: '',
  headers: {},
  body: {},
});

const finished: TraceEvent[] = [
  { type: 'round-start', round: 1, at: 0 },
  request(1, 1, 0),
  { type: 'wire', exchange: 1, at: 100, name: 'response.created', data: {} },
  { type: 'first-token', at: 200 },
  { type: 'tool-start', at: 300, round: 1, toolCallId: 'c', toolName: 'echo', input: '{}' },
  { type: 'exchange-end', exchange: 1, at: 400, end: 'complete' },
  { type: 'tool-end', at: 500, round: 1, toolCallId: 'c', toolName: 'echo', duration: 200, isError: false },
  {
    type: 'round-end',
    round: 1,
    at: 500,
    finishReason: 'tool-calls',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  },
  { type: 'round-start', round: 2, at: 500 },
  request(2, 2, 500),
  { type: 'exchange-end', exchange: 2, at: 1000, end: 'broken' },
  { type: 'turn-end', at: 1000, end: 'failed' },
];

describe('the timeline', () => {
  it('has a lane for each round, with bars in percent of the turn', () => {
    const { lanes, span } = layoutTimeline(toTrace(finished), { now: 99_999 });

    expect(span).toBe(1000);
    expect(lanes).toMatchObject([
      {
        round: 1,
        finishReason: 'tool-calls',
        requests: [{ left: 0, width: 40, waiting: 25, state: 'done', exchange: 1 }],
        tools: [{ left: 30, width: 20, toolName: 'echo', state: 'done' }],
      },
      { round: 2, requests: [{ left: 50, width: 50, state: 'failed' }], tools: [] },
    ]);
  });

  it('names the call that a round belongs to, also through another one, and never in a circle', () => {
    const toTool = (toolCallId: string, toolName: string, round: number): TraceEvent => ({
      type: 'tool-start',
      at: 1,
      round,
      toolCallId,
      toolName,
      input: '{}',
    });
    const events: TraceEvent[] = [
      { type: 'round-start', round: 1, at: 0 },
      toTool('a', 'ask', 1),
      { type: 'round-start', round: 2, at: 2, toolCallId: 'a' },
      toTool('b', 'look', 2),
      { type: 'round-start', round: 3, at: 3, toolCallId: 'b' },
      { type: 'round-start', round: 4, at: 4, toolCallId: 'c' },
      toTool('c', 'own', 4),
    ];
    const { lanes } = layoutTimeline(toTrace(events), { now: 5 });

    expect(lanes.map(({ parent }) => parent)).toEqual([
      undefined,
      { toolName: 'ask', depth: 1 },
      { toolName: 'look', depth: 2 },
      undefined,
    ]);
  });

  it('draws the time of the first token from the request, in its round', () => {
    const events: TraceEvent[] = [
      request(1, 1, 100),
      { type: 'first-token', at: 300 },
      { type: 'turn-end', at: 1000, end: 'finished' },
    ];
    const { firstToken } = layoutTimeline(toTrace(events), { now: 0 });

    expect(firstToken).toEqual({ at: 300, duration: 200, left: 10, width: 20, round: 1 });
  });

  it('extends running bars to the current time', () => {
    const trace = toTrace(finished.slice(0, 5));
    const widths = [400, 600].map(now => layoutTimeline(trace, { now }).lanes[0]);

    expect(widths).toMatchObject([
      { requests: [{ width: 100, state: 'running' }], tools: [{ left: 75, width: 25, state: 'running' }] },
      { requests: [{ width: 100 }], tools: [{ left: 50, width: 50 }] },
    ]);
  });

  it('displays a call that waits for approval until it is decided', () => {
    const waiting: TraceEvent[] = [
      ...finished.slice(0, 4),
      {
        type: 'approval-requested',
        at: 250,
        approvalId: 'a',
        toolCallId: 'c',
        toolName: 'rm',
        originalName: 'rm',
        input: {},
      },
    ];
    const decided: TraceEvent[] = [
      ...waiting,
      { type: 'approval-decided', at: 300, approvalId: 'a', approved: true },
    ];

    expect(layoutTimeline(toTrace(waiting), { now: 500 }).lanes[0]?.tools).toMatchObject([
      { toolName: 'rm', state: 'waiting', left: 50, width: 50 },
    ]);
    expect(layoutTimeline(toTrace(decided), { now: 500 }).lanes[0]?.tools).toEqual([]);
  });

  it('places a label where it fits: after the bar, before it, or inside', () => {
    const { lanes } = layoutTimeline(toTrace(finished), { now: 0 });
    const whole = layoutTimeline(toTrace(finished.slice(0, 3)), { now: 300 });

    expect(lanes[0]?.requests[0]?.label).toEqual({ text: 'model · 400 ms', place: 'after' });
    expect(lanes[1]?.requests[0]?.label.place).toBe('before');
    expect(whole.lanes[0]?.requests[0]?.label.place).toBe('inside');
  });

  it('groups three calls of a tool in a round, with the arguments of the first and the states of all', () => {
    const call = (toolName: string, number: number, endAt?: number): TraceEvent[] => {
      const id = { round: 1, toolCallId: `${toolName} ${number}`, toolName };
      const isError = number === 3;
      return [
        { type: 'tool-start', at: number * 100, ...id, input: JSON.stringify({ number }) },
        ...(endAt === undefined
          ? []
          : [{ type: 'tool-end', at: endAt, ...id, duration: 0, isError } as const]),
      ];
    };
    const events = [
      ...finished.slice(0, 2),
      ...[call('sum', 1, 250), call('sum', 2, 400), call('sum', 3, 700), call('sum', 6)].flat(),
      ...[call('count', 4, 500), call('count', 5, 600)].flat(),
    ];
    const rows = layoutTimeline(toTrace(events), { now: 1000 }).lanes[0]?.tools;

    expect(rows).toMatchObject([
      {
        toolName: 'sum',
        state: 'running',
        left: 10,
        width: 90,
        summary: '4 calls, 1 running, 1 failed',
        preview: 'number: 1',
        label: { text: 'sum × 4 · 900 ms · 1 running · 1 failed', place: 'inside' },
        calls: [
          { preview: 'number: 1', label: { text: 'number: 1 · 150 ms' } },
          { preview: 'number: 2' },
          { preview: 'number: 3', state: 'failed' },
          { preview: 'number: 6', state: 'running' },
        ],
      },
      { toolName: 'count', label: { text: 'count · number: 4 · 100 ms' } },
      { toolName: 'count' },
    ]);
    const segments = rows?.[0] !== undefined && 'segments' in rows[0] ? rows[0].segments : [];
    expect(segments.map(({ left, width, state }) => [Math.round(left), Math.round(width), state])).toEqual([
      [0, 33, 'done'],
      [22, 44, 'failed'],
      [56, 44, 'running'],
    ]);
  });

  it('marks a rejected request as failed and an aborted one as stopped', () => {
    const refused = toTrace([
      request(1, 1, 0),
      { type: 'response', exchange: 1, at: 5, status: 429, headers: {} },
      { type: 'exchange-end', exchange: 1, at: 9, end: 'complete' },
      request(2, 1, 10),
      { type: 'exchange-end', exchange: 2, at: 20, end: 'aborted' },
    ]);

    expect(layoutTimeline(refused, { now: 30 }).lanes[0]?.requests.map(({ state }) => state)).toEqual([
      'failed',
      'stopped',
    ]);
  });

  it('handles a trace without events', () => {
    expect(layoutTimeline(toTrace([]), { now: 0 })).toMatchObject({ lanes: [], span: 1 });
  });
});

describe('the ticks', () => {
  it.each([
    { span: 1000, expected: [0, 200, 400, 600, 800, 1000] },
    { span: 2570, expected: [0, 1000, 2000] },
    { span: 90_000, expected: [0, 20_000, 40_000, 60_000, 80_000] },
  ])('are round numbers over $span ms', ({ span, expected }) => {
    expect(toTicks(span)).toEqual(expected);
  });
});
