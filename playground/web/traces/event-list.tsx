import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type Ref, useEffect, useRef, useState } from 'react';
import type { Exchange, WireEvent } from '../../shared/trace.js';
import { summarizeEvent } from './event-summary.js';
import { formatDuration } from '../ui/format.js';
import { JsonView } from '../ui/json-view.js';
import { Marked } from '../ui/marked.js';

export interface EventListProps {
  /** Numbers of the displayed events, from 1. */
  readonly found: readonly number[] | 'all';
  readonly exchange: Exchange;
  readonly query: string;
  /** True while the events of a stored response are not here yet. */
  readonly isLoading: boolean;
}

/** Height of a closed row in pixels. */
const ROW_HEIGHT = 26;

/** Distance from the end, in pixels, within which the list follows new events. */
const NEAR_END = 120;

/** The events of a response as expandable rows, or the text of a response that is not a stream. Only visible rows exist. */
export function EventList({ found, exchange, query, isLoading }: EventListProps) {
  const { events, end, bodyText, startAt } = exchange;
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const count = found === 'all' ? events.length : found.length;
  const numberAt = (index: number): number => (found === 'all' ? index + 1 : (found[index] ?? 0));
  const rows = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: numberAt,
    overscan: 12,
  });
  const isFollowing = end === undefined && found === 'all';
  useEffect(() => {
    if (isFollowing && isAtEnd.current && frame.current !== null) {
      frame.current.scrollTop = frame.current.scrollHeight;
    }
  }, [count, isFollowing]);
  const toggle = (number: number, isOpen: boolean): void =>
    setOpen(known => {
      if (known.has(number) === isOpen) return known;
      return new Set(isOpen ? [...known, number] : [...known].filter(other => other !== number));
    });

  const lastIndex = count - 1;
  const last = events[numberAt(lastIndex) - 1];
  const jump = (): void => {
    rows.scrollToIndex(lastIndex, { align: 'end' });
    toggle(numberAt(lastIndex), true);
  };

  return (
    <>
      {end !== undefined && last !== undefined && (
        <button type="button" className="button jump" onClick={jump}>
          Jump to {last.name}
        </button>
      )}
      <div
        className="events"
        tabIndex={0}
        role="region"
        aria-label="Events"
        ref={frame}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
        }}
      >
        <ol style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start, key }) => {
            const number = numberAt(index);
            const event = events[number - 1];
            if (event === undefined) return null;
            return (
              <EventRow
                key={key}
                ref={rows.measureElement}
                index={index}
                top={start}
                total={count}
                number={number}
                event={event}
                at={event.at - startAt}
                query={query}
                isOpen={open.has(number)}
                onToggle={toggle}
              />
            );
          })}
        </ol>
        {bodyText !== undefined && (
          <pre className="body-text">
            <Marked text={bodyText || '(empty)'} query={query} />
          </pre>
        )}
        {end?.message !== undefined && (
          <p className={end.end === 'aborted' ? 'note' : 'note problem'}>{end.message}</p>
        )}
        {count === 0 && bodyText === undefined && (
          <p className="quiet">
            {toEmptyNote({ isLoading, isSearch: found !== 'all', hasEnded: end !== undefined })}
          </p>
        )}
      </div>
    </>
  );
}

function toEmptyNote({
  isLoading,
  isSearch,
  hasEnded,
}: Record<'isLoading' | 'isSearch' | 'hasEnded', boolean>): string {
  if (isLoading) return 'Loading the events …';
  if (isSearch) return 'No event contains this text.';
  return hasEnded ? 'The response had no events.' : 'Waiting for the first event …';
}

interface EventRowProps {
  readonly ref: Ref<HTMLLIElement>;
  readonly index: number;
  readonly top: number;
  readonly total: number;
  readonly number: number;
  readonly event: WireEvent;
  readonly at: number;
  readonly query: string;
  readonly isOpen: boolean;
  readonly onToggle: (number: number, isOpen: boolean) => void;
}

const EventRow = memo(function EventRow(props: EventRowProps) {
  const { ref, index, top, total, number, event, at, query, isOpen, onToggle } = props;
  return (
    <li
      ref={ref}
      data-index={index}
      aria-posinset={index + 1}
      aria-setsize={total}
      style={{ transform: `translateY(${top}px)` }}
    >
      <details open={isOpen} onToggle={toggle => onToggle(number, toggle.currentTarget.open)}>
        <summary>
          <span className="event-number">{number}</span>
          <time>+{formatDuration(at)}</time>
          <code className="event-name">
            <Marked text={event.name.replace(/^response\./, '')} query={query} />
          </code>
          <span className="event-text">
            <Marked text={summarizeEvent(event.data).slice(0, 200)} query={query} />
          </span>
        </summary>
        {isOpen && <JsonView value={event.data} label={`Event ${number}`} query={query} />}
      </details>
    </li>
  );
});
