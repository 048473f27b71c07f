import type { FetchLike } from '@modelcontextprotocol/client';

/** The authorization of one server with one provider. All connections and pools of the process share it. */
export interface Authorization {
  /** The URL that the user must open to sign in, while a sign-in waits for the user. */
  readonly signInUrl: string | undefined;
  /** The reason why the last attempt to get a token failed, as a sentence without text of servers. */
  readonly problem: string | undefined;
  /** Returns the current access token. */
  token(): Promise<string | undefined>;
  /**
   * Reads a response to a request with a token. If it rejects the token, gets another one; concurrent callers share the
   * attempt. Returns true if the request may be sent again.
   */
  recover(exchange: HttpExchange, options: AuthorizationOptions): Promise<boolean>;
  /**
   * Exchanges the authorization code of a callback.
   *
   * @throws SignInError
   */
  finish(callback: AuthorizationCallback, options: AuthorizationOptions): Promise<void>;
}

/** A request and its response, whose body remains unread. */
export interface HttpExchange {
  readonly response: Response;
  /** The token that was sent. */
  readonly token: string | undefined;
  /** The request, for the limit of attempts: its JSON-RPC method and the name of the tool. */
  readonly operation: string;
}

export interface AuthorizationOptions {
  /** Sends the requests to the authorization server. */
  fetch: FetchLike;
  /** Headers of the server's configuration. Only requests to the server's origin have them. */
  headers?: Readonly<Record<string, string>>;
}

/** The URL to which the authorization server returned the user, its query, or only the code in it. */
export type AuthorizationCallback = string | URL | URLSearchParams;

/** Stores the credentials of users, for example a `Map`, or a table of a database with the rows of one user. */
export interface McpCredentialStore {
  /** Returns the value of a key: JSON text with tokens and client secrets. */
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Stores a value. Rejects if it could not be stored. */
  set(key: string, value: string): unknown;
}

/** A sign-in that the user has not completed. */
export interface StartedSignIn {
  readonly url: string;
  /** Time in milliseconds. */
  readonly startedAt: number;
}

/** Starts a sign-in in a provider of this package. `opened` ends with the function of the application that opens the page. */
export const START_SIGN_IN = Symbol('startSignIn');

/** A provider whose sign-in has started before the application has opened the page. */
export interface SignInStarter {
  [START_SIGN_IN](url: URL): Promise<{ readonly opened: Promise<void> }>;
}

/** What this package keeps about an auth provider, which belongs to the application, or about a store of one. */
interface AuthState {
  /** A number that no other provider has. */
  readonly number: number;
  /** The authorizations with the provider by the URL of the server. */
  readonly authorizations: Map<string, Authorization>;
  /** The tokens that were sent last. */
  sentTokens: readonly string[];
  /** The store of a provider of this package. */
  store?: McpCredentialStore;
  /** Reads the started sign-in from the store. */
  readSignIn?: () => Promise<StartedSignIn | undefined>;
  /** The end of the last attempt to get a token. */
  lastAttempt: Promise<unknown>;
}

const states = new WeakMap<object, AuthState>();
let count = 0;

export function authStateOf(providerOrStore: object): AuthState {
  const state = states.get(providerOrStore) ?? {
    number: ++count,
    authorizations: new Map(),
    sentTokens: [],
    lastAttempt: Promise.resolve(),
  };
  states.set(providerOrStore, state);
  return state;
}
