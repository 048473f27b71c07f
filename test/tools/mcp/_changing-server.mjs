// A server over stdio whose tools are read from the JSON file CHANGING_TOOLS for each list. Calls are recorded in
// CHANGING_JOURNAL. A call of a tool with `replace` in its arguments writes the file anew and announces the change.
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { record } from './_journal.mjs';

const { CHANGING_TOOLS: file, CHANGING_JOURNAL: journal } = process.env;
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'changing', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: JSON.parse(readFileSync(file, 'utf8')) }),
  'tools/call': ({ name, arguments: { replace } = {} }) => {
    record(journal, name);
    if (replace !== undefined) {
      writeFileSync(file, JSON.stringify(replace));
      send({ method: 'notifications/tools/list_changed' });
    }
    return { content: [{ type: 'text', text: `ran ${name}` }] };
  },
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  if (answer) send({ id, result: answer(params) });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
}
