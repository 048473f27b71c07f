import { randomUUID } from 'node:crypto';

/** What the user said to a call. The model reads the reason of a refusal. */
export interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
}

/** Where calls wait until somebody in front of the page decides. */
export interface ApprovalDesk {
  /** Opens a question. `answer` rejects when the signal aborts. */
  ask(options: { signal: AbortSignal }): { readonly approvalId: string; readonly answer: Promise<Decision> };
  /** Returns whether the question was still open. */
  settle(approvalId: string, decision: Decision): boolean;
}

export function createApprovalDesk(): ApprovalDesk {
  const open = new Map<string, (decision: Decision) => void>();
  return {
    ask({ signal }) {
      const approvalId = randomUUID();
      const answer = new Promise<Decision>((resolve, reject) => {
        const giveUp = (): void => {
          open.delete(approvalId);
          reject(signal.reason);
        };
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        open.set(approvalId, decision => {
          signal.removeEventListener('abort', giveUp);
          resolve(decision);
        });
      });
      return { approvalId, answer };
    },
    settle(approvalId, decision) {
      const resolve = open.get(approvalId);
      open.delete(approvalId);
      resolve?.(decision);
      return resolve !== undefined;
    },
  };
}
