import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHostApprovals } from '../../../src/tool-loop/approvals/host-approvals.js';
import { gate } from '../_tools.js';
import { admitElsewhere, ask, pay, secret, sharedClaim, signal, toolsOf, toPending } from './_approvals.js';

const DAY = 86_400_000;
const refusal = (text: string | RegExp) => ({
  type: 'refused',
  output: { type: 'error-text', value: expect.stringMatching(text) },
});
const FORGED = /^Not run: the approval does not belong to this call and its arguments\.$/;

afterEach(() => void vi.useRealTimers());

/** Asks in one process, with settings that others share. */
async function scene(input?: Record<string, unknown>) {
  const { claim, claimed } = sharedClaim();
  const options = { secret, claim };
  return { ...(await ask(createHostApprovals(options), input)), options, claimed };
}

describe('a request for an approval', () => {
  it('is a call with a mark, and the request of the host', async () => {
    const approvals = createHostApprovals(undefined);
    expect(approvals.isAsked('c1')).toBe(false);
    const { written, output, mark } = await ask(approvals);
    expect(approvals.isAsked('c1')).toBe(true);
    expect(approvals.isAsked('c2')).toBe(false);
    expect(output).toEqual({ type: 'error-text', value: 'The call waits for approval.' });
    expect(mark).toEqual({
      ...{ id: expect.stringMatching(/^kelivo\./), server: 'bank', originalName: 'pay' },
      definition: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(written).toEqual([
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'bank_pay',
        input: '{"amount":1}',
        providerExecuted: true,
        own: { approval: mark },
      },
      { type: 'tool-approval-request', approvalId: mark.id, toolCallId: 'c1' },
    ]);
  });

  it('has another id each time, even for the same call', async () => {
    const approvals = createHostApprovals(undefined);
    const [first, second] = [await ask(approvals), await ask(approvals)];
    expect(first.mark.id).not.toBe(second.mark.id);
  });

  it('keeps its id and loses the mark of an answer when it is repeated', async () => {
    const { part, mark, options } = await scene();
    const approvals = createHostApprovals(options);
    const written: unknown[] = [];
    const answered = { ...mark, answered: true };
    approvals.askAgain(toPending(part, answered, false), { write: other => written.push(other) });
    expect(written).toMatchObject([
      { type: 'tool-call', toolCallId: 'c1', input: '{"amount":1}', own: { approval: mark } },
      { type: 'tool-approval-request', approvalId: mark.id, toolCallId: 'c1' },
    ]);
    expect(written[0]).not.toHaveProperty('own.approval.answered');
    expect(approvals.isAsked('c1')).toBe(true);
  });
});

describe('an approval', () => {
  it('is refused if the server has changed the tool since', async () => {
    const { part, mark, options } = await scene();
    const tools = toolsOf({ ...pay, description: 'Pays twice.' });
    const changed = refusal(/the MCP server has changed the tool since the approval was requested\.$/);
    expect(await admitElsewhere(toPending(part, mark), options, tools)).toEqual(changed);
    // A client cannot remove the fingerprint.
    const { definition: _, ...forged } = mark;
    expect(await admitElsewhere(toPending(part, forged), options, tools)).toEqual(refusal(FORGED));
    expect(await admitElsewhere(toPending(part, mark), options)).toEqual({ type: 'run' });
  });

  it('is accepted once, in any process that shares the settings', async () => {
    const { part, mark, options, claimed } = await scene();
    expect(await admitElsewhere(toPending(part, mark), options)).toEqual({ type: 'run' });
    expect(await admitElsewhere(toPending(part, mark), options)).toEqual({ type: 'repeated' });
    expect(claimed).toEqual([mark.id.split('.').slice(0, 2).join('.')]);
  });

  it('is accepted once without settings, in the process that asked', async () => {
    const { part, mark } = await ask(createHostApprovals(undefined));
    expect(await admitElsewhere(toPending(part, mark), undefined)).toEqual({ type: 'run' });
    expect(await admitElsewhere(toPending(part, mark), undefined)).toEqual({ type: 'repeated' });
  });

  it('of another process is refused without settings, with the setting that is missing', async () => {
    const { part, mark } = await scene();
    const check = await admitElsewhere(toPending(part, mark), undefined);
    expect(check).toEqual(refusal(/does not belong to this call.*`toolLoop\.hostApprovals`/));
  });

  it('of another secret is refused, and claims nothing', async () => {
    const { part, mark, options, claimed } = await scene();
    const other = { ...options, secret: `${secret} too` };
    expect(await admitElsewhere(toPending(part, mark), other)).toEqual(refusal(FORGED));
    expect(claimed).toEqual([]);
  });

  it.each<[string, (part: Awaited<ReturnType<typeof scene>>['part']) => object]>([
    ['other arguments', () => ({ input: { amount: 1000 } })],
    ['further arguments', () => ({ input: { amount: 1, to: 'me' } })],
    ['an argument of another type', () => ({ input: { amount: '1' } })],
    ['another call id', () => ({ toolCallId: 'c2' })],
  ])('does not cover %s', async (_, change) => {
    const { part, mark, options, claimed } = await scene();
    const changed = toPending({ ...part, ...change(part) }, mark);
    expect(await admitElsewhere(changed, options)).toEqual(refusal(FORGED));
    expect(claimed).toEqual([]);
  });

  it('does not depend on the order of the arguments, which a client may change', async () => {
    const { part, mark, options } = await scene({ amount: 1, to: 'you' });
    const reordered = toPending({ ...part, input: { to: 'you', amount: 1 } }, mark);
    expect(await admitElsewhere(reordered, options)).toEqual({ type: 'run' });
  });

  it.each([
    ['is gone', []],
    ['belongs to another server', [{ ...pay, server: 'casino' }]],
    ['belongs to the application', [{ ...pay, server: undefined }]],
    ['is another tool of the server', [{ ...pay, originalName: 'pay_all' }]],
  ])('is refused if the tool of the name %s', async (_, tools) => {
    const { part, mark, options, claimed } = await scene();
    const offered = toolsOf(...tools.map(({ server, ...tool }) => (server ? { ...tool, server } : tool)));
    const check = await admitElsewhere(toPending(part, mark), options, offered);
    expect(check).toEqual(refusal(/no longer available under the name "bank_pay"/));
    expect(claimed).toEqual([]);
  });

  it('is refused if the mark names the tool that the name means now', async () => {
    const { part, mark, options } = await scene();
    const casino = { ...pay, server: 'casino' };
    const forged = toPending(part, { ...mark, server: 'casino' });
    expect(await admitElsewhere(forged, options, toolsOf(casino))).toEqual(refusal(FORGED));
  });

  it.each<[string, (id: string) => string]>([
    ['an invented id', () => 'approved'],
    ['an empty id', () => ''],
    ['no signature', id => id.split('.').slice(0, 3).join('.')],
    ['an empty signature', id => `${id.split('.').slice(0, 3).join('.')}.`],
    ['a shortened signature', id => id.slice(0, -2)],
    ['a signature with another byte', id => `${id.slice(0, -2)}${id.endsWith('00') ? '01' : '00'}`],
    ['a signature with a text behind it', id => `${id}.more`],
    ['another prefix', id => id.replace('kelivo', 'other')],
    ['another number', id => id.replace(/\.[^.]+/, `.${crypto.randomUUID()}`)],
    ['a later time', id => id.replace(/^([^.]+\.[^.]+)\.\w+/, `$1.${(Date.now() + DAY).toString(36)}`)],
  ])('with %s is refused', async (_, change) => {
    const { part, mark, options, claimed } = await scene();
    const id = change(mark.id);
    expect(id).not.toBe(mark.id);
    expect(await admitElsewhere(toPending(part, { ...mark, id }), options)).toEqual(refusal(FORGED));
    expect(claimed).toEqual([]);
  });

  it('expires after a day, also for a request that is only to be repeated', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { part, mark, options, claimed } = await scene();
    vi.advanceTimersByTime(DAY);
    const open = toPending(part, mark, false);
    expect(await admitElsewhere(open, options)).toMatchObject({ type: 'asked' });
    vi.advanceTimersByTime(1);
    expect(await admitElsewhere(toPending(part, mark), options)).toEqual(
      refusal(/^Not run: the approval was given after the request had expired\.$/),
    );
    expect(await admitElsewhere(open, options)).toEqual(
      refusal(/^Not run: nobody approved it before the request expired\.$/),
    );
    expect(claimed).toEqual([]);
  });

  it('is claimed for as long as its id can be valid', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const ends: number[] = [];
    const options = {
      secret,
      claim: (_: string, { expiresAt }: { expiresAt: number }) => ends.push(expiresAt) > 0,
      expiresAfter: 5000,
    };
    const { part, mark } = await ask(createHostApprovals(options));
    vi.advanceTimersByTime(5000);
    await admitElsewhere(toPending(part, mark), options);
    expect(ends).toEqual([Date.now() + 5000]);
    vi.advanceTimersByTime(1);
    expect(await admitElsewhere(toPending(part, mark), options)).toMatchObject({ type: 'refused' });
  });

  it('that nobody gave is requested again, and claims nothing', async () => {
    const { part, mark, options, claimed } = await scene();
    expect(await admitElsewhere(toPending(part, mark, false), options)).toEqual({
      type: 'asked',
      output: { type: 'error-text', value: 'The call waits for approval.' },
    });
    expect(claimed).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['returns nothing', () => undefined],
    ['returns a text', () => 'true'],
    ['returns 1', () => 1],
  ])('is not used if the claim %s', async (_, claim) => {
    const { part, mark } = await scene();
    const options = { secret, claim: claim as () => boolean };
    expect(await admitElsewhere(toPending(part, mark), options)).toEqual({ type: 'repeated' });
  });

  it.each<[string, () => boolean | Promise<boolean>]>([
    [
      'throws',
      () => {
        throw new Error('No store.');
      },
    ],
    ['rejects', () => Promise.reject(new Error('No store.'))],
  ])('is refused if the claim %s', async (_, claim) => {
    const { part, mark } = await scene();
    const check = await admitElsewhere(toPending(part, mark), { secret, claim });
    expect(check).toEqual(refusal(/^Not run: the approval could not be claimed \(No store\.\)\.$/));
  });

  it('is refused after five seconds without an answer of the claim', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { part, mark } = await scene();
    const claiming = gate();
    const claim = () => {
      claiming.open();
      return new Promise<boolean>(() => {});
    };
    let isDone = false;
    const checking = admitElsewhere(toPending(part, mark), { secret, claim }).finally(() => {
      isDone = true;
    });
    await claiming.opened;
    await vi.advanceTimersByTimeAsync(4999);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await checking).toEqual(refusal(/the claim was not stored within 5000 ms/));
  });

  it('rejects with the reason of an abort instead of a refusal', async () => {
    const { part, mark } = await scene();
    const controller = new AbortController();
    const claim = () => {
      controller.abort(new Error('The user left.'));
      return new Promise<boolean>(() => {});
    };
    const checking = createHostApprovals({ secret, claim }).admit(toPending(part, mark), {
      tools: toolsOf(pay),
      signal: controller.signal,
    });
    await expect(checking).rejects.toThrow('The user left.');
  });
});

describe('a denial', () => {
  it('claims the request, so that a changed answer runs nothing', async () => {
    const { part, mark, options } = await scene();
    await createHostApprovals(options).recordDenials([{ part, mark }], signal);
    expect(await admitElsewhere(toPending(part, mark), options)).toEqual({ type: 'repeated' });
  });

  it('may be recorded again', async () => {
    const { part, mark, options } = await scene();
    const approvals = createHostApprovals(options);
    await approvals.recordDenials([{ part, mark }], signal);
    await approvals.recordDenials([{ part, mark }], signal);
  });

  it('of a forged or expired request claims nothing', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { part, mark, options, claimed } = await scene();
    const approvals = createHostApprovals(options);
    await approvals.recordDenials([{ part: { ...part, input: {} }, mark }], signal);
    vi.advanceTimersByTime(DAY + 1);
    await approvals.recordDenials([{ part, mark }], signal);
    expect(claimed).toEqual([]);
  });

  it('that cannot be recorded ends the turn', async () => {
    const { part, mark } = await scene();
    const approvals = createHostApprovals({
      secret,
      claim: () => Promise.reject(new Error('No store.')),
    });
    await expect(approvals.recordDenials([{ part, mark }], signal)).rejects.toThrow(
      'The denial of the call of "bank_pay" could not be recorded. Send the messages again.',
    );
  });
});

it('an approval in a call with another scope, or without one, runs nothing and claims nothing', async () => {
  const { claim, claimed } = sharedClaim();
  const options = { secret, claim };
  const admit = (scope: string | undefined) =>
    createHostApprovals(options, { scope }).admit(toPending(part, mark), { tools: toolsOf(pay), signal });
  const { part, mark } = await ask(createHostApprovals(options, { scope: 'ada' }));
  for (const other of ['ben', '', undefined]) expect(await admit(other)).toEqual(refusal(FORGED));
  expect(claimed).toEqual([]);
  expect(await admit('ada')).toEqual({ type: 'run' });
});

describe('an approval with an audience', () => {
  const audience = (context: unknown): string => (context as { user: string }).user;
  const [ada, bob] = [{ user: 'ada' }, { user: 'bob' }];

  /** Asks Ada. */
  async function asked() {
    const { claim, claimed } = sharedClaim();
    const options = { secret, claim, audience };
    const admit = (context: unknown, isApproved = true) =>
      createHostApprovals(options, { context }).admit(toPending(part, mark, isApproved), {
        tools: toolsOf(pay),
        signal,
      });
    const { part, mark } = await ask(createHostApprovals(options, { context: ada }));
    return { options, claimed, part, mark, admit };
  }

  it('runs nothing for a stranger, whose answer is not counted, and is accepted afterwards', async () => {
    const { admit, claimed } = await asked();
    for (const stranger of [bob, undefined, {}, { user: '' }, { user: 7 }])
      expect(await admit(stranger)).toEqual(refusal(FORGED));
    expect(claimed).toEqual([]);
    expect(await admit(ada)).toEqual({ type: 'run' });
    expect(await admit(ada)).toEqual({ type: 'repeated' });
  });

  it('is not requested again from a stranger, nor used up by the denial of one', async () => {
    const { admit, claimed, options, part, mark } = await asked();
    expect(await admit(bob, false)).toEqual(refusal(FORGED));
    expect(await admit(ada, false)).toMatchObject({ type: 'asked' });
    await createHostApprovals(options, { context: bob }).recordDenials([{ part, mark }], signal);
    expect(claimed).toEqual([]);
  });

  it('is not requested in a call without one', async () => {
    const { options } = await asked();
    const written: unknown[] = [];
    const output = await createHostApprovals(options, {}).ask(
      { toolCallId: 'c1', toolName: 'bank_pay', input: {} },
      { tool: pay, write: other => written.push(other), keepId: async create => create() },
    );
    expect(output).toEqual({ type: 'error-text', value: expect.stringContaining('nobody may answer') });
    expect(written).toEqual([]);
  });

  it('does not accept requests from before the setting, nor without it those with one', async () => {
    const { part, mark, options } = await scene();
    const call = toPending(part, mark);
    const withAudience = createHostApprovals({ ...options, audience }, { context: ada });
    expect(await withAudience.admit(call, { tools: toolsOf(pay), signal })).toEqual(refusal(FORGED));
    const other = await asked();
    const without = createHostApprovals({ secret, claim: other.options.claim });
    const answered = toPending(other.part, other.mark);
    expect(await without.admit(answered, { tools: toolsOf(pay), signal })).toEqual(refusal(FORGED));
  });
});
