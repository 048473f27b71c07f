import type {
  ApprovalMark,
  AssistantPart,
  Message,
  Prompt,
  ToolCallPart,
  ToolPart,
  ToolResultOutput,
  ToolResultPart,
} from '../../core/prompt.js';
import { toRefusalText } from '../../tools/approval.js';
import { type PendingCall, type RequestedCall, WAITING } from './host-approvals.js';

/*
 * Calls of the prompt that the host was asked to approve, and the answers.
 */

/** The answer of a person to an approval request. */
interface ApprovalResponse {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/**
 * Removes the answers to the loop's own requests from a prompt. A host sends a denial as the output of the call, sometimes
 * in addition to the response. Other responses stay in place, such as those for a hosted MCP server.
 */
export function takeApprovalResponses(prompt: Prompt): {
  prompt: Prompt;
  responses: readonly ApprovalResponse[];
} {
  /** Ids of the requests so far by their own ids and by those of their calls. */
  const requests = new Map<string, string>();
  const responses: ApprovalResponse[] = [];
  const isKept = (part: ToolPart | AssistantPart): boolean => {
    const response = toResponse(part);
    const approvalId = response && requests.get(response.id);
    if (response === undefined || approvalId === undefined) return true;
    const { approved, reason } = response;
    responses.push({ approvalId, approved, ...(reason !== undefined && { reason }) });
    return false;
  };
  const kept = prompt.map((message): Message => {
    if (message.role !== 'assistant' && message.role !== 'tool') return message;
    for (const part of message.content) {
      const id = part.type === 'tool-call' ? part.own?.approval?.id : undefined;
      if (part.type === 'tool-call' && id !== undefined) requests.set(id, id).set(part.toolCallId, id);
    }
    return message.role === 'tool'
      ? { ...message, content: message.content.filter(isKept) }
      : { ...message, content: message.content.filter(isKept) };
  });
  if (responses.length === 0) return { prompt, responses };
  // A tool message may have contained only responses.
  return { prompt: kept.filter(message => message.role !== 'tool' || message.content.length > 0), responses };
}

/** Returns the answer that a part contains. Everything but an explicit approval is a denial. */
function toResponse(part: ToolPart | AssistantPart) {
  if (part.type === 'tool-approval-response')
    return { id: part.approvalId, approved: part.approved === true, reason: part.reason };
  if (part.type !== 'tool-result' || part.output.type !== 'execution-denied') return undefined;
  return { id: part.toolCallId, approved: false, reason: part.output.reason };
}

/** The parts of a prompt that belong to one call. */
interface AskedCall {
  readonly part: ToolCallPart;
  readonly marks: [ApprovalMark, ...ApprovalMark[]];
  result: ToolResultPart | undefined;
  /** Index of the last message that contains the call. */
  lastIndex: number;
}

/**
 * Gives every call that needed approval one place and one result in the prompt: a host keeps it as often as it was
 * written. Returns the calls that the turn has to begin with, which have a placeholder as result, and the calls that
 * were denied.
 *
 * @param options.isActive True if the host can be asked, so that calls without an answer wait for one.
 */
export function resolveApprovals(
  received: Prompt,
  options: { isActive: boolean },
): {
  prompt: Prompt;
  pending: readonly PendingCall[];
  denied: readonly RequestedCall[];
} {
  const { prompt, responses } = takeApprovalResponses(received);
  const asked = findAskedCalls(prompt);
  if (asked.size === 0) return { prompt, pending: [], denied: [] };
  const lastUser = prompt.findLastIndex(message => message.role === 'user');
  const pending: PendingCall[] = [];
  const denied: RequestedCall[] = [];
  const outputs = new Map<string, ToolResultOutput>();
  for (const [toolCallId, call] of asked) {
    const isCurrent = options.isActive && call.lastIndex > lastUser;
    const answers = answersOf(call, responses);
    const state = toState(call, { ...answers, isCurrent });
    outputs.set(toolCallId, 'placeholder' in state ? state.placeholder : state);
    if ('placeholder' in state) pending.push(state);
    // A later user message does not change what was denied, which was recorded then.
    else if (answers.denied !== undefined && isCurrent)
      denied.push({ part: call.part, mark: answers.denied.mark });
  }

  const written = new Set<string>();
  const resolvePart = (part: AssistantPart): AssistantPart[] => {
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return [part];
    const { toolCallId, toolName } = part;
    const output = outputs.get(toolCallId);
    if (output === undefined) return [part];
    if (part.type === 'tool-result' || written.has(toolCallId)) return [];
    written.add(toolCallId);
    return [part, { type: 'tool-result', toolCallId, toolName, output }];
  };
  const resolved = prompt.map((message): Message => {
    if (message.role === 'assistant') return { ...message, content: message.content.flatMap(resolvePart) };
    if (message.role !== 'tool') return message;
    const isOther = (part: ToolPart): boolean => part.type !== 'tool-result' || !outputs.has(part.toolCallId);
    return { ...message, content: message.content.filter(isOther) };
  });
  return { prompt: resolved.filter(message => message.content.length > 0), pending, denied };
}

function findAskedCalls(prompt: Prompt): Map<string, AskedCall> {
  const asked = new Map<string, AskedCall>();
  for (const [index, message] of prompt.entries()) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
      const call = asked.get(part.toolCallId);
      if (part.type === 'tool-result') {
        // Hosts keep each preliminary result, and the final one after them.
        if (call !== undefined) call.result = part;
        continue;
      }
      const mark = part.own?.approval;
      if (mark === undefined) continue;
      call?.marks.push(mark);
      asked.set(part.toolCallId, {
        part,
        marks: [mark],
        result: undefined,
        ...call,
        lastIndex: index,
      });
    }
  }
  return asked;
}

/** The answers to the requests for one call. */
interface Answers {
  readonly approved: ApprovalMark | undefined;
  readonly denied: { readonly mark: ApprovalMark; readonly reason: string | undefined } | undefined;
}

function answersOf(call: AskedCall, responses: readonly ApprovalResponse[]): Answers {
  const answers = call.marks.flatMap(mark =>
    responses
      .filter(response => response.approvalId === mark.id)
      .map(response => ({ mark, approved: response.approved, reason: response.reason })),
  );
  return {
    approved: answers.find(answer => answer.approved)?.mark,
    denied: answers.find(answer => !answer.approved),
  };
}

/** Returns the output of a call, or the call if the turn has to begin with it. */
function toState(call: AskedCall, answers: Answers & { isCurrent: boolean }): ToolResultOutput | PendingCall {
  if (call.result !== undefined) return call.result.output;
  if (answers.denied !== undefined)
    return { type: 'error-text', value: toRefusalText(answers.denied.reason) };
  if (answers.isCurrent) {
    return {
      part: call.part,
      mark: answers.approved ?? call.marks[0],
      isApproved: answers.approved !== undefined,
      placeholder: { type: 'error-text', value: WAITING },
    };
  }
  return {
    type: 'error-text',
    value:
      answers.approved === undefined
        ? 'Not run: it was not approved before the conversation went on.'
        : 'No output: the call was approved, but the conversation went on without its result. It is not run now.',
  };
}
