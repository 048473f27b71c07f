import type { LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import type {
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolOutput,
  ToolSource,
} from '../../src/tools/tool-source.js';

export type Execute = (
  input: ToolInvocation['input'],
  options: ToolCallOptions & { toolCallId: string },
) => unknown;

export interface ScriptedTool extends Partial<Omit<ToolDefinition, 'name'>> {
  readonly execute: Execute;
}

/** Creates a source whose tools are functions. They return a text or a complete output. */
export function scriptedTools(
  tools: Readonly<Record<string, Execute | ScriptedTool>>,
  { warnings = [] }: { warnings?: string[] } = {},
): ToolSource & { readonly calls: ToolInvocation[] } {
  const calls: ToolInvocation[] = [];
  return {
    name: 'scripted tools',
    calls,
    listTools: async () => ({
      tools: Object.entries(tools).map(([name, tool]) => {
        const { execute: _, ...definition } =
          typeof tool === 'function' ? { execute: tool, readOnly: false, destructive: false } : tool;
        return {
          description: `Does ${name}.`,
          inputSchema: { type: 'object', properties: { from: { type: 'string' } } },
          ...definition,
          name,
        };
      }),
      warnings,
    }),
    async callTool(call, options) {
      calls.push(call);
      const tool = tools[call.toolName];
      const execute = typeof tool === 'function' ? tool : tool?.execute;
      const output = await execute?.(call.input, { ...options, toolCallId: call.toolCallId });
      return typeof output === 'string' ? { type: 'text', value: output } : (output as ToolOutput);
    },
    close: async () => {},
  };
}

/** Returns the declaration of a host's tool, as `generateText` passes it to the model. */
export const declareTool = (name: string): LanguageModelV2FunctionTool => ({
  type: 'function',
  name,
  inputSchema: { type: 'object' },
});

/** Creates a promise and the function that resolves it. */
export function gate<Value = void>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>(resolve => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits for some turns of the event loop, in which all pending callbacks run. */
export async function flushCallbacks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
}
