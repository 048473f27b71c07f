import type { AssistantPart, Message, Prompt, Tool, ToolCallPart, ToolPart } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { stringOf } from '../../shared/json.js';

/*
 * Approvals of calls of hosted MCP servers. A history contains the call of the server's tool and the response of a person.
 * The API has an item for the request and one for the response, which are converted like a call and its result.
 */

const REQUEST_NAME = 'mcp_approval_request';

/** Types of parts that the API does not accept, and that no other step of the conversion reads. */
const UNSUPPORTED_PARTS: ReadonlySet<string> = new Set([
  'tool-approval-request',
  'tool-approval-response',
  'reasoning-file',
]);

/**
 * Returns the prompt with the approval requests and responses of hosted servers as calls and results. Responses to requests
 * of the tool loop are left out: the loop has run their calls. Other unsupported parts are left out with a warning. Returns
 * the same messages if they do not change.
 */
export function withAnsweredApprovals(
  prompt: Prompt,
  { tools = [], warn }: { tools?: readonly Tool[] | undefined; warn: (warning: Warning) => void },
): Prompt {
  const onlyServer = findOnlyServer(tools);
  const official = onlyServer === undefined ? undefined : findOfficialRequest(prompt);
  /** Requests by their id and by the id of their call. */
  const requests = new Map<string, ApprovalRequest>();
  const removed = new Set<string>();
  const converted = prompt.flatMap((message): Message[] => {
    switch (message.role) {
      case 'assistant': {
        const content = message.content.flatMap(toAssistantParts);
        return [isSame(content, message.content) ? message : { ...message, content }];
      }
      case 'tool': {
        const content = message.content.flatMap(toToolParts);
        if (isSame(content, message.content)) return [message];
        // It contained only approval responses.
        return content.length === 0 ? [] : [{ ...message, content }];
      }
      default:
        return [message];
    }
  });
  for (const type of removed)
    warn({ type: 'other', message: `Prompt content of type "${type}" is not supported and was not sent.` });
  return isSame(converted, prompt) ? prompt : converted;

  function toAssistantParts(part: AssistantPart): readonly AssistantPart[] {
    return part.type === 'tool-call' ? [toRequest(part)] : withoutUnsupported(part);
  }

  function toToolParts(part: ToolPart): readonly ToolPart[] {
    if (part.type === 'tool-approval-response') return toResponse(part, part.approvalId, part);
    // A host sends a denial as this output, sometimes in addition to the response part.
    if (part.type === 'tool-result' && part.output.type === 'execution-denied')
      return toResponse(part, part.toolCallId, { approved: false, reason: part.output.reason });
    return withoutUnsupported(part);
  }

  function withoutUnsupported<Kept extends AssistantPart | ToolPart>(part: Kept): readonly Kept[] {
    if (!UNSUPPORTED_PARTS.has(part.type)) return [part];
    removed.add(part.type);
    return [];
  }

  function toRequest(part: ToolCallPart): ToolCallPart {
    const { toolCallId, toolName, input, providerOptions, own } = part;
    if (own?.approval !== undefined) {
      const request = { isOfLoop: true, hasResponse: false };
      requests.set(own.approval.id, request).set(toolCallId, request);
      return part;
    }
    const isOfficial = toolCallId === official?.toolCallId;
    if (!isOfficial && own?.approvalFor === undefined) return part;
    const id = isOfficial ? official.approvalId : toolCallId;
    const request = { isOfLoop: false, hasResponse: false };
    requests.set(id, request).set(toolCallId, request);
    const serverLabel = own?.approvalFor || onlyServer;
    return {
      type: 'tool-call',
      toolCallId: id,
      toolName: REQUEST_NAME,
      input: { serverLabel, name: toolName.replace(/^mcp\./, ''), arguments: input },
      providerOptions: isOfficial ? { openai: { itemId: id } } : providerOptions,
      own: isOfficial ? undefined : own,
    };
  }

  function toResponse(
    part: ToolPart,
    id: string,
    { approved, reason }: { approved: boolean; reason?: string | undefined },
  ): readonly ToolPart[] {
    const request = requests.get(id);
    if (request === undefined) return withoutUnsupported(part);
    if (request.isOfLoop) return part.type === 'tool-result' ? [part] : [];
    if (request.hasResponse) return [];
    request.hasResponse = true;
    const value = { approve: approved, ...(typeof reason === 'string' && { reason }) };
    return [{ type: 'tool-result', toolCallId: id, toolName: REQUEST_NAME, output: { type: 'json', value } }];
  }
}

const isSame = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((part, index) => part === right[index]);

interface ApprovalRequest {
  /** True for a request of the tool loop. */
  readonly isOfLoop: boolean;
  hasResponse: boolean;
}

const isUnmarkedCall = ({ providerExecuted, toolName }: ToolCallPart): boolean =>
  providerExecuted === true && toolName.startsWith('mcp.');

/** Returns the label of the hosted MCP server, if there is exactly one. */
function findOnlyServer(tools: readonly Tool[]): string | undefined {
  const servers = tools.flatMap(tool => (tool.type === 'provider' && tool.id === 'openai.mcp' ? [tool] : []));
  const [server, ...others] = servers;
  const label = server?.args.serverLabel;
  return others.length === 0 && typeof label === 'string' ? label : undefined;
}

/**
 * Finds the request of the official provider that was answered last. Its call has another id than the response, so that
 * they belong together only if there is one of each. Otherwise, an approval might count for the wrong call.
 */
function findOfficialRequest(prompt: Prompt): { toolCallId: string; approvalId: string } | undefined {
  const calls = new Set<string>();
  const known = new Set<string>();
  const answered = new Set<string>();
  for (const message of prompt) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-result') calls.delete(part.toolCallId);
      else if (part.type === 'tool-approval-response') {
        if (!known.has(part.approvalId)) answered.add(part.approvalId);
      } else if (part.type !== 'tool-call') continue;
      else if (part.own?.approval !== undefined || part.own?.approvalFor !== undefined)
        known.add(stringOf(part.own.approval?.id)).add(part.toolCallId);
      else if (isUnmarkedCall(part)) calls.add(part.toolCallId);
    }
  }
  const [toolCallId, ...otherCalls] = calls;
  const approvalId = [...answered].at(-1);
  return toolCallId === undefined || approvalId === undefined || otherCalls.length > 0
    ? undefined
    : { toolCallId, approvalId };
}
