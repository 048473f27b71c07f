import { useState } from 'react';
import { useNow } from '../hooks/use-now.js';
import type { LiveTrace } from '../hooks/use-traces.js';
import { Timeline } from './timeline.js';
import { TurnFacts } from './turn-facts.js';
import { UsageTable } from './usage-table.js';
import { WireInspector } from './wire-inspector.js';

/** What the bars of the timeline mean. */
const barKinds = [
  ['waiting', 'the model has been asked and says nothing yet'],
  ['model', 'the model answers'],
  ['tool', 'a tool runs'],
  ['approval', 'a tool waits for you'],
  ['failed', 'something failed'],
] as const;

/** What went on behind the answer that is chosen. */
export function Inspector({ live }: { live: LiveTrace | undefined }) {
  return (
    <section className="inspector" aria-label="Inspector">
      {live === undefined ? (
        <div className="empty-inspector">
          <h2>Inspector</h2>
          <p className="quiet">
            The timeline of a turn, its tokens and every request and event on the wire appear here as they
            happen.
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
        <TraceView live={live} />
      )}
    </section>
  );
}

function TraceView({ live: { trace, beganAt } }: { live: LiveTrace }) {
  const isRunning = trace.end === undefined;
  const clock = useNow({ isRunning });
  const now = Math.max(clock - beganAt, trace.lastAt);
  const [chosen, setChosen] = useState<number>();
  return (
    <>
      <TurnFacts trace={trace} now={now} />
      <Timeline trace={trace} now={now} onChooseExchange={setChosen} />
      <UsageTable trace={trace} />
      <WireInspector exchanges={trace.exchanges} chosen={chosen} onChoose={setChosen} />
    </>
  );
}
