import type { LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import type { ToolCallOptions, ToolInvocation, ToolOutput, ToolSource } from '../../src/tools/tool-source.js';

export type Execute = (
  input: ToolInvocation['input'],
  options: ToolCallOptions & { toolCallId: string },
) => unknown;

export interface ScriptedTool {
  readonly execute: Execute;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
}

/** Tools made of functions: a text is the output, whatever else an output part. */
export function scriptedTools(
  tools: Readonly<Record<string, Execute | ScriptedTool>>,
  { warnings = [] }: { warnings?: string[] } = {},
): ToolSource & { readonly calls: ToolInvocation[] } {
  const calls: ToolInvocation[] = [];
  return {
    name: 'scripted tools',
    calls,
    listTools: async () => ({
      tools: Object.entries(tools).map(([name, tool]) => ({
        name,
        description: `Does ${name}.`,
        inputSchema: { type: 'object', properties: { from: { type: 'string' } } },
        readOnly: typeof tool === 'function' ? false : tool.readOnly,
        destructive: typeof tool === 'function' ? false : tool.destructive,
      })),
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

/** A host's declaration of a tool, as `generateText` hands it on. */
export const declared = (name: string): LanguageModelV2FunctionTool => ({
  type: 'function',
  name,
  inputSchema: { type: 'object' },
});

/** A promise with its handle: what a test waits for, or lets go. */
export function gate<Value = void>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>(resolve => {
    open = resolve;
  });
  return { opened, open };
}

/** Lets everything that is ready to run, run. */
export const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 5));
