// A small MCP server over stdio with defects that the reference servers do not have.
// The argument selects how it lists its tools: "paged", "endless", "malformed", "toolless".
// "mute" never responds, "stubborn" keeps running after its input has ended, and "immortal" also ignores SIGTERM.
// With FIXTURE_GATE it responds to `initialize` when that file exists.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { record } from './_journal.mjs';

const mode = process.argv[2] ?? 'plain';
const journal = process.env.FIXTURE_JOURNAL;

record(journal, `start ${process.pid}`);
const entries = () => (journal ? readFileSync(journal, 'utf8').trim().split('\n') : []);

const schema = { type: 'object', properties: {} };
const tools = [
  { name: 'echo', description: 'Says it again.', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'journal', inputSchema: schema },
  { name: 'add-tool', inputSchema: schema },
  { name: 'silent', inputSchema: schema },
  { name: 'progress', inputSchema: schema },
  { name: 'big', inputSchema: schema },
  { name: 'grandchild', inputSchema: schema },
  { name: 'leave-grandchild', inputSchema: schema },
  { name: 'crash', inputSchema: schema, annotations: { destructiveHint: true } },
  { name: 'crash-first', inputSchema: schema, annotations: { idempotentHint: true } },
  { name: 'refuse', inputSchema: schema },
  { name: 'ask', inputSchema: schema },
  { name: 'ask-when-provoked', inputSchema: schema },
  { name: 'provoke', inputSchema: schema },
  { name: 'noise', inputSchema: schema },
  { name: 'answer', inputSchema: schema },
];

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const respond = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });
const grandchildScript = `${mode === 'immortal' ? "process.on('SIGTERM', () => {});" : ''} setInterval(() => {}, 1000)`;
const startGrandchild = () =>
  spawn(process.execPath, ['-e', grandchildScript], { stdio: ['ignore', 'inherit', 'ignore'] });

/** Handlers for the host's responses, by request id. */
const requests = new Map();
let provoke = id => respond(id, 'nobody waits');

const listings = {
  plain: () => ({ tools }),
  stubborn: () => ({ tools }),
  immortal: () => ({ tools }),
  paged: ({ cursor = '0' }) => {
    const index = Number(cursor);
    return { tools: [tools[index]], nextCursor: index < 2 ? String(index + 1) : undefined };
  },
  endless: () => ({ tools: [tools[0]], nextCursor: 'again' }),
  malformed: () => ({
    tools: [
      { name: 'no-schema' },
      { name: 'null-schema', inputSchema: null },
      { inputSchema: schema },
      { name: 'text-schema', inputSchema: 'none' },
      { name: 'list-schema', inputSchema: { type: 'array' } },
      { name: 'bad-output', inputSchema: schema, outputSchema: { $ref: '#/$defs/missing' } },
      'nonsense',
    ],
  }),
};

const calls = {
  echo: (id, { text }) => respond(id, `echo ${text}`),
  journal: id => respond(id, entries().join('\n')),
  silent: () => record(journal, 'silent'),
  refuse: id => send({ id, error: { code: -32602, message: 'This tool is closed on Sundays.' } }),
  big: (id, { size }) => respond(id, 'x'.repeat(size)),
  grandchild: id => respond(id, String(startGrandchild().pid)),
  'leave-grandchild': () => {
    startGrandchild();
    process.exit(4);
  },
  crash: () => {
    process.stderr.write(`about to fall over, password=hunter2000 and ${process.env.FIXTURE_SECRET}\n`, () =>
      process.exit(5),
    );
  },
  'crash-first': id => {
    if (entries().filter(entry => entry.startsWith('start')).length > 1) respond(id, 'second time lucky');
    else process.exit(6);
  },
  'add-tool': id => {
    tools.push({ name: 'added', inputSchema: schema });
    send({ method: 'notifications/tools/list_changed' });
    respond(id, 'added');
  },
  // Sends a request to the host and returns its response or error.
  ask: (id, { method, params }) => {
    requests.set(`ask-${id}`, reply => respond(id, JSON.stringify(reply)));
    send({ id: `ask-${id}`, method, params });
  },
  // Ignores its cancellation, and sends its request to the host during the next call of `provoke`.
  'ask-when-provoked': (id, { method, params }) => {
    record(journal, 'waiting');
    provoke = replyTo => {
      requests.set(`ask-${id}`, reply => respond(replyTo, JSON.stringify(reply)));
      send({ id: `ask-${id}`, method, params });
    };
  },
  provoke: id => provoke(id),
  // Returns the result that it is given.
  answer: (id, { result }) => send({ id, result }),
  noise: id => {
    process.stdout.write('Listening on port 3000\n{"jsonrpc":\n[]\nnull\n\n{"level":"info"}\n');
    respond(id, 'heard in spite of the noise');
  },
  progress: async (id, { steps, pause }, progressToken) => {
    for (let step = 1; step <= steps; step++) {
      await new Promise(resolve => setTimeout(resolve, pause));
      send({ method: 'notifications/progress', params: { progressToken, progress: step } });
      // The SDK drops progress that it reads together with the result. The ping shows that the progress was read.
      await new Promise(resolve => {
        requests.set(`ping-${id}`, resolve);
        send({ id: `ping-${id}`, method: 'ping' });
      });
    }
    respond(id, `${steps} steps`);
  },
};

const methods = {
  initialize: async (id, { protocolVersion }) => {
    if (mode === 'mute') return;
    const gate = process.env.FIXTURE_GATE;
    while (gate && !existsSync(gate)) await new Promise(resolve => setTimeout(resolve, 10));
    const capabilities = mode === 'toolless' ? {} : { tools: { listChanged: true } };
    send({ id, result: { protocolVersion, capabilities, serverInfo: { name: 'fixture', version: '1' } } });
  },
  'tools/list': (id, params = {}) => {
    record(journal, 'list');
    const toListing = listings[mode];
    send(
      toListing
        ? { id, result: toListing(params) }
        : { id, error: { code: -32601, message: 'Method not found' } },
    );
  },
  'tools/call': (id, { name, arguments: input = {}, _meta }) => calls[name](id, input, _meta?.progressToken),
  'notifications/cancelled': (_id, { requestId, reason }) => {
    record(journal, `cancelled ${typeof requestId} ${reason}`);
  },
};

if (mode === 'immortal') process.on('SIGTERM', () => {});
process.stdout.write('a stray log line on standard output\n');
createInterface({ input: process.stdin })
  .on('line', line => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === undefined) requests.get(id)?.(result ?? error);
    else if (method in methods) methods[method](id, params);
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  })
  .on('close', () => {
    if (mode === 'stubborn' || mode === 'immortal') return setInterval(() => {}, 1000);
    record(journal, 'end of input');
    process.exit(0);
  });
