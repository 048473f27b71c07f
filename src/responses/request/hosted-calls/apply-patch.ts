import { fieldsOf } from '../fields.js';
import type { HostedCallForm } from './hosted-call-form.js';
import { toPlainOutput } from './to-plain-output.js';

/** `apply_patch`: a file to create, update or delete. */
export const applyPatch: HostedCallForm = {
  toCall({ toolCallId, input }, { takeId }) {
    const operation = fieldsOf(fieldsOf(input)?.operation);
    if (operation === undefined || typeof operation.type !== 'string') return undefined;
    return {
      type: 'apply_patch_call',
      call_id: toolCallId,
      ...takeId(),
      status: 'completed',
      operation: { ...operation, type: operation.type },
    };
  },

  toOutput(part, options) {
    const { status, output } = (part.output.type === 'json' && fieldsOf(part.output.value)) || {};
    if (status === 'completed' || status === 'failed') {
      return {
        type: 'apply_patch_call_output',
        call_id: part.toolCallId,
        status,
        ...(typeof output === 'string' && { output }),
      };
    }
    const { text, isError } = toPlainOutput(part, options);
    return {
      type: 'apply_patch_call_output',
      call_id: part.toolCallId,
      status: isError ? 'failed' : 'completed',
      ...(text !== '' && { output: text }),
    };
  },
};
