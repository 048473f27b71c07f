import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';

/** An event of a turn, sent to its clients as a server-sent event. */
export interface TurnEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The answer of a person to a question. */
export interface Answer {
  readonly approved: boolean;
  readonly reason?: string;
}

/** The functions of an engine behind the HTTP API. */
export interface TurnEngine {
  /** Starts a turn, unless a turn with this id exists. */
  start(id: string, prompt: string): Promise<void>;
  /** Answers a question that a turn has asked. */
  answer(id: string, questionId: string, answer: Answer): Promise<void>;
  /** Continues a turn of a process that has ended. */
  resume?(id: string): Promise<void>;
  /** Returns the text of a finished turn. */
  textOf(id: string): Promise<string | undefined>;
}

/** Time in milliseconds within which an engine has recorded the text of an ended turn, and keeps it. */
const RECORD_MS = 60_000;

/** The events of the attempts at turns in this process. */
interface LiveTurn {
  readonly events: TurnEvent[];
  readonly clients: Set<ServerResponse>;
}

export interface TurnServer {
  /**
   * Begins an attempt at a turn. A repeated attempt sends all events of the turn again, those of recorded rounds at once,
   * and its first event is `attempt`, with which clients clear what they have shown.
   *
   * @returns a function that sends an event. The type `end` is the last one.
   */
  begin(id: string): (event: TurnEvent) => void;
  close(): Promise<void>;
}

/**
 * Serves turns over HTTP on 127.0.0.1.
 *
 *     POST /turns/:id                       { "prompt": "…" } starts a turn
 *     GET  /turns/:id                       streams its events
 *     POST /turns/:id/answers/:questionId   { "approved": true }
 *     POST /turns/:id/resume                continues a turn of another process
 */
export async function serveTurns(engine: TurnEngine, { port }: { port: number }): Promise<TurnServer> {
  const turns = new Map<string, LiveTurn>();
  const turnOf = (id: string): LiveTurn => {
    const turn = turns.get(id) ?? { events: [], clients: new Set<ServerResponse>() };
    turns.set(id, turn);
    return turn;
  };

  const forgetEnded = (id: string): void => {
    if (turns.get(id)?.events.at(-1)?.type === 'end') turns.delete(id);
  };

  const send = (client: ServerResponse, event: TurnEvent): void => {
    client.write(`data: ${JSON.stringify(event)}\n\n`);
    if (event.type === 'end') client.end();
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, root, id = '', action, questionId = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    if (root !== 'turns' || id === '') return void response.writeHead(404).end();
    if (request.method === 'GET') return stream(id, response);
    const body = await readJson(request);
    if (action === undefined) await engine.start(id, String(body.prompt));
    else if (action === 'answers')
      await engine.answer(id, questionId, {
        approved: body.approved === true,
        ...(typeof body.reason === 'string' && { reason: body.reason }),
      });
    else await engine.resume?.(id);
    response.writeHead(202).end();
  }

  async function stream(id: string, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    const { events, clients } = turnOf(id);
    events.forEach(event => send(response, event));
    clients.add(response);
    response.once('close', () => clients.delete(response));
    if (events.length > 0) return;
    // The turn may end while the engine is asked, so the client is added before.
    const text = await engine.textOf(id);
    if (text !== undefined && !response.writableEnded) send(response, { type: 'end', text });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(error => {
      console.error(error);
      response.writeHead(500).end();
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');

  return {
    begin(id) {
      const { events, clients } = turnOf(id);
      events.length = 0;
      const sendAll = (event: TurnEvent): void => {
        events.push(event);
        clients.forEach(client => send(client, event));
        if (event.type === 'end') setTimeout(forgetEnded, RECORD_MS, id).unref();
      };
      sendAll({ type: 'attempt' });
      return sendAll;
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
