import { useState } from 'react';
import type { Exchange } from '../../shared/trace.js';
import { findEvents } from '../lib/wire-search.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';
import { JsonView } from './json-view.js';
import { Marked } from './marked.js';
import { Segmented } from './segmented.js';
import { EventList } from './event-list.js';

export interface WireInspectorProps {
  readonly exchanges: readonly Exchange[];
  /** The selected request; the last one by default. */
  readonly chosen: number | undefined;
  readonly onChoose: (exchange: number) => void;
  /** True while contents of requests and responses are not here yet. */
  readonly isLoading: boolean;
}

/** Requests of a turn: body, headers and events as they arrive. */
export function WireInspector({ exchanges, chosen, onChoose, isLoading }: WireInspectorProps) {
  const [view, setView] = useState<'events' | 'request' | 'response' | 'headers'>('events');
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
            { value: 'events', title: isLoading ? 'Events' : `Events ${exchange.events.length}` },
            { value: 'request', title: 'Request' },
            { value: 'response', title: 'Response' },
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
      {view === 'events' && (
        <EventList found={found} exchange={exchange} query={query} isLoading={isLoading} />
      )}
      {view === 'request' && <JsonView value={exchange.request.body} label="Request body" query={query} />}
      {view === 'response' && <ResponseBody exchange={exchange} query={query} isLoading={isLoading} />}
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

/** The body of a response: JSON if it is some, else its text. Of a stream, the response in its last event. */
function ResponseBody({
  exchange: { bodyText, events, end },
  query,
  isLoading,
}: {
  exchange: Exchange;
  query: string;
  isLoading: boolean;
}) {
  if (isLoading) return <p className="quiet">Loading the response …</p>;
  const last = events.findLast(({ data }) => toResponse(data) !== undefined);
  const json = bodyText === undefined ? toResponse(last?.data) : parseJson(bodyText);
  if (json !== undefined) return <JsonView value={json} label="Response body" query={query} />;
  if (bodyText) {
    return (
      <pre className="body-text" role="region" aria-label="Response body" tabIndex={0}>
        <Marked text={bodyText} query={query} />
      </pre>
    );
  }
  return (
    <p className="quiet">
      {end === undefined
        ? 'The response is not complete yet.'
        : 'The response has no body, or ended before it.'}
    </p>
  );
}

const toResponse = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && 'response' in data ? data.response : undefined;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
