// An MCP server over stdio with everything that an inspector shows. The value of SECRET is in what it returns and writes.
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';

const secret = process.env.SECRET ?? '';
const toolCount = Number(process.env.TOOLS ?? 0);
const subscriptionDelay = Number(process.env.SUBSCRIPTION_DELAY ?? 0);

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const notify = (method, params = {}) => send({ method, params });
const toText = text => ({ type: 'text', text });
const object = (properties, required = []) => ({ type: 'object', properties, required });
const string = { type: 'string' };

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** An empty WAV file. */
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

/** Handlers for the responses of the host, by request id. */
const waiting = new Map();
const running = new Map();
let requestCount = 0;

/** Sends a request to the host, and returns its response or error to the caller of the tool. */
function ask(id, method, params) {
  const requestId = `request-${++requestCount}`;
  waiting.set(requestId, reply => respond(id, JSON.stringify(reply)));
  send({ id: requestId, method, params });
}
const respond = (id, text) => send({ id, result: { content: [toText(text)] } });

const tools = {
  order: {
    description: 'Takes an order and returns it.',
    inputSchema: object(
      {
        text: { ...string, title: 'Text', description: 'Any text.' },
        count: { type: 'integer', title: 'Count' },
        ratio: { type: 'number', title: 'Ratio' },
        size: { enum: ['small', 'large'], title: 'Size', default: 'large' },
        isGift: { type: 'boolean', title: 'Gift' },
        tags: { type: 'array', items: string, title: 'Tags' },
        colours: { type: 'array', items: { enum: ['red', 'green', 'blue'] }, title: 'Colours' },
        place: { ...object({ city: string }), title: 'Place' },
      },
      ['text', 'count'],
    ),
    outputSchema: object({ order: { type: 'object' } }, ['order']),
    _meta: { 'example/version': 7 },
    call: (id, order) =>
      send({
        id,
        result: {
          content: [toText(`Ordered: ${JSON.stringify(order)}`)],
          structuredContent: { order },
          _meta: { 'example/trace': 'trace-of-the-order', 'example/long': 'long '.repeat(30) },
        },
      }),
  },
  mismatch: {
    outputSchema: object({ count: { type: 'number' } }, ['count']),
    call: id => send({ id, result: { content: [], structuredContent: { count: 'many' } } }),
  },
  fail: {
    call: id => send({ id, result: { content: [toText('The shop is closed.')], isError: true } }),
  },
  media: {
    call: id =>
      send({
        id,
        result: {
          content: [
            { type: 'image', data: pixel, mimeType: 'image/png' },
            { type: 'audio', data: sound, mimeType: 'audio/wav' },
            { type: 'resource_link', uri: 'demo://menu', name: 'Menu' },
          ],
        },
      }),
  },
  wait: {
    call: (id, _input, progressToken) => {
      running.set(id, () => process.stderr.write('the call was cancelled\n'));
      notify('notifications/progress', { progressToken, progress: 1, total: 4, message: 'heating the oven' });
    },
  },
  cook: {
    inputSchema: object({ dish: string }),
    call: (id, { dish }) => {
      menu = dish;
      if (subscriptions.has('demo://menu')) notify('notifications/resources/updated', { uri: 'demo://menu' });
      respond(id, 'cooked');
    },
  },
  grow: {
    call: id => {
      tools.grown = { call: inner => respond(inner, 'grown') };
      resources.push({ uri: 'demo://grown', name: 'Grown' });
      notify('notifications/tools/list_changed');
      notify('notifications/resources/list_changed');
      respond(id, 'There is more.');
    },
  },
  form: {
    call: id =>
      ask(id, 'elicitation/create', {
        message: 'Who orders?',
        requestedSchema: object(
          {
            name: { ...string, title: 'Name' },
            age: { type: 'integer', title: 'Age' },
            dishes: { type: 'array', items: { type: 'string', enum: ['soup', 'pie'] }, title: 'Dishes' },
          },
          ['name'],
        ),
      }),
  },
  strict: {
    inputSchema: object({ code: { ...string, title: 'Code', maxLength: 3 } }, ['code']),
    call: (id, { code }) =>
      ask(id, 'elicitation/create', {
        message: `Who orders with ${code}?`,
        requestedSchema: object(
          {
            nick: { ...string, title: 'Nickname', minLength: 3 },
            mail: { ...string, title: 'Address', format: 'email' },
          },
          ['nick'],
        ),
      }),
  },
  rows: {
    inputSchema: object({ count: { type: 'integer', title: 'Rows' } }, ['count']),
    call: (id, { count }) =>
      send({
        id,
        result: {
          content: [],
          structuredContent: { rows: Array.from({ length: count }, (_, i) => ({ i, x: `row ${i}` })) },
        },
      }),
  },
  page: {
    inputSchema: object({ url: string }),
    call: (id, { url }) =>
      ask(id, 'elicitation/create', { mode: 'url', message: 'Please pay.', url, elicitationId: 'e1' }),
  },
  complete: {
    call: id =>
      ask(id, 'sampling/createMessage', {
        messages: [{ role: 'user', content: toText('Write a poem about soup.') }],
        maxTokens: 100,
      }),
  },
  roots: { call: id => ask(id, 'roots/list') },
  leak: {
    inputSchema: object({ text: string }),
    call: (id, { text }) => {
      const hash = createHash('sha256').update(text).digest('hex');
      process.stderr.write(
        `leaked ${secret} <b>and</b> \u001b[31mred\u001b[0m text, hash ${hash.slice(0, 12)}\n`,
      );
      send({ id, result: { content: [toText(`${text} has the hash ${hash}`)], _meta: { leaked: secret } } });
    },
  },
  crash: {
    call: () => process.stderr.write('about to fall over\n', () => process.exit(5)),
  },
};
for (let index = Object.keys(tools).length; index < toolCount; index++)
  tools[`extra-${index}`] = {
    description: `Does nothing, number ${index}.`,
    call: id => respond(id, 'done'),
  };

const resources = [
  { uri: 'demo://menu', name: 'Menu', mimeType: 'text/plain' },
  { uri: 'demo://photo', name: 'Photo', mimeType: 'image/png' },
];
let menu = 'Soup and pie';
const subscriptions = new Set();
const cities = ['Oslo', 'Osaka', 'Paris'];

function read(uri) {
  if (uri === 'demo://photo') return { uri, mimeType: 'image/png', blob: pixel };
  return { uri, mimeType: 'text/plain', text: uri === 'demo://menu' ? menu : `Contents of ${uri}` };
}

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      prompts: {},
      completions: {},
    },
    serverInfo: { name: 'restaurant', version: '1.0.0' },
    instructions: 'Order before you pay.',
  }),
  'tools/list': () => ({
    tools: Object.entries(tools).map(
      ([name, { inputSchema = object({}), description, outputSchema, _meta }]) => ({
        name,
        description,
        inputSchema,
        outputSchema,
        _meta,
      }),
    ),
  }),
  'resources/list': () => ({ resources }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'demo://cities/{city}{?day}', name: 'City' }],
  }),
  'resources/read': ({ uri }) => ({ contents: [read(uri)] }),
  'resources/subscribe': ({ uri }) => {
    subscriptions.add(uri);
    process.stderr.write(`somebody follows ${uri}\n`);
    return {};
  },
  'resources/unsubscribe': ({ uri }) => {
    subscriptions.delete(uri);
    process.stderr.write(`nobody follows ${uri}\n`);
    return {};
  },
  // Accepts the level `alert` only after something was cooked.
  'logging/setLevel': ({ level }) => {
    process.stderr.write(`logs from ${level}\n`);
    return level === 'alert' && menu === 'Soup and pie' ? undefined : {};
  },
  'prompts/list': () => ({
    prompts: [
      {
        name: 'invite',
        description: 'Invites a guest.',
        arguments: [{ name: 'guest', description: 'The guest.', required: true }, { name: 'city' }],
      },
    ],
  }),
  'prompts/get': ({ arguments: { guest, city } }) => ({
    messages: [
      { role: 'user', content: toText(`Invite ${guest} to ${city}.`) },
      { role: 'user', content: { type: 'image', data: pixel, mimeType: 'image/png' } },
    ],
  }),
  'completion/complete': ({ argument: { value } }) => ({
    completion: { values: cities.filter(city => city.startsWith(value)) },
  }),
  ping: () => ({}),
};

process.stderr.write('restaurant opens\n');
createInterface({ input: process.stdin })
  .on('line', line => {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === undefined) waiting.get(id)?.(result ?? error);
    else if (method === 'notifications/cancelled') running.get(params.requestId)?.();
    else if (method === 'tools/call')
      tools[params.name].call(id, params.arguments ?? {}, params._meta?.progressToken);
    else if (Object.hasOwn(results, method)) {
      const reply = { id, result: results[method](params) };
      if (reply.result === undefined) send({ id, error: { code: -32603, message: 'Not now' } });
      else setTimeout(send, method === 'resources/subscribe' ? subscriptionDelay : 0, reply);
    } else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  })
  .on('close', () => process.exit(0));
