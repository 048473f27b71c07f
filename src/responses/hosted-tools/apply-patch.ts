import * as z from 'zod/v4';
import { objectOf } from '../../shared/json.js';
import type { HostedInputItem } from '../wire.js';
import {
  defineToolFactory,
  type HostedTool,
  presentFields,
  toCallId,
  toOutputObject,
  toPlainOutput,
  toStatus,
} from './hosted-tool.js';

export interface ApplyPatchInput {
  /** Id of the call, equal to the id of the tool call. */
  callId: string;
  /** Change of one file. `diff` is in OpenAI's V4A format. */
  operation:
    | { type: 'create_file'; path: string; diff: string }
    | { type: 'update_file'; path: string; diff: string }
    | { type: 'delete_file'; path: string };
}

export interface ApplyPatchOutput {
  status: 'completed' | 'failed';
  /** Message for the model, such as the reason for a failure. */
  output?: string;
}

const createTool = defineToolFactory<ApplyPatchInput, ApplyPatchOutput, object>({
  id: 'openai.apply_patch',
  name: 'apply_patch',
  toSchemas: () => ({
    inputSchema: z.object({
      callId: z.string(),
      operation: z.discriminatedUnion('type', [
        z.object({ type: z.literal('create_file'), path: z.string(), diff: z.string() }),
        z.object({ type: z.literal('update_file'), path: z.string(), diff: z.string() }),
        z.object({ type: z.literal('delete_file'), path: z.string() }),
      ]),
    }),
    outputSchema: z.object({ status: z.enum(['completed', 'failed']), output: z.string().optional() }),
  }),
});

/** Creates, updates and deletes files with patches that the model writes and the host applies. */
export const applyPatch = (options: Parameters<typeof createTool>[0] = {}) => createTool(options);

interface ApplyPatchCall extends HostedInputItem {
  type: 'apply_patch_call';
  call_id: string;
  status: 'completed';
  /** Operation of type `create_file`, `update_file` or `delete_file`, with its path and diff. */
  operation: Readonly<Record<string, unknown>>;
}

interface ApplyPatchCallOutput extends HostedInputItem {
  type: 'apply_patch_call_output';
  call_id: string;
  status: 'completed' | 'failed';
  output?: string;
}

/** `apply_patch`: the host creates, updates or deletes one file. */
export const applyPatchTool: HostedTool = {
  declarations: { 'openai.apply_patch': { type: 'apply_patch', choiceFields: [] } },
  items: {
    apply_patch_call: {
      toolName: 'apply_patch',
      callId: toCallId,
      input: ({ call_id: callId, operation }) => presentFields({ callId, operation }),
      isForHost: () => true,
      result: toStatus,
    },
  },
  replay: {
    toCall({ toolCallId, input }, { takeId }): ApplyPatchCall | undefined {
      const operation = objectOf(objectOf(input)?.operation);
      if (operation === undefined || typeof operation.type !== 'string') return undefined;
      return {
        type: 'apply_patch_call',
        call_id: toolCallId,
        ...takeId(),
        status: 'completed',
        operation,
      };
    },

    toOutput(part, toContent): ApplyPatchCallOutput {
      const { status, output } = toOutputObject(part) ?? {};
      if (status === 'completed' || status === 'failed') {
        return {
          type: 'apply_patch_call_output',
          call_id: part.toolCallId,
          status,
          ...(typeof output === 'string' && { output }),
        };
      }
      const { text, isError } = toPlainOutput(part, toContent);
      return {
        type: 'apply_patch_call_output',
        call_id: part.toolCallId,
        status: isError ? 'failed' : 'completed',
        ...(text !== '' && { output: text }),
      };
    },
  },
};
