import type { Trace } from '../../shared/trace.js';
import { formatDuration } from '../lib/format.js';

const endNames = { finished: 'Finished', stopped: 'Stopped', failed: 'Failed' } as const;

/** The turn in a few facts. */
export function TurnFacts({ trace, now }: { trace: Trace; now: number }) {
  const { flag, modelId, endpoint, fault, adapters, end, firstTokenAt } = trace;
  return (
    <header className="turn-facts">
      <h2>
        <span className="state-badge" data-state={end?.end ?? 'running'}>
          {end === undefined ? 'Running' : endNames[end.end]}
        </span>
        <span>
          {flag} · {modelId}
        </span>
      </h2>
      <dl>
        <div>
          <dt>First token</dt>
          <dd>{firstTokenAt === undefined ? '–' : formatDuration(firstTokenAt)}</dd>
        </div>
        <div>
          <dt>In all</dt>
          <dd>{formatDuration(end?.at ?? now)}</dd>
        </div>
        <div>
          <dt>Endpoint</dt>
          <dd title={endpoint}>{endpoint}</dd>
        </div>
        {fault !== undefined && (
          <div>
            <dt>Fault</dt>
            <dd>{fault}</dd>
          </div>
        )}
        {adapters.length > 0 && (
          <div>
            <dt>Adapters</dt>
            <dd>{adapters.join(', ')}</dd>
          </div>
        )}
      </dl>
    </header>
  );
}
