// An MCP server over stdio of revision 2025-11-25 whose tools run as tasks, until a test decides about them.
import { createInterface } from 'node:readline';

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const toText = text => ({ content: [{ type: 'text', text }] });
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const times = () => ({ createdAt: '2026-11-27T06:00:00Z', lastUpdatedAt: '2026-11-27T06:00:00Z', ttl: null });
const tasks = new Map();
/** Calls of `hold`, which end with `release`. */
const held = [];
const subscriptions = new Set();

/** Starts a task that announces one step, and ends when another tool says so. */
function start(id, name, { arguments: { text = '' } = {}, _meta: { progressToken } = {} }) {
  const taskId = `task-${tasks.size + 1}`;
  const task = {
    taskId,
    status: 'working',
    statusMessage: `${name} ${text}`.trim(),
    pollInterval: 100,
    ...times(),
  };
  tasks.set(taskId, { task, result: toText(`${name} has ended with ${text}`) });
  send({ id, result: { task } });
  send({
    method: 'notifications/progress',
    params: { progressToken, progress: 1, total: 3, message: 'first step' },
  });
}

const end = (id, status, result) => {
  for (const known of tasks.values()) {
    if (known.task.status !== 'working') continue;
    known.task = { ...known.task, status, statusMessage: undefined };
    known.result = result ?? known.result;
  }
  send({ id, result: toText('ended') });
};

const texts = {
  'oven://markdown': {
    mimeType: 'text/markdown',
    text: '# A title\n\n<img src="https://example.invalid/a.png">',
  },
  'oven://page': {
    mimeType: 'text/html',
    text: `<h1>A page</h1><script>parent.attacked = 1</script><img src="https://example.invalid/b.png" onerror="parent.attacked = 1">
      <meta http-equiv="refresh" content="0;url=https://example.invalid/c">`,
  },
};

const tools = {
  bake: { support: 'required', call: (id, params) => start(id, 'bake', params) },
  cook: {
    support: 'optional',
    call: (id, params) =>
      params.task ? start(id, 'cook', params) : send({ id, result: toText('cooked at once') }),
  },
  finish: { call: id => end(id, 'completed') },
  burn: { call: id => end(id, 'failed', { ...toText('It is black.'), isError: true }) },
  crash: { call: () => process.exit(7) },
  hold: { call: id => held.push(id) },
  release: {
    call: id => [...held.splice(0), id].forEach(one => send({ id: one, result: toText('released') })),
  },
  odd: { call: id => send({ id, result: toText('odd') }) },
  pid: { call: id => send({ id, result: toText(String(process.pid)) }) },
};

const methods = {
  initialize: (id, { protocolVersion }) =>
    send({
      id,
      result: {
        protocolVersion,
        capabilities: {
          tools: {},
          resources: { subscribe: true },
          tasks: { cancel: {}, requests: { tools: { call: {} } } },
        },
        serverInfo: { name: 'oven', version: '1.0.0' },
      },
    }),
  'tools/list': id =>
    send({
      id,
      result: {
        tools: Object.entries(tools).map(([name, { support = 'forbidden' }]) => ({
          name,
          inputSchema:
            name === 'odd' ? { ...schema, properties: { text: { $ref: '#/$defs/none' } } } : schema,
          execution: { taskSupport: support },
        })),
      },
    }),
  'tools/call': (id, params) => tools[params.name].call(id, params),
  'tasks/get': (id, { taskId }) => {
    const known = tasks.get(taskId);
    if (known === undefined) send({ id, error: { code: -32602, message: `Unknown task ${taskId}` } });
    else send({ id, result: known.task });
  },
  'tasks/result': (id, { taskId }) => send({ id, result: tasks.get(taskId).result }),
  'tasks/cancel': (id, { taskId }) => {
    const known = tasks.get(taskId);
    if (known.task.statusMessage?.includes('stubborn'))
      return send({ id, error: { code: -32602, message: 'The oven is locked' } });
    known.task = { ...known.task, status: 'cancelled' };
    send({ id, result: known.task });
  },
  'resources/list': id =>
    send({
      id,
      result: {
        resources: [
          { uri: 'oven://heat', name: 'Heat' },
          { uri: 'oven://markdown', name: 'Markdown' },
          { uri: 'oven://page', name: 'Page' },
        ],
      },
    }),
  'resources/templates/list': id => send({ id, result: { resourceTemplates: [] } }),
  'resources/read': (id, { uri }) => {
    if (uri === 'oven://never') return;
    const known = texts[uri] ?? { mimeType: 'text/plain', text: `process ${process.pid}` };
    send({ id, result: { contents: [{ uri, ...known }] } });
  },
  'resources/subscribe': (id, { uri }) => {
    subscriptions.add(uri);
    process.stderr.write(`process ${process.pid} is followed\n`);
    send({ id, result: {} });
  },
  'resources/unsubscribe': (id, { uri }) => {
    subscriptions.delete(uri);
    process.stderr.write(`process ${process.pid} is not followed\n`);
    send({ id, result: {} });
  },
};

createInterface({ input: process.stdin })
  .on('line', line => {
    const { id, method, params } = JSON.parse(line);
    if (Object.hasOwn(methods, method)) methods[method](id, params ?? {});
    else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  })
  .on('close', () => process.exit(0));
