import { asSchema } from '@ai-sdk/provider-utils';
import { untilAborted } from '../shared/abort.js';
import { KelivoError } from '../shared/errors.js';
import { type LocalToolsOptions, needsApproval, type OwnTool, runLocalTool } from './run-local-tool.js';
import type { ToolDefinition, ToolSource } from './tool-source.js';

/**
 * A tool of the AI SDK that the loop runs, made with `tool()`, with what it should know of it.
 *
 * Told by its shape: each release of `ai` brings its own copy of the `Tool` type, and no copy accepts the schemas of
 * another.
 */
export interface LocalTool {
  /** What the tool does and when it is of use, for the model to read. @default none */
  readonly description?: string | ((options: never) => string);
  /** A Zod schema, or what `jsonSchema()` of `ai` gives. */
  readonly inputSchema: unknown;
  /** Runs the tool. Required, though the type of `tool()` cannot promise it. */
  readonly execute?: (input: never, options: never) => unknown;
  /** How the output is told to the model. @default text as text, all else as JSON */
  readonly toModelOutput?: (output: never) => unknown;
  /**
   * Whether a call needs approval, as in `ai` 6 and 7. Here `approve` of the tool loop gives it; without that the call is
   * refused.
   * @default what `approvals` of the tool loop says
   */
  readonly needsApproval?: boolean | ((input: never, options: never) => boolean | PromiseLike<boolean>);
  /** Whether the tool changes nothing and so may run beside others. @default false */
  readonly readOnly?: boolean;
  /** Whether the tool may destroy something and so may need approval. @default false */
  readonly destructive?: boolean;
}

/** Tools by their names, as for `generateText`. Each must have `execute`. */
export type LocalTools = Readonly<Record<string, LocalTool>>;

/**
 * A source of tools that run in this process: AI SDK `tool()` objects with `execute`. Input is validated with the
 * tool's own schema, `toModelOutput` is honoured, and an exception becomes an `error-text` output.
 *
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`: it could never answer.
 */
export function createLocalTools(localTools: LocalTools, options: LocalToolsOptions = {}): ToolSource {
  const tools = localTools as Readonly<Record<string, LocalTool & OwnTool>>;
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
      for (const [name, tool] of Object.entries(tools)) {
        const { readOnly = false, destructive = false } = tool;
        try {
          const inputSchema = await asSchema(tool.inputSchema).jsonSchema;
          const description = toDescription(tool, options);
          definitions.push({
            ...{ name, description, inputSchema, readOnly, destructive },
            ...(tool.needsApproval && {
              needsApproval: (call, { messages }) => needsApproval(tool, call, { ...options, messages }),
            }),
          });
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          warnings.push(
            `The local tool "${name}" is not offered: its input schema cannot be told as JSON Schema (${reason}).`,
          );
        }
      }
      const listing = { tools: definitions, warnings: isFirstListing ? warnings : [] };
      isFirstListing = false;
      return listing;
    },

    async callTool(call, callOptions) {
      const { signal } = callOptions;
      signal.throwIfAborted();
      const tool = Object.hasOwn(tools, call.toolName) ? tools[call.toolName] : undefined;
      if (tool === undefined) return { type: 'error-text', value: `There is no tool "${call.toolName}".` };
      return untilAborted(runLocalTool(tool, call, { ...options, ...callOptions }), signal);
    },

    close: async () => {},
  };
}

/** `ai` 7 has descriptions that depend on the context. */
const toDescription = ({ description }: LocalTool, { context }: LocalToolsOptions): string | undefined =>
  typeof description === 'function' ? description({ context } as never) : description;
