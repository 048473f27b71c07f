import { memo, useState } from 'react';
import type { Exchange } from '../../shared/trace.js';
import { useStickToEnd } from '../hooks/use-stick-to-end.js';
import type { FoundEvent } from '../lib/filter-events.js';
import { formatDuration } from '../lib/format.js';
import { summarizeEvent } from '../lib/summarize-event.js';
import { JsonView } from './json-view.js';
import { Marked } from './marked.js';

export interface EventListProps {
  readonly found: readonly FoundEvent[];
  readonly exchange: Exchange;
  readonly query: string;
}

/** Rows that are shown before somebody asks for more. */
const PAGE = 300;

/** The events of an answer, each a line that opens; an answer that is no stream is shown as its text. */
export function EventList({ found, exchange, query }: EventListProps) {
  const [limit, setLimit] = useState(PAGE);
  const { end, bodyText, startAt } = exchange;
  const { ref, onScroll } = useStickToEnd({ isActive: end === undefined && query.trim() === '' });
  return (
    <div className="events" tabIndex={0} role="region" aria-label="Events" ref={ref} onScroll={onScroll}>
      <ol>
        {found.slice(0, limit).map(one => (
          <EventRow key={one.number} found={one} startAt={startAt} query={query} />
        ))}
      </ol>
      {found.length > limit && (
        <button type="button" className="button subtle" onClick={() => setLimit(limit + PAGE)}>
          {found.length - limit} more events
        </button>
      )}
      {bodyText !== undefined && (
        <pre className="body-text">
          <Marked text={bodyText || '(nothing)'} query={query} />
        </pre>
      )}
      {end?.message !== undefined && (
        <p className={end.end === 'aborted' ? 'note' : 'note problem'}>{end.message}</p>
      )}
      {found.length === 0 && bodyText === undefined && (
        <p className="quiet">{query.trim() === '' ? 'No event yet.' : 'No event holds this text.'}</p>
      )}
    </div>
  );
}

const EventRow = memo(function EventRow({
  found: { event, number },
  startAt,
  query,
}: {
  found: FoundEvent;
  startAt: number;
  query: string;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <details onToggle={toggle => setOpen(toggle.currentTarget.open)}>
        <summary>
          <span className="event-number">{number}</span>
          <time>+{formatDuration(event.at - startAt)}</time>
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
