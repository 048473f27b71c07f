import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { objectOf, type PlainObject, stringOf } from '../shared/json.js';
import type {
  LanguageModelV3Message,
  LanguageModelV3PromptPart,
  LanguageModelV3Tool,
  LanguageModelV3ToolApprovalRequest,
  LanguageModelV3ToolCall,
} from './specification.js';

// Version 3 has parts for approval requests and responses. Version 2 expresses both as a call of a tool that the host
// declares for this purpose, and its result.

type V2Call = Extract<LanguageModelV2StreamPart, { type: 'tool-call' }>;

const APPROVAL_TOOL = {
  type: 'provider',
  id: 'openai.mcp_approval_request',
  name: 'mcp_approval_request',
  args: {},
} as const;

/** Adds the approval tool of version 2 if the tools include a hosted MCP server, which may request approvals. */
export function withApprovalTool(tools: readonly LanguageModelV3Tool[]): readonly LanguageModelV3Tool[] {
  const needsTool = tools.some(tool => tool.id === 'openai.mcp');
  const hasTool = tools.some(({ id, name }) => id === APPROVAL_TOOL.id || name === APPROVAL_TOOL.name);
  return needsTool && !hasTool ? [...tools, APPROVAL_TOOL] : tools;
}

/** Returns true for an approval request, and false for a call of a host's tool with the same name. */
export const isApprovalCall = (
  { toolName, providerExecuted }: { toolName: string; providerExecuted?: boolean },
  isDeclared: (toolName: string) => boolean,
): boolean => toolName === APPROVAL_TOOL.name && providerExecuted !== true && !isDeclared(toolName);

/** Returns the call that needs an approval, and the request for it. */
export function toApprovalRequest({
  toolCallId,
  input,
  providerMetadata,
}: V2Call): [LanguageModelV3ToolCall, LanguageModelV3ToolApprovalRequest] {
  const { serverLabel, name, arguments: args = {} } = objectOf(JSON.parse(input)) ?? {};
  const call: LanguageModelV3ToolCall = {
    type: 'tool-call',
    toolCallId,
    toolName: `mcp.${stringOf(name)}`,
    input: typeof args === 'string' ? args : JSON.stringify(args),
    providerExecuted: true,
    dynamic: true,
    // The history returns this metadata, which marks the call as an approval request.
    providerMetadata: {
      ...providerMetadata,
      kelivo: { ...providerMetadata?.kelivo, approvalFor: stringOf(serverLabel) },
    },
  };
  return [call, { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }];
}

/** Converts the approval requests and responses of a history to version 2. */
export function withV2Approvals(
  prompt: readonly LanguageModelV3Message[],
): readonly LanguageModelV3Message[] {
  /** Call ids of the requests so far. True if a response was found. */
  const responded = new Map<unknown, boolean>();
  return prompt.map(message =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: message.content.flatMap(part => toV2Parts(part)) },
  );

  function toV2Parts(part: LanguageModelV3PromptPart): readonly LanguageModelV3PromptPart[] {
    switch (part.type) {
      case 'tool-call':
        return [toV2Request(part)];
      case 'tool-approval-response':
        return toV2Response(part, part.approvalId, part);
      case 'tool-result': {
        // A host sends a denial as this output, sometimes in addition to the response part.
        const output = objectOf(part.output);
        return output?.type === 'execution-denied' ? toV2Response(part, part.toolCallId, output) : [part];
      }
      default:
        return [part];
    }
  }

  function toV2Request(part: LanguageModelV3PromptPart): LanguageModelV3PromptPart {
    const { toolCallId, toolName, input, providerOptions } = part;
    const serverLabel = objectOf(objectOf(providerOptions)?.kelivo)?.approvalFor;
    if (typeof serverLabel !== 'string') return part;
    responded.set(toolCallId, false);
    const request = { serverLabel, name: stringOf(toolName).replace(/^mcp\./, ''), arguments: input };
    return { type: 'tool-call', toolCallId, toolName: APPROVAL_TOOL.name, input: request, providerOptions };
  }

  function toV2Response(
    part: LanguageModelV3PromptPart,
    id: unknown,
    { approved, reason }: PlainObject,
  ): readonly LanguageModelV3PromptPart[] {
    const hasResponse = responded.get(id);
    if (hasResponse === undefined) return [part];
    if (hasResponse) return [];
    responded.set(id, true);
    const value = { approve: approved === true, ...(typeof reason === 'string' && { reason }) };
    const { name: toolName } = APPROVAL_TOOL;
    return [{ type: 'tool-result', toolCallId: id, toolName, output: { type: 'json', value } }];
  }
}
