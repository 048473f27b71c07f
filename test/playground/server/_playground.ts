import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FileUIPart } from 'ai';
import { createParser } from 'eventsource-parser';
import { onTestFinished } from 'vitest';
import { startPlayground } from '../../../playground/server/playground.js';
import type { PageEvent } from '../../../playground/shared/page-event.js';
import type { Conversation, Side, Thread, TurnRequest } from '../../../playground/shared/playground-state.js';
import { toTrace } from '../../../playground/shared/trace.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';

export interface TestPlayground {
  readonly url: string;
  readonly signInUrl: string;
  readonly appUrl: string;
  readonly otlpVariables: string;
  readonly folder: string;
  /** The header of a signed-in page. */
  readonly authorization: string;
  /** Returns what the terminal shows. */
  readonly printed: () => string;
  /** Returns the code that the terminal shows last. */
  readonly code: () => string;
  /** Sends a request as the page does. */
  call(path: string, options?: PageRequest): Promise<ApiResponse>;
  /** Opens the channel of a page that shows a conversation. It is closed after the test. */
  watch(conversationId?: string): Promise<TestChannel>;
  /** Runs a turn to its end and reads the conversation from the server. */
  ask(text: string, options?: AskOptions): Promise<Turn>;
  /** Starts a turn. */
  begin(text: string, options?: AskOptions): Promise<StartedTurn>;
  close(): Promise<void>;
}

export interface PageRequest {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export interface AskOptions {
  readonly thread?: Thread;
  /** The conversation. */
  readonly id?: string;
  readonly side?: Side;
  /** Files of the message. */
  readonly files?: readonly FileUIPart[];
}

export interface StartedTurn {
  readonly request: TurnRequest;
  readonly response: ApiResponse;
  readonly channel: TestChannel;
  /** Waits for the end of the turn and reads its response. */
  ended(): Promise<Turn>;
}

/** The channel of a page. */
export interface TestChannel {
  readonly events: readonly PageEvent[];
  /** Waits until an event of the channel, past or future, matches. */
  until<Found>(find: (event: PageEvent) => Found | undefined): Promise<Found>;
  close(): Promise<void>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export interface Turn {
  /** Everything that the page received. */
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
  let printed = '';
  const playground = await startPlayground({
    folder: home,
    environment,
    page: await makePage(),
    print: text => (printed += text),
  });
  const { url } = playground;
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await playground.close();
  };
  onTestFinished(close);

  const authorization = toAuthorization(playground.signInUrl);
  const send = (where: string, { method = 'GET', body, signal }: PageRequest = {}) =>
    fetch(url + where, {
      method,
      ...(signal !== undefined && { signal }),
      headers: {
        origin: url,
        authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const call: TestPlayground['call'] = async (where, options) => {
    const response = await send(where, options);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: toJson(text) };
  };
  const readConversation = async (id: string): Promise<Conversation | null> =>
    (await call(`/api/conversations/${id}`)).json as Conversation | null;

  const begin: TestPlayground['begin'] = async (
    text,
    { thread = 'main', id = 'conversation-1', side, files = [] } = {},
  ) => {
    const message = {
      id: crypto.randomUUID(),
      role: 'user' as const,
      parts: [...files, { type: 'text' as const, text }],
    };
    const last = (await readConversation(id))?.threads[thread]?.at(-1);
    const parentId = last?.message.id ?? null;
    const responseId = crypto.randomUUID();
    const request = { conversationId: id, thread, responseId, parentId, message, ...(side && { side }) };
    const channel = await openChannel(await send(`/api/events?conversation=${id}`));
    const response = await call('/api/turns', { method: 'POST', body: request });
    return {
      request,
      response,
      channel,
      async ended() {
        await channel.until(
          event => (event.type === 'turn-ended' && event.responseId === responseId) || undefined,
        );
        const stream = channel.events.map(event => JSON.stringify(event)).join('\n');
        await channel.close();
        const { json } = await call(`/api/conversations/${id}/traces/${responseId}`);
        const conversation = (await readConversation(id)) as Conversation;
        return { stream, ...readTurn(conversation, { thread, responseId, trace: json as TraceEvent[] }) };
      },
    };
  };

  return {
    url,
    signInUrl: playground.signInUrl,
    appUrl: playground.appUrl,
    otlpVariables: playground.otlpVariables,
    folder: home,
    authorization,
    printed: () => printed,
    code: () => findCode(printed),
    begin,
    close,
    call,
    watch: async (id = 'conversation-1') => openChannel(await send(`/api/events?conversation=${id}`)),
    ask: async (text, options) => (await begin(text, options)).ended(),
  };
}

/** Returns the last code that confirms programs. */
export const findCode = (printed: string): string =>
  [...printed.matchAll(/Confirmation code: (\S+)/g)].at(-1)?.[1] ?? '';

/** Returns the header that the page sends after the printed address was opened. */
export const toAuthorization = (signInUrl: string): string =>
  `Bearer ${new URL(signInUrl).hash.replace('#token=', '')}`;

async function openChannel(response: Response): Promise<TestChannel> {
  const events: PageEvent[] = [];
  const waiting = new Set<() => void>();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('Expected a stream of events, got no body.');
  let isClosed = false;
  const parser = createParser({
    onEvent({ data }) {
      events.push(JSON.parse(data) as PageEvent);
      for (const check of waiting) check();
    },
  });
  void (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) parser.feed(next.value);
  })().catch(() => {});
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await reader.cancel().catch(() => {});
  };
  onTestFinished(close);
  return {
    events,
    close,
    until: find =>
      new Promise(resolve => {
        let next = 0;
        const check = (): void => {
          while (next < events.length) {
            const found = find(events[next++] as PageEvent);
            if (found === undefined) continue;
            waiting.delete(check);
            resolve(found);
            return;
          }
        };
        waiting.add(check);
        check();
      }),
  };
}

/** Reads a response of a thread, by default the last. */
export function readTurn(
  { threads }: Conversation,
  {
    thread = 'main',
    responseId,
    trace: events,
  }: { thread?: Thread; responseId?: string; trace?: readonly TraceEvent[] } = {},
): Omit<Turn, 'stream'> {
  const shown = threads[thread]?.findLast(
    ({ message }) => responseId === undefined || message.id === responseId,
  );
  const parts = shown?.message.role === 'assistant' ? shown.message.parts : [];
  const text = parts.map(part => (part.type === 'text' ? part.text : '')).join('');
  const known = events ?? shown?.outline ?? [];
  return { events: known, trace: toTrace(known), text };
}

/** Writes a page with a script, so that tests do not need the built one. */
async function makePage(): Promise<string> {
  const folder = await makeFolder();
  await writeFile(path.join(folder, 'index.html'), '<!doctype html><script src="/app.js"></script>');
  await writeFile(path.join(folder, 'app.js'), `// ${'x'.repeat(5000)}`);
  return folder;
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
