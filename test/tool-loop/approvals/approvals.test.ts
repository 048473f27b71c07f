import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApprovalRequest } from '../../../src/tool-loop/approvals/approvals.js';
import type { ToolLoopOptions } from '../../../src/tool-loop/options.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import type { ApprovalDecision } from '../../../src/tools/approval.js';
import { callRound, call, exchangeOf, ofType, textRound, scriptedModel, stream } from '../_scripted-model.js';
import { gate, scriptedTools } from '../_tools.js';

const kinds = () =>
  scriptedTools({
    read: { execute: () => 'ran', readOnly: true },
    write: { execute: () => 'ran', destructive: false },
    wipe: { execute: () => 'ran', destructive: true },
  });

/** Runs one call of each kind and returns what the model reads of each. */
async function run(options: Omit<ToolLoopOptions, 'tools'>, tools = kinds()) {
  const calls = ['read', 'write', 'wipe'].map(name => call(name, name, { from: 'a' }));
  const model = scriptedModel(callRound(...calls), textRound('Done.'));
  const parts = await stream(withToolLoop(model, { tools, ...options }));
  return {
    parts,
    outputs: Object.fromEntries(exchangeOf(model.requests[1]).outputs),
    ran: namesOf(tools.calls),
  };
}

const namesOf = (calls: readonly { toolName: string }[]) => calls.map(({ toolName }) => toolName);

const undecided = (status: string): string =>
  `The call was not approved: \`approve\` returned "${status}", which approves nothing. Set \`approve: 'host'\` to let the host ask.`;

describe('an approval', () => {
  it('is requested by default for every tool that is not read-only', async () => {
    const requests: ApprovalRequest[] = [];
    const approve = (request: ApprovalRequest) => requests.push(request) > 0;
    const { ran } = await run({ approve });
    expect(ran).toEqual(['read', 'write', 'wipe']);
    expect(requests).toMatchObject([
      { toolCallId: 'write', toolName: 'write', input: { from: 'a' }, tool: { destructive: false } },
      { toolCallId: 'wipe', toolName: 'wipe', tool: { description: 'Does wipe.', destructive: true } },
    ]);
  });

  it.each([
    ['destructive', ['wipe']],
    ['never', []],
    ['always', ['read', 'write', 'wipe']],
  ] as const)('with approvals "%s" is requested only for %j', async (approvals, expected) => {
    const asked: string[] = [];
    const approve = ({ toolName }: ApprovalRequest) => asked.push(toolName) > 0;
    const { ran } = await run({ approve, approvals });
    expect(asked).toEqual(expected);
    expect(ran).toHaveLength(3);
  });

  it.each([
    ['always', []],
    ['unless-read-only', ['read']],
    ['destructive', ['read', 'write']],
  ] as const)('with approvals "%s" and no `approve` lets only %j run', async (approvals, expected) => {
    const { ran, outputs } = await run({ approvals });
    expect(ran).toEqual(expected);
    expect(outputs.wipe).toBe(
      'The call was not approved: this tool needs approval, and `approve` is not set.',
    );
  });

  it('is not required without approval options', async () => {
    expect((await run({})).ran).toHaveLength(3);
  });

  it.each<[unknown, string]>([
    [false, 'The call was not approved.'],
    [{ approved: false, reason: 'Ask the user first.' }, 'The call was not approved: Ask the user first.'],
    [undefined, 'The call was not approved.'],
    ['yes', 'The call was not approved.'],
    [null, 'The call was not approved.'],
    [{ approved: false, type: 'approved' }, 'The call was not approved.'],
    [{ approved: true, type: 'denied' }, 'The call was not approved.'],
    [{ approved: 'approved' }, 'The call was not approved.'],
    [{ approved: null, type: 'approved' }, 'The call was not approved.'],
    ['user-approval', undecided('user-approval')],
    [{ type: 'not-applicable' }, undecided('not-applicable')],
    [new Error('The dialog is gone.'), 'The call was not approved: The dialog is gone.'],
  ])('is denied by %j: the tool does not run, and the model reads the reason', async (decision, text) => {
    const approve = async () => {
      if (decision instanceof Error) throw decision;
      return decision as ApprovalDecision;
    };
    const { ran, outputs, parts } = await run({ approve });
    expect(ran).toEqual(['read']);
    expect(outputs.write).toBe(text);
    expect(ofType(parts, 'tool-result').map(({ isError }) => isError === true)).toEqual([false, true, true]);
  });

  it('may be granted synchronously by an object', async () => {
    expect((await run({ approve: () => ({ approved: true }) })).ran).toHaveLength(3);
  });

  it('is denied by a synchronous exception', async () => {
    const approve = () => {
      throw new Error('No window.');
    };
    expect((await run({ approve })).outputs.write).toBe('The call was not approved: No window.');
  });

  it('is not requested for a call with invalid JSON', async () => {
    const asked: string[] = [];
    const model = scriptedModel(callRound(call('c1', 'write', 'nonsense')), textRound('Sorry.'));
    const approve = ({ toolName }: ApprovalRequest) => asked.push(toolName) > 0;
    await stream(withToolLoop(model, { tools: kinds(), approve }));
    expect(asked).toEqual([]);
  });

  it('does not count towards the time limit of the tool', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const approve = async () => {
      await vi.advanceTimersByTimeAsync(60);
      return true;
    };
    const { outputs } = await run({ approve, approvals: 'destructive', timeouts: { tool: 30 } });
    expect(outputs.wipe).toBe('ran');
  });

  it('is no longer awaited after an abort', async () => {
    const asked = gate<AbortSignal>();
    const approve = (_: ApprovalRequest, { signal }: { signal: AbortSignal }) => {
      asked.open(signal);
      return new Promise<boolean>(() => {});
    };
    const controller = new AbortController();
    const tools = kinds();
    const model = scriptedModel(callRound(call('c1', 'write')), textRound('Done.'));
    const turn = stream(withToolLoop(model, { tools, approve }), { abortSignal: controller.signal });
    const signal = await asked.opened;
    controller.abort(new Error('The user left.'));
    await expect(turn).rejects.toThrow('The user left.');
    expect(signal.aborted).toBe(true);
    expect(tools.calls).toEqual([]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
