import { type CSSProperties, type ReactNode, useState } from 'react';
import type { Trace } from '../../shared/trace.js';
import { formatDuration, formatNumberOf } from '../ui/format.js';
import {
  chooseLabel,
  type Lane,
  layoutTimeline,
  type RequestBar,
  type ToolBar,
  type ToolGroup,
} from './timeline-layout.js';
import { Icon } from '../ui/icon.js';

export interface TimelineProps {
  readonly trace: Trace;
  /** Milliseconds since the turn began. */
  readonly now: number;
  readonly onChooseExchange: (exchange: number) => void;
  readonly onShowCall: (toolCallId: string) => void;
}

/** Indentation of a nested round in pixels per level, and the deepest level that is drawn. */
const INDENT = 8;
const MAX_DEPTH = 3;

/** Timeline of a turn: one lane per round, with bars for its requests and tool calls. */
export function Timeline({ trace, now, onChooseExchange, onShowCall }: TimelineProps) {
  const { ticks, lanes, firstToken, preparation } = layoutTimeline(trace, { now });
  const titles = preparation.map(({ title }) => title).join(', ');
  const prepared = preparation.at(-1);
  const steps = formatNumberOf(preparation.length, 'step');
  const place = { left: 0, width: prepared === undefined ? 0 : prepared.left + prepared.width };
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
        {preparation.length > 0 && (
          <li className="preparation-lane" aria-label="Before the first request">
            <div className="lane-head">
              <strong>Before</strong>
            </div>
            <div className="lane-rows">
              <div className="row" role="img" aria-label={titles}>
                {preparation.map(({ title, left, width }, index) => (
                  <span
                    key={index}
                    className="bar preparation"
                    title={title}
                    data-kind={title.split(' ·')[0]}
                    style={{ left: `${left}%`, width: `max(${width}%, 2px)` }}
                  />
                ))}
                <BarLabel bar={{ ...place, label: chooseLabel([titles, steps], place) }} />
              </div>
            </div>
          </li>
        )}
        {lanes.map(({ round, requests, tools, finishReason, parent }) => (
          <li key={round} className="lane" aria-label={toName(round, parent)}>
            <div
              className="lane-head"
              style={{ paddingLeft: Math.min(parent?.depth ?? 0, MAX_DEPTH) * INDENT }}
            >
              <strong>Round {round}</strong>
              {parent !== undefined && <span title={parent.toolName}>in {parent.toolName}</span>}
              {finishReason !== undefined && <span>{finishReason}</span>}
            </div>
            <div className="lane-rows">
              <div className="request-rows">
                {firstToken?.round === round && (
                  <span
                    className="first-token"
                    style={{ left: `${firstToken.left}%`, width: `${firstToken.width}%` }}
                    title="First token"
                    aria-hidden="true"
                  />
                )}
                {requests.map(bar => (
                  <RequestRow key={bar.exchange} bar={bar} onChoose={() => onChooseExchange(bar.exchange)} />
                ))}
              </div>
              {tools.map(row =>
                'calls' in row ? (
                  <GroupRows key={`${trace.startedAt} ${row.toolName}`} group={row} onShow={onShowCall} />
                ) : (
                  <ToolRow key={row.toolCallId} bar={row} onShow={onShowCall} />
                ),
              )}
            </div>
          </li>
        ))}
      </ol>
      {firstToken !== undefined && (
        <p className="legend">
          <span className="legend-mark" aria-hidden="true" /> first token{' '}
          {formatDuration(firstToken.duration)} after the request
          {firstToken.at > firstToken.duration && `, at ${formatDuration(firstToken.at)}`}
        </p>
      )}
    </section>
  );
}

const toName = (round: number, parent: Lane['parent']): string =>
  `Round ${round}${parent === undefined ? '' : `, in the call of ${parent.toolName}`}`;

function RequestRow({ bar, onChoose }: { bar: RequestBar; onChoose: () => void }) {
  return (
    <Row
      kind="request"
      bar={bar}
      name={[`Request ${bar.exchange}`, bar.state]}
      action="Show the request"
      onPress={onChoose}
    >
      <span className="bar-waiting" style={{ width: `${bar.waiting}%` }} />
    </Row>
  );
}

function ToolRow({ bar, onShow }: { bar: ToolBar; onShow: TimelineProps['onShowCall'] }) {
  const { toolName, toolCallId, state, progress, preview } = bar;
  return (
    <Row
      kind="tool"
      bar={bar}
      name={[toolName, state]}
      detail={preview}
      action="Show the result"
      onPress={() => onShow(toolCallId)}
    >
      {state === 'running' && progress?.share !== undefined && (
        <span className="bar-progress" style={{ width: `${progress.share * 100}%` }} />
      )}
    </Row>
  );
}

/** The calls of one tool in a round, as one row that opens. */
function GroupRows({ group, onShow }: { group: ToolGroup; onShow: TimelineProps['onShowCall'] }) {
  const { toolName, summary, preview, segments, calls } = group;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Row
        kind="group"
        bar={group}
        name={[toolName, summary]}
        detail={preview}
        action={isOpen ? 'Hide the calls' : 'Show the calls'}
        isOpen={isOpen}
        onPress={() => setOpen(!isOpen)}
      >
        {segments.map(({ left, width, state }, index) => (
          <span
            key={index}
            className="bar-segment"
            data-state={state}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        ))}
      </Row>
      {isOpen && (
        <div className="group-rows" role="group" aria-label={`Calls of ${toolName}`}>
          {calls.map(call => (
            <ToolRow key={call.toolCallId} bar={call} onShow={onShow} />
          ))}
        </div>
      )}
    </>
  );
}

interface RowProps {
  readonly kind: 'request' | 'tool' | 'group';
  readonly bar: RequestBar | ToolBar | ToolGroup;
  /** Subject and state. */
  readonly name: readonly string[];
  /** @default '' */
  readonly detail?: string;
  readonly action: string;
  /** For a row that opens others. */
  readonly isOpen?: boolean;
  readonly onPress: () => void;
  /** Parts of the bar. */
  readonly children: ReactNode;
}

/** A bar with its label. All of the row can be pressed, because a bar may be very short. */
function Row({ kind, bar, name, detail = '', action, isOpen, onPress, children }: RowProps) {
  const { left, width, duration, startAt, state } = bar;
  const times = [formatDuration(duration), `started at ${formatDuration(startAt)}`];
  const text = [...name, ...times, ...(detail === '' ? [] : [detail])].join(', ');
  return (
    <div className="row">
      <button
        type="button"
        className="row-button"
        data-kind={kind}
        aria-label={`${text}. ${action}`}
        aria-expanded={isOpen}
        title={text}
        onClick={onPress}
      >
        <span
          className={`bar ${kind}`}
          data-state={state}
          style={{ left: `${left}%`, width: `max(${width}%, 4px)` }}
        >
          {children}
        </span>
      </button>
      <BarLabel bar={bar} isOpen={isOpen} />
    </div>
  );
}

function BarLabel({
  bar: { label, left, width },
  isOpen,
}: {
  bar: Pick<RequestBar, 'label' | 'left' | 'width'>;
  isOpen?: boolean | undefined;
}) {
  const places: Readonly<Record<typeof label.place, CSSProperties>> = {
    after: { left: `${left + width}%`, maxWidth: `${100 - left - width}%` },
    before: { right: `${100 - left}%`, maxWidth: `${left}%` },
    inside: { right: `${100 - left - width}%`, maxWidth: `${width}%` },
  };
  return (
    <span className="bar-label" data-place={label.place} style={places[label.place]} aria-hidden="true">
      {isOpen !== undefined && <Icon name="chevron" />}
      {label.text}
    </span>
  );
}
