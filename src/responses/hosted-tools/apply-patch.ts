import * as z from 'zod/v4';
import { objectOf, stringOf } from '../../core/shared/json.js';
import {
  escapeJson,
  type HostedTool,
  type HostedInputStream,
  presentFields,
  toCallId,
  toOutputObject,
  toPlainOutput,
  toStatus,
  defineHostedTool,
  type ToolCaller,
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

export interface ApplyPatchToolArguments {
  /**
   * Callers of the tool: the model, its programs, or both.
   * @default the default of the API
   */
  allowedCallers?: ToolCaller[];
}

/** Creates, updates and deletes files with patches that the model writes and the host applies. */
export const applyPatch = defineHostedTool<ApplyPatchInput, ApplyPatchOutput, ApplyPatchToolArguments>()({
  id: 'openai.apply_patch',
  name: 'apply_patch',
  isProviderExecuted: false,
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

const diffStream: HostedInputStream = {
  events: ['response.apply_patch_call_operation_diff.delta', 'response.apply_patch_call_operation_diff.done'],
  begin(item) {
    const { type, path } = objectOf(item.operation) ?? {};
    const start = JSON.stringify(
      presentFields({ callId: item.call_id, operation: presentFields({ type, path }) }),
    );
    let isEmpty = true;
    return event => {
      // The last event repeats the diff.
      const text = stringOf(event.delta) || (isEmpty ? stringOf(event.diff) : '');
      if (text === '') return '';
      const before = isEmpty ? `${start.slice(0, -2)},"diff":"` : '';
      isEmpty = false;
      return before + escapeJson(text);
    };
  },
  end: '"}}',
};

export const applyPatchTool: HostedTool = {
  declarations: { 'openai.apply_patch': { type: 'apply_patch', choiceFields: [] } },
  items: {
    apply_patch_call: {
      toolName: 'apply_patch',
      callId: toCallId,
      inputStream: diffStream,
      input(item) {
        // In the order in which the fields are streamed.
        const { type, path, diff, ...others } = objectOf(item.operation) ?? {};
        return presentFields({
          callId: item.call_id,
          operation: presentFields({ type, path, diff, ...others }),
        });
      },
      isForHost: () => true,
      result: toStatus,
    },
  },
  replay: {
    toCall(part, context) {
      const operation = objectOf(objectOf(part.input)?.operation);
      if (operation === undefined || typeof operation.type !== 'string') return undefined;
      return {
        type: 'apply_patch_call',
        call_id: part.toolCallId,
        ...context.takeId(),
        status: 'completed',
        operation,
      };
    },

    toOutput(part, toContent) {
      const item = { type: 'apply_patch_call_output', call_id: part.toolCallId };
      const { status, output } = toOutputObject(part) ?? {};
      if (status === 'completed' || status === 'failed')
        return { ...item, status, ...(typeof output === 'string' && { output }) };
      const { text, isError } = toPlainOutput(part, toContent);
      return { ...item, status: isError ? 'failed' : 'completed', ...(text !== '' && { output: text }) };
    },
  },
};
