import { createMcpTools } from '../../../src/tools/mcp/index.js';
import type { ToolDefinition, ToolSource } from '../../../src/tools/tool-source.js';
import { createToolbox } from '../../../src/tools/toolbox.js';
import { everythingOverStdio } from '../../tools/mcp/_everything-server.js';

const ACTIONS = ['create', 'list', 'update', 'delete', 'archive', 'export', 'share', 'assign'];
const OBJECTS: readonly (readonly [server: string, objects: readonly string[]])[] = [
  ['tracker', ['issue', 'milestone', 'label', 'sprint', 'release']],
  ['mail', ['message', 'thread', 'folder', 'signature']],
  ['shop', ['invoice', 'refund', 'customer', 'coupon']],
  ['calendar', ['event', 'reminder', 'holiday']],
];

const field = (name: string, action: string, object: string) => ({
  type: 'string',
  description: `The ${name} of the ${object} that the call has to ${action}. Leave it empty for the default of the account.`,
});

/** Returns definitions of the size that servers of vendors have. */
export function generatedTools(): ToolDefinition[] {
  return OBJECTS.flatMap(([server, objects]) =>
    objects.flatMap(object =>
      ACTIONS.map((action): ToolDefinition => ({
        name: `${action}_${object}`,
        server,
        originalName: `${action}_${object}`,
        description: `Can ${action} one ${object} of the account, with the permissions of the signed-in user. Fails if it is locked.`,
        inputSchema: {
          type: 'object',
          properties: {
            [`${object}_id`]: field('id', action, object),
            title: field('title', action, object),
            owner: field('owner', action, object),
          },
          required: [`${object}_id`],
        } as ToolDefinition['inputSchema'],
        readOnly: action === 'list',
      })),
    ),
  );
}

/** Creates a source of tools that report their calls. */
export function sourceOfTools(tools: readonly ToolDefinition[]): ToolSource & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    name: 'generated tools',
    calls,
    listTools: async () => ({ tools, warnings: [] }),
    callTool: async ({ toolName, input }) => {
      calls.push(toolName);
      return { type: 'text', value: `${toolName} done: ${JSON.stringify(input)}` };
    },
    close: async () => {},
  };
}

/** Creates a source of 150 tools: those of two reference servers, and generated ones. */
export function largeToolbox({ deferLoading }: { deferLoading: boolean }) {
  const servers = createMcpTools({
    everything: { ...everythingOverStdio(), deferLoading: deferLoading && { exclude: ['echo'] } },
    files: {
      command: process.execPath,
      args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', 'src/tools'],
      deferLoading,
    },
  });
  const generated = sourceOfTools(generatedTools().map(tool => ({ ...tool, deferLoading })));
  const source = createToolbox([servers, generated]);
  return { source, calls: generated.calls };
}
