import type { PlainObject } from '../../shared/json.js';
import { hasSameSettings, toNewItems } from './chain.js';
import { type Connection, createConnection, isFree, type Lane } from './connection.js';
import type { WebSocketConstructor } from './socket.js';

export interface PoolOptions {
  /** Milliseconds for which an unused connection is kept. */
  readonly keepAlive: number;
  /** Sends requests on the connection of another running response. */
  readonly multiplex: boolean;
  readonly WebSocket: WebSocketConstructor | undefined;
  /** @internal */
  readonly pingInterval?: number | undefined;
}

/** The server of a connection, and the headers that were sent to open it. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A lane that is reserved for a request. */
export interface Place {
  readonly connection: Connection;
  readonly lane: Lane;
  /** True if the connection was opened for an earlier request. */
  readonly isReused: boolean;
  /** The items to send, which follow the latest response of the lane. Undefined for the complete input. */
  readonly newItems: readonly unknown[] | undefined;
}

export interface TakeOptions {
  /** Takes a connection that was opened for this request. */
  readonly isNew: boolean;
  /** False to send the complete input. */
  readonly chains: boolean;
}

export interface ConnectionPool {
  /** Opens a connection unless there is one for this target. */
  prepare(target: Target): void;
  /** Reserves a lane: one whose latest response the request continues, or else a free one. */
  take(target: Target, body: PlainObject, options: TakeOptions): Place;
  /** Closes unused connections, and the others after their responses. */
  close(): void;
}

/** The number of unused connections that are kept. */
const MAX_IDLE = 16;

/** The number of responses that the API runs at the same time on one connection. */
const MAX_ACTIVE = 16;

interface Entry {
  readonly key: string;
  readonly connection: Connection;
  isUsed: boolean;
}

export function createConnectionPool({ multiplex, ...options }: PoolOptions): ConnectionPool {
  const maxActive = multiplex ? MAX_ACTIVE : 1;
  /** The connection that was used last is the last one. */
  let entries: Entry[] = [];

  return {
    prepare(target) {
      const key = toKey(target);
      if (!usable(key).some(({ connection }) => connection.activeCount < maxActive)) open(target, key);
    },

    take(target, body, { isNew, chains }) {
      const key = toKey(target);
      const known = isNew ? [] : usable(key).reverse();
      for (const entry of known) {
        for (const lane of entry.connection.lanes) {
          const { isBusy, link } = lane;
          const newItems = isBusy || !chains || link === undefined ? undefined : toNewItems(body, link);
          if (newItems === undefined || link === undefined) continue;
          return reserve(entry, lane, hasSameSettings(body, link) ? newItems : undefined);
        }
      }
      for (const entry of known) {
        const lane = findFreeLane(entry.connection);
        if (lane !== undefined) return reserve(entry, lane);
      }
      const entry = open(target, key);
      const [lane] = entry.connection.lanes;
      if (lane === undefined) throw new Error('Expected a lane of a new connection, got none.');
      return reserve(entry, lane);
    },

    close() {
      for (const { connection } of [...entries]) connection.retire();
    },
  };

  function findFreeLane(connection: Connection): Lane | undefined {
    if (connection.activeCount >= maxActive) return undefined;
    return connection.lanes.find(isFree) ?? (multiplex ? connection.addLane() : undefined);
  }

  function reserve(entry: Entry, lane: Lane, newItems?: readonly unknown[]): Place {
    const isReused = entry.isUsed;
    entry.isUsed = true;
    lane.isBusy = true;
    entries = [...entries.filter(other => other !== entry), entry];
    return { connection: entry.connection, lane, isReused, newItems };
  }

  function open({ url, headers }: Target, key: string): Entry {
    const idle = entries.filter(({ connection }) => connection.activeCount === 0);
    for (const { connection } of idle.slice(0, Math.max(0, idle.length + 1 - MAX_IDLE))) connection.retire();
    const entry: Entry = {
      key,
      isUsed: false,
      connection: createConnection({
        ...options,
        url,
        headers,
        onRetired() {
          entries = entries.filter(other => other !== entry);
        },
      }),
    };
    entries.push(entry);
    return entry;
  }

  function usable(key: string): Entry[] {
    return entries.filter(entry => entry.key === key && entry.connection.isUsable);
  }
}

const toKey = ({ url, headers }: Target): string =>
  JSON.stringify([url, Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))]);
