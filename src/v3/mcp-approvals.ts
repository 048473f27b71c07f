import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type {
  LanguageModelV3Message,
  LanguageModelV3Tool,
  LanguageModelV3ToolApprovalRequest,
  LanguageModelV3ToolCall,
} from './specification.js';

// A hosted MCP server may ask before it runs a tool. To version 2 that is a call of a tool which the host declared for
// it; version 3 has requests and answers of their own.

type Fields = Readonly<Record<string, unknown>>;
type Part = { readonly type: string } & Fields;
type V2Call = Extract<LanguageModelV2StreamPart, { type: 'tool-call' }>;

const APPROVAL_TOOL = {
  type: 'provider',
  id: 'openai.mcp_approval_request',
  name: 'mcp_approval_request',
  args: {},
} as const;

/** The tools, with the one by which version 2 asks, where a hosted MCP server may have to. */
export function withApprovalTool(tools: readonly LanguageModelV3Tool[]): readonly LanguageModelV3Tool[] {
  const asks = tools.some(tool => tool.id === 'openai.mcp');
  const isThere = tools.some(({ id, name }) => id === APPROVAL_TOOL.id || name === APPROVAL_TOOL.name);
  return asks && !isThere ? [...tools, APPROVAL_TOOL] : tools;
}

/** Whether a call is such a question, rather than one of a tool that the host declared under that name. */
export const isApprovalCall = (
  { toolName, providerExecuted }: { toolName: string; providerExecuted?: boolean },
  isDeclared: (toolName: string) => boolean,
): boolean => toolName === APPROVAL_TOOL.name && providerExecuted !== true && !isDeclared(toolName);

/** The call that waits, and the question whether it may run. */
export function toApprovalRequest({
  toolCallId,
  input,
  providerMetadata,
}: V2Call): [LanguageModelV3ToolCall, LanguageModelV3ToolApprovalRequest] {
  const { serverLabel, name, arguments: args = {} } = JSON.parse(input) as Record<string, string>;
  const call: LanguageModelV3ToolCall = {
    type: 'tool-call',
    toolCallId,
    toolName: `mcp.${name}`,
    input: typeof args === 'string' ? args : JSON.stringify(args),
    providerExecuted: true,
    dynamic: true,
    // The history brings it back, and with it the question.
    providerMetadata: {
      ...providerMetadata,
      kelivo: { ...providerMetadata?.kelivo, approvalFor: serverLabel ?? '' },
    },
  };
  return [call, { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }];
}

/** A history with questions and answers as version 2 tells them. */
export function withV2Approvals(
  prompt: readonly LanguageModelV3Message[],
): readonly LanguageModelV3Message[] {
  /** Whether a question has its answer, by its id. */
  const isAnswered = new Map<unknown, boolean>();
  return prompt.map(message =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: (message.content as readonly Part[]).flatMap(toV2Parts) },
  );

  function toV2Parts(part: Part): readonly Part[] {
    switch (part.type) {
      case 'tool-call':
        return [toQuestion(part)];
      case 'tool-approval-response':
        return toAnswer(part, part.approvalId, part);
      case 'tool-result': {
        // Hosts tell a refusal in this way, and some in the other too.
        const output: Fields = Object(part.output);
        return output.type === 'execution-denied' ? toAnswer(part, part.toolCallId, output) : [part];
      }
      default:
        return [part];
    }
  }

  function toQuestion(part: Part): Part {
    const { toolCallId, toolName, input, providerOptions } = part;
    const serverLabel = (providerOptions as LanguageModelV3Message['providerOptions'])?.kelivo?.approvalFor;
    if (typeof serverLabel !== 'string') return part;
    isAnswered.set(toolCallId, false);
    const question = { serverLabel, name: String(toolName).replace(/^mcp\./, ''), arguments: input };
    return { type: 'tool-call', toolCallId, toolName: APPROVAL_TOOL.name, input: question, providerOptions };
  }

  function toAnswer(part: Part, id: unknown, { approved, reason }: Fields): readonly Part[] {
    const known = isAnswered.get(id);
    if (known !== false) return known === undefined ? [part] : [];
    isAnswered.set(id, true);
    const value = { approve: approved === true, ...(typeof reason === 'string' && { reason }) };
    const { name: toolName } = APPROVAL_TOOL;
    return [{ type: 'tool-result', toolCallId: id, toolName, output: { type: 'json', value } }];
  }
}
