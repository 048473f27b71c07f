import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { McpServerConfig } from '../../../src/tools/mcp/index.js';
import { call, fixtureServer, openTools } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';

/** Calls a tool of a server, and returns what a model reads. */
type Call = (tool: string) => Promise<string>;

const CLIENTS: readonly (readonly [
  name: string,
  recovers: boolean,
  open: (server: McpServerConfig) => Promise<Call>,
])[] = [
  [
    'this package',
    true,
    async server => {
      const tools = openTools({ server: { ...server, trustAnnotations: true } });
      return async tool => JSON.stringify(await call(tools, tool));
    },
  ],
  [
    '@ai-sdk/mcp',
    false,
    async server => {
      const transport =
        'command' in server
          ? new StdioTransport({
              command: server.command,
              args: [...(server.args ?? [])],
              env: { ...server.env },
              stderr: 'ignore',
            })
          : ({ type: 'http', url: server.url } as const);
      const client = await createMCPClient({ transport });
      onTestFinished(() => client.close().catch(() => {}));
      const tools = await client.tools();
      const context = { toolCallId: 'call_1', messages: [], context: {} };
      return async tool => {
        const output = async () => tools[tool]?.execute({}, context);
        return JSON.stringify(await output().catch(String));
      };
    },
  ],
];

/* Both clients use the same servers. The results are rows of the comparison in the README. */
describe.each(CLIENTS)('%s', (_, recovers, open) => {
  const does = recovers ? '' : 'does not ';

  it(`${does}start a program again that has crashed`, async () => {
    const { config } = await fixtureServer();
    const callTool = await open(config);
    await callTool('crash');
    expect((await callTool('echo')).includes('echo undefined')).toBe(recovers);
  });

  it(`${does}repeat an idempotent call in which the program crashed`, async () => {
    const { config } = await fixtureServer();
    const callTool = await open(config);
    expect((await callTool('crash-first')).includes('second time lucky')).toBe(recovers);
  });

  it(`${does}open a session again that the server has forgotten`, async () => {
    const server = await startHttpServer();
    const callTool = await open({ type: 'http', url: server.url });
    expect(await callTool('write')).toContain('written');
    server.forgetSessions();
    expect((await callTool('write')).includes('written')).toBe(recovers);
  });
});
