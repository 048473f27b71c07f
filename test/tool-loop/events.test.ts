import type { SharedV2ProviderOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { callRound, call, finishOf, textRound, scriptedModel, stream } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const rounds = () => [callRound(call('c1', 'echo', { a: 1 }), call('c2', 'fail')), textRound('Done.')];
const tools = () =>
  scriptedTools({
    echo: () => 'ran',
    fail: {
      execute: () => ({ type: 'error-text', value: 'no such file' }),
      ...{ server: 'files', originalName: 'read' },
    },
  });

async function eventsOf(providerOptions?: SharedV2ProviderOptions): Promise<ToolLoopEvent[]> {
  const events: ToolLoopEvent[] = [];
  const model = withToolLoop(scriptedModel(...rounds()), {
    tools: tools(),
    onEvent: event => events.push(event),
  });
  await stream(model, { providerOptions });
  return events;
}

describe('onEvent', () => {
  it('receives the events of rounds and tools as they happen, with their times and the turn', async () => {
    const events = await eventsOf({ kelivo: { turnId: 'job-1' } });
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
    const always = { at: expect.any(Number), turnId: 'job-1' };
    const first = { round: 1, ...always };
    const second = { round: 2, ...always };
    const duration = expect.any(Number);
    const echo = { toolCallId: 'c1', toolName: 'echo' };
    const fail = { toolCallId: 'c2', toolName: 'fail', server: 'files', originalName: 'read' };
    expect(events).toEqual([
      { type: 'round-start', ...first },
      { type: 'tool-start', ...first, ...echo, input: '{"a":1}' },
      { type: 'tool-end', ...first, ...echo, duration, isError: false },
      { type: 'tool-start', ...first, ...fail, input: '{}' },
      { type: 'tool-end', ...first, ...fail, duration, isError: true },
      { type: 'round-end', ...first, finishReason: 'tool-calls', usage },
      { type: 'round-start', ...second },
      { type: 'round-end', ...second, finishReason: 'stop', usage },
      { type: 'turn-end', ...always, outcome: 'finished' },
    ]);
    const times = events.map(event => event.at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('receives one generated turn id for all events of a turn, and another one for the next turn', async () => {
    const turnIds = (await Promise.all([eventsOf(), eventsOf()])).map(
      events => new Set(events.map(({ turnId }) => turnId)),
    );
    expect(turnIds).toEqual([new Set([expect.any(String)]), new Set([expect.any(String)])]);
    expect(turnIds[0]).not.toEqual(turnIds[1]);
  });

  it('receives the context of the call itself, not a copy', async () => {
    const context = { user: 'ada' };
    const events = await eventsOf({ kelivo: { context } });
    expect(events).toHaveLength(9);
    for (const event of events) expect(event.context).toBe(context);
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
