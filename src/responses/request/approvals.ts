import type {
  AssistantPart,
  Message,
  Prompt,
  ToolCallPart,
  ToolPart,
  ToolResultPart,
} from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { idOf, objectOf } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';

/*
 * Approvals of calls of hosted MCP servers. A history contains the call of the server's tool and the response of a person.
 * The API has an item for the request and one for the response, which are converted like a call and its result.
 *
 * An approval runs a call with the arguments of the request, so only requests that this package has marked are sent. Others,
 * such as those of the official provider, may be inventions of a client: the server must know them.
 */

/** The name of the calls and results that stand for requests and responses. */
export const REQUEST_NAME = 'mcp_approval_request';

const REQUEST_ID = new RegExp(`^(?:${hostedCallNames.mcpApproval.idPrefixes.join('|')})_`);

export const isRequestId = (id: string): boolean => REQUEST_ID.test(id);

/** Types of parts that the API does not accept, and that no other step of the conversion reads. */
const UNSUPPORTED_PARTS: ReadonlySet<string> = new Set([
  'tool-approval-request',
  'tool-approval-response',
  'reasoning-file',
]);

/** What the server knows of a conversation: its items, so that the request may refer to them, or the messages before. */
export type KnownByServer = 'items' | 'messages' | 'nothing';

/**
 * Returns the prompt with the approval requests and responses of hosted servers as calls and results. Responses to requests
 * of the tool loop are left out: the loop has run their calls. Other unsupported parts are left out with a warning. Returns
 * the same messages if they do not change.
 */
export function withAnsweredApprovals(
  prompt: Prompt,
  options: { known: KnownByServer; warn: (warning: Warning) => void },
): Prompt {
  /** Requests by their id and by the id of their call. */
  const requests = new Map<string, SeenRequest>();
  const removed = new Set<string>();
  const warnOf = (message: string): void => options.warn({ type: 'other', message });
  const converted = prompt.flatMap((message): Message[] => {
    switch (message.role) {
      case 'assistant': {
        const content = message.content.flatMap(toAssistantParts);
        if (isSame(content, message.content)) return [message];
        return content.length === 0 ? [] : [{ ...message, content }];
      }
      case 'tool': {
        const references: ToolCallPart[] = [];
        const content = message.content.flatMap(part => toToolParts(part, references));
        if (isSame(content, message.content)) return [message];
        return [
          ...(references.length > 0 ? [{ role: 'assistant' as const, content: references }] : []),
          // It may have contained only approval responses.
          ...(content.length > 0 ? [{ ...message, content }] : []),
        ];
      }
      default:
        return [message];
    }
  });
  for (const type of removed) warnOf(`Prompt content of type "${type}" is not supported and was not sent.`);
  return isSame(converted, prompt) ? prompt : converted;

  function toAssistantParts(part: AssistantPart): readonly AssistantPart[] {
    return part.type === 'tool-call' ? toRequest(part) : withoutUnsupported(part);
  }

  function toToolParts(part: ToolPart, references: ToolCallPart[]): readonly ToolPart[] {
    if (part.type === 'tool-approval-response') return toResponse(part, part.approvalId, part, references);
    // A host sends a denial as this output, sometimes in addition to the response part.
    if (part.type === 'tool-result' && part.output.type === 'execution-denied')
      return toResponse(part, part.toolCallId, { approved: false, reason: part.output.reason }, references);
    if (part.type === 'tool-result' && requests.get(part.toolCallId)?.type === 'claimed') {
      const { approve, reason } = objectOf(part.output.type === 'json' ? part.output.value : undefined) ?? {};
      const answer = { approved: approve === true, reason: idOf(reason) };
      return toResponse(part, part.toolCallId, answer, references);
    }
    return withoutUnsupported(part);
  }

  function withoutUnsupported<Kept extends AssistantPart | ToolPart>(part: Kept): readonly Kept[] {
    if (!UNSUPPORTED_PARTS.has(part.type)) return [part];
    removed.add(part.type);
    return [];
  }

  function toRequest(part: ToolCallPart): readonly ToolCallPart[] {
    const { toolCallId, toolName, input, providerOptions, own } = part;
    if (own?.approval !== undefined) {
      const request: SeenRequest = { type: 'of-loop', hasResponse: false };
      requests.set(own.approval.id, request).set(toolCallId, request);
      return [part];
    }
    if (own?.approvalFor === undefined) {
      // A call of a function may have such an id in no history that this package has written.
      if (!isRequestId(toolCallId) || part.providerExecuted === true) return [part];
      requests.set(toolCallId, { type: 'claimed', hasResponse: false });
      return [];
    }
    requests.set(toolCallId, { type: 'marked', hasResponse: false });
    return [
      {
        type: 'tool-call',
        toolCallId,
        toolName: REQUEST_NAME,
        input: { serverLabel: own.approvalFor, name: toolName.replace(/^mcp\./, ''), arguments: input },
        providerOptions,
        own,
      },
    ];
  }

  function toResponse(
    part: ToolPart,
    id: string,
    { approved, reason }: { approved: boolean; reason?: string | undefined },
    references: ToolCallPart[],
  ): readonly ToolPart[] {
    const request =
      requests.get(id) ?? (isRequestId(id) ? { type: 'claimed', hasResponse: false } : undefined);
    if (request === undefined) return withoutUnsupported(part);
    requests.set(id, request);
    if (request.type === 'of-loop') return part.type === 'tool-result' ? [part] : [];
    if (request.hasResponse) return [];
    request.hasResponse = true;
    if (request.type === 'claimed') {
      if (options.known === 'nothing') {
        warnOf(
          `The response to approval request ${id} was not sent, because the history does not show that this package received ` +
            'the request, and the server has not stored it.',
        );
        return [];
      }
      // The server has the request, and nobody can change it.
      if (options.known === 'items')
        references.push({
          type: 'tool-call',
          toolCallId: id,
          toolName: REQUEST_NAME,
          input: {},
          own: CLAIMED,
        });
    }
    const value = { approve: approved, ...(typeof reason === 'string' && { reason }) };
    const output = { type: 'json' as const, value };
    return [{ type: 'tool-result', toolCallId: id, toolName: REQUEST_NAME, output, own: CLAIMED }];
  }
}

const CLAIMED = { approvalFor: '' };

/**
 * Returns true for a call or result of a prompt that stands for a request or its response. A function may have the same name,
 * and a result that the history lacked is not marked itself.
 */
export const isApprovalPart = (part: ToolCallPart | ToolResultPart, prompt: Prompt): boolean =>
  part.toolName === REQUEST_NAME &&
  (part.own?.approvalFor !== undefined ||
    prompt.some(
      message =>
        message.role === 'assistant' &&
        message.content.some(
          other =>
            other.type === 'tool-call' &&
            other.toolCallId === part.toolCallId &&
            other.own?.approvalFor !== undefined,
        ),
    ));

const isSame = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((part, index) => part === right[index]);

interface SeenRequest {
  /** `of-loop`: of the tool loop. `marked`: of a hosted server. `claimed`: the history says so, without a proof. */
  readonly type: 'of-loop' | 'marked' | 'claimed';
  hasResponse: boolean;
}
