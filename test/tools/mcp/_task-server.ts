import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { McpHttpServerConfig } from '../../../src/tools/mcp/index.js';
import { listenOnFreePort } from './_free-port-server.js';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A request as the server received it. */
export interface TaskRequest extends Message {
  readonly sessionId: string | undefined;
}

export interface TaskServer {
  readonly config: McpHttpServerConfig;
  readonly requests: readonly TaskRequest[];
  /** The JSON-RPC methods of the requests, without those that open a session. */
  methods(): string[];
  /** Changes the state of all tasks. */
  change(state: object, result?: object): void;
  /** Forgets all sessions, as after a restart. */
  forgetSessions(): void;
  /** Forgets all tasks. */
  forgetTasks(): void;
  /** Sends the progress of the first call, on the stream of its session. */
  reportProgress(progress: object): void;
}

/**
 * Starts a server of revision 2025-11-25 over Streamable HTTP whose tools `bake` and `cook` run as tasks, until the test
 * changes their state. `cook` runs at once if no task is requested.
 *
 * @param options.bindsTasks Finds a task only in the session that created it.
 */
export async function startTaskServer({ bindsTasks = false } = {}): Promise<TaskServer> {
  const requests: TaskRequest[] = [];
  const sessions = new Set<string>();
  const streams = new Map<string, ServerResponse>();
  const tasks = new Map<string, { sessionId: string; task: object; result: object }>();

  function answer({ method, params = {} }: Message, sessionId: string): object | undefined {
    if (method === 'initialize')
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
        serverInfo: { name: 'oven', version: '1' },
      };
    if (method === 'ping') return {};
    if (method === 'tools/list') {
      const toTool = (name: string, taskSupport: string) => ({
        name,
        inputSchema: { type: 'object' },
        execution: { taskSupport },
      });
      return { tools: [toTool('bake', 'required'), toTool('cook', 'optional')] };
    }
    if (method === 'tools/call') {
      if (params.task === undefined) return toText('cooked at once');
      const task = {
        taskId: `task-${tasks.size + 1}`,
        status: 'working',
        pollInterval: 20,
        ttl: null,
        ...times,
      };
      tasks.set(task.taskId, { sessionId, task, result: toText('done') });
      return { task };
    }
    const known = tasks.get(String(params.taskId));
    if (known === undefined || (bindsTasks && known.sessionId !== sessionId)) return undefined;
    if (method === 'tasks/result') return known.result;
    if (method === 'tasks/cancel') known.task = { ...known.task, status: 'cancelled' };
    return known.task;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = request.headers['mcp-session-id']?.toString();
    if (request.method === 'GET' && sent !== undefined) {
      streams.set(sent, response.writeHead(200, { 'content-type': 'text/event-stream' }));
      return response.flushHeaders();
    }
    if (request.method === 'DELETE') {
      requests.push({ method: 'DELETE', sessionId: sent });
      return void response.writeHead(200).end();
    }
    const message = JSON.parse(await text(request)) as Message;
    requests.push({ ...message, sessionId: sent });
    const isOpening = message.method === 'initialize';
    if (message.method === 'server/discover' || (!isOpening && !sessions.has(sent ?? '')))
      return void response.writeHead(sent === undefined ? 400 : 404).end('Session not found');
    const sessionId = sent ?? randomUUID();
    sessions.add(sessionId);
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = answer(message, sessionId);
    const body = result ? { result } : { error: { code: -32602, message: 'Unknown task' } };
    response
      .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': sessionId })
      .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
  }

  const origin = await listenOnFreePort((request, response) => void respond(request, response));
  const opening = new Set(['server/discover', 'initialize', 'notifications/initialized', 'tools/list']);
  return {
    config: { url: `${origin}/mcp`, type: 'http' },
    requests,
    methods: () => requests.map(({ method }) => method).filter(method => !opening.has(method)),
    change(state, result) {
      for (const known of tasks.values()) {
        known.task = { ...known.task, ...state };
        known.result = result ?? known.result;
      }
    },
    forgetSessions: () => sessions.clear(),
    forgetTasks: () => tasks.clear(),
    reportProgress(progress) {
      const call = requests.find(({ method }) => method === 'tools/call');
      const { progressToken } = (call?.params?._meta ?? {}) as { progressToken?: unknown };
      const message = {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, ...progress },
      };
      for (const stream of streams.values()) stream.write(`data: ${JSON.stringify(message)}\n\n`);
    },
  };
}

const times = { createdAt: '2026-11-28T06:00:00Z', lastUpdatedAt: '2026-11-28T06:00:00Z' };

const toText = (content: string): object => ({ content: [{ type: 'text', text: content }] });
