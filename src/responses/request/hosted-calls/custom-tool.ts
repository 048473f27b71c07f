import { toToolOutput } from '../to-tool-output.js';
import type { HostedCallForm } from './hosted-call-form.js';

/** A custom tool: free text in, text or content out. */
export const customTool: HostedCallForm = {
  toCall: ({ toolCallId, input }, { wireName, takeId }) => ({
    type: 'custom_tool_call',
    call_id: toolCallId,
    ...takeId(),
    name: wireName,
    input: typeof input === 'string' ? input : (JSON.stringify(input) ?? ''),
  }),

  toOutput: (part, options) => ({
    type: 'custom_tool_call_output',
    call_id: part.toolCallId,
    output: toToolOutput(part, options),
  }),
};
