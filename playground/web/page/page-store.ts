import type { UIMessageChunk } from 'ai';
import { createParser } from 'eventsource-parser';
import type { PageEvent, TurnBatch, TurnPlace } from '../../shared/page-event.js';
import type {
  Conversation,
  ListedConversation,
  PlaygroundMessage,
  PlaygroundState,
  ServersResponse,
} from '../../shared/playground-state.js';
import { addToTrace, emptyTrace, type Trace } from '../../shared/trace.js';
import { fetchApi } from './api.js';
import { isDraft } from './drafts.js';
import { onSignIn, readToken } from './session.js';

const loadReader = () => import('./read-message.js');

/** The server's state, as this page has received it. All pages receive the same events. */
export interface PageState {
  /** `refused` until this tab has a valid token. */
  readonly connection: 'connecting' | 'open' | 'lost' | 'refused';
  /** Each is undefined until the server has sent it. */
  readonly state?: PlaygroundState;
  readonly servers?: ServersResponse;
  readonly conversations?: readonly ListedConversation[];
  readonly conversationId?: string;
  /** The watched conversation; null if the server has no message of it. */
  readonly conversation?: Conversation | null;
  /** True if the watched conversation is neither stored nor new. */
  readonly isMissing?: boolean;
  /** Running turns of the watched conversation, by the id of their response. */
  readonly turns: Readonly<Record<string, LiveTurn>>;
}

/** A running turn. */
export interface LiveTurn extends LiveTrace {
  readonly place: TurnPlace;
  readonly message: PlaygroundMessage;
}

/** A trace and the start of its turn on the clock of the page, to update the timeline between events. */
export interface LiveTrace {
  readonly trace: Trace;
  /** Time of `performance.now()`. */
  readonly beganAt: number;
  /** True until the contents of requests and responses are loaded. */
  readonly isOutline?: boolean;
}

/** Receives the events of the server while the page is visible. */
export interface PageStore {
  subscribe(listener: () => void): () => void;
  read(): PageState;
  /** Changes the watched conversation. */
  watch(conversationId: string): void;
}

/** Milliseconds until the next attempt after the server was lost. */
const RETRY_INTERVAL = 1000;

export function createPageStore(): PageStore {
  const listeners = new Set<() => void>();
  const writers = new Map<string, ReadableStreamDefaultController<UIMessageChunk>>();
  let current: PageState = { connection: 'connecting', turns: {} };
  let watched: string | undefined;
  let connection: AbortController | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;

  let frame: number | undefined;

  function notify(): void {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    for (const listener of listeners) listener();
  }

  function change(next: Partial<PageState>): void {
    current = { ...current, ...next };
    notify();
  }

  function changeTurn(id: string, next: Partial<LiveTurn>): void {
    const turn = current.turns[id];
    if (turn === undefined) return;
    current = { ...current, turns: { ...current.turns, [id]: { ...turn, ...next } } };
    // A fast endpoint sends hundreds of batches a second, and a frame shows only the last of them.
    frame ??= requestAnimationFrame(notify);
  }

  function forgetTurns(isGone: (id: string) => boolean): void {
    for (const id of [...writers.keys()].filter(isGone)) {
      writers.get(id)?.close();
      writers.delete(id);
    }
    change({ turns: Object.fromEntries(Object.entries(current.turns).filter(([id]) => !isGone(id))) });
  }

  function addBatch({ isFirst, chunks, events, ...place }: TurnBatch): void {
    const id = place.responseId;
    if (isFirst) {
      forgetTurns(known => known === id);
      const message: PlaygroundMessage = { id, role: 'assistant', parts: [] };
      const beganAt = performance.now() - (events.at(-1)?.at ?? 0);
      change({ turns: { ...current.turns, [id]: { place, message, trace: emptyTrace, beganAt } } });
      void readMessage(id);
    }
    for (const chunk of chunks) writers.get(id)?.enqueue(chunk);
    const turn = current.turns[id];
    if (turn !== undefined) changeTurn(id, { trace: addToTrace(turn.trace, events) });
  }

  async function readMessage(id: string): Promise<void> {
    const stream = new ReadableStream<UIMessageChunk>({
      start: controller => void writers.set(id, controller),
    });
    const writer = writers.get(id);
    const { readUIMessageStream } = await loadReader();
    for await (const message of readUIMessageStream<PlaygroundMessage>({ stream })) {
      if (writers.get(id) === writer) changeTurn(id, { message: { ...message, id } });
    }
  }

  function receive(event: PageEvent): void {
    switch (event.type) {
      case 'turn':
        return addBatch(event.turn);
      case 'turn-ended':
        return forgetTurns(id => id === event.responseId);
      case 'conversation': {
        const stored = Object.values(event.conversation?.threads ?? {}).flat();
        const { conversation } = event;
        change({ conversation, isMissing: conversation === null && !event.isDraft });
        return forgetTurns(id => stored.some(({ message }) => message.id === id));
      }
      default: {
        const { type: _type, ...next } = event;
        return change(next);
      }
    }
  }

  function disconnect(): void {
    clearTimeout(retry);
    connection?.abort();
    connection = undefined;
  }

  function connect(): void {
    disconnect();
    if (watched === undefined || document.visibilityState === 'hidden') return;
    if (readToken() === undefined) return change({ connection: 'refused' });
    connection = new AbortController();
    const { signal } = connection;
    void readEvents(watched, signal).then(state => {
      if (signal.aborted) return;
      disconnect();
      change({ connection: state });
      // After a refusal, the next sign-in connects again.
      if (state === 'lost') retry = setTimeout(connect, RETRY_INTERVAL);
    });
  }

  /** Receives events until the stream ends. `EventSource` cannot send the token in a header. */
  async function readEvents(conversationId: string, signal: AbortSignal): Promise<'refused' | 'lost'> {
    try {
      const query = new URLSearchParams({
        conversation: conversationId,
        ...(isDraft(conversationId) && { draft: 'true' }),
      });
      const path = `/events?${query.toString()}`;
      const { status, ok, body } = await fetchApi(path, { signal });
      if (status === 401) return 'refused';
      if (!ok || body === null || signal.aborted) return 'lost';
      // The server sends everything again.
      forgetTurns(() => true);
      change({ connection: 'open' });
      // Before the first response needs it.
      void loadReader().catch(() => {});
      const parser = createParser({ onEvent: ({ data }) => receive(JSON.parse(data) as PageEvent) });
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        if (signal.aborted) break;
        parser.feed(next.value);
      }
    } catch {
      // The server was stopped, or another conversation is watched.
    }
    return 'lost';
  }

  onSignIn(connect);

  // A browser has few connections per server, so pages that nobody sees do not keep one.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') disconnect();
    else if (connection === undefined) connect();
  });

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    read: () => current,
    watch(conversationId) {
      if (conversationId === watched) return;
      watched = conversationId;
      forgetTurns(() => true);
      change({ conversationId, conversation: undefined, isMissing: false });
      connect();
    },
  };
}
