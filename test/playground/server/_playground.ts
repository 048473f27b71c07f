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
  /** Sends a request as the page does. */
  call(path: string, options?: { method?: string; body?: unknown }): Promise<ApiResponse>;
  /** Runs a turn to its end and reads the conversation from the server. */
  ask(text: string, options?: { thread?: Thread; id?: string }): Promise<Turn>;
  /** Starts a turn and returns its stream. */
  begin(text: string, options?: { thread?: Thread; id?: string }): Promise<Response>;
  close(): Promise<void>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface Turn {
  /** The complete stream. */
  readonly stream: string;
  readonly events: readonly TraceEvent[];
  readonly trace: ReturnType<typeof toTrace>;
  /** The text of the response. */
  readonly text: string;
}

export interface TestPlaygroundOptions {
  /** The MCP configuration on disk; `undefined` for a first start without one. @default no server */
  readonly mcpServers?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder of an earlier playground. */
  readonly folder?: string;
}

/** Starts a playground on a free port with a temporary folder. It is closed after the test. */
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

/** Reads the last response of a thread. */
export function readTurn({ threads }: Conversation, thread: Thread = 'main'): Omit<Turn, 'stream'> {
  const response = threads[thread]?.at(-1);
  if (response?.message.role !== 'assistant') throw new Error('Expected the last message to be a response.');
  const { message, trace: events } = response;
  const text = message.parts.map(part => (part.type === 'text' ? part.text : '')).join('');
  return { events, trace: toTrace(events), text };
}

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'playground-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Sends a request with headers that `fetch` does not allow. */
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
