import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { McpServers } from '../../src/index.js';
import { parseMcpConfig } from '../../src/tools/mcp/index.js';
import { everythingOverStdio, startEverythingServer } from '../tools/mcp/_everything-server.js';
import { fixtureServer, isAlive, startedPid, until } from '../tools/mcp/_fixture-server.js';
import { hosts, inputOf, startProvider } from './_provider.js';

const prompt = 'Use get-sum with 2 and 3';

async function run(mcpServers: McpServers) {
  const { emulator, provider } = await startProvider({ mcpServers });
  const result = await hosts.streamText({ model: provider('gpt-5'), prompt });
  return { ...result, provider, emulator };
}

async function httpServer(transport: 'streamableHttp' | 'sse') {
  const { config, close } = await startEverythingServer(transport);
  onTestFinished(close);
  return config;
}

describe('an MCP server', () => {
  it.each([
    ['stdio', async () => everythingOverStdio()],
    ['Streamable HTTP', () => httpServer('streamableHttp')],
    ['SSE', () => httpServer('sse')],
  ])('works over %s, and again after the provider is closed', async (_, start) => {
    const { text, errors, provider } = await run({ everything: await start() });
    expect({ text, errors }).toEqual({
      text: 'The tool get-sum returned: The sum of 2 and 3 is 5.',
      errors: [],
    });
    await provider.close();
    const again = await hosts.generateText({ model: provider('gpt-5'), prompt });
    expect(again.text).toBe(text);
  });

  it('works next to a broken server, which a warning names', async () => {
    const { text, warnings, errors } = await run({
      broken: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
      everything: everythingOverStdio(),
    });
    expect({ text, errors }).toEqual({
      text: 'The tool get-sum returned: The sum of 2 and 3 is 5.',
      errors: [],
    });
    expect(warnings).toContainEqual({
      type: 'other',
      message: expect.stringMatching(
        /^MCP server "broken" could not be started: .* ended before it was ready/,
      ),
    });
  });

  it('keeps its tools separate from those of a server with the same names', async () => {
    const { emulator, provider } = await startProvider({
      mcpServers: { first: everythingOverStdio(), second: everythingOverStdio() },
    });
    emulator.enqueue([
      { call: 'first_get-sum', arguments: { a: 1, b: 2 } },
      { call: 'second_get-sum', arguments: { a: 3, b: 4 } },
    ]);
    await hosts.generateText({ model: provider('gpt-5'), prompt: 'Go.' });
    const outputs = inputOf(emulator.requests[1]).filter(({ type }) => type === 'function_call_output');
    expect(outputs.map(({ output }) => output)).toEqual([
      'The sum of 1 and 2 is 3.',
      'The sum of 3 and 4 is 7.',
    ]);
  });

  it('starts with the first call and not with the provider', async () => {
    const { emulator, provider } = await startProvider({
      mcpServers: { missing: { command: 'no-such-command-here' } },
    });
    await provider.close();
    expect(emulator.requests).toEqual([]);
    const { text, warnings } = await hosts.generateText({ model: provider('gpt-5'), prompt: 'Hello' });
    expect(text).toBe('You said: Hello');
    expect(warnings).toHaveLength(1);
  });

  it('requests user input through the callback of the setting `mcp`', async () => {
    const { emulator, provider } = await startProvider({
      mcpServers: { everything: everythingOverStdio() },
      mcp: { onElicitation: (_request, { server }) => ({ action: 'accept', content: { name: server } }) },
    });
    await until(async () => 'trigger-elicitation-request' in (await provider.tools()));
    emulator.enqueue([{ call: 'trigger-elicitation-request' }]);
    await hosts.generateText({ model: provider('gpt-5'), prompt: 'Go.' });
    const output = inputOf(emulator.requests[1]).find(({ type }) => type === 'function_call_output');
    expect(JSON.stringify(output)).toContain('- Name: everything');
  });

  it('is started with the variables of a configuration file', async () => {
    const { config } = await fixtureServer();
    const { provider } = await startProvider({
      mcpServers: parseMcpConfig(
        { mcpServers: { fixture: { ...config, command: `\${NODE}` } } },
        { expandVariables: { NODE: config.command } },
      ),
    });
    expect(Object.keys(await provider.tools())).toContain('echo');
  });

  it.skipIf(process.platform === 'win32')(
    'ends with all its child processes when the provider is closed',
    async () => {
      const { config, journal } = await fixtureServer();
      const { emulator, provider } = await startProvider({ mcpServers: { fixture: config } });
      emulator.enqueue([{ call: 'grandchild' }]);
      await hosts.generateText({ model: provider('gpt-5'), prompt: 'Go.' });
      const output = inputOf(emulator.requests[1]).find(({ type }) => type === 'function_call_output');
      const pids = [await startedPid(journal), Number(output?.output)];
      expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
      await provider.close();
      expect(await Promise.all(pids.map(isAlive))).toEqual([false, false]);
    },
  );

  it('with hostile names and schemas does not affect other tools', async () => {
    const { config } = await fixtureServer();
    const script = fileURLToPath(new URL('../tools/mcp/_hostile-server.mjs', import.meta.url));
    const hostile = (mode: string) => ({ command: process.execPath, args: [script, mode] });
    const { emulator, provider } = await startProvider({
      mcpServers: { names: hostile('names'), schemas: hostile('schemas'), good: config },
    });
    emulator.enqueue([{ call: 'good_echo', arguments: { text: 'hi' } }]);
    const { errors, finishReason } = await hosts.streamText({ model: provider('gpt-5'), prompt: 'Go.' });
    expect({ errors, finishReason }).toEqual({ errors: [], finishReason: 'stop' });
    const output = inputOf(emulator.requests[1]).find(({ type }) => type === 'function_call_output');
    expect(output?.output).toBe('echo hi');
  });
});
