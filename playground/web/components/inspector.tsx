import { useEffect, useState } from 'react';
import type { LiveTrace } from '../lib/page-store.js';
import { Icon } from './icon.js';
import { saveFile } from '../lib/save-file.js';
import { fetchApi } from '../lib/api.js';
import { Timeline, type TimelineProps } from './timeline.js';
import { TraceList, type TraceListProps } from './trace-list.js';
import { WireInspector } from './wire-inspector.js';
import type { Trace } from '../../shared/trace.js';
import { sumUsage } from '../../shared/cost.js';
import { formatCount, formatDuration } from '../lib/format.js';
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
  readonly live: LiveTrace | undefined;
  /** The path of the selected trace as OTLP JSON, if it is stored. */
  readonly otlpPath: string | undefined;
  readonly conversations: TraceListProps['conversations'];
  readonly onOpenTrace: TraceListProps['onOpen'];
  readonly onShowCall: TimelineProps['onShowCall'];
}

/** Timeline, tokens and wire traffic of the selected response, and the list of all traces. */
export function Inspector({ live, otlpPath, conversations, onOpenTrace, onShowCall }: InspectorProps) {
  const [isListOpen, setListOpen] = useState(false);
  const [problem, setProblem] = useState<string>();
  const download = async (path: string): Promise<void> => {
    try {
      const response = await fetchApi(path);
      if (!response.ok) throw new Error(`The playground answered ${response.status}.`);
      saveFile(`trace-${path.split('/').at(-2)}.otlp.json`, await response.blob());
      setProblem(undefined);
    } catch (error) {
      setProblem(`Could not download the trace. ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return (
    <section className="inspector" aria-label="Inspector">
      <header className="inspector-head">
        {live === undefined ? <h2>Inspector</h2> : <TurnTitle trace={live.trace} />}
        <div className="button-row">
          <button type="button" className="button" onClick={() => setListOpen(true)}>
            <Icon name="search" /> All traces
          </button>
          {otlpPath !== undefined && (
            <button type="button" className="button" onClick={() => void download(otlpPath)}>
              <Icon name="download" /> OpenTelemetry
            </button>
          )}
        </div>
      </header>
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
      {isListOpen && (
        <TraceList
          conversations={conversations}
          onClose={() => setListOpen(false)}
          onOpen={(...trace) => {
            setListOpen(false);
            onOpenTrace(...trace);
          }}
        />
      )}
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

interface TraceViewProps extends Pick<InspectorProps, 'onShowCall'> {
  readonly live: LiveTrace;
}

function TraceView({ live: { trace, beganAt, isOutline = false }, onShowCall }: TraceViewProps) {
  const isRunning = trace.end === undefined;
  const clock = useNow({ isRunning });
  const now = Math.max(clock - beganAt, trace.lastAt);
  const [chosen, setChosen] = useState<number>();
  return (
    <>
      <TurnFacts trace={trace} now={now} />
      <Timeline trace={trace} now={now} onChooseExchange={setChosen} onShowCall={onShowCall} />
      <UsageTable trace={trace} />
      <WireInspector exchanges={trace.exchanges} chosen={chosen} onChoose={setChosen} isLoading={isOutline} />
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

function TurnTitle({ trace: { flag, modelId, end } }: { trace: Trace }) {
  return (
    <h2>
      <span className="state-badge" data-state={end?.end ?? 'running'}>
        {end === undefined ? 'Running' : endNames[end.end]}
      </span>
      <span className="turn-model">
        {flag} · {modelId}
      </span>
    </h2>
  );
}

function TurnFacts({ trace, now }: { trace: Trace; now: number }) {
  const { endpoint, fault, adapters, end, firstTokenAt } = trace;
  return (
    <dl className="turn-facts">
      <div>
        <dt>First token</dt>
        <dd>{firstTokenAt === undefined ? '–' : formatDuration(firstTokenAt)}</dd>
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
