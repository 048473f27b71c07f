import type { FetchLike } from '@modelcontextprotocol/client';
import type { AuthorizationCallback } from './authorization-messages.js';

/** The authorization of one server with one provider. All connections and pools of the process share it. */
export interface Authorization {
  /** The sign-in that waits for the user. */
  readonly signIn: { readonly url: string } | undefined;
  /** The reason why the last attempt to get a token failed, as a sentence without text of servers. */
  readonly problem: string | undefined;
  /** Returns the current access token. */
  readToken(): Promise<string | undefined>;
  /**
   * Gets a token after a response that rejected the one that was sent. Concurrent callers share the attempt. Returns
   * true if the request may be sent again.
   */
  recover(rejection: Rejection, options: AuthorizationOptions): Promise<boolean>;
  /** Records that the server accepted a token for an operation. */
  confirm(token: string | undefined, operation: string): void;
  /**
   * Exchanges the authorization code of a callback.
   *
   * @throws SignInError
   */
  finish(callback: AuthorizationCallback, options: FinishOptions): Promise<void>;
}

/** A response with HTTP 401, or 403 for insufficient scopes. */
export interface Rejection {
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

interface FinishOptions extends AuthorizationOptions {
  /** The value of `state` that the callback must have. @default the value of the sign-in that this process started */
  state?: string;
}

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

/** Returns what is kept about a provider or a store. */
export function authStateOf(provider: object): AuthState {
  const state = states.get(provider) ?? {
    number: ++count,
    authorizations: new Map(),
    sentTokens: [],
    lastAttempt: Promise.resolve(),
  };
  states.set(provider, state);
  return state;
}

/** Runs attempts to get a token one after the other. One store is never written by two attempts at the same time. */
export function createTurns(provider: object): <T>(operation: () => Promise<T>) => Promise<T> {
  const state = authStateOf(authStateOf(provider).store ?? provider);
  return operation => {
    const turn = state.lastAttempt.then(operation);
    state.lastAttempt = turn.catch(() => {});
    return turn;
  };
}

/** Shares a running operation among callers with the same key. */
export function createSharing(): (key: string, operation: () => Promise<boolean>) => Promise<boolean> {
  const running = new Map<string, Promise<boolean>>();
  return (key, operation) => {
    const shared = running.get(key) ?? operation().finally(() => running.delete(key));
    running.set(key, shared);
    return shared;
  };
}
