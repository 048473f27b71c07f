import { describe, expect, it } from 'vitest';
import { everyValue } from '../_products.js';
import type { ResponsesEmulator } from '../../src/testing/index.js';
import { hosts, modes } from '../host-matrix/_host.js';
import { partsOf, question, record, shareRecordingServer, withAnswers } from './_approvals.js';

const startApprovals = shareRecordingServer();

const rows = everyValue(hosts.flatMap(host => modes.map(mode => ({ name: host.name, host, mode }))));

/** Describes each request: its connection, whether it continues a response, and the types of its items. */
const describeRequests = ({ requests }: ResponsesEmulator) =>
  requests.map(({ method, connection, body }) => {
    const { input, previous_response_id: previous } = body as {
      input: readonly { type?: string; role?: string }[];
      previous_response_id?: string;
    };
    const items = input.map(({ type, role }) => (role === 'user' ? role : type));
    return { method, connection, isContinued: previous !== undefined, items };
  });

const begun = { method: 'response.create', connection: 1, isContinued: false };
const continued = { ...begun, isContinued: true };

describe.each(rows)('tools of an MCP server over a WebSocket: $name, $mode', ({ host, mode }) => {
  it('run in two rounds of a turn, which send only their outputs', async () => {
    const { turn, emulator, effects } = await startApprovals(host, mode, {
      transport: 'websocket',
      toolLoop: { approvals: 'never' },
    });
    emulator.enqueue([record('a'), record('b')], [record('c')], [{ text: 'Done.' }]);
    const { text, errors } = await turn([question]);
    expect({ text, errors }).toEqual({ text: 'Done.', errors: [] });
    expect(effects().sort()).toEqual(['a 1', 'b 1', 'c 1']);
    expect(describeRequests(emulator)).toEqual([
      { ...begun, items: ['user'] },
      { ...continued, items: ['function_call_output', 'function_call_output'] },
      { ...continued, items: ['function_call_output'] },
    ]);
  });
});

describe.each(rows.filter(({ host }) => host.version === 'V3'))(
  'an approval by the host over a WebSocket: $name, $mode',
  ({ host, mode }) => {
    it('continues the response in the next call of the provider', async () => {
      const { turn, emulator, effects, outputs } = await startApprovals(host, mode, {
        transport: 'websocket',
      });
      emulator.enqueue([record('a')], [{ text: 'Done.' }]);
      const asked = await turn([question]);
      expect(partsOf(asked.messages).map(({ type }) => type)).toEqual(['tool-call', 'tool-approval-request']);
      expect(effects()).toEqual([]);

      const done = await turn(withAnswers(asked.history, true));
      expect({ text: done.text, errors: done.errors }).toEqual({ text: 'Done.', errors: [] });
      expect(effects()).toEqual(['a 1']);
      expect(outputs()).toEqual(['record a 1']);
      expect(describeRequests(emulator)).toEqual([
        { ...begun, items: ['user'] },
        { ...continued, items: ['function_call_output'] },
      ]);
    });
  },
);
