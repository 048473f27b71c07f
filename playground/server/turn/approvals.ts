import { randomUUID } from 'node:crypto';

/** The user's decision about a tool call. The model receives the reason of a rejection. */
export interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
}

/** Pending approvals that the user decides on the page. */
export interface ApprovalDesk {
  /** Requests an approval. `decision` rejects when the signal aborts. */
  ask(options: { signal: AbortSignal }): {
    readonly approvalId: string;
    readonly decision: Promise<Decision>;
  };
  /** Decides an approval. Returns false if it is no longer pending. */
  decide(approvalId: string, decision: Decision): boolean;
}

export function createApprovalDesk(): ApprovalDesk {
  const open = new Map<string, (decision: Decision) => void>();
  return {
    ask({ signal }) {
      const approvalId = randomUUID();
      const decision = new Promise<Decision>((resolve, reject) => {
        const cancel = (): void => {
          open.delete(approvalId);
          reject(signal.reason);
        };
        if (signal.aborted) return cancel();
        signal.addEventListener('abort', cancel, { once: true });
        open.set(approvalId, decided => {
          signal.removeEventListener('abort', cancel);
          resolve(decided);
        });
      });
      return { approvalId, decision };
    },
    decide(approvalId, decision) {
      const resolve = open.get(approvalId);
      open.delete(approvalId);
      resolve?.(decision);
      return resolve !== undefined;
    },
  };
}
