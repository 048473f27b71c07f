import { randomUUID } from 'node:crypto';

/** The user's decision about a tool call. The model receives the reason of a rejection. */
export interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
  /** Arguments that the user has changed. */
  readonly input?: unknown;
}

/** A call that waits for an approval. */
export interface AskedCall {
  readonly conversationId: string;
  /** Empty for a tool of the playground. */
  readonly server: string;
  /** The tool's name at its source. */
  readonly tool: string;
  /** The hash of the tool's definition, if it is known. */
  readonly definition: string | undefined;
  readonly inputSchema: unknown;
  readonly isDestructive: boolean;
}

/** Pending approvals that the user decides on the page. */
export interface ApprovalDesk {
  /** Requests an approval. `decision` rejects when the signal aborts. */
  ask(options: { signal: AbortSignal; call: AskedCall }): {
    readonly approvalId: string;
    readonly decision: Promise<Decision>;
  };
  /** Returns the call of a pending approval. */
  find(approvalId: string): AskedCall | undefined;
  /** Decides an approval. Returns false if it is no longer pending. */
  decide(approvalId: string, decision: Decision): boolean;
}

export function createApprovalDesk(): ApprovalDesk {
  const open = new Map<string, { call: AskedCall; resolve: (decision: Decision) => void }>();
  return {
    ask({ signal, call }) {
      const approvalId = randomUUID();
      const decision = new Promise<Decision>((resolve, reject) => {
        const cancel = (): void => {
          open.delete(approvalId);
          reject(signal.reason);
        };
        if (signal.aborted) return cancel();
        signal.addEventListener('abort', cancel, { once: true });
        open.set(approvalId, {
          call,
          resolve(decided) {
            signal.removeEventListener('abort', cancel);
            resolve(decided);
          },
        });
      });
      return { approvalId, decision };
    },
    find: approvalId => open.get(approvalId)?.call,
    decide(approvalId, decision) {
      const asked = open.get(approvalId);
      open.delete(approvalId);
      asked?.resolve(decision);
      return asked !== undefined;
    },
  };
}
