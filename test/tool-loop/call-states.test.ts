import { describe, expect, it } from 'vitest';
import { NO_CALL_TELEMETRY } from '../../src/core/telemetry.js';
import type { TurnOfCall } from '../../src/tool-loop/calls/call.js';
import { RoundCalls } from '../../src/tool-loop/calls/round-calls.js';
import { createPlainSteps, type Steps } from '../../src/tool-loop/durable/steps.js';
import { coreCall } from '../_core.js';
import { flushCallbacks, gate } from './_tools.js';

const tool = { name: 'read', inputSchema: { type: 'object' as const } };
const call = { toolCallId: 'c1', toolName: 'read', input: '{}' };
const output = { type: 'text' as const, value: 'ran' };

interface FakeTurn extends Partial<Pick<TurnOfCall, 'features'>> {
  readonly steps?: Partial<Steps>;
  readonly onRun?: (toolCallId: string) => void;
}

function createRound({ steps, onRun = () => {}, features = [] }: FakeTurn) {
  const request = coreCall();
  const outcomes: unknown[] = [];
  const turn: TurnOfCall = {
    identity: { turnId: 't1' },
    scope: undefined,
    source: {
      async callTool({ toolCallId }) {
        onRun(toolCallId);
        return output;
      },
    },
    callPolicy: {
      execution: 'auto',
      startEarly: true,
      timeouts: {},
      onUnknownOutcome: 'refuse',
    },
    approvals: { approve: undefined, approvals: undefined, toolApproval: undefined, stubs: new Map() },
    hostApprovals: undefined,
    wrapsToolOutput: undefined,
    showsPreliminary: false,
    tools: { get: () => tool, connect: async () => {}, isBuiltIn: () => false },
    finishedCalls: new Map(),
    record: { didToolRun: false },
    steps: { ...createPlainSteps({ call: request, generatedId: 't1' }), ...steps },
    telemetry: NO_CALL_TELEMETRY,
    emit: () => {},
    warn: () => {},
    show: part => void (part.type === 'tool-result' && outcomes.push(part.result)),
    lifetime: new AbortController(),
    features,
  };
  return { calls: new RoundCalls(turn, { number: 1, request, write: () => {} }), outcomes };
}

describe('a call', () => {
  it('that was abandoned keeps its outcome, even if its tool returns later', async () => {
    const ended = gate();
    const { calls, outcomes } = createRound({
      steps: {
        async step(_name, run) {
          await ended.opened;
          return { value: await run(), isReplayed: false };
        },
      },
    });
    calls.add(call, tool, { isComplete: true });
    await flushCallbacks();
    calls.abandon('The turn ended.');
    ended.open();
    const [outcome] = await calls.waitForAll();
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
    const { calls } = createRound({
      steps: {
        async step(_name, run) {
          started.push(made.toolCallId);
          return { value: await run(), isReplayed: false };
        },
      },
    });
    calls.add(made, tool, { isComplete });
    await flushCallbacks();
    expect(started).toEqual(early);
    calls.abandon('The turn ended.');
  });

  it('that waits for the end of the response starts then', async () => {
    const started: string[] = [];
    const { calls } = createRound({ onRun: id => started.push(id) });
    calls.add(call, tool, { isComplete: false });
    await flushCallbacks();
    expect(started).toEqual([]);
    await calls.waitForAll();
    expect(started).toEqual(['c1']);
  });

  it('that was replayed counts for the limits of the turn', async () => {
    let decisions = 0;
    const { calls } = createRound({
      steps: {
        isDurable: true,
        isOrdered: true,
        step: async <Value>() => ({ value: { output, duration: 0 } as Value, isReplayed: true }),
      },
      // Asked when the call arrives and when it starts, and again before its outcome counts.
      features: [{ admit: () => ({ decide: () => (++decisions > 2 ? 'run' : 'wait'), drop() {} }) }],
    });
    calls.add(call, tool, { isComplete: true });
    const [outcome] = await calls.waitForAll();
    expect(outcome).toMatchObject({ output, isReplayed: true });
    expect(decisions).toBe(3);
  });
});
