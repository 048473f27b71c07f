import type { Trace } from '../../shared/trace.js';

/** How a turn ended that did not end well, and what was warned of. */
export function TurnNote({ trace, isRunning }: { trace: Trace | undefined; isRunning: boolean }) {
  if (trace === undefined) {
    return isRunning ? null : <p className="note">The page was left before this answer was complete.</p>;
  }
  const { end, warnings, exchanges } = trace;
  const isSeenToClose = exchanges.some(({ isHungUp }) => isHungUp);
  return (
    <>
      {warnings.map((warning, index) => (
        <p key={index} className="note warning">
          {warning}
        </p>
      ))}
      {end?.end === 'failed' && (
        <p className="note problem" role="alert">
          {end.message ?? 'The turn failed.'}
        </p>
      )}
      {end?.end === 'stopped' && (
        <p className="note" role="status">
          Stopped.{isSeenToClose && ' The endpoint saw the connection close.'}
        </p>
      )}
    </>
  );
}
