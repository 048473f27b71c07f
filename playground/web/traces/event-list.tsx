import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState } from 'react';
import type { Exchange, WireEvent } from '../../shared/trace.js';
import { createItemGroups, type EventEntry, type EventItem } from './event-items.js';
import { describeItem, summarizeEvent } from './event-summary.js';
import { formatBody } from './format-body.js';
import { formatDuration, formatNumberOf } from '../ui/format.js';
import { JsonView } from '../ui/json-view.js';
import { Marked } from '../ui/marked.js';
import { Segmented } from '../ui/segmented.js';

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

/** Characters of the name of an item or an event, which a server may choose. */
const MAX_NAME = 80;

/** Distance from the end, in pixels, within which the list follows new events. */
const NEAR_END = 120;

/** An item, or an event by its number: one of an open item, or one that stands for itself. */
type Row = { readonly item: EventItem } | { readonly number: number; readonly isPart: boolean };

/**
 * The items of a response, each with its events on demand, or all events as they came. A search lists events. A response that
 * is not a stream is text. Only visible rows exist.
 */
export function EventList({ found, exchange, query, isLoading }: EventListProps) {
  const { events, end, bodyText, startAt } = exchange;
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [view, setView] = useState<'items' | 'raw'>('items');
  const [group] = useState(createItemGroups);
  const list =
    found === 'all'
      ? view === 'items'
        ? toRows(group(events), open)
        : events.map(toRow)
      : found.map(number => toRow(undefined, number - 1));
  const count = list.length;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: index => toKey(list[index]),
    overscan: 12,
  });
  const isFollowing = end === undefined && found === 'all';
  useEffect(() => {
    if (isFollowing && isAtEnd.current && frame.current !== null) {
      frame.current.scrollTop = frame.current.scrollHeight;
    }
  }, [count, isFollowing]);
  const toggle = (key: string, isOpen: boolean): void =>
    setOpen(known => {
      if (known.has(key) === isOpen) return known;
      return new Set(isOpen ? [...known, key] : [...known].filter(other => other !== key));
    });

  const lastIndex = count - 1;
  const lastRow = list[lastIndex];
  const last = lastRow !== undefined && 'number' in lastRow ? events[lastRow.number - 1] : undefined;
  const jump = (): void => {
    rows.scrollToIndex(lastIndex, { align: 'end' });
    toggle(toKey(lastRow), true);
  };

  return (
    <>
      <div className="button-row">
        {events.length > 0 && (
          <Segmented
            label="List of events"
            value={view}
            options={[
              { value: 'items', title: 'Items' },
              { value: 'raw', title: 'Raw' },
            ]}
            onChange={setView}
            isDisabled={found !== 'all'}
          />
        )}
        {end !== undefined && last !== undefined && (
          <button type="button" className="button jump" onClick={jump}>
            Jump to {last.name}
          </button>
        )}
      </div>
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
            const row = list[index];
            if (row === undefined) return null;
            const number = 'item' in row ? (row.item.numbers[0] ?? 0) : row.number;
            const event = events[number - 1];
            if (event === undefined) return null;
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-part={'item' in row ? undefined : row.isPart}
                aria-posinset={index + 1}
                aria-setsize={count}
                style={{ transform: `translateY(${start}px)` }}
              >
                {'item' in row ? (
                  <ItemRow
                    item={row.item}
                    count={row.item.numbers.length}
                    at={event.at - startAt}
                    hasEnded={end !== undefined}
                    isOpen={open.has(toKey(row))}
                    onToggle={toggle}
                  />
                ) : (
                  <EventRow
                    number={number}
                    event={event}
                    at={event.at - startAt}
                    query={query}
                    isOpen={open.has(toKey(row))}
                    onToggle={toggle}
                  />
                )}
              </li>
            );
          })}
        </ol>
        {bodyText !== undefined && (
          <pre className="body-text">
            <Marked text={formatBody(bodyText) || '(empty)'} query={query} />
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

const toRow = (_event: unknown, index: number): Row => ({ number: index + 1, isPart: false });

const toRows = (entries: readonly EventEntry[], open: ReadonlySet<string>): Row[] =>
  entries.flatMap((entry): Row[] => {
    if (typeof entry === 'number') return [{ number: entry, isPart: false }];
    const row = { item: entry };
    if (!open.has(toKey(row))) return [row];
    return [row, ...entry.numbers.map(number => ({ number, isPart: true }))];
  });

const toKey = (row: Row | undefined): string =>
  row === undefined ? '' : 'item' in row ? `item ${row.item.key}` : String(row.number);

function toEmptyNote({
  isLoading,
  isSearch,
  hasEnded,
}: Record<'isLoading' | 'isSearch' | 'hasEnded', boolean>): string {
  if (isLoading) return 'Loading the events …';
  if (isSearch) return 'No event contains this text.';
  return hasEnded ? 'The response had no events.' : 'Waiting for the first event …';
}

interface RowProps {
  /** Milliseconds after the request. */
  readonly at: number;
  readonly isOpen: boolean;
  readonly onToggle: (key: string, isOpen: boolean) => void;
}

interface ItemRowProps extends RowProps {
  readonly item: EventItem;
  /** The number of its events. */
  readonly count: number;
  /** True after the end of the response. */
  readonly hasEnded: boolean;
}

/** An output item with its joined text. Its events follow while it is open. */
function ItemRow({ item, count, at, hasEnded, isOpen, onToggle }: ItemRowProps) {
  const { key, value, text, isComplete } = item;
  const title = [value.type ?? 'item', value.name].filter(word => typeof word === 'string').join(' ');
  return (
    <details open={isOpen} onToggle={toggle => onToggle(toKey({ item }), toggle.currentTarget.open)}>
      <summary>
        <span className="event-number">{item.numbers[0]}</span>
        <time>+{formatDuration(at)}</time>
        <code className="event-name">{title.slice(0, MAX_NAME)}</code>
        <span className="event-text">
          {!isComplete && <span className="tag">{hasEnded ? 'incomplete' : 'in progress'}</span>}{' '}
          {(text || describeItem(value)).slice(0, 200)}
        </span>
        <span className="event-count">{formatNumberOf(count, 'event')}</span>
      </summary>
      {isOpen && (
        <>
          {text !== '' && <pre className="body-text">{text}</pre>}
          <JsonView value={value} label={`Item ${key}`} query="" />
        </>
      )}
    </details>
  );
}

interface EventRowProps extends RowProps {
  readonly number: number;
  readonly event: WireEvent;
  readonly query: string;
}

const EventRow = memo(function EventRow({ number, event, at, query, isOpen, onToggle }: EventRowProps) {
  return (
    <details open={isOpen} onToggle={toggle => onToggle(String(number), toggle.currentTarget.open)}>
      <summary>
        <span className="event-number">{number}</span>
        <time>+{formatDuration(at)}</time>
        <code className="event-name">
          <Marked text={event.name.replace(/^response\./, '').slice(0, MAX_NAME)} query={query} />
        </code>
        <span className="event-text">
          <Marked text={summarizeEvent(event.data).slice(0, 200)} query={query} />
        </span>
      </summary>
      {isOpen && <JsonView value={event.data} label={`Event ${number}`} query={query} />}
    </details>
  );
});
