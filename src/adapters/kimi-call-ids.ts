import { callIdsMiddleware } from './call-ids/call-ids-middleware.js';

/**
 * Kimi K2 is trained on ids of the form `functions.<name>:<index>`, counted over the conversation. With others in its
 * history it answers nothing, or writes its calls as text: MoonshotAI/Kimi-K2, docs/tool_call_guidance.md;
 * getkimchi/kimchi#1063; ml-explore/mlx-lm#821. K3 leaves out the prefix and counts anew in each answer, as servers of
 * K2 do: fw-ai/fireconnect#16.
 */
export const kimiCallIdsMiddleware = callIdsMiddleware({
  isValid: ({ toolCallId, toolName }) => {
    const [, name, index = ''] = /^(?:functions\.)?(.+):(\d+)$/s.exec(toolCallId) ?? [];
    return name === toolName && index !== '';
  },
  toValid: ({ toolName, index }, attempt) => `functions.${toolName}:${index + attempt}`,
  repeated: 'new-call',
});
