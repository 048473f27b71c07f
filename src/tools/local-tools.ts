import type { JSONValue } from '@ai-sdk/provider';
import { asSchema, executeTool, type Tool } from '@ai-sdk/provider-utils';
import { untilAborted } from '../abort/until-aborted.js';
import { KelivoError } from '../errors.js';
import type { ToolDefinition, ToolInvocation, ToolOutput, ToolSource } from './tool-source.js';

/**
 * A tool of the AI SDK that the loop runs, made with `tool()`, with what it should know of it.
 *
 * Told by its shape: each release of `ai` brings its own copy of the `Tool` type, and no copy accepts the schemas of
 * another.
 */
export interface LocalTool {
  /** What the tool does and when it is of use, for the model to read. @default none */
  readonly description?: string;
  /** A Zod schema, or what `jsonSchema()` of `ai` gives. */
  readonly inputSchema: unknown;
  /** Runs the tool. Required, though the type of `tool()` cannot promise it. */
  readonly execute?: (input: never, options: never) => unknown;
  /** How the output is told to the model. @default text as text, all else as JSON */
  readonly toModelOutput?: (output: never) => ToolOutput;
  /** Whether the tool changes nothing and so may run beside others. @default false */
  readonly readOnly?: boolean;
  /** Whether the tool may destroy something and so may need approval. @default false */
  readonly destructive?: boolean;
}

/** Tools by their names, as for `generateText`. Each must have `execute`. */
export type LocalTools = Readonly<Record<string, LocalTool>>;

/** The same in the terms of our own copy of the types; at run time all copies are alike. */
type OwnTool = Tool<unknown, unknown> & Pick<LocalTool, 'readOnly' | 'destructive'>;

/**
 * A source of tools that run in this process: AI SDK `tool()` objects with `execute`. Input is validated with the
 * tool's own schema, `toModelOutput` is honoured, and an exception becomes an `error-text` output.
 *
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`: it could never answer.
 */
export function createLocalTools(localTools: LocalTools): ToolSource {
  const tools = localTools as Readonly<Record<string, OwnTool>>;
  for (const [name, tool] of Object.entries(tools)) {
    if (typeof tool?.execute !== 'function') {
      throw new KelivoError({
        code: 'invalid-settings',
        message:
          `Expected the local tool "${name}" to have an \`execute\` function, got none. ` +
          'Give it one, or pass the tool to `generateText` / `streamText` instead.',
      });
    }
  }

  let isFirstListing = true;

  return {
    name: 'local tools',
    async listTools() {
      const definitions: ToolDefinition[] = [];
      const warnings: string[] = [];
      for (const [
        name,
        { description, inputSchema, readOnly = false, destructive = false },
      ] of Object.entries(tools)) {
        try {
          const schema = await asSchema(inputSchema).jsonSchema;
          definitions.push({ name, description, inputSchema: schema, readOnly, destructive });
        } catch (error) {
          warnings.push(
            `The local tool "${name}" is not offered: its input schema cannot be told as JSON Schema (${toMessage(error)}).`,
          );
        }
      }
      const listing = { tools: definitions, warnings: isFirstListing ? warnings : [] };
      isFirstListing = false;
      return listing;
    },

    async callTool(call, { signal }) {
      signal.throwIfAborted();
      const tool = Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined;
      if (tool === undefined) return { type: 'error-text', value: `There is no tool "${call.toolName}".` };
      return untilAborted(run(tool, call, signal), signal);
    },

    close: async () => {},
  };
}

async function run(tool: OwnTool, call: ToolInvocation, signal: AbortSignal): Promise<ToolOutput> {
  try {
    const { validate } = asSchema(tool.inputSchema);
    const checked = (await validate?.(call.input)) ?? { success: true as const, value: call.input };
    if (!checked.success) {
      return {
        type: 'error-text',
        value: `Invalid arguments for tool "${call.toolName}": ${checked.error.message}`,
      };
    }
    const output = await lastOutput(tool, checked.value, call.toolCallId, signal);
    return tool.toModelOutput?.(output) ?? toOutput(output);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { type: 'error-text', value: toMessage(error) };
  }
}

/** A tool may stream preliminary outputs; the model gets the final one. */
async function lastOutput(
  tool: OwnTool,
  input: unknown,
  toolCallId: string,
  signal: AbortSignal,
): Promise<unknown> {
  const execute = tool.execute;
  if (execute === undefined) throw new Error('The tool has no `execute` function.');
  let last: unknown;
  const options = { toolCallId, messages: [], abortSignal: signal };
  for await (const { output } of executeTool({ execute: execute.bind(tool), input, options })) {
    // Leaving the loop ends a generator that does not heed its signal.
    if (signal.aborted) throw signal.reason;
    last = output;
  }
  return last;
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function toOutput(value: unknown): ToolOutput {
  if (typeof value === 'string') return { type: 'text', value };
  // What JSON cannot hold (functions, cycles) must not reach a host that clones its messages.
  const json: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value) ?? 'null');
  return { type: 'json', value: json as JSONValue };
}
