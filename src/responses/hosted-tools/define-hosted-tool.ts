import type { LanguageModelV2ToolResultOutput } from '@ai-sdk/provider';
import type * as z from 'zod/v4';

/**
 * A provider-defined tool in the form of the AI SDK.
 *
 * Told by its shape: each release of `ai` brings its own copy of the `Tool` type, and all of them take schemas of Zod.
 */
export interface ProviderDefinedTool<INPUT, OUTPUT> extends ToolRun<INPUT, OUTPUT> {
  type: 'provider-defined';
  id: `${string}.${string}`;
  name: string;
  args: Record<string, unknown>;
  inputSchema: z.ZodType<INPUT>;
  outputSchema?: z.ZodType<OUTPUT>;
}

/** What the host does for a call, as in any tool of the AI SDK. */
export interface ToolRun<INPUT, OUTPUT> {
  /** Runs the call. Without it the turn ends at the call. */
  execute?: (input: INPUT, options: ToolRunOptions) => PromiseLike<OUTPUT> | OUTPUT;
  /** How the output is told to the model. @default text as text, all else as JSON */
  toModelOutput?: (output: OUTPUT) => LanguageModelV2ToolResultOutput;
}

export interface ToolRunOptions {
  toolCallId: string;
  /** What the model had read when it called. */
  messages: unknown[];
  /** Tells that nobody waits for the output any more. */
  abortSignal?: AbortSignal;
}

/** Defines the factory of a tool that the API knows by its id. What is no part of its run are its arguments. */
export function defineHostedTool<INPUT, OUTPUT, ARGUMENTS extends object>(tool: {
  id: `openai.${string}`;
  name: string;
  inputSchema: z.ZodType<INPUT>;
  outputSchema?: z.ZodType<OUTPUT>;
}) {
  return ({
    execute,
    toModelOutput,
    ...args
  }: ARGUMENTS & ToolRun<INPUT, OUTPUT>): ProviderDefinedTool<INPUT, OUTPUT> => ({
    ...tool,
    type: 'provider-defined',
    args,
    ...(execute && { execute }),
    ...(toModelOutput && { toModelOutput }),
  });
}
