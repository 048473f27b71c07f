import { describe, expect, it } from 'vitest';
import { everyValue, newest } from '../_products.js';
import type { ApprovalRequest } from '../../src/tool-loop/approvals/approvals.js';
import { type Host, hosts, type Mode, modes } from '../host-matrix/_host.js';
import { partsOf, question, record, shareRecordingServer, withAnswers } from './_approvals.js';

const startApprovals = shareRecordingServer();

const turns = hosts.flatMap(host => modes.map(mode => ({ name: host.name, host, mode })));
const rows = newest(turns);

const requestsIn = ({ messages }: { messages: Parameters<typeof partsOf>[0] }) =>
  partsOf(messages).filter(({ type }) => type === 'tool-approval-request');

const refusal = [expect.stringMatching(/^The call was not approved/)];

async function startTurn(host: Host, mode: Mode, toolLoop: object = { approve: undefined }) {
  const approvals = await startApprovals(host, mode, { toolLoop });
  approvals.emulator.enqueue([record('a')], [{ text: 'Done.' }]);
  return approvals;
}

describe.each(rows)('a declared tool of the provider: $name, $mode', ({ host, mode }) => {
  const start = (toolLoop?: object) => startTurn(host, mode, toolLoop);
  it('runs without approval if the stub is unchanged', async () => {
    const { turn, provider, effects } = await start();
    await turn([question], { tools: await provider.tools() });
    expect(effects()).toEqual(['a 1']);
  });

  it('does not run without approval if a copy of the stub has `needsApproval`', async () => {
    const { turn, provider, effects, outputs } = await start();
    const stubs = await provider.tools();
    await turn([question], { tools: { record: { ...stubs.record, needsApproval: true } } });
    expect(effects()).toEqual([]);
    expect(outputs()).toEqual([expect.stringContaining('a changed copy of its stub')]);
  });

  it('runs after `approve` approved it if a copy of the stub has `needsApproval`', async () => {
    const asked: ApprovalRequest[] = [];
    const { turn, provider, effects } = await start({
      approvals: 'never',
      approve: (request: ApprovalRequest) => asked.push(request) > 0,
    });
    const stubs = await provider.tools();
    await turn([question], { tools: { record: { ...stubs.record, needsApproval: true } } });
    expect(asked).toMatchObject([{ toolName: 'record', server: 'recording', input: { key: 'a' } }]);
    expect(effects()).toEqual(['a 1']);
  });

  it.each([
    ['true', true],
    ['a function', ({ key }: { key: string }) => key === 'a'],
  ])(
    'does not run without approval if `needsApproval` of the stub is set to %s',
    async (_, needsApproval) => {
      const { turn, provider, effects, outputs } = await start();
      const stubs = await provider.tools();
      Object.assign(stubs.record ?? {}, { needsApproval });
      const asked = await turn([question], { tools: stubs });
      expect(effects()).toEqual([]);
      expect(outputs()).toEqual(refusal);
      // The host does not ask in addition.
      expect(requestsIn(asked)).toEqual([]);
    },
  );

  it('does not run without approval if `tools()` received its name', async () => {
    const { turn, provider, effects, outputs } = await start();
    await turn([question], { tools: await provider.tools({ needsApproval: ['record'] }) });
    expect(effects()).toEqual([]);
    expect(outputs()).toEqual(refusal);
  });

  it('runs with `approved` although the policy asks', async () => {
    const { turn, effects } = await start({ approve: () => false, approvals: 'always' });
    await turn([question], { providerOptions: { kelivo: { toolApproval: { record: 'approved' } } } });
    expect(effects()).toEqual(['a 1']);
  });
});

describe.each(rows.filter(({ host }) => host.version === 'V3'))(
  'a declared tool with `needsApproval`: $name, $mode',
  ({ host, mode }) => {
    it('is approved by the host, which is asked once', async () => {
      const { turn, provider, emulator, effects } = await startApprovals(host, mode, {
        toolLoop: { approvals: 'never' },
      });
      emulator.enqueue([record('a')], [{ text: 'Done.' }]);
      const tools = await provider.tools({ needsApproval: ['record'] });
      const asked = await turn([question], { tools });
      expect(effects()).toEqual([]);
      expect(requestsIn(asked)).toHaveLength(1);
      const done = await turn(withAnswers(asked.history, true), { tools });
      expect(done.errors).toEqual([]);
      expect(requestsIn(done)).toEqual([]);
      expect(effects()).toEqual(['a 1']);
    });
  },
);

const statuses: readonly (readonly [status: string, toolApproval: unknown, ran: readonly string[]])[] = [
  ['denied', { record: 'denied' }, []],
  ['denied with a reason', { record: { type: 'denied', reason: 'No.' } }, []],
  ['user-approval', { record: () => 'user-approval' }, []],
  ['an unknown status', { record: 'maybe' }, []],
  [
    'an exception',
    () => {
      throw new Error('No idea.');
    },
    [],
  ],
  [
    'approved',
    ({ toolCall }: { toolCall: { toolName: string } }) => toolCall.toolName === 'record' && 'approved',
    ['a 1'],
  ],
  ['not-applicable', { record: 'not-applicable' }, ['a 1']],
  ['another tool', { other: 'denied' }, ['a 1']],
];

it.each(
  everyValue(
    turns.flatMap(row =>
      statuses.map(([status, toolApproval, ran]) => ({ ...row, status, toolApproval, ran })),
    ),
  ),
)(
  'a declared tool of the provider follows `toolApproval`: $status, $name, $mode',
  async ({ host, mode, toolApproval, ran }) => {
    const { turn, effects, outputs } = await startTurn(host, mode);
    await turn([question], { providerOptions: { kelivo: { toolApproval } }, toolApproval });
    expect(effects()).toEqual(ran);
    if (ran.length === 0) expect(outputs()).toEqual(refusal);
  },
);
