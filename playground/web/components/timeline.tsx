import type { Trace } from '../../shared/trace.js';
import { formatDuration } from '../lib/format.js';
import { layoutTimeline, type RequestBar, type ToolBar } from '../lib/timeline-layout.js';

export interface TimelineProps {
  readonly trace: Trace;
  /** Milliseconds since the turn began. */
  readonly now: number;
  readonly onChooseExchange: (exchange: number) => void;
}

/** Timeline of a turn: one lane per round, with bars for its requests and tool calls. */
export function Timeline({ trace, now, onChooseExchange }: TimelineProps) {
  const { ticks, lanes, firstToken } = layoutTimeline(trace, { now });
  return (
    <section className="timeline" aria-label="Timeline">
      <div className="axis" aria-hidden="true">
        {ticks.map(({ at, left }) => (
          <span key={at} className="tick" style={{ left: `${left}%` }}>
            {at === 0 ? '0' : at < 1000 ? `${at} ms` : `${at / 1000} s`}
          </span>
        ))}
      </div>
      <ol className="lanes">
        {lanes.map(({ round, requests, tools, finishReason }) => (
          <li key={round} className="lane" aria-label={`Round ${round}`}>
            <div className="lane-head">
              <strong>Round {round}</strong>
              {finishReason !== undefined && <span>{finishReason}</span>}
            </div>
            <div className="lane-rows">
              {firstToken?.round === round && (
                <span
                  className="first-token"
                  style={{ left: `${firstToken.left}%` }}
                  title="First token"
                  aria-hidden="true"
                />
              )}
              {requests.map(bar => (
                <RequestRow key={bar.exchange} bar={bar} onChoose={() => onChooseExchange(bar.exchange)} />
              ))}
              {tools.map(bar => (
                <ToolRow key={bar.toolCallId} bar={bar} />
              ))}
            </div>
          </li>
        ))}
      </ol>
      {firstToken !== undefined && (
        <p className="legend">
          <span className="legend-mark" aria-hidden="true" /> first token after{' '}
          {formatDuration(firstToken.at)}
        </p>
      )}
    </section>
  );
}

const toPlace = ({ left, width }: { left: number; width: number }) => ({
  left: `${left}%`,
  width: `max(${width}%, 4px)`,
});

function RequestRow({ bar, onChoose }: { bar: RequestBar; onChoose: () => void }) {
  const text = `Request ${bar.exchange}, ${bar.state}, ${formatDuration(bar.duration)}, started at ${formatDuration(bar.startAt)}`;
  return (
    <div className="row">
      <button
        type="button"
        className="bar request"
        data-state={bar.state}
        style={toPlace(bar)}
        aria-label={`${text}. Show the request`}
        title={text}
        onClick={onChoose}
      >
        <span className="bar-waiting" style={{ width: `${bar.waiting}%` }} />
      </button>
      <BarLabel bar={bar} />
    </div>
  );
}

function ToolRow({ bar }: { bar: ToolBar }) {
  const { toolName, toolCallId, state, progress, duration, startAt } = bar;
  const text = `${toolName}, ${state}, ${formatDuration(duration)}, started at ${formatDuration(startAt)}`;
  const show = (): void => {
    const part = document.getElementById(`tool-${toolCallId}`);
    if (part instanceof HTMLDetailsElement) part.open = true;
    part?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div className="row">
      <button
        type="button"
        className="bar tool"
        data-state={state}
        style={toPlace(bar)}
        aria-label={`${text}. Show the result`}
        title={text}
        onClick={show}
      >
        {state === 'running' && progress?.share !== undefined && (
          <span className="bar-progress" style={{ width: `${progress.share * 100}%` }} />
        )}
      </button>
      <BarLabel bar={bar} />
    </div>
  );
}

function BarLabel({ bar: { label, left, width } }: { bar: RequestBar | ToolBar }) {
  const style = {
    after: { left: `${left + width}%` },
    before: { right: `${100 - left}%` },
    // At the end of the bar, after the waiting time.
    inside: { right: `${100 - left - width}%`, maxWidth: `${width}%` },
  }[label.place];
  return (
    <span className="bar-label" data-place={label.place} style={style} aria-hidden="true">
      {label.text}
    </span>
  );
}
