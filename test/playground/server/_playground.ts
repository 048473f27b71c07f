import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { startPlayground } from '../../../playground/server/playground.js';
import type { Conversation, Thread } from '../../../playground/shared/playground-state.js';
import { toTrace } from '../../../playground/shared/trace.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';

export interface TestPlayground {
  readonly url: string;
  readonly folder: string;
  /** A request as the page sends it. */
  call(path: string, options?: { method?: string; body?: unknown }): Promise<Answer>;
  /** Asks and waits for the end; the conversation is read back from the server. */
  ask(text: string, options?: { thread?: Thread; id?: string }): Promise<Turn>;
  /** A turn that is only begun. */
  begin(text: string, options?: { thread?: Thread; id?: string }): Promise<Response>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface Turn {
  /** All that was streamed. */
  readonly stream: string;
  readonly events: readonly TraceEvent[];
  readonly trace: ReturnType<typeof toTrace>;
  /** The text of the answer. */
  readonly text: string;
}

export interface TestPlaygroundOptions {
  /** The MCP configuration that is on disk; `undefined` for none, as on the first start. @default no server */
  readonly mcpServers?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
  /** A folder that another playground has left. */
  readonly folder?: string;
}

/** Starts a playground on a free port, over a folder of its own; the end of the test stops it. */
export async function openPlayground(options: TestPlaygroundOptions = {}): Promise<TestPlayground> {
  const { mcpServers, environment = {}, folder } = { mcpServers: {}, ...options };
  const home = folder ?? (await makeFolder());
  if (folder === undefined && mcpServers !== undefined) {
    await writeFile(path.join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  }
  const playground = await startPlayground({ folder: home, environment });
  const { url } = playground;
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await playground.close();
  };
  onTestFinished(close);

  const send = (where: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) =>
    fetch(url + where, {
      method,
      headers: { origin: url, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  const begin: TestPlayground['begin'] = (text, { thread = 'main', id = 'conversation-1' } = {}) => {
    const message = { id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] };
    return send('/api/chat', { method: 'POST', body: { conversationId: id, thread, message } });
  };

  return {
    url,
    folder: home,
    begin,
    close,
    async call(where, options) {
      const response = await send(where, options);
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: toJson(text) };
    },
    async ask(text, { thread = 'main', id = 'conversation-1' } = {}) {
      const stream = await (await begin(text, { thread, id })).text();
      const conversation = (await (await send(`/api/conversations/${id}`)).json()) as Conversation;
      return { stream, ...readTurn(conversation, thread) };
    },
  };
}

/** The last answer of a thread. */
export function readTurn({ threads }: Conversation, thread: Thread = 'main'): Omit<Turn, 'stream'> {
  const answer = threads[thread]?.at(-1);
  if (answer?.message.role !== 'assistant') throw new Error('Expected the last message to be an answer.');
  const { message, trace: events } = answer;
  const text = message.parts.map(part => (part.type === 'text' ? part.text : '')).join('');
  return { events, trace: toTrace(events), text };
}

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'playground-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A request with headers that `fetch` would not let one set. */
export function sendRaw(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, response => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
