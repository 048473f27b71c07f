import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolDefinition } from 'kelivo-responses/tool-loop';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findSchemaProblems } from '../../../playground/server/mcp/schema-check.js';
import { createSharedEmulator } from '../../../playground/server/emulator/shared-emulator.js';
import { createKeySafe } from '../../../playground/server/keys.js';
import { toTestFile } from '../../../playground/server/saved-test.js';
import { openDatabase } from '../../../playground/server/store/database.js';
import { createPolicyStore } from '../../../playground/server/store/policies.js';
import { createPresetStore } from '../../../playground/server/store/presets.js';
import { createSettingsStore } from '../../../playground/server/store/settings.js';
import { createApprovalGate } from '../../../playground/server/turn/approval-gate.js';
import { type AskedCall, createApprovalDesk } from '../../../playground/server/turn/approvals.js';
import { draftCompletion } from '../../../playground/server/turn/completion.js';
import { serve } from '../../_server.js';
import { startEmulator } from '../../testing/_emulator.js';
import { makeFolder, openPlayground, type TestPlayground } from './_playground.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Asks, and waits for the end of the turn. */
async function readTurn(playground: TestPlayground, text: string) {
  const { request, ended } = await playground.begin(text);
  await ended();
  return { request };
}

describe('a saved test', () => {
  it('passes as it was downloaded, and fails when its recording is changed', async () => {
    const emulator = await startEmulator();
    const playground = await openPlayground();
    await playground.call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
    const key = 'sk-live-1234567890abcdef';
    emulator.enqueue(
      [{ call: 'word-count', arguments: { text: 'one two' } }],
      [{ text: `Two words and the key ${key}.` }],
    );
    const { request } = await readTurn(playground, 'Count "one two"');
    const saved = await playground.call(`/api/traces/${request.responseId}/test`);
    // Inside the repository, so that it finds the package, with a configuration of its own.
    await mkdir(path.join(root, 'test-results'), { recursive: true });
    const folder = await mkdtemp(path.join(root, 'test-results/saved-'));
    await writeFile(
      path.join(folder, 'vitest.config.mjs'),
      'export default { test: { testTimeout: 300_000 } };\n',
    );
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    // It is written for the newest major of `ai`, which the tests have under another name.
    await symlink(path.join(root, 'test/node_modules'), path.join(folder, 'node_modules'));
    const text = saved.text.replace("from 'ai';", "from 'ai7';");
    await writeFile(path.join(folder, 'saved.test.ts'), text);
    const [recording = '', ...rest] = text.split('/** The schemas');
    const changed = [recording.replaceAll('Two', 'Many'), ...rest].join('/** The schemas');
    await writeFile(path.join(folder, 'changed.test.ts'), changed);
    const { stdout } = spawnSync(
      process.execPath,
      [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter=json'],
      { encoding: 'utf8', env: { ...process.env, VITEST: undefined } },
    );
    const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
      testResults: { name: string; status: string; message: string }[];
    };

    expect(saved.text).not.toContain(key);
    expect(saved.text).toContain('// Redacted values:');
    expect(testResults.map(({ name, status }) => [path.basename(name), status]).toSorted()).toEqual([
      ['changed.test.ts', 'failed'],
      ['saved.test.ts', 'passed'],
    ]);
  });
});

it('saves a test of a tool whose name is that of a method', async () => {
  const call = { type: 'function_call', call_id: '1', name: 'constructor', arguments: '{}' };
  const input = [
    { role: 'user', content: 'Go.' },
    call,
    { type: 'function_call_output', call_id: '1', output: 'built' },
  ];
  const exchanges = [input.slice(0, 1), input].map(items => ({
    ...{ round: 1, status: 200, body: '', end: 'complete' },
    request: { method: 'POST', url: '', headers: {}, body: { input: items } },
  }));
  const turn = { thread: 'main' as const, adapters: [], warnings: [], exchanges };
  expect(await toTestFile(turn, { name: 'test' })).toContain('"constructor": [\n    "built"');
});

describe('a replay of a stored turn', () => {
  it('applies the chosen fault to the recorded response', async () => {
    const playground = await openPlayground();
    const { request } = await readTurn(playground, 'Hello there');
    const replay = await playground.call(`/api/traces/${request.responseId}/replay`, {
      method: 'POST',
      body: { fault: 'cut' },
    });
    const { responseId } = replay.json as { responseId: string };
    const find = async () => (await playground.call(`/api/traces/${responseId}`)).json;
    await expect.poll(find).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ type: 'turn-start', fault: 'cut' }),
        expect.objectContaining({ type: 'turn-end', end: 'failed' }),
      ]),
    });
  });
});

describe('the check of a schema', () => {
  it('ends for a pattern that takes exponential time', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(findSchemaProblems(schema, { a: `${'a'.repeat(40)}!` })).toEqual([
      { path: [], message: expect.stringContaining('was stopped') },
    ]);
    expect(findSchemaProblems(schema, { a: 'aaa' })).toEqual([]);
  });

  it('reports the place inside the closest variant of a union', () => {
    const pay = {
      anyOf: [
        { type: 'object', properties: { card: { type: 'number' } }, required: ['card'] },
        { type: 'string' },
      ],
    };
    const schema = { type: 'object', properties: { pay } };
    expect(findSchemaProblems(schema, { pay: { card: 'x' } })).toEqual([
      { path: ['pay', 'card'], message: expect.stringContaining('number') },
    ]);
  });
});

async function openSettings() {
  const database = openDatabase(await makeFolder());
  return createSettingsStore(database, { presets: createPresetStore(database) });
}

describe('settings and policies', () => {
  it('keep the settings of a chat when others change', async () => {
    const settings = await openSettings();
    settings.change({ modelId: 'first' }, 'chat-one');
    settings.change({ modelId: 'second' }, 'chat-two');
    settings.pin('chat-three');
    settings.change({ modelId: 'last' });

    expect(['chat-one', 'chat-two', 'chat-three', 'new'].map(id => settings.read(id).modelId)).toEqual([
      'first',
      'second',
      'second',
      'last',
    ]);
  });

  it('allow one tool with one definition, in one chat or in all', async () => {
    const policies = createPolicyStore(openDatabase(await makeFolder()));
    const call = { server: 's', tool: 't', definition: 'd', conversationId: 'one' };
    policies.add(call);
    expect([policies.allows(call), policies.allows({ ...call, conversationId: 'two' })]).toEqual([
      true,
      false,
    ]);
    const { conversationId: _conversationId, ...everywhere } = call;
    policies.add(everywhere);
    expect(policies.allows({ ...call, conversationId: 'two' })).toBe(true);
    for (const other of [{ tool: 'u' }, { server: 'r' }, { definition: 'e' }])
      expect(policies.allows({ ...call, ...other })).toBe(false);
    policies.remove(call);
    policies.remove(everywhere);
    expect(policies.list()).toEqual([]);
  });
});

describe('a policy', () => {
  const tool = { name: 'files_delete', originalName: 'delete', server: 'files', inputSchema: {} };
  const open = async () => {
    const policies = createPolicyStore(openDatabase(await makeFolder()));
    const desk = createApprovalDesk();
    /** Returns whether a call of the tool runs without a question, and the call that the user is asked about. */
    return async (definition: ToolDefinition, config: string) => {
      let asked: AskedCall | undefined;
      const gate = createApprovalGate({
        ...{ conversationId: 'one', policy: 'always', policies, servers: { configOf: () => config } },
        tools: {
          name: 'test',
          listTools: async () => ({ tools: [definition], warnings: [] }),
          callTool: () => Promise.reject(new Error('not used')),
          close: async () => {},
        },
        desk,
        record(fact) {
          if (fact.type !== 'approval-requested') return;
          asked = desk.find(fact.approvalId);
          if (asked?.definition !== undefined && policies.list().length === 0)
            policies.add({ ...asked, definition: asked.definition });
          desk.decide(fact.approvalId, { approved: false });
        },
        flush: () => {},
        signal: new AbortController().signal,
      });
      await gate.tools.listTools({});
      const { originalName, server } = tool;
      return gate.approve({ toolCallId: 'call', toolName: tool.name, input: {}, originalName, server });
    };
  };

  it.each([
    ['another server has the name of its server', tool, 'other server'],
    ['its server declares that it can destroy data', { ...tool, destructive: true }, 'server'],
    ['its server describes it otherwise', { ...tool, description: 'new' }, 'server'],
  ])('ends when %s', async (_, definition, config) => {
    const approve = await open();
    const decisions = [
      await approve(tool, 'server'),
      await approve(tool, 'server'),
      await approve(definition, config),
    ];
    expect(decisions.map(({ approved }) => approved)).toEqual([false, true, false]);
  });
});

describe('a completion', () => {
  it('contains no file that a server only names', async () => {
    const emulator = createSharedEmulator();
    onTestFinished(() => emulator.close());
    const { url, requests } = await serve(response => void response.end('secret'));
    const image = { type: 'image', data: `${url}/image.png`, mimeType: 'image/png' };
    const options = {
      settings: (await openSettings()).read(),
      keys: createKeySafe({ environment: {} }),
      emulator,
      signal: new AbortController().signal,
    };
    await expect(draftCompletion({ messages: [{ role: 'user', content: image }] }, options)).rejects.toThrow(
      'Expected messages of text and images',
    );
    expect(requests).toEqual([]);
  });
});

const mcpServers = {
  restaurant: {
    command: process.execPath,
    args: [path.join(root, 'test/browser/_inspected-server.mjs')],
  },
};

describe('a tool that is off', () => {
  it('is not in the request', async () => {
    const emulator = await startEmulator();
    const playground = await openPlayground({ mcpServers });
    const change = (body: object, place = '') =>
      playground.call(`/api/state${place}`, { method: 'PATCH', body });
    await change({ endpoint: emulator.baseURL });
    /** Returns the names of the tools in the first request of a new chat, and its length. */
    const send = async (id: string, disabledTools: readonly object[], place?: string) => {
      await change({ disabledTools }, place);
      await playground.ask('Hello', { id });
      const body = emulator.requests.at(-1)?.body as { tools: { name: string }[] };
      return { names: body.tools.map(({ name }) => name), length: JSON.stringify(body).length };
    };
    const all = await send('conversation-1', []);
    const some = await send('conversation-2', [{ server: 'restaurant', tool: 'order' }]);
    const none = await send('conversation-3', [{ server: 'restaurant' }], '?conversation=conversation-3');

    expect(all.names).toEqual(expect.arrayContaining(['form', 'order']));
    expect(some.names).toContain('form');
    expect(some.names).not.toContain('order');
    expect(none.names).toEqual(['word-count']);
    // The schema of the tool alone is longer.
    expect(all.length - some.length).toBeGreaterThan(300);
    expect(some.length - none.length).toBeGreaterThan(300);
  });

  it.each([
    ['when the turn ran', [{ server: 'restaurant', tool: 'order' }], [], ['form', 'word-count']],
    ['after the turn', [], [{ server: 'restaurant' }], ['word-count']],
    ['when no tool was sent', [{ server: 'restaurant' }], [], ['word-count']],
  ] as const)('%s, is not in the request of a replay', async (_title, before, after, expected) => {
    const playground = await openPlayground({ mcpServers });
    const turnOff = (disabledTools: unknown) =>
      playground.call('/api/state?conversation=conversation-1', { method: 'PATCH', body: { disabledTools } });
    await turnOff(before);
    const { request } = await readTurn(playground, 'Hello');
    await turnOff(after);
    const path = `/api/traces/${request.responseId}`;
    const replayed = await playground.call(`${path}/replay`, { method: 'POST', body: { fault: 'none' } });
    const { responseId } = replayed.json as { responseId: string };
    const read = async () => {
      const { json } = await playground.call(`/api/traces/${responseId}`);
      const { events = [] } = json as { events?: { type: string; body?: { tools: { name: string }[] } }[] };
      return events.find(({ type }) => type === 'request')?.body?.tools.map(({ name }) => name);
    };
    await expect.poll(read).toEqual(expect.arrayContaining([...expected]));
    expect(await read()).not.toContain('order');
    expect((await read())?.includes('form')).toBe((expected as readonly string[]).includes('form'));
  });
});
