import type { LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { PendingWarningsSource } from './tool-source.js';

/**
 * The declaration of a tool that the provider executes. The schema is a Zod schema because the `Tool` types of all
 * `ai` releases accept one; a `jsonSchema()` is only accepted by the release that created it.
 */
export interface ToolStub<Input = Record<string, unknown>> {
  /** Describes to the model what the tool does. */
  description?: string;
  inputSchema: z.ZodType<Input>;
  /** Marks the tool as executed by the provider. Hosts pass it on to the model. */
  providerOptions: { kelivo: { stub: true } };
}

/** Returns the declarations of the tools of a source, by name. */
export async function toToolStubs(
  source: PendingWarningsSource | undefined,
): Promise<Record<string, ToolStub>> {
  const tools = (await source?.listToolsOnly()) ?? [];
  return Object.fromEntries(tools.map(tool => [tool.name, toToolStub(tool)]));
}

/** Returns the declaration of one tool. It has no `execute`. */
export const toToolStub = ({ description }: { readonly description?: string }): ToolStub => ({
  ...(description !== undefined && { description }),
  // Intentionally lenient: `ai@5` treats a call that fails the declared schema as a call of a host tool.
  inputSchema: z.looseObject({}),
  providerOptions: { kelivo: { stub: true } },
});

/** Returns true if a tool of a call is a stub. */
export const isToolStub = ({ providerOptions }: LanguageModelV2FunctionTool): boolean =>
  providerOptions?.kelivo?.stub === true;
