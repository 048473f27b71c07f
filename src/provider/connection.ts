import type { Credentials } from '../http/key-ring.js';
import type { FetchForCall } from '../http/request-log.js';

/** The connection of a provider, for requests that belong to no model. */
export interface Connection {
  /** Name of the provider. */
  readonly provider: string;
  readonly credentials: Credentials;
  /** True if the server rejects requests without a key. */
  readonly needsKey: boolean;
  readonly fetchFor: FetchForCall;
  /** Time limit of one request, in milliseconds. */
  readonly timeout: number | undefined;
  /** Returns the URL of an endpoint. */
  urlOf(path: string): string;
}

const connections = new WeakMap<object, Connection>();

/** Remembers the connection of a provider, which later versions of the provider use for files and skills. */
export function withConnection<Provider extends object>(
  provider: Provider,
  connection: Connection,
): Provider {
  connections.set(provider, connection);
  return provider;
}

/** Returns the connection of a provider. Undefined for providers of another origin. */
export const connectionOf = (provider: object): Connection | undefined => connections.get(provider);
