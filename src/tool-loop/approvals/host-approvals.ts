import type { Part } from '../../core/part.js';
import type { ApprovalMark, ToolCallPart } from '../../core/prompt.js';
import { untilAborted } from '../../shared/abort.js';
import { toHex } from '../../shared/hash.js';
import { toStableJson } from '../../shared/json.js';
import { once } from '../../shared/settings.js';
import type { ToolDefinition, ToolInvocation, ToolOutput } from '../../tools/tool-source.js';
import type { LoopCall } from '../calls/calls.js';
import { createTimeLimit } from '../turn/turn-limits.js';

// A call that the host has to approve ends its turn without a result. The host keeps it with a mark in its facts and
// adds the response of a person to the next prompt. The call runs at the start of that turn. It is then written again,
// with its result, because hosts expect a call and its result in one response.

/** Settings for verifying a host's approvals in every process that may receive them. */
export interface HostApprovalOptions {
  /**
   * Signs the approval ids: a random text of at least 32 characters, the same in all processes of the application and
   * unknown to its clients.
   */
  readonly secret: string;
  /**
   * Claims an approval, so that it is used once. It must be atomic over all processes, and return true for the first
   * caller only, for example with `SET key 1 NX PXAT expiresAt` of Redis. `expiresAt` is the time in milliseconds since
   * 1970 until which the claim has to be kept. If it fails or takes more than five seconds, the call does not run.
   */
  readonly claim: (
    approvalId: string,
    options: { readonly expiresAt: number },
  ) => boolean | PromiseLike<boolean>;
  /**
   * Time in milliseconds for which an approval request can be answered.
   * @default 86400000, one day
   */
  readonly expiresAfter?: number;
}

/** A call of the prompt with the request for its approval. */
export interface RequestedCall {
  readonly part: ToolCallPart;
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

type Write = (part: Part) => void;

/** Approvals that the host requests in one turn and passes back in a later prompt. */
export interface HostApprovals {
  /** Requests an approval. Returns the output that the call has until then. */
  ask(
    call: ToolInvocation & Pick<LoopCall, 'providerMetadata' | 'own'>,
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

export function createHostApprovals(options: HostApprovalOptions | undefined): HostApprovals {
  const ids = createApprovalIds(options);
  const asked = new Set<string>();

  return {
    isAsked: toolCallId => asked.has(toolCallId),

    async ask({ toolCallId, toolName, input, ...facts }, { tool, write, keepId }) {
      const { server, originalName = tool.name } = tool;
      const id = await keepId(() => ids.create({ toolCallId, toolName, server, originalName, input }));
      writeRequest(
        { toolCallId, toolName, input, ...facts },
        { mark: toMark({ id, server, originalName }), write },
      );
      return { type: 'error-text', value: WAITING };
    },

    askAgain({ part, mark }, { write }) {
      // The id stays the same: a new one would be valid for longer than the claim of the first one is kept.
      const { toolCallId, toolName, input, providerOptions: providerMetadata, own } = part;
      const { answered: _, ...unanswered } = mark;
      writeRequest({ toolCallId, toolName, input, providerMetadata, own }, { mark: unanswered, write });
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
    { toolCallId, toolName, input, providerMetadata, own }: Omit<LoopCall, 'input'> & { input: unknown },
    { mark, write }: { mark: ApprovalMark; write: Write },
  ): void {
    asked.add(toolCallId);
    write({
      type: 'tool-call',
      toolCallId,
      toolName,
      input: JSON.stringify(input),
      providerExecuted: true,
      ...(providerMetadata !== undefined && { providerMetadata }),
      own: { ...own, approval: mark },
    });
    write({ type: 'tool-approval-request', approvalId: mark.id, toolCallId });
  }
}

const toMark = ({
  id,
  server,
  originalName,
}: Pick<ApprovalMark, 'id' | 'originalName'> & { server: string | undefined }): ApprovalMark => ({
  id,
  originalName,
  ...(server !== undefined && { server }),
});

export const WAITING = 'The call waits for approval.';
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
  { toolCallId, toolName, input }: ToolCallPart,
  { server, originalName }: ApprovalMark,
): ApprovableCall => ({ toolCallId, toolName, server, originalName, input });

const isSameTool = (tool: ToolDefinition, { server, originalName }: ApprovalMark): boolean =>
  tool.server === server && (tool.originalName ?? tool.name) === originalName;

/*
 * The ids of approval requests. They are signed, because they return in the messages of a client.
 */

/** A call as a person approves it. */
interface ApprovableCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly server: string | undefined;
  readonly originalName: string;
  readonly input: unknown;
}

/** The contents of a valid approval id. */
interface VerifiedId {
  readonly nonce: string;
  readonly isExpired: boolean;
}

/** Creates and verifies the ids of approval requests. */
interface ApprovalIds {
  /** Creates the id of a request. */
  create(call: ApprovableCall): Promise<string>;
  /** Returns undefined if the id was not created for exactly this call, with the secret of this process. */
  verify(approvalId: string, call: ApprovableCall): Promise<VerifiedId | undefined>;
  /** Returns true for the first caller. Rejects if the claim cannot be stored. */
  claim(nonce: string, signal: AbortSignal): Promise<boolean>;
  /** True if other processes can verify the ids. */
  readonly isShared: boolean;
}

const DAY = 86_400_000;
/** Time limit of a claim in milliseconds. */
const CLAIM_TIMEOUT = 5000;

function createApprovalIds(options: HostApprovalOptions | undefined): ApprovalIds {
  const { secret = secretOfProcess(), claim = claimInProcess, expiresAfter = DAY } = options ?? {};
  const key = once(() => importKey(secret));

  return {
    isShared: options !== undefined,

    async create(call) {
      const nonce = crypto.randomUUID();
      const issuedAt = Date.now();
      const signature = await crypto.subtle.sign('HMAC', await key(), toSigned(call, { nonce, issuedAt }));
      return [PREFIX, nonce, issuedAt.toString(36), toHex(new Uint8Array(signature))].join('.');
    },

    async verify(approvalId, call) {
      const [prefix, nonce = '', time = '', signature = ''] = approvalId.split('.');
      const issuedAt = Number.parseInt(time, 36);
      if (prefix !== PREFIX || approvalId !== [prefix, nonce, time, signature].join('.')) return undefined;
      const isValid = await crypto.subtle.verify(
        'HMAC',
        await key(),
        fromHex(signature),
        toSigned(call, { nonce, issuedAt }),
      );
      return isValid ? { nonce, isExpired: Date.now() > issuedAt + expiresAfter } : undefined;
    },

    async claim(nonce, signal) {
      const message = `the claim was not stored within ${CLAIM_TIMEOUT} ms`;
      const limit = createTimeLimit(signal, { milliseconds: CLAIM_TIMEOUT, message });
      try {
        const claiming = (async () =>
          claim(`${PREFIX}.${nonce}`, { expiresAt: Date.now() + expiresAfter }))();
        return (await untilAborted(claiming, limit.signal)) === true;
      } finally {
        limit.release();
      }
    },
  };
}

const PREFIX = 'kelivo';

function toSigned(
  { toolCallId, toolName, server, originalName, input }: ApprovableCall,
  { nonce, issuedAt }: { nonce: string; issuedAt: number },
): Uint8Array<ArrayBuffer> {
  const contents = [nonce, issuedAt, toolCallId, toolName, server ?? null, originalName, input];
  return new TextEncoder().encode(toStableJson(contents));
}

const importKey = async (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], byte => Number.parseInt(byte, 16));

/** The secret of processes without one in their settings. Providers that are created for each request share it. */
const secretOfProcess = once(() => toHex(crypto.getRandomValues(new Uint8Array(32))));

/** Claims of this process with the times at which they expire. */
const claims = new Map<string, number>();

function claimInProcess(approvalId: string, { expiresAt }: { expiresAt: number }): boolean {
  for (const [claimed, end] of claims) {
    if (end > Date.now()) break;
    claims.delete(claimed);
  }
  if (claims.has(approvalId)) return false;
  claims.set(approvalId, expiresAt);
  return true;
}
