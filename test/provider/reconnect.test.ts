import { describe, expect, it, onTestFinished } from 'vitest';
import { createSwitchableProvider } from '../../src/host/index.js';
import { createKelivoResponsesProvider, kelivoResponses } from '../../src/index.js';
import { toProviderV3 } from '../../src/v3.js';
import { createKelivoResponsesProvider as createProviderV4 } from '../../src/v4.js';
import type { McpServers } from '../../src/tools/mcp/index.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { fixtureServer, openTools } from '../tools/mcp/_fixture-server.js';

const local = createLocalTools({ clock: { inputSchema: {}, execute: () => '12:00' } });

/** Each way in which a provider gets MCP servers. */
const PROVIDERS = {
  'the setting `mcpServers`': (servers: McpServers) => createKelivoResponsesProvider({ mcpServers: servers }),
  'a source as `mcpServers`': (servers: McpServers) => createProviderV4({ mcpServers: openTools(servers) }),
  'a source in `tools`': (servers: McpServers) =>
    createKelivoResponsesProvider({ tools: [local, openTools(servers)] }),
  'two sources': ({ one, two, off }: McpServers) =>
    createKelivoResponsesProvider({
      mcpServers: { ...(one && { one }), ...(off && { off }) },
      tools: two === undefined ? [] : [openTools({ two })],
    }),
  'another version': (servers: McpServers) =>
    toProviderV3(createKelivoResponsesProvider({ mcpServers: servers })),
  'a switchable provider': (servers: McpServers) =>
    createSwitchableProvider({ kelivo: { mcpServers: servers }, enabled: false }),
};

describe.each(Object.entries(PROVIDERS))('`reconnect` of a provider with %s', (_, create) => {
  it('starts the named server again, and no other', async () => {
    const [one, two] = [await fixtureServer(), await fixtureServer()];
    const provider = create({
      one: one.config,
      two: two.config,
      off: { command: 'no-such-program', disabled: true },
    });
    onTestFinished(() => provider.close());
    const starts = async () =>
      Promise.all(
        [one, two].map(
          async ({ journal }) => (await journal()).filter(line => line.startsWith('start')).length,
        ),
      );
    await provider.tools();
    expect(await starts()).toEqual([1, 1]);
    expect(await provider.reconnect('two')).toMatchObject({ name: 'two', state: 'ready' });
    expect(await starts()).toEqual([1, 2]);

    const all = await provider.reconnect();
    expect(all.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      'off disabled',
      'one ready',
      'two ready',
    ]);
    expect(await starts()).toEqual([2, 3]);

    for (const name of ['off', 'three']) {
      await expect(provider.reconnect(name)).rejects.toMatchObject({
        code: 'unknown-name',
        message: `Expected the name of an MCP server that is not disabled ("one", "two"), got "${name}".`,
      });
    }
  });
});

it('a provider without MCP servers has none to open again', async () => {
  for (const provider of [createKelivoResponsesProvider({ tools: local }), kelivoResponses]) {
    expect(await provider.reconnect()).toEqual([]);
    await expect(provider.reconnect('one')).rejects.toThrow('(there is none), got "one".');
  }
});
