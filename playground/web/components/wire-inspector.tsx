import { memo, useState } from 'react';
import type { Exchange } from '../../shared/trace.js';
import { filterEvents, type FoundEvent } from '../lib/wire-search.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';
import { JsonView } from './json-view.js';
import { Segmented } from './segmented.js';
import { useStickToEnd } from '../hooks/use-stick-to-end.js';
import { formatDuration } from '../lib/format.js';
import { summarizeEvent } from '../lib/event-summary.js';
import { Marked } from './marked.js';

export interface WireInspectorProps {
  readonly exchanges: readonly Exchange[];
  /** The selected request; the last one by default. */
  readonly chosen: number | undefined;
  readonly onChoose: (exchange: number) => void;
}

/** Requests of a turn: body, headers and events as they arrive. */
export function WireInspector({ exchanges, chosen, onChoose }: WireInspectorProps) {
  const [view, setView] = useState<'events' | 'request' | 'headers'>('events');
  const [query, setQuery] = useState('');
  const exchange = exchanges.find(one => one.exchange === chosen) ?? exchanges.at(-1);
  if (exchange === undefined) return null;
  const found = filterEvents(exchange.events, query);
  return (
    <section className="wire" aria-label="Wire">
      <div className="wire-head">
        <h3>Wire</h3>
        <Segmented
          label="Request"
          value={String(exchange.exchange)}
          options={exchanges.map(({ exchange: number, round, status }) => ({
            value: String(number),
            title: String(number),
            hint: `Round ${round}${status === undefined ? '' : `, status ${status}`}`,
          }))}
          onChange={number => onChoose(Number(number))}
        />
        <Segmented
          label="Part of the exchange"
          value={view}
          options={[
            { value: 'events', title: `Events ${exchange.events.length}` },
            { value: 'request', title: 'Request' },
            { value: 'headers', title: 'Headers' },
          ]}
          onChange={setView}
        />
      </div>
      <div className="wire-search">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search the wire"
          placeholder="Search"
          value={query}
          onChange={event => setQuery(event.target.value)}
        />
        <span className="count" role="status">
          {view === 'events' && query.trim() !== '' && `${found.length} of ${exchange.events.length}`}
        </span>
        {view === 'request' && (
          <CopyButton
            label="Copy the request body"
            text={() => JSON.stringify(exchange.request.body, null, 2)}
          />
        )}
      </div>
      <p className="wire-line">
        <code>
          {exchange.request.method} {exchange.request.url}
        </code>
        <StatusBadge exchange={exchange} />
      </p>
      {view === 'events' && <EventList found={found} exchange={exchange} query={query} />}
      {view === 'request' && <JsonView value={exchange.request.body} label="Request body" query={query} />}
      {view === 'headers' && (
        <JsonView
          value={{ request: exchange.request.headers, response: exchange.headers ?? {} }}
          label="Headers"
          query={query}
        />
      )}
    </section>
  );
}

const endNames = { complete: '', aborted: 'closed by the client', broken: 'broken' } as const;

function StatusBadge({ exchange: { status, end, isDisconnectNoticed } }: { exchange: Exchange }) {
  const isBad = (status ?? 0) >= 400 || end?.end === 'broken';
  const words = [
    status ?? (end === undefined ? 'waiting' : undefined),
    end !== undefined ? endNames[end.end] : status !== undefined && 'streaming',
    isDisconnectNoticed && 'noticed by the endpoint',
  ];
  return (
    <span className="tag" data-hint={isBad ? 'destructive' : undefined}>
      {words.filter(Boolean).join(' · ')}
    </span>
  );
}

export interface EventListProps {
  readonly found: readonly FoundEvent[];
  readonly exchange: Exchange;
  readonly query: string;
}

/** Number of rows that are displayed at first and added on request. */
const PAGE = 300;

/** The events of a response as expandable rows, or the text of a response that is not a stream. */
function EventList({ found, exchange, query }: EventListProps) {
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
          <Marked text={bodyText || '(empty)'} query={query} />
        </pre>
      )}
      {end?.message !== undefined && (
        <p className={end.end === 'aborted' ? 'note' : 'note problem'}>{end.message}</p>
      )}
      {found.length === 0 && bodyText === undefined && (
        <p className="quiet">{query.trim() === '' ? 'No events yet.' : 'No event contains this text.'}</p>
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
