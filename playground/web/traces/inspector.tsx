import { useEffect, useState } from 'react';
import { Icon } from '../ui/icon.js';
import { LoadingFailed } from '../ui/list-state.js';
import { paths, toLink, useQueryValue } from '../page/routes.js';
import { Timeline, type TimelineProps } from './timeline.js';
import type { FullTrace } from './use-full-trace.js';
import { WireInspector } from './wire-inspector.js';
import { toFirstTokenTime, type Trace } from '../../shared/trace.js';
import { sumUsage } from '../../shared/cost.js';
import { formatCount, formatDuration } from '../ui/format.js';
import type { Usage } from '../../shared/trace-event.js';

/** Legend of the timeline's bars. */
const barKinds = [
  ['waiting', 'waiting for the response'],
  ['model', 'the model responds'],
  ['tool', 'a tool runs'],
  ['approval', 'a tool waits for approval'],
  ['failed', 'something failed'],
] as const;

export interface InspectorProps {
  readonly live: FullTrace | undefined;
  readonly messageId: string | undefined;
  readonly onShowCall: TimelineProps['onShowCall'];
}

/** Timeline, tokens and wire traffic of the selected response. */
export function Inspector({ live, messageId, onShowCall }: InspectorProps) {
  return (
    <section className="inspector" aria-label="Inspector">
      <header className="inspector-head">
        {live === undefined ? <h2>Inspector</h2> : <TurnTitle trace={live.trace} />}
        {messageId !== undefined && live?.trace.end !== undefined && (
          <a className="button subtle" {...toLink(paths.trace(messageId))}>
            <Icon name="traces" /> Open the trace
          </a>
        )}
      </header>
      {live === undefined ? (
        <div className="empty-inspector">
          <p className="quiet">
            The timeline of a turn, its tokens, and all requests and events are displayed here while it runs.
          </p>
          <ul className="bar-kinds">
            {barKinds.map(([kind, title]) => (
              <li key={kind}>
                <span className="bar-kind" data-kind={kind} aria-hidden="true" /> {title}
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <TraceView live={live} onShowCall={onShowCall} />
      )}
    </section>
  );
}

export interface TraceViewProps extends Pick<InspectorProps, 'onShowCall'> {
  readonly live: FullTrace;
}

/** Timeline, tokens and wire traffic of a turn. */
export function TraceView({ live, onShowCall }: TraceViewProps) {
  const { trace, beganAt, isOutline = false, failure } = live;
  const isRunning = trace.end === undefined;
  const clock = useNow({ isRunning });
  const now = Math.max(clock - beganAt, trace.lastAt);
  const [chosen, setChosen] = useQueryValue('request');
  const choose = (exchange: number): void => setChosen(String(exchange));
  return (
    <>
      <TurnFacts trace={trace} now={now} />
      <Timeline trace={trace} now={now} onChooseExchange={choose} onShowCall={onShowCall} />
      <UsageTable trace={trace} />
      {trace.isRecordingDeleted ? (
        <p className="note">
          The requests, responses and events of this turn were deleted, by age or size as set in the{' '}
          <a {...toLink(paths.settings)}>settings</a>. It cannot be replayed or saved as a test.
        </p>
      ) : failure !== undefined ? (
        <LoadingFailed onRetry={failure.retry}>The events were not loaded: {failure.problem}</LoadingFailed>
      ) : (
        <WireInspector
          exchanges={trace.exchanges}
          chosen={chosen === '' ? undefined : Number(chosen)}
          onChoose={choose}
          isLoading={isOutline}
        />
      )}
    </>
  );
}

const endNames = {
  finished: 'Finished',
  limit: 'Limit reached',
  stopped: 'Stopped',
  failed: 'Failed',
  aborted: 'Aborted',
} as const;

export function TurnTitle({ trace: { app, flag, modelId, end } }: { trace: Trace }) {
  return (
    <h2>
      <span className="state-badge" data-state={end?.end ?? 'running'}>
        {end === undefined ? 'Running' : endNames[end.end]}
      </span>
      <span className="turn-model">{[app?.name, flag, modelId].filter(Boolean).join(' · ')}</span>
    </h2>
  );
}

function TurnFacts({ trace, now }: { trace: Trace; now: number }) {
  const { endpoint, fault, adapters, end } = trace;
  const firstToken = toFirstTokenTime(trace);
  return (
    <dl className="turn-facts">
      <div>
        <dt>First token</dt>
        <dd title="Time from the first request to the first token">
          {firstToken === undefined ? '–' : formatDuration(firstToken)}
        </dd>
      </div>
      <div>
        <dt>Total time</dt>
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
  );
}

/** Tokens per round and in total. */
function UsageTable({ trace: { rounds, usage } }: { trace: Trace }) {
  const total = usage ?? sumUsage(rounds.flatMap(round => round.usage ?? []));
  if (rounds.every(round => round.usage === undefined)) return null;
  return (
    <table className="usage">
      <caption className="hidden">Tokens</caption>
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col">in</th>
          <th scope="col">cached</th>
          <th scope="col">out</th>
          <th scope="col">reasoning</th>
        </tr>
      </thead>
      <tbody>
        {rounds.map(round => (
          <UsageRow key={round.round} title={`Round ${round.round}`} usage={round.usage} />
        ))}
      </tbody>
      <tfoot>
        <UsageRow title="Total" usage={total} />
      </tfoot>
    </table>
  );
}

function UsageRow({ title, usage = {} }: { title: string; usage: Usage | undefined }) {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = usage;
  return (
    <tr>
      <th scope="row">{title}</th>
      {[inputTokens, cachedInputTokens, outputTokens, reasoningTokens].map((count, index) => (
        <td key={index}>{formatCount(count)}</td>
      ))}
    </tr>
  );
}

/** Milliseconds between two updates of running bars. */
const INTERVAL = 100;

/** Returns the time of `performance.now()`, updated while a turn runs. */
function useNow({ isRunning }: { isRunning: boolean }): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(performance.now()), INTERVAL);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
