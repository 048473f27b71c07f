import { describe, expect, it } from 'vitest';
import {
  type ApprovalRequest,
  type ApprovalSettings,
  decideOnCall,
  findDenial,
  isFreeOfApproval,
  toToolApproval,
} from '../../../src/tool-loop/approvals/approvals.js';
import { toCallForApproval } from '../../../src/tools/approval.js';
import type { DeclaredStub } from '../../../src/tools/tool-stubs.js';
import { stubIdentityOf } from '../../../src/tools/tool-stubs.js';
import { pay, signal } from './_approvals.js';

const request: ApprovalRequest = {
  toolCallId: 'c1',
  toolName: 'bank_pay',
  server: 'bank',
  originalName: 'pay',
  input: { amount: 1 },
  annotations: { trusted: true },
  tool: pay,
  turnId: 't1',
  round: 1,
  messages: [],
};

const settings: ApprovalSettings = {
  approve: undefined,
  approvals: undefined,
  toolApproval: undefined,
  stubs: new Map(),
};

/** Decides on the call, and returns how often `approve` was called. */
async function decide(
  changed: Partial<ApprovalSettings> = {},
  { isRequired = false, tool = pay, decision = true as unknown } = {},
) {
  let asked = 0;
  const approve = async () => {
    asked++;
    return decision as boolean;
  };
  const verdict = await decideOnCall(
    { ...request, tool },
    { ...settings, approve, ...changed },
    run => run(),
    signal,
    isRequired,
  );
  return { verdict, asked };
}

const stubOf = (stub: Partial<DeclaredStub>): Pick<ApprovalSettings, 'stubs'> => {
  const identity = stubIdentityOf(pay);
  return { stubs: new Map([[identity, { identity, isCopy: false, needsApproval: undefined, ...stub }]]) };
};

it('a policy is told the context of the turn, if there is one', () => {
  const call = { toolCallId: 'c1', toolName: 'bank_pay', input: { amount: 1 } };
  const toldOf = (context: unknown) => toCallForApproval(call, pay, { messages: [], context });
  expect(toldOf({ user: 'ada' })).toMatchObject({ toolName: 'bank_pay', context: { user: 'ada' } });
  expect(toldOf(undefined)).not.toHaveProperty('context');
});

const refused = (text: string | RegExp) => ({ refusal: expect.stringMatching(text) });

describe('a policy that is a function', () => {
  it.each([
    [false, 0],
    [true, 1],
    [undefined, 1],
    [null, 1],
    [0, 1],
    ['', 1],
  ])('that returns %j asks %i times', async (returned, times) => {
    const approvals = () => returned as boolean;
    expect(await decide({ approvals })).toEqual({ verdict: 'run', asked: times });
  });

  it('that fails refuses the call', async () => {
    const approvals = () => Promise.reject(new Error('No policy.'));
    expect(await decide({ approvals })).toEqual({
      verdict: { refusal: 'The call was not approved: No policy.' },
      asked: 0,
    });
  });
});

describe('`toolApproval`', () => {
  it.each(['approved', true, 7])('is rejected if it is %j', value => {
    expect(() => toToolApproval(value)).toThrow(
      `Expected \`providerOptions.kelivo.toolApproval\` to be a function or an object of statuses by tool name, got ${typeof value}.`,
    );
  });

  const byName = (name: string, status: unknown) => ({ toolApproval: { [name]: status } });

  it('approves a call under its current name regardless of the policy', async () => {
    for (const status of ['approved', { type: 'approved' }, () => 'approved'])
      expect(await decide({ approvals: 'always', ...byName('bank_pay', status) })).toEqual({
        verdict: 'run',
        asked: 0,
      });
  });

  it('does not approve a call under the original name, which another server may have', async () => {
    expect(await decide({ approvals: 'always', ...byName('pay', 'approved') })).toEqual({
      verdict: 'run',
      asked: 1,
    });
    const unanswered = { approve: undefined, approvals: 'always' as const, ...byName('pay', 'approved') };
    expect((await decide(unanswered)).verdict).toEqual(refused(/`approve` is not set/));
  });

  it.each(['bank_pay', 'pay'])('denies a call and requests its approval under the name %s', async name => {
    expect(await decide({ approvals: 'never', ...byName(name, 'denied') })).toEqual({
      verdict: { refusal: 'The call was not approved.' },
      asked: 0,
    });
    expect((await decide({ approvals: 'never', ...byName(name, 'user-approval') })).asked).toBe(1);
  });

  it.each(['yes', true, 1, {}, { type: 'allow' }])('that returns %j refuses the call', async status => {
    const { verdict, asked } = await decide({ approvals: 'never', toolApproval: () => status });
    expect(verdict).toEqual(refused(/returned an unknown status/));
    expect(asked).toBe(0);
  });

  it.each([undefined, null, 'not-applicable'])('that returns %j leaves it to the policy', async status => {
    expect((await decide({ approvals: 'never', toolApproval: () => status })).asked).toBe(0);
    expect((await decide({ approvals: 'always', toolApproval: () => status })).asked).toBe(1);
  });

  it('is not read from the prototype of the object', async () => {
    const toolApproval = Object.create({ bank_pay: 'approved' }) as Record<string, unknown>;
    expect((await decide({ approvals: 'always', toolApproval })).asked).toBe(1);
  });

  it('may deny a call when its approval arrives, and denies it if it fails', async () => {
    const denialBy = (toolApproval: ApprovalSettings['toolApproval']) =>
      findDenial(request, { toolApproval, signal });
    expect(await denialBy({ bank_pay: { type: 'denied', reason: 'Too late.' } })).toBe(
      'The call was not approved: Too late.',
    );
    expect(await denialBy(() => Promise.reject(new Error('No policy.')))).toBe(
      'The call was not approved: No policy.',
    );
    for (const status of ['approved', 'user-approval', undefined])
      expect(await denialBy({ bank_pay: status })).toBeUndefined();
  });
});

describe('a call', () => {
  it('is left to the host with `approve: "host"`', async () => {
    expect((await decide({ approve: 'host' })).verdict).toBe('ask-host');
    expect((await decide({ approve: 'host', approvals: 'never' })).verdict).toBe('run');
  });

  it('whose outcome is unknown needs approval with every policy', async () => {
    expect((await decide({ approvals: 'never' }, { isRequired: true })).asked).toBe(1);
    const approved = { toolApproval: { bank_pay: 'approved' } };
    expect((await decide(approved, { isRequired: true })).asked).toBe(1);
    const { verdict } = await decide({ approve: undefined }, { isRequired: true });
    expect(verdict).toEqual(refused(/`approve` is not set/));
  });

  it.each([
    ['the tool', {}, { ...pay, needsApproval: () => true }],
    ['the stub', stubOf({ needsApproval: true }), pay],
    ['a function of the stub', stubOf({ needsApproval: () => true }), pay],
    ['a changed copy of the stub', stubOf({ isCopy: true }), pay],
  ])('needs the approval that %s requires', async (_, changed, tool) => {
    expect((await decide({ approvals: 'never', ...changed }, { tool })).asked).toBe(1);
    expect(isFreeOfApproval(tool, { ...settings, approvals: 'never', ...changed })).toBe(false);
  });

  it('of a changed copy is refused unless `approve` is a function', async () => {
    for (const approve of ['host', undefined] as const) {
      const { verdict } = await decide({ approve, approvals: 'never', ...stubOf({ isCopy: true }) });
      expect(verdict).toEqual(refused(/changed copy of its stub/));
    }
  });

  it('may be started early only if no decision depends on its arguments', () => {
    expect(isFreeOfApproval(pay, { ...settings, approvals: 'never' })).toBe(true);
    expect(isFreeOfApproval(pay, settings)).toBe(true);
    expect(isFreeOfApproval(pay, { ...settings, approvals: 'always' })).toBe(false);
    expect(isFreeOfApproval(pay, { ...settings, approvals: () => false })).toBe(false);
    expect(isFreeOfApproval(pay, { ...settings, toolApproval: {} })).toBe(false);
  });
});
