import { fieldsOf } from '../fields.js';
import { toArguments } from '../to-arguments.js';
import type { HostedCallForm } from './hosted-call-form.js';
import { toPlainOutput } from './to-plain-output.js';

/**
 * The API asks whether it may call a tool of a hosted MCP server, and the host answers.
 *
 * Only for the next answer: an approval is what makes the server run the tool, and the call that followed from an
 * earlier one is not in the input to show that it has been run.
 */
export const mcpApproval: HostedCallForm = {
  isForNextAnswer: true,

  toCall({ toolCallId, input }) {
    const { serverLabel, name, arguments: args } = fieldsOf(input) ?? {};
    if (typeof serverLabel !== 'string' || typeof name !== 'string') return undefined;
    return {
      type: 'mcp_approval_request',
      id: toolCallId,
      server_label: serverLabel,
      name,
      arguments: toArguments(args),
    };
  },

  toOutput(part, options) {
    const { approve, reason } = (part.output.type === 'json' && fieldsOf(part.output.value)) || {};
    if (typeof approve === 'boolean') {
      return {
        type: 'mcp_approval_response',
        approval_request_id: part.toolCallId,
        approve,
        ...(typeof reason === 'string' && { reason }),
      };
    }
    // Only a plain yes is one: whatever failed or was left open is not approved.
    const { text } = toPlainOutput(part, options);
    return {
      type: 'mcp_approval_response',
      approval_request_id: part.toolCallId,
      approve: false,
      ...(text !== '' && { reason: text }),
    };
  },
};
