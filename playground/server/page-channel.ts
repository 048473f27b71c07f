import type { PageEvent, TurnBatch } from '../shared/page-event.js';

/**
 * The channel that keeps all open pages in step. One connection per page carries everything, because a browser opens only six per
 * server. The messages are those of the server, so that all pages show the same: `useChat` keeps its own, and
 * `resumable-stream` needs Redis.
 */
export interface PageChannel {
  /** Opens the channel of a page that shows a conversation. The stream begins with the current state of everything. */
  connect(conversationId: string): ReadableStream<Uint8Array>;
  /** Sends the current state of a subject to the pages that show it. */
  changed(subject: Subject): void;
  sendBatch(batch: TurnBatch): void;
  sendTurnEnd(turn: { readonly conversationId: string; readonly responseId: string }): void;
  close(): void;
}

/** A subject that pages show: one of those that all pages have, or a conversation. */
export type Subject = 'state' | 'servers' | 'conversations' | { readonly conversationId: string };

export interface PageChannelOptions {
  /** Reads the current state of a subject, for a page that shows a conversation. */
  readonly read: (subject: Subject, conversationId: string) => PageEvent | Promise<PageEvent>;
  /** Returns the running turns of a conversation from their beginning. */
  readonly snapshots: (conversationId: string) => readonly TurnBatch[];
}

interface Connection {
  readonly conversationId: string;
  /** Sends an event after all earlier ones. */
  send(event: PageEvent | Promise<PageEvent>): void;
  close(): void;
}

/** A page that does not read its events is disconnected when so many bytes wait for it. It connects again by itself. */
const MAX_WAITING = 64_000_000;

/** Milliseconds between two checks whether an MCP server has changed: its states have no events. */
const SERVER_INTERVAL = 500;

/** Milliseconds between two comments, by which the server notices closed connections. */
const HEARTBEAT_INTERVAL = 15_000;

export function createPageChannel({ read, snapshots }: PageChannelOptions): PageChannel {
  const connections = new Set<Connection>();
  let timer: NodeJS.Timeout | undefined;
  let lastServers = '';

  async function watchServers(): Promise<void> {
    const json = JSON.stringify(await read('servers', ''));
    if (json !== lastServers) sendAll('servers');
    lastServers = json;
  }

  function sendAll(subject: Subject): void {
    const isFor = ({ conversationId }: Connection): boolean =>
      typeof subject === 'string' || subject.conversationId === conversationId;
    const receivers = [...connections].filter(isFor);
    if (receivers.length === 0) return;
    // Only the state differs between pages: each conversation has its own settings.
    const shared = subject === 'state' ? undefined : read(subject, '');
    for (const connection of receivers) connection.send(shared ?? read(subject, connection.conversationId));
  }

  return {
    connect(conversationId) {
      const encoder = new TextEncoder();
      let connection: Connection | undefined;
      let heartbeat: NodeJS.Timeout | undefined;
      function end(): void {
        clearInterval(heartbeat);
        if (connection !== undefined) connections.delete(connection);
        if (connections.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            let queue = Promise.resolve();
            let isOpen = true;
            const write = (text: string): void => {
              if (!isOpen) return;
              controller.enqueue(encoder.encode(text));
              if ((controller.desiredSize ?? 0) < -MAX_WAITING) own.close();
            };
            const own: Connection = {
              conversationId,
              send(event) {
                queue = queue
                  .then(async () => write(`data: ${JSON.stringify(await event)}\n\n`))
                  .catch(() => own.close());
              },
              close() {
                if (isOpen) controller.close();
                isOpen = false;
                end();
              },
            };
            connection = own;
            connections.add(own);
            heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_INTERVAL);
            timer ??= setInterval(() => void watchServers(), SERVER_INTERVAL);
            for (const subject of ['state', 'servers', 'conversations', { conversationId }] as const)
              own.send(read(subject, conversationId));
            for (const turn of snapshots(conversationId)) own.send({ type: 'turn', turn });
          },
          cancel: end,
        },
        { highWaterMark: 0, size: chunk => chunk?.byteLength ?? 0 },
      );
    },
    changed: sendAll,
    sendBatch(turn) {
      for (const connection of connections) {
        if (connection.conversationId === turn.conversationId) connection.send({ type: 'turn', turn });
      }
    },
    sendTurnEnd({ conversationId, responseId }) {
      for (const connection of connections) {
        if (connection.conversationId === conversationId) connection.send({ type: 'turn-ended', responseId });
      }
    },
    close() {
      for (const connection of [...connections]) connection.close();
    },
  };
}
