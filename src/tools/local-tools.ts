import { asSchema } from '@ai-sdk/provider-utils';
import { untilAborted } from '../shared/abort.js';
import { KelivoError } from '../shared/errors.js';
import { type LocalToolsOptions, needsApproval, type OwnTool, runLocalTool } from './run-local-tool.js';
import type { ToolDefinition, ToolSource } from './tool-source.js';

/**
 * The input type of a tool's schema: Zod 4, Zod 3, `jsonSchema<T>()` of any release of `ai`, a lazy schema, or a
 * Standard Schema. Other schemas have an `unknown` input.
 */
export type ToolInput<Schema> = Schema extends { readonly _zod: { readonly output: infer Input } }
  ? Input
  : Schema extends { readonly _type: infer Input }
    ? Input
    : Schema extends { readonly _output: infer Input }
      ? Input
      : Schema extends { readonly '~standard': { readonly types?: infer Types } }
        ? NonNullable<Types> extends { readonly output: infer Input }
          ? Input
          : unknown
        : Schema extends () => infer Lazy
          ? ToolInput<Lazy>
          : unknown;

/** The second argument of a local tool's `execute`. */
export interface LocalToolCallOptions {
  readonly toolCallId: string;
  /** The messages of the host's prompt. */
  readonly messages: readonly unknown[];
  /** Aborts with the call. */
  readonly abortSignal?: AbortSignal;
  /** The `context` of the tools, for tools that were written for `ai` 5 and 6. */
  readonly experimental_context?: unknown;
  /** The `context` of the tools, for tools that were written for `ai` 7. */
  readonly context?: unknown;
}

/**
 * A tool that the loop runs: a `tool()` of the AI SDK or a plain object of the same shape.
 *
 * The type is structural, because the `Tool` types of the releases of `ai` do not accept each other's schemas. The
 * functions are methods, so that their parameters may have the types of any release.
 */
export interface LocalTool<Schema = unknown> {
  /** What the tool does and when to use it. The model reads it. @default none */
  readonly description?: string | ((options: never) => string);
  /** The schema of the input: a Zod schema or the result of `jsonSchema()` of `ai`. */
  readonly inputSchema: Schema;
  /** Runs the tool. Required, although the type of `tool()` declares it as optional. */
  execute?(input: ToolInput<Schema>, options: LocalToolCallOptions): unknown;
  /** Converts the output for the model. @default strings as text, other values as JSON */
  readonly toModelOutput?: (output: never) => unknown;
  /**
   * Whether a call needs approval, as in `ai` 6 and 7. `approve` of the tool loop decides. Without `approve` the call is
   * refused.
   * @default the `approvals` option of the tool loop
   */
  readonly needsApproval?: boolean | NeedsApproval<ToolInput<Schema>>['check'];
  /** Set to true if the tool changes nothing. Read-only tools run in parallel. @default false */
  readonly readOnly?: boolean;
  /** Set to true if the tool can destroy data. `approvals: 'destructive'` covers such tools. @default false */
  readonly destructive?: boolean;
}

/** Declares the function as a method, see `LocalTool`. */
interface NeedsApproval<Input> {
  check(input: Input, options: never): boolean | PromiseLike<boolean>;
}

/** Local tools by name, as for `generateText`. Each tool must have `execute`. The input of each is inferred from its schema. */
export type LocalTools<Schemas = Record<string, unknown>> = {
  readonly [Name in keyof Schemas]: LocalTool<Schemas[Name]>;
};

/**
 * Creates a source of tools that run in this process. Input is validated with the tool's schema, `toModelOutput` is
 * applied, and an exception becomes an `error-text` output.
 *
 * @example
 * ```ts
 * const tools = createLocalTools({
 *   weather: {
 *     inputSchema: z.object({ city: z.string() }),
 *     execute: async ({ city }) => `Sunny in ${city}`,
 *   },
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
export function createLocalTools<Schemas = Record<string, unknown>>(
  localTools: LocalTools<Schemas>,
  options: LocalToolsOptions = {},
): ToolSource {
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
