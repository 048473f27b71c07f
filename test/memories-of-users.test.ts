import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LanguageModelV4, LanguageModelV4CallOptions } from 'provider4';
import { jsonSchema, tool } from 'ai';
import { createMcpTools } from '../src/tools/mcp/index.js';
import { MEMORIES } from '../src/core/shared/memory.js';
import type { KelivoResponsesSettings } from '../src/index.js';
import type { ScriptedResponse } from '../src/testing/index.js';
import type { HostTool } from '../src/tools/host-tools.js';
import { withFallback } from '../src/models/index.js';
import { createKelivoResponsesProvider } from '../src/v4.js';
import { createHistoryKeys, signPart } from '../src/core/versions/history/signatures.js';
import { read } from './structure.js';
import { startEmulator } from './testing/_emulator.js';

/*
 * Two users of one provider, who differ in one field of their calls. What Ada leaves in a memory must not change what is sent
 * for Ben, and nothing of hers may reach him.
 */

const ADA = 'ada-4c6d2e90';
const BEN = 'ben-17f3a8b5';
const SECRET = 'a secret of thirty-two characters';

/** Values that both users share, also by reference: an application creates such objects once. */
const shared = {
  context: { user: 'of-both' },
  headers: { 'x-app': '1' },
  abortSignal: new AbortController().signal,
};

type Options = LanguageModelV4CallOptions & { providerOptions: { kelivo: Record<string, unknown> } };

/** The fields of the identity. Each call has its own value of one of them, and those of both in the others. */
const FIELDS: Readonly<
  Record<string, (who: string) => Partial<Record<keyof typeof shared | 'scope' | 'user', unknown>>>
> = {
  scope: who => ({ scope: who }),
  context: who => ({ context: { user: who } }),
  headers: who => ({ headers: { 'x-user': who } }),
  signal: () => ({ abortSignal: new AbortController().signal }),
  'an option': who => ({ user: who }),
  conversation: () => ({}),
};

function toCall(field: string, who: string, { messages = [], call }: Asked): Options {
  const {
    scope = 'both',
    context,
    headers,
    abortSignal,
    ...option
  } = { ...shared, ...FIELDS[field]?.(who) } as Record<string, unknown> as Record<string, never>;
  const text = field === 'conversation' ? `I am ${who}. What do I have?` : 'What do I have?';
  return {
    prompt: [{ role: 'user', content: [{ type: 'text', text }] }, ...messages],
    headers,
    abortSignal,
    providerOptions: { kelivo: { scope, context, ...option } },
    ...call,
  };
}

interface Asked {
  /** Messages that follow the question. */
  readonly messages?: LanguageModelV4CallOptions['prompt'];
  readonly call?: Partial<Options>;
}

interface Scenario {
  readonly settings?: KelivoResponsesSettings;
  readonly modelId?: string;
  readonly toModel?: (first: LanguageModelV4, second: LanguageModelV4) => LanguageModelV4;
  /** Returns the answer of the server to a user. The name of the user is the secret. */
  readonly answers: (who: string) => readonly ScriptedResponse[];
  readonly asked?: (field: string) => Asked;
  /** The fields that separate two users. @default all */
  readonly fields?: readonly string[];
  /** Number of requests that are sent for Ada, if what she meets makes her send more. */
  readonly requestsOfAda?: number;
  /** A call that the host of the last user runs, if the users differ in one of these fields. */
  readonly runByHost?: { readonly toolCallId: string; readonly fields: readonly string[] };
  /** Memories of Ada's calls may change Ben's requests, but none of her words may reach them. */
  readonly mayChange?: true;
}

const balanceOf = (who: string): ScriptedResponse => [
  { call: 'balance', arguments: {}, callId: `call_${who.slice(0, 3)}` },
];
/** A rejection that quotes the user elsewhere. */
const rejecting = (message: string): ScriptedResponse => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null }, request: ADA },
});
const failed: ScriptedResponse = { fault: 'failed', after: 3 };
const text = (who: string): ScriptedResponse => [{ text: `Answer for ${who}.` }];

/** The history that Ada's page has, with a hidden call that was signed for her scope. */
const signedHistory = (): LanguageModelV4CallOptions['prompt'] => {
  const output = { type: 'text', value: `balance of ${ADA}` };
  const call = { toolCallId: 'call_9', toolName: 'balance', input: '{}', output, index: 0 };
  const part = {
    type: 'text',
    text: 'Hello.',
    providerOptions: { kelivo: { hiddenCalls: { before: 1, calls: [call] } } },
  };
  const keys = createHistoryKeys(SECRET)();
  const signed = signPart(part, 'providerOptions', { keys, scope: ADA });
  return JSON.parse(
    JSON.stringify([
      { role: 'assistant', content: [signed] },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }] },
    ]),
  );
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'failed turns': { answers: who => (who === ADA ? [balanceOf(who), failed] : [balanceOf(who), text(who)]) },
  'tool outputs': {
    answers: who => [[{ call: 'balance', arguments: {}, callId: 'call_1' }], text(who)],
    // A host with a loop of its own runs the call again. It knows the context of a call only.
    runByHost: { toolCallId: 'call_1', fields: ['context', 'scope'] },
  },
  models: {
    modelId: 'gpt-4o',
    asked: () => ({ call: { temperature: 0.5 } }),
    answers: who =>
      who === ADA
        ? [rejecting("Unsupported value: 'temperature' does not support 0.5. Only the default is supported.")]
        : [text(who)],
    requestsOfAda: 2,
  },
  rejections: {
    modelId: 'gpt-4o',
    asked: () => ({ call: { topP: 0.5 } }),
    answers: who => (who === ADA ? [rejecting('Argument not supported on this model: top_p')] : [text(who)]),
    requestsOfAda: 2,
  },
  'other models': {
    answers: who => [
      {
        output: [{ text: 'Hi.' }],
        events: events =>
          JSON.parse(JSON.stringify(events).replaceAll('"model":"gpt-5"', `"model":"gpt-5-${who}"`)),
      },
    ],
  },
  'reasoning servers': {
    modelId: 'qwen3.5-30b',
    answers: who => [[{ reasoning: `Thoughts of ${who}` }, { text: `Answer for ${who}.` }]],
    mayChange: true,
  },
  cooldowns: {
    toModel: (first, second) => withFallback([first, second]),
    answers: who =>
      who === ADA ? [{ status: 500, body: { error: { message: `${who} failed` } } }] : [text(who)],
    mayChange: true,
  },
  signatures: {
    asked: () => ({ messages: signedHistory() }),
    answers: who => [text(who)],
    fields: ['scope'],
  },
  keys: {
    settings: { apiKey: ['sk-first-0123456789', 'sk-second-0123456789'] },
    answers: who =>
      who === ADA ? [{ status: 401, body: { error: { message: `wrong key of ${who}` } } }] : [text(who)],
    mayChange: true,
  },
  'WebSocket chains': { settings: { transport: 'websocket' }, answers: who => [text(who)] },
};

/** Lets users ask one after another. Returns what was sent for the last one, and what that one received. */
async function converse(scenario: Scenario, field: string, users: readonly string[]) {
  const { settings, modelId = 'gpt-5', answers, toModel = model => model, asked = () => ({}) } = scenario;
  const emulator = await startEmulator({ rules: 'none' });
  let current = '';
  const received: unknown[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'sk-key-of-nobody',
    historySecret: SECRET,
    tools: {
      balance: tool({
        inputSchema: jsonSchema({ type: 'object' }),
        execute: () => `balance of ${current}`,
      }),
    },
    toolLoop: {
      retry: { streamRetries: false, maxRetries: false },
      onEvent: event => void received.push(event),
    },
    ...settings,
  });
  onTestFinished(() => provider.close());
  // The host has functions that run calls.
  const functions = await provider.tools();
  const model = toModel(provider(modelId), provider(`${modelId}-mini`));
  let before = 0;
  for (const who of users) {
    current = who;
    before = emulator.requests.length;
    received.length = 0;
    const { toolCallId, fields = [] } = scenario.runByHost ?? {};
    if (toolCallId !== undefined && fields.includes(field) && who === users.at(-1)) {
      const { context } = toCall(field, who, asked(field)).providerOptions.kelivo;
      const options = { toolCallId, messages: [], experimental_context: context };
      const running = (functions.balance as Partial<HostTool>)?.execute?.({}, options as never);
      received.push(await Promise.resolve(running).catch(String));
    }
    emulator.enqueue(...answers(who));
    try {
      const { stream } = await model.doStream(toCall(field, who, asked(field)) as never);
      for await (const part of stream as never as AsyncIterable<unknown>) received.push(part);
    } catch (error) {
      received.push(String(error));
    }
  }
  const sent = emulator.requests
    .slice(before)
    .map(({ body, headers, path, apiKeyIndex }) => ({ body, headers, path, apiKeyIndex }));
  return { sent, received, before };
}

/** Ids of the server differ from run to run. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/\b(resp|msg|rs|fc|req|call)_[\w-]+/g, '$1'),
    (name, field: unknown) =>
      ['content-length', 'host', 'x-client-request-id', 'sec-websocket-key'].includes(name)
        ? undefined
        : field,
  );

const rows = Object.entries(SCENARIOS).flatMap(([memory, { fields = Object.keys(FIELDS) }]) =>
  fields.map(field => [field, memory] as const),
);

describe('a memory', () => {
  it.each(rows)('passes nothing from one user to another who differs in %s: %s', async (field, memory) => {
    const scenario = SCENARIOS[memory];
    if (scenario === undefined) throw new Error(`There is no scenario for ${memory}.`);
    const alone = await converse(scenario, field, [BEN]);
    const after = await converse(scenario, field, [ADA, BEN]);
    const bytes = JSON.stringify([after.sent, after.received]);
    expect(after.sent.length).toBeGreaterThan(0);
    expect(bytes).not.toContain(ADA);
    expect(bytes).toContain(BEN);
    if (scenario.requestsOfAda !== undefined) expect(after.before).toBe(scenario.requestsOfAda);
    if (scenario.mayChange !== true) expect(withoutIds(after.sent)).toEqual(withoutIds(alone.sent));
  });

  it('of connections keeps the sessions of two users of one MCP server apart, who differ in a header', async () => {
    const sessions = new Map<string, string>();
    const server = createServer(async (request, response) => {
      const { id, method, params } = JSON.parse((await readText(request)) || '{}') as {
        id?: number;
        method?: string;
        params?: { protocolVersion: string };
      };
      const reply = (result: object, headers: Record<string, string> = {}) =>
        response
          .writeHead(200, { 'content-type': 'application/json', ...headers })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      const own = String(request.headers['x-user']);
      const session = String(request.headers['mcp-session-id']);
      if (method === 'initialize') {
        const created = crypto.randomUUID();
        sessions.set(created, own);
        const serverInfo = { name: 'bank', version: '1' };
        const { protocolVersion } = params ?? { protocolVersion: '' };
        reply({ protocolVersion, capabilities: { tools: {} }, serverInfo }, { 'mcp-session-id': created });
      } else if (method === 'tools/list') {
        reply({
          tools: [
            { name: 'look', description: `for ${sessions.get(session)}`, inputSchema: { type: 'object' } },
          ],
        });
      } else if (method === 'tools/call') {
        reply({ content: [{ type: 'text', text: `session of ${sessions.get(session)}, asked by ${own}` }] });
      } else response.writeHead(id === undefined ? 202 : 405).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const ask = async (user: string): Promise<string> => {
      const source = createMcpTools({ bank: { url, headers: { 'x-user': user } } });
      onTestFinished(() => source.close());
      const { tools } = await source.listTools();
      const call = {
        toolCallId: 'call_1',
        toolName: 'look',
        originalName: 'look',
        server: 'bank',
        input: {},
      };
      const output = await source.callTool(call, { signal: new AbortController().signal });
      return JSON.stringify([tools, output]);
    };
    const [ada, ben] = await Promise.all([ask(ADA), ask(BEN)]);
    expect(ada).toContain(ADA);
    expect(ada).not.toContain(BEN);
    expect(ben).toContain(BEN);
    expect(ben).not.toContain(ADA);
    expect(sessions.size).toBe(2);
  });
});

/** Rows of the table whose attack is elsewhere, or that hold nothing of a caller. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, title: string] | 'nothing of a caller'>> = {
  'rate limits': 'nothing of a caller',
  'paused turns': ['provider/host-steps.test.ts', 'of another user do not go on with the turn'],
  'MCP connections': [
    'memories-of-users.test.ts',
    'of connections keeps the sessions of two users of one MCP server apart, who differ in a header',
  ],
  'MCP authorizations': [
    'tools/mcp/authorization.test.ts',
    'never shares tokens between two users of one server',
  ],
  'names of tools': ['tool-loop/renamed-tools.test.ts', 'does not outlive its conversation'],
  approvals: [
    'tool-loop/approvals/host-approvals.test.ts',
    'an approval in a call with another scope, or without one, runs nothing and claims nothing',
  ],
  journals: [
    'tool-loop/durable/identity.test.ts',
    'separates turns with equal ids and texts, whatever characters they contain',
  ],
  'kept outputs': [
    'tool-loop/context/kept-outputs.test.ts',
    'is its scope: an id of another one finds nothing',
  ],
  steering: ['tool-loop/steering.test.ts', 'belongs to one turn, and resolves at once afterwards'],
  'tool search': [
    'tool-loop/context/tool-search.test.ts',
    'changes to the loop for all conversations when two of them have met the rejection',
  ],
  'facts about objects': 'nothing of a caller',
  'compiled syntax': 'nothing of a caller',
  devtools: 'nothing of a caller',
};

it('has an attack for each row of the table of what outlives a call', () => {
  const table = read('src/README.md').split('## What outlives a call')[1]?.split('\n## ')[0] ?? '';
  const names = [...table.matchAll(/^\| (?!memory|---)`?([^|`]+?)`? \|/gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(MEMORIES)));
  expect(names.toSorted()).toEqual([...Object.keys(SCENARIOS), ...Object.keys(ELSEWHERE)].toSorted());
  for (const row of Object.values(ELSEWHERE)) {
    if (typeof row === 'string') continue;
    const [file, title] = row;
    expect(read(`test/${file}`), file).toContain(`it('${title}'`);
  }
});
