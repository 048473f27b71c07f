import * as ai5 from 'ai';
import { streamText, type ModelMessage, type ToolSet } from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newest } from '../_products.js';
import { z } from 'zod';
import {
  createKelivoResponsesProvider,
  type KelivoResponsesProvider,
  type McpServers,
} from '../../src/index.js';
import { createKelivoResponsesProvider as createProviderOf6 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createProviderOf7 } from '../../src/v4.js';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fixtureServer, temporaryFolder, until } from '../tools/mcp/_fixture-server.js';
import { apiKey, inputOf, startProvider } from './_provider.js';
import type { EmulatorRequest } from '../../src/testing/index.js';

const namesOf = (request: EmulatorRequest | undefined) =>
  (request?.body as { tools?: { name: string }[] } | undefined)?.tools?.map(({ name }) => name) ?? [];

const outputsOf = (request: EmulatorRequest | undefined) =>
  inputOf(request)
    .filter(({ type }) => type === 'function_call_output')
    .map(({ output }) => output);

async function run(provider: KelivoResponsesProvider, messages: ModelMessage[]) {
  const tools = await provider.tools();
  const result = streamText({ model: provider('gpt-5'), messages, tools });
  await result.consumeStream();
  return [...messages, ...(await result.response).messages];
}

const user = (content: string): ModelMessage => ({ role: 'user', content });

/** Creates the servers `one` and `two`, which both have the tool `journal`. */
async function twoServers() {
  const [one, two] = [await fixtureServer(), await fixtureServer()];
  const allowedTools = ['journal'];
  const down = { command: process.execPath, args: ['-e', 'process.exit(1)'], allowedTools };
  const [first, second] = [one, two].map(({ config }) => ({ ...config, allowedTools }));
  if (first === undefined || second === undefined) throw new Error('Expected two servers.');
  return { one: first, two: second, down, journals: { one: one.journal, two: two.journal } };
}

const start = async (mcpServers: McpServers) => startProvider({ mcpServers });

describe('two servers with a tool of the same name', () => {
  it('are offered with the prefix in both orders', async () => {
    const { one, two } = await twoServers();
    for (const servers of [
      { one, two },
      { two, one },
    ]) {
      const { emulator, provider } = await start(servers);
      await run(provider, [user('Hello')]);
      expect(namesOf(emulator.requests[0]).toSorted()).toEqual(['one_journal', 'two_journal']);
      await provider.close();
    }
  });

  it('keep the meaning of a name after a restart, in which the other server is down', async () => {
    const { one, two, down, journals } = await twoServers();
    const before = await start({ one, two: down });
    before.emulator.enqueue([{ call: 'journal' }]);
    const history = await run(before.provider, [user('Go.')]);
    expect(namesOf(before.emulator.requests[0])).toEqual(['journal']);
    await before.provider.close();
    const started = (await journals.one()).length;

    // The name `journal` of the history belongs to `one`, which is down now.
    const after = await start({ one: down, two });
    after.emulator.enqueue([{ call: 'journal' }]);
    const continued = await run(after.provider, [...history, user('Again.')]);
    expect(namesOf(after.emulator.requests[0])).toEqual(['two_journal']);
    expect(outputsOf(after.emulator.requests.at(-1)).at(-1)).toContain('There is no tool \\"journal\\".');
    expect((await journals.one()).length).toBe(started);
    await after.provider.close();

    // Both are up.
    const both = await start({ two, one });
    both.emulator.enqueue([{ call: 'journal' }]);
    await run(both.provider, [...continued, user('Again.')]);
    expect(namesOf(both.emulator.requests[0]).toSorted()).toEqual(['one_journal', 'two_journal']);
    const pid = (await journals.one()).at(-2)?.replace('start ', '');
    expect(outputsOf(both.emulator.requests.at(-1)).at(-1)).toContain(`start ${pid}`);
  });
});

it('offers the tools of a slow server in the round after it is ready, to a turn that has begun', async () => {
  const gate = path.join(await temporaryFolder(), 'gate');
  const [slow, good] = [await fixtureServer('plain', { FIXTURE_GATE: gate }), await fixtureServer()];
  const { emulator, provider } = await startProvider({
    mcpServers: {
      slow: { ...slow.config, allowedTools: ['echo'], startupTimeout: 1000 },
      good: { ...good.config, allowedTools: ['journal', 'silent'] },
    },
    tools: {
      wait: {
        inputSchema: z.object({}),
        execute: async () => {
          await writeFile(gate, '');
          await until(async () => (await slow.journal()).includes('list'));
          return 'waited';
        },
      },
    },
  });
  emulator.enqueue([{ call: 'wait' }]);
  await run(provider, [user('Go.')]);
  expect(emulator.requests.map(namesOf)).toEqual([
    ['journal', 'silent', 'wait'],
    ['journal', 'silent', 'wait', 'echo'],
  ]);
});

it('offers the new tools of a server in the round after it announced them', async () => {
  const { config } = await fixtureServer();
  const { emulator, provider } = await startProvider({
    mcpServers: { fixture: { ...config, disabledTools: ['crash'] } },
  });
  emulator.enqueue([{ call: 'add-tool' }]);
  await run(provider, [user('Go.')]);
  const [first = [], second = []] = emulator.requests.map(namesOf);
  expect(second).toEqual([...first, 'added']);
});

const majors = [
  ['5', ai5, createKelivoResponsesProvider],
  ['6', ai6, createProviderOf6],
  ['7', ai7, createProviderOf7],
] as unknown as [string, typeof ai5, typeof createKelivoResponsesProvider][];

describe.each(newest(majors))(
  'a tool of the host in ai %s',
  (_, { generateText, streamText: streamTextOf, stepCountIs }, create) => {
    it.each([false, true])('keeps its name against a tool of a server, streaming: %s', async streams => {
      const { config } = await fixtureServer();
      const { emulator } = await startProvider();
      const provider = create({
        baseURL: emulator.baseURL,
        apiKey,
        mcpServers: { files: { ...config, allowedTools: ['journal'] } },
      });
      onTestFinished(() => provider.close());
      const journal = { inputSchema: z.object({}), execute: async () => 'the journal of the host' };
      const run = async (tools: ToolSet) => {
        const options = { model: provider('gpt-5'), prompt: 'Go.', tools, stopWhen: stepCountIs(5) };
        if (!streams) return generateText(options);
        const streamed = streamTextOf(options);
        await streamed.consumeStream();
        return streamed;
      };

      emulator.enqueue([{ call: 'journal' }, { call: 'files_journal' }]);
      const { warnings } = await run({ journal });
      expect(namesOf(emulator.requests[0])).toEqual(['journal', 'files_journal']);
      expect(outputsOf(emulator.requests.at(-1))).toEqual([
        'the journal of the host',
        expect.stringContaining('start '),
      ]);
      expect(await warnings).toEqual([]);

      // In a call without it, the tool of the server has its own name again.
      emulator.enqueue([{ call: 'journal' }]);
      await run({});
      expect(namesOf(emulator.requests.at(-1))).toEqual(['journal']);
      expect(outputsOf(emulator.requests.at(-1))).toEqual([expect.stringContaining('start ')]);
    });

    it('runs for a call in a namespace that was not declared', async () => {
      const { emulator } = await startProvider();
      const provider = create({ baseURL: emulator.baseURL, apiKey });
      const find = { inputSchema: z.object({}), execute: async () => 'found' };
      const item = {
        type: 'function_call',
        call_id: 'call_1',
        name: 'find',
        namespace: 'crm',
        arguments: '{}',
      };
      emulator.enqueue({ output: [item] });
      await generateText({
        model: provider('gpt-5'),
        prompt: 'Go.',
        tools: { find },
        stopWhen: stepCountIs(5),
      });
      expect(outputsOf(emulator.requests.at(-1))).toEqual(['found']);
      expect(inputOf(emulator.requests.at(-1))).toContainEqual(
        expect.objectContaining({ namespace: 'crm', name: 'find' }),
      );
    });
  },
);
