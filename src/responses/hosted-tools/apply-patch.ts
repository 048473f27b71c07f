import * as z from 'zod/v4';
import { defineHostedTool } from './define-hosted-tool.js';

export interface ApplyPatchInput {
  /** The id of the call, the same as the tool call's. */
  callId: string;
  /** What to do with one file; `diff` is in OpenAI's V4A format. */
  operation:
    | { type: 'create_file'; path: string; diff: string }
    | { type: 'update_file'; path: string; diff: string }
    | { type: 'delete_file'; path: string };
}

export interface ApplyPatchOutput {
  status: 'completed' | 'failed';
  /** Tells the model what was done or why it failed. */
  output?: string;
}

const inputSchema: z.ZodType<ApplyPatchInput> = z.object({
  callId: z.string(),
  operation: z.discriminatedUnion('type', [
    z.object({ type: z.literal('create_file'), path: z.string(), diff: z.string() }),
    z.object({ type: z.literal('update_file'), path: z.string(), diff: z.string() }),
    z.object({ type: z.literal('delete_file'), path: z.string() }),
  ]),
});

const outputSchema: z.ZodType<ApplyPatchOutput> = z.object({
  status: z.enum(['completed', 'failed']),
  output: z.string().optional(),
});

const createTool = defineHostedTool<ApplyPatchInput, ApplyPatchOutput, object>({
  id: 'openai.apply_patch',
  name: 'apply_patch',
  inputSchema,
  outputSchema,
});

/** Creates, changes and deletes files by patches that the model writes and the host applies. */
export const applyPatch = (options: Parameters<typeof createTool>[0] = {}) => createTool(options);
