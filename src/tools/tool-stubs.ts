import type { LanguageModelV2FunctionTool } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { PendingWarningsSource } from './with-pending-warnings.js';

/**
 * The declaration of a tool that the provider runs. Its schema is one of Zod's, which the `Tool` types of all releases
 * of `ai` take; a `jsonSchema()` is accepted only by the release it was made with.
 */
export interface ToolStub<Input = Record<string, unknown>> {
  /** What the tool does, for the model to read. */
  description?: string;
  inputSchema: z.ZodType<Input>;
  /** Says to models that no one but the provider runs the tool; hosts pass it on. */
  providerOptions: { kelivo: { stub: true } };
}

/** Declarations of the tools of a source, by name. */
export async function toToolStubs(
  source: PendingWarningsSource | undefined,
): Promise<Record<string, ToolStub>> {
  const tools = (await source?.listToolsOnly()) ?? [];
  return Object.fromEntries(tools.map(tool => [tool.name, toToolStub(tool)]));
}

/** The declaration of one tool. It has no `execute`. */
export const toToolStub = ({ description }: { readonly description?: string }): ToolStub => ({
  ...(description !== undefined && { description }),
  // Lenient on purpose: `ai@5` takes a call that fails the declared schema for one of its own.
  inputSchema: z.looseObject({}),
  providerOptions: { kelivo: { stub: true } },
});

/** Whether a tool of a call is such a declaration. */
export const isToolStub = ({ providerOptions }: LanguageModelV2FunctionTool): boolean =>
  providerOptions?.kelivo?.stub === true;
