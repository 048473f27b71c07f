import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Message,
  LanguageModelV2Prompt,
  LanguageModelV2StreamPart,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import {
  type ApprovalMark,
  approvalMarkOf,
  type ApprovalResponse,
  approvalResponsesOf,
  isLaterHost,
  withApprovalMark,
} from '../parts/call-marks.js';
import type { ToolDefinition, ToolInvocation, ToolOutput } from '../tools/tool-source.js';
import { type ApprovableCall, createApprovalIds } from './approval-ids.js';
import { toRefusalText } from './approvals.js';
import type { ToolLoopOptions } from './options.js';

// A call that the host has to approve ends its turn without a result. The host keeps it with a mark in its metadata and
// adds the response of a person to the next prompt. The call runs at the start of that turn. It is then written again,
// with its result, because hosts expect a call and its result in one response.

/** A call of the prompt with the request for its approval. */
interface RequestedCall {
  readonly part: LanguageModelV2ToolCallPart;
  /** The request that was answered, or else the first one. */
  readonly mark: ApprovalMark;
}

/** A call of the prompt that was approved, or that nobody has answered yet. */
export interface PendingCall extends RequestedCall {
  readonly isApproved: boolean;
  /** Stands in the prompt for the output of the call. */
  readonly placeholder: ToolOutput;
}

/** `run`: the call may run now. `repeated`: it was run before. Else the output of a call that does not run now. */
export type ApprovalCheck =
  { readonly type: 'run' | 'repeated' } | { readonly type: 'refused' | 'asked'; readonly output: ToolOutput };

type Write = (part: LanguageModelV2StreamPart) => void;

/** Approvals that the host requests in one turn and passes back in a later prompt. */
export interface HostApprovals {
  /** True if the host can be asked. */
  readonly isActive: boolean;
  /** Requests an approval. Returns the output that the call has until then. */
  ask(
    call: ToolInvocation & { readonly providerMetadata?: SharedV2ProviderMetadata },
    options: {
      tool: ToolDefinition;
      write: Write;
      keepId: (create: () => Promise<string>) => Promise<string>;
    },
  ): Promise<ToolOutput>;
  /** Returns true for a call of this turn that waits for an approval. */
  isAsked(toolCallId: string): boolean;
  /** Verifies the request for a call, and claims the call if it was approved. */
  admit(call: PendingCall, options: { tools: Tools; signal: AbortSignal }): Promise<ApprovalCheck>;
  /** Requests an approval again that nobody has answered. */
  askAgain(call: PendingCall, options: { write: Write }): void;
  /** Claims denied calls, so that a changed answer runs nothing. Rejects if that fails. */
  recordDenials(calls: readonly RequestedCall[], signal: AbortSignal): Promise<void>;
}

type Tools = Pick<ReadonlyMap<string, ToolDefinition>, 'get'>;

export function createHostApprovals(
  callOptions: LanguageModelV2CallOptions,
  { approve, hostApprovals }: Pick<ToolLoopOptions, 'approve' | 'hostApprovals'>,
): HostApprovals {
  // Hosts reject all tool parts if the tool choice is `none`.
  const isActive = approve === 'host' && isLaterHost(callOptions) && callOptions.toolChoice?.type !== 'none';
  const ids = createApprovalIds(hostApprovals);
  const asked = new Set<string>();

  return {
    isActive,
    isAsked: toolCallId => asked.has(toolCallId),

    async ask({ toolCallId, toolName, input, providerMetadata }, { tool, write, keepId }) {
      if (!isActive) return { type: 'error-text', value: toRefusalText(HOST_REQUIRED) };
      const { server, originalName = tool.name } = tool;
      const id = await keepId(() => ids.create({ toolCallId, toolName, server, originalName, input }));
      writeRequest(
        { toolCallId, toolName, input },
        { id, server, originalName },
        { providerMetadata, write },
      );
      return { type: 'error-text', value: WAITING };
    },

    askAgain({ part, mark }, { write }) {
      // The id stays the same: a new one would be valid for longer than the claim of the first one is kept.
      writeRequest(part, { ...mark, answered: false }, { providerMetadata: part.providerOptions, write });
    },

    async admit({ part, mark, isApproved }, { tools, signal }) {
      const tool = tools.get(part.toolName);
      if (tool === undefined || !isSameTool(tool, mark)) return toRefused(toMissingToolText(part.toolName));
      // A client may have written the request as well, so it is not repeated unless it is genuine.
      const verified = await ids.verify(mark.id, toApprovable(part, mark));
      if (verified === undefined) return refuse(ids.isShared ? INVALID : `${INVALID} ${NOT_SHARED}`);
      if (verified.isExpired) return refuse(isApproved ? LATE : EXPIRED);
      if (!isApproved) return { type: 'asked', output: { type: 'error-text', value: WAITING } };
      const { nonce } = verified;
      try {
        return { type: (await ids.claim(nonce, signal)) ? 'run' : 'repeated' };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const reason = error instanceof Error ? error.message : String(error);
        return refuse(`the approval could not be claimed (${reason}).`);
      }
    },

    async recordDenials(calls, signal) {
      for (const { part, mark } of calls) {
        const verified = await ids.verify(mark.id, toApprovable(part, mark));
        if (verified?.isExpired !== false) continue;
        await ids.claim(verified.nonce, signal).catch(cause => {
          signal.throwIfAborted();
          const message = `The denial of the call of "${part.toolName}" could not be recorded. Send the messages again.`;
          throw new Error(message, { cause });
        });
      }
    },
  };

  function writeRequest(
    { toolCallId, toolName, input }: Pick<LanguageModelV2ToolCallPart, 'toolCallId' | 'toolName' | 'input'>,
    mark: Omit<ApprovalMark, 'server'> & { server?: string | undefined },
    { providerMetadata, write }: { providerMetadata: SharedV2ProviderMetadata | undefined; write: Write },
  ): void {
    asked.add(toolCallId);
    write({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: JSON.stringify(input),
      providerExecuted: true,
      providerMetadata: withApprovalMark(providerMetadata, mark),
    });
  }
}

const HOST_REQUIRED =
  "this tool needs approval, and the host cannot be asked. `approve: 'host'` requires `ai` 6 or 7 and a model of " +
  '`kelivo-responses/v3`. With other hosts, set `approve` to a function.';
const WAITING = 'The call waits for approval.';
const LATE = 'the approval was given after the request had expired.';
const EXPIRED = 'nobody approved it before the request expired.';
const INVALID = 'the approval does not belong to this call and its arguments.';
const NOT_SHARED =
  'If another process asked for it, set `toolLoop.hostApprovals`, so that all processes accept the same approvals.';

const toRefused = (value: string): ApprovalCheck => ({
  type: 'refused',
  output: { type: 'error-text', value },
});

const refuse = (reason: string): ApprovalCheck => toRefused(`Not run: ${reason}`);

/** Returns the text that the model reads if the tool of a request is gone, or if its name means another tool now. */
export const toMissingToolText = (toolName: string): string =>
  `Not run: the tool of the approval request is no longer available under the name "${toolName}".`;

const toApprovable = (
  { toolCallId, toolName, input }: LanguageModelV2ToolCallPart,
  { server, originalName }: ApprovalMark,
): ApprovableCall => ({ toolCallId, toolName, server, originalName, input });

const isSameTool = (tool: ToolDefinition, { server, originalName }: ApprovalMark): boolean =>
  tool.server === server && (tool.originalName ?? tool.name) === originalName;

type AssistantPart = Extract<LanguageModelV2Message, { role: 'assistant' }>['content'][number];

/** The parts of a prompt that belong to one call. */
interface AskedCall {
  readonly part: LanguageModelV2ToolCallPart;
  readonly marks: [ApprovalMark, ...ApprovalMark[]];
  result: LanguageModelV2ToolResultPart | undefined;
  /** Index of the last message that contains the call. */
  lastIndex: number;
}

/**
 * Gives every call that needed approval one place and one result in the prompt: a host keeps it as often as it was
 * written. Returns the calls that the turn has to begin with, which have a placeholder as result, and the calls that
 * were denied.
 */
export function resolveApprovals(
  { prompt, providerOptions }: LanguageModelV2CallOptions,
  { isActive }: Pick<HostApprovals, 'isActive'>,
): {
  prompt: LanguageModelV2Prompt;
  pending: readonly PendingCall[];
  denied: readonly RequestedCall[];
} {
  const asked = findAskedCalls(prompt);
  if (asked.size === 0) return { prompt, pending: [], denied: [] };
  const responses = approvalResponsesOf(providerOptions);
  const lastUser = prompt.findLastIndex(({ role }) => role === 'user');
  const pending: PendingCall[] = [];
  const denied: RequestedCall[] = [];
  const outputs = new Map<string, ToolOutput>();
  for (const [toolCallId, call] of asked) {
    const isCurrent = isActive && call.lastIndex > lastUser;
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
  const resolved = prompt.map((message): LanguageModelV2Message => {
    if (message.role === 'assistant') return { ...message, content: message.content.flatMap(resolvePart) };
    if (message.role !== 'tool') return message;
    return { ...message, content: message.content.filter(part => !outputs.has(part.toolCallId)) };
  });
  return { prompt: resolved.filter(({ content }) => content.length > 0), pending, denied };
}

function findAskedCalls(prompt: LanguageModelV2Prompt): Map<string, AskedCall> {
  const asked = new Map<string, AskedCall>();
  for (const [index, message] of prompt.entries()) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
      const call = asked.get(part.toolCallId);
      if (part.type === 'tool-result') {
        if (call !== undefined) call.result ??= part;
        continue;
      }
      const mark = approvalMarkOf(part.providerOptions);
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

function answersOf({ marks }: AskedCall, responses: readonly ApprovalResponse[]): Answers {
  const answers = marks.flatMap(mark =>
    responses
      .filter(({ approvalId }) => approvalId === mark.id)
      .map(({ approved, reason }) => ({ mark, approved, reason })),
  );
  return {
    approved: answers.find(({ approved }) => approved)?.mark,
    denied: answers.find(({ approved }) => !approved),
  };
}

/** Returns the output of a call, or the call if the turn has to begin with it. */
function toState(
  { part, marks, result }: AskedCall,
  { approved, denied, isCurrent }: Answers & { isCurrent: boolean },
): ToolOutput | PendingCall {
  if (result !== undefined) return result.output;
  if (denied !== undefined) return { type: 'error-text', value: toRefusalText(denied.reason) };
  if (isCurrent) {
    return {
      part,
      mark: approved ?? marks[0],
      isApproved: approved !== undefined,
      placeholder: { type: 'error-text', value: WAITING },
    };
  }
  return {
    type: 'error-text',
    value:
      approved === undefined
        ? 'Not run: it was not approved before the conversation went on.'
        : 'No output: the call was approved, but the conversation went on without its result. It is not run now.',
  };
}
