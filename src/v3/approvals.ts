import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { approvalMarkOf, type ApprovalResponse } from '../parts/call-marks.js';
import { objectOf, type PlainObject, stringOf } from '../shared/json.js';
import type {
  LanguageModelV3Message,
  LanguageModelV3PromptPart,
  LanguageModelV3Tool,
  LanguageModelV3ToolApprovalRequest,
  LanguageModelV3ToolCall,
} from './specification.js';

// Version 3 has parts for approval requests and responses. Version 2 expresses them in two ways:
// - Those of a hosted MCP server are a call of a tool that the host declares for this purpose, and its result.
// - Those of the tool loop are a call with a mark, and a response in the call options.

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

/** Returns true for an approval request of a hosted server, and false for a call of a host's tool with the same name. */
export const isApprovalCall = (
  { toolName, providerExecuted }: { toolName: string; providerExecuted?: boolean },
  isDeclared: (toolName: string) => boolean,
): boolean => toolName === APPROVAL_TOOL.name && providerExecuted !== true && !isDeclared(toolName);

/** Returns the request of the tool loop for a call that waits for approval, or nothing. */
export function toLoopRequest({
  toolCallId,
  providerMetadata,
}: V2Call): readonly LanguageModelV3ToolApprovalRequest[] {
  const { id, answered = false } = approvalMarkOf(providerMetadata) ?? {};
  return id === undefined || answered ? [] : [{ type: 'tool-approval-request', approvalId: id, toolCallId }];
}

/** Returns the call of a hosted server that needs an approval, and the request for it. */
export function toHostedRequest({
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

/** Returns the call that expresses an approval request of a hosted server in version 2. See `toHostedRequest`. */
export function toApprovalCall(call: PlainObject, { approvalId }: PlainObject): PlainObject {
  const { dynamic: _, providerExecuted: __, ...rest } = call;
  const metadata = objectOf(call.providerMetadata);
  const serverLabel = stringOf(objectOf(metadata?.kelivo)?.approvalFor);
  const request = { serverLabel, name: stringOf(call.toolName).replace(/^mcp\./, ''), arguments: call.input };
  return {
    ...rest,
    // The API identifies the request by this id.
    toolCallId: stringOf(approvalId),
    toolName: APPROVAL_TOOL.name,
    input: JSON.stringify(request),
  };
}

/** Returns true for the tool and the calls that express approval requests in version 2. */
export const isApprovalTool = ({ id, name }: { id?: string; name?: string }): boolean =>
  id === APPROVAL_TOOL.id || name === APPROVAL_TOOL.name;

/**
 * Converts the approval requests and responses of a history to version 2. The responses to requests of the tool loop are
 * returned separately.
 */
export function withV2Approvals(
  prompt: readonly LanguageModelV3Message[],
  tools: readonly LanguageModelV3Tool[] = [],
): {
  prompt: readonly LanguageModelV3Message[];
  responses: readonly ApprovalResponse[];
} {
  const onlyServer = findOnlyServer(tools);
  const official = onlyServer === undefined ? undefined : findOfficialRequest(prompt);
  /** Responses by the id of their request. Undefined if there is none so far. */
  const requests = new Map<unknown, ApprovalRequest>();
  const responses: ApprovalResponse[] = [];
  const converted = prompt.map(message =>
    typeof message.content === 'string'
      ? message
      : { ...message, content: message.content.flatMap(part => toV2Parts(part)) },
  );
  return { prompt: converted, responses };

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
    const mark = approvalMarkOf(providerOptions);
    if (mark !== undefined) {
      const request = { loopRequest: mark.id, hasResponse: false };
      requests.set(mark.id, request);
      requests.set(toolCallId, request);
      return part;
    }
    const isOfficial = official !== undefined && toolCallId === official.toolCallId;
    const approvalFor = objectOf(objectOf(providerOptions)?.kelivo)?.approvalFor;
    if (!isOfficial && typeof approvalFor !== 'string') return part;
    const id = isOfficial ? official.approvalId : toolCallId;
    const request = { hasResponse: false };
    requests.set(id, request);
    requests.set(toolCallId, request);
    const serverLabel = stringOf(approvalFor) || onlyServer;
    return {
      type: 'tool-call',
      toolCallId: id,
      toolName: APPROVAL_TOOL.name,
      input: { serverLabel, name: stringOf(toolName).replace(/^mcp\./, ''), arguments: input },
      providerOptions: isOfficial ? { openai: { itemId: id } } : providerOptions,
    };
  }

  function toV2Response(
    part: LanguageModelV3PromptPart,
    id: unknown,
    { approved, reason }: PlainObject,
  ): readonly LanguageModelV3PromptPart[] {
    const request = requests.get(id);
    if (request === undefined) return [part];
    // The loop receives contradictory responses as well, of which a denial counts.
    if (request.hasResponse && request.loopRequest === undefined) return [];
    request.hasResponse = true;
    const isApproved = approved === true;
    const given = typeof reason === 'string' ? { reason } : {};
    if (request.loopRequest !== undefined) {
      responses.push({ approvalId: request.loopRequest, approved: isApproved, ...given });
      return [];
    }
    const value = { approve: isApproved, ...given };
    const { name: toolName } = APPROVAL_TOOL;
    return [{ type: 'tool-result', toolCallId: id, toolName, output: { type: 'json', value } }];
  }
}

/** Returns the label of the hosted MCP server, if there is exactly one. */
function findOnlyServer(tools: readonly LanguageModelV3Tool[]): string | undefined {
  const [server, ...others] = tools.filter(({ id }) => id === 'openai.mcp');
  const label = objectOf(server !== undefined && 'args' in server ? server.args : undefined)?.serverLabel;
  return others.length === 0 && typeof label === 'string' ? label : undefined;
}

/**
 * Finds the request of the official provider that was answered last. Its call has another id than the response, so that
 * they belong together only if there is one of each. Otherwise, an approval might count for the wrong call.
 */
function findOfficialRequest(
  prompt: readonly LanguageModelV3Message[],
): { toolCallId: string; approvalId: string } | undefined {
  const calls = new Set<string>();
  const known = new Set<unknown>();
  const answered = new Set<string>();
  for (const { content } of prompt) {
    for (const part of typeof content === 'string' ? [] : content) {
      const { toolCallId, toolName, providerExecuted, providerOptions, approvalId }: PlainObject = {
        ...part,
      };
      const mark = approvalMarkOf(providerOptions);
      const isOurs =
        mark !== undefined || objectOf(objectOf(providerOptions)?.kelivo)?.approvalFor !== undefined;
      if (part.type === 'tool-call' && isOurs) known.add(mark?.id).add(toolCallId);
      else if (
        part.type === 'tool-call' &&
        providerExecuted === true &&
        stringOf(toolName).startsWith('mcp.')
      )
        calls.add(stringOf(toolCallId));
      if (part.type === 'tool-result') calls.delete(stringOf(toolCallId));
      if (part.type === 'tool-approval-response' && !known.has(approvalId))
        answered.add(stringOf(approvalId));
    }
  }
  const [toolCallId, ...otherCalls] = calls;
  const approvalId = [...answered].at(-1);
  return toolCallId === undefined || approvalId === undefined || otherCalls.length > 0
    ? undefined
    : { toolCallId, approvalId };
}

interface ApprovalRequest {
  /** Id of a request of the tool loop. Undefined for requests of hosted servers. */
  readonly loopRequest?: string;
  hasResponse: boolean;
}
