import type { ReactNode } from 'react';

/** Lines in place of a list that loads. The styles show them when that takes longer than a moment. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="skeleton" role="status">
      <span className="hidden">Loading {what} …</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** In place of a list that could not be loaded. */
export function LoadingFailed({ children, onRetry }: { children: ReactNode; onRetry: () => void }) {
  return (
    <div className="note problem" role="alert">
      <p>{children}</p>
      <button type="button" className="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** In place of a list without entries: what is missing, why, and one thing to do. */
export function Empty({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <div className="empty-list">
      <p className="quiet">{children}</p>
      {action}
    </div>
  );
}
