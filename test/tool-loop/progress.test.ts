import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { callRound, call, exchangeOf, ofType, textRound, scriptedModel, stream } from './_scripted-model.js';
import { whilePassing } from '../_passing-time.js';
import { type Execute, scriptedTools } from './_tools.js';

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds));

/** Takes 160 ms and reports progress every 20 ms. */
const working: Execute = async (_, { onProgress }) => {
  for (let progress = 1; progress <= 8; progress++) {
    await pause(20);
    onProgress?.({ progress, total: 8, message: `step ${progress}` });
  }
  return 'done';
};

async function run(execute: Execute, options: Omit<ToolLoopOptions, 'tools' | 'onEvent'>) {
  const events: ToolLoopEvent[] = [];
  const model = scriptedModel(callRound(call('c1', 'work')), textRound('I see.'));
  const onEvent = (event: ToolLoopEvent) => void events.push(event);
  const tools = scriptedTools({ work: execute });
  const parts = await whilePassing(stream(withToolLoop(model, { tools, onEvent, ...options })));
  const output = model.requests[1] && exchangeOf(model.requests[1]).outputs[0]?.[1];
  return { parts, output, progress: events.filter(({ type }) => type === 'tool-progress') };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('a tool that reports progress', () => {
  it('emits events, and may run longer than a tool without progress', async () => {
    const { output, progress } = await run(working, { timeouts: { tool: 100 } });
    expect(output).toBe('done');
    expect(progress).toHaveLength(8);
    expect(progress[0]).toEqual({
      type: 'tool-progress',
      round: 1,
      at: expect.any(Number),
      turnId: expect.any(String),
      toolCallId: 'c1',
      toolName: 'work',
      progress: 1,
      total: 8,
      message: 'step 1',
    });
  });

  it('is stopped when the turn ends', async () => {
    const { parts } = await run(working, { timeouts: { tool: 100, total: 120 } });
    expect(ofType(parts, 'error')).toMatchObject([{ error: { name: 'TimeoutError' } }]);
  });

  it('is stopped after the limit without progress, and its later reports are ignored', async () => {
    let reportLate = () => {};
    const { output, progress } = await run(
      (_, { onProgress }) => {
        onProgress?.({ progress: 1 });
        reportLate = () => onProgress?.({ progress: 2 });
        return new Promise(() => {});
      },
      { timeouts: { tool: 30 } },
    );
    reportLate();
    await vi.advanceTimersByTimeAsync(5);
    expect(output).toBe('The tool "work" exceeded its limit of 30 ms. It may or may not have taken effect.');
    expect(progress).toMatchObject([{ progress: 1 }]);
  });
});
