import type { ReactNode } from 'react';

/** The reason of a failure, which screen readers announce. Renders nothing without a reason. */
export const Problem = ({ children }: { children: ReactNode }) =>
  children !== undefined && (
    <p className="note problem" role="alert">
      {children}
    </p>
  );
