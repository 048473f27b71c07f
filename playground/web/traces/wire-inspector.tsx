import { useState } from 'react';
import type { Exchange } from '../../shared/trace.js';
import { findEvents } from './wire-search.js';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icon.js';
import { JsonView } from '../ui/json-view.js';
import { Marked } from '../ui/marked.js';
import { saveFile } from '../ui/save-file.js';
import { Segmented } from '../ui/segmented.js';
import { formatNumberOf } from '../ui/format.js';
import { useQueryValue } from '../page/routes.js';
import { Tabs } from '../ui/tabs.js';
import { EventList } from './event-list.js';

export interface WireInspectorProps {
  readonly exchanges: readonly Exchange[];
  /** The selected request; the last one by default. */
  readonly chosen: number | undefined;
  readonly onChoose: (exchange: number) => void;
  /** True while contents of requests and responses are not here yet. */
  readonly isLoading: boolean;
}

const VIEWS = ['events', 'request', 'response', 'headers'] as const;

/** Requests of a turn: body, headers and events as they arrive. */
export function WireInspector({ exchanges, chosen, onChoose, isLoading }: WireInspectorProps) {
  const [named, setView] = useQueryValue('tab');
  const view = VIEWS.find(name => name === named) ?? 'events';
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
          {view === 'events' &&
            !isLoading &&
            (found === 'all'
              ? formatNumberOf(exchange.events.length, 'event')
              : `${found.length} of ${formatNumberOf(exchange.events.length, 'event')}`)}
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
      <Tabs
        label="Part of the exchange"
        current={view}
        onChange={name => setView(name === 'events' ? '' : name)}
        tabs={[
          {
            name: 'events',
            title: 'Events',
            content: <EventList found={found} exchange={exchange} query={query} isLoading={isLoading} />,
          },
          {
            name: 'request',
            title: 'Request',
            content: <JsonView value={exchange.request.body} label="Request body" query={query} />,
          },
          {
            name: 'response',
            title: 'Response',
            content: <ResponseBody exchange={exchange} query={query} isLoading={isLoading} />,
          },
          {
            name: 'headers',
            title: 'Headers',
            content: (
              <JsonView
                value={{ request: exchange.request.headers, response: exchange.headers ?? {} }}
                label="Headers"
                query={query}
              />
            ),
          },
        ]}
      />
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
  if (json === undefined && !bodyText)
    return (
      <p className="quiet">
        {end === undefined
          ? 'The response is not complete yet.'
          : 'The response has no body, or ended before it.'}
      </p>
    );
  return (
    <>
      {bodyText && (
        <div className="button-row">
          <span className="quiet">
            {formatNumberOf(bodyText.length, 'character')}
            {end?.end === 'complete' ? '' : ' that were received before the connection was closed'}
          </span>
          <button
            type="button"
            className="copy-button"
            onClick={() => saveFile('response.txt', new Blob([bodyText], { type: 'text/plain' }))}
          >
            Download
          </button>
        </div>
      )}
      {json !== undefined ? (
        <JsonView value={json} label="Response body" query={query} />
      ) : (
        <pre className="body-text" role="region" aria-label="Response body" tabIndex={0}>
          <Marked text={bodyText ?? ''} query={query} />
        </pre>
      )}
    </>
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
