import type { LanguageModelV2ToolResultOutput } from '@ai-sdk/provider';
import type * as z from 'zod/v4';

/**
 * A provider-defined tool of the AI SDK. It is described structurally because each release of `ai` has its own `Tool`
 * type. All of them accept Zod schemas.
 */
export interface ProviderDefinedTool<INPUT, OUTPUT> extends ToolExecution<INPUT, OUTPUT> {
  type: 'provider-defined';
  id: `${string}.${string}`;
  name: string;
  args: Record<string, unknown>;
  inputSchema: z.ZodType<INPUT>;
  outputSchema?: z.ZodType<OUTPUT>;
}

/** Execution of a tool by the host, as in any tool of the AI SDK. */
export interface ToolExecution<INPUT, OUTPUT> {
  /** Executes a call. Without it the turn ends at the call. */
  execute?: (input: INPUT, options: ToolExecutionOptions) => PromiseLike<OUTPUT> | OUTPUT;
  /**
   * Converts the output for the model.
   * @default strings become text, other values JSON
   */
  toModelOutput?: (output: OUTPUT) => LanguageModelV2ToolResultOutput;
}

/** Caller of a tool: the model itself, or a program that it wrote (`hostedTools.programmaticToolCalling`). */
export type ToolCaller = 'direct' | 'programmatic';

export interface ToolExecutionOptions {
  toolCallId: string;
  /** Messages that the model received before the call. */
  messages: unknown[];
  /** Aborts when the output is no longer needed. */
  abortSignal?: AbortSignal;
}

/**
 * Creates the factory of a provider-defined tool. The schemas are built when the factory is first called, so that
 * importing the package stays fast.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineToolFactory<INPUT, OUTPUT, ARGUMENTS extends object>({
  id,
  name,
  toSchemas,
}: {
  id: `openai.${string}`;
  name: string;
  toSchemas: () => { inputSchema: z.ZodType<INPUT>; outputSchema?: z.ZodType<OUTPUT> };
}) {
  let schemas: ReturnType<typeof toSchemas> | undefined;
  return ({
    execute,
    toModelOutput,
    ...args
  }: ARGUMENTS & ToolExecution<INPUT, OUTPUT>): ProviderDefinedTool<INPUT, OUTPUT> => ({
    type: 'provider-defined',
    id,
    name,
    args,
    ...(schemas ??= toSchemas()),
    ...(execute && { execute }),
    ...(toModelOutput && { toModelOutput }),
  });
}
