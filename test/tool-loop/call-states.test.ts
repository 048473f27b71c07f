import { describe, expect, it } from 'vitest';
import { createCallRunner } from '../../src/tool-loop/calls/call-runner.js';
import type { CallRunnerOptions } from '../../src/tool-loop/calls/calls.js';
import { flushCallbacks, gate } from './_tools.js';

const tool = { name: 'read', inputSchema: { type: 'object' as const } };
const call = { toolCallId: 'c1', toolName: 'read', input: '{}' };
const output = { type: 'text' as const, value: 'ran' };

function createRunner(options: Partial<CallRunnerOptions>) {
  const outcomes: unknown[] = [];
  const runner = createCallRunner({
    execution: 'auto',
    startEarly: true,
    signal: new AbortController().signal,
    isDurable: false,
    isOrdered: false,
    execute: async () => ({ output }),
    prefetch: () => undefined,
    mayContinue: () => false,
    admit: () => () => 'run',
    onOutcome: outcome => outcomes.push(outcome.output.value),
    ...options,
  });
  return { runner, outcomes };
}

describe('a call', () => {
  it('that was abandoned keeps its outcome, even if its tool returns later', async () => {
    const ended = gate();
    const { runner, outcomes } = createRunner({
      async execute(_call, _tool, { enter }) {
        await ended.opened;
        await enter();
        return { output };
      },
    });
    runner.add(call, tool, { isComplete: true });
    runner.abandon('The turn ended.');
    ended.open();
    const [outcome] = await runner.waitForAll();
    await flushCallbacks();
    expect(outcome?.output).toEqual({ type: 'error-text', value: 'The turn ended.' });
    expect(outcomes).toEqual(['The turn ended.']);
  });

  it.each([
    ['is complete', call, true, ['c1']],
    ['may be truncated', call, false, []],
    ['has truncated arguments', { ...call, input: '{"a' }, true, []],
  ])('that %s starts before the response ends: %#', async (_, made, isComplete, early) => {
    const started: string[] = [];
    const { runner } = createRunner({
      async execute({ toolCallId }) {
        started.push(toolCallId);
        return { output };
      },
    });
    runner.add(made, tool, { isComplete });
    await flushCallbacks();
    expect(started).toEqual(early);
    await runner.waitForAll();
    expect(started).toEqual(['c1']);
  });

  it('that was replayed counts for the limits of the turn', async () => {
    let decisions = 0;
    const { runner } = createRunner({
      isDurable: true,
      isOrdered: true,
      execute: async () => ({ output, isReplayed: true }),
      // Asked when the call arrives and when it starts, and again before its outcome counts.
      admit: () => () => (++decisions > 2 ? 'run' : 'wait'),
    });
    runner.add(call, tool, { isComplete: true });
    const [outcome] = await runner.waitForAll();
    expect(outcome).toMatchObject({ output, isReplayed: true });
    expect(decisions).toBe(3);
  });
});
