import { useState } from 'react';
import type { Exchange } from '../../shared/trace.js';
import { findEvents } from '../lib/wire-search.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';
import { JsonView } from './json-view.js';
import { Segmented } from './segmented.js';
import { EventList } from './event-list.js';

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
  const found = findEvents(exchange.events, query);
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
          {view === 'events' && found !== 'all' && `${found.length} of ${exchange.events.length}`}
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
