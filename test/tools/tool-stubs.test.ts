import { expect, it } from 'vitest';
import { readToolStub, toToolStubs } from '../../src/tools/tool-stubs.js';
import { createToolbox } from '../../src/tools/toolbox.js';
import type { ToolSource } from '../../src/tools/tool-source.js';
import { SharedSource } from '../../src/tools/shared-tools.js';

const serverOf = (server: string): ToolSource => ({
  name: server,
  listTools: async () => ({
    tools: [{ name: 'delete_file', server, inputSchema: { type: 'object' } }],
    warnings: [],
  }),
  callTool: async () => ({ type: 'text', value: 'Deleted.' }),
  close: async () => {},
});

it.each([
  ['delete_file', [true, true]],
  ['b_delete_file', [undefined, true]],
])(
  'requires approval by the current and the original name of tools that have a prefix: %s',
  async (asking, [first, second]) => {
    const source = SharedSource.of(createToolbox([serverOf('a'), serverOf('b')]));
    const stubs = await toToolStubs(await source.listToolsOnly(), { needsApproval: [asking] });
    const asked = Object.entries(stubs).map(([name, { providerOptions }]) => [
      name,
      readToolStub({ type: 'function', name, inputSchema: {}, providerOptions })?.needsApproval,
    ]);
    expect(asked).toEqual([
      ['a_delete_file', first],
      ['b_delete_file', second],
    ]);
  },
);

it('contains the metadata of a tool with a user interface', async () => {
  const metadata = {
    clientName: 'a',
    toolName: 'clock',
    app: { resourceUri: 'ui://clock/page', mimeType: 'text/html;profile=mcp-app' },
  };
  const source = SharedSource.of({
    ...serverOf('a'),
    listTools: async () => ({
      tools: [
        { name: 'clock', inputSchema: { type: 'object' }, metadata },
        { name: 'plain', inputSchema: { type: 'object' }, metadata: { toolName: 'plain' } },
      ],
      warnings: [],
    }),
  });
  const { clock, plain } = await toToolStubs(await source.listToolsOnly());
  expect(clock?.metadata).toEqual(metadata);
  expect(plain).not.toHaveProperty('metadata');
});
