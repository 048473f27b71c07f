import { describe, expect, it } from 'vitest';
import type { ToolLoopEvent } from '../../src/tool-loop/events.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { callRound, call, finishOf, textRound, scriptedModel, stream } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const rounds = () => [callRound(call('c1', 'echo', { a: 1 }), call('c2', 'fail')), textRound('Done.')];
const tools = () =>
  scriptedTools({ echo: () => 'ran', fail: () => ({ type: 'error-text', value: 'no such file' }) });

describe('onEvent', () => {
  it('receives the events of rounds and tools as they happen, with their times', async () => {
    const events: ToolLoopEvent[] = [];
    await stream(
      withToolLoop(scriptedModel(...rounds()), { tools: tools(), onEvent: event => events.push(event) }),
    );
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
    const at = expect.any(Number);
    const duration = expect.any(Number);
    expect(events).toEqual([
      { type: 'round-start', round: 1, at },
      { type: 'tool-start', round: 1, at, toolCallId: 'c1', toolName: 'echo', input: '{"a":1}' },
      { type: 'tool-end', round: 1, at, toolCallId: 'c1', toolName: 'echo', duration, isError: false },
      { type: 'tool-start', round: 1, at, toolCallId: 'c2', toolName: 'fail', input: '{}' },
      { type: 'tool-end', round: 1, at, toolCallId: 'c2', toolName: 'fail', duration, isError: true },
      { type: 'round-end', round: 1, at, finishReason: 'tool-calls', usage },
      { type: 'round-start', round: 2, at },
      { type: 'round-end', round: 2, at, finishReason: 'stop', usage },
    ]);
    const times = events.map(event => event.at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('does not affect the turn if it throws', async () => {
    const onEvent = () => {
      throw new Error('from the observer');
    };
    const parts = await stream(withToolLoop(scriptedModel(...rounds()), { tools: tools(), onEvent }));
    expect(finishOf(parts).finishReason).toBe('stop');
    expect(parts.some(({ type }) => type === 'error')).toBe(false);
  });
});
