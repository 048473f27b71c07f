import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { call, openTools, until } from './_fixture-server.js';
import { type Request, toPlainAnswer } from './_odd-server.js';
import { listenOnFreePort } from './_free-port-server.js';

type Refusal = (response: ServerResponse, id: number) => void;

const rpc =
  (status: number, message: string, code = -32000, ownId = false): Refusal =>
  (response, id) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: ownId ? id : null, error: { code, message } }));

const plain =
  (status: number, body: string, type = 'text/plain'): Refusal =>
  response =>
    void response.writeHead(status, { 'content-type': type }).end(body);

/** Wordings of servers that have forgotten a session, and if the call cannot have run. */
const REFUSALS: readonly [string, Refusal, isRejected: boolean][] = [
  ['404', plain(404, 'Session not found'), true],
  // DAWNCR0W/affine-mcp-server#301
  ['400 of an affine server', rpc(400, 'No valid session ID or not an initialize request'), true],
  ['400 as a text', plain(400, 'Invalid or missing session ID'), true],
  ['400 as JSON', plain(400, '{"error":"unknown session"}', 'application/json'), true],
  ['409', rpc(409, 'The transport has not been initialized'), true],
  ['410', plain(410, 'Gone'), true],
  ['422', plain(422, '{"detail":"mcp-session-id"}', 'application/json'), true],
  ['404 with -32001', rpc(404, 'Session not found', -32001), true],
  // mastra-ai/mastra#10660
  ['200 with -32001', rpc(200, 'Session not found', -32001, true), true],
  ['200 with -32001 and no id', rpc(200, 'Session expired', -32001), true],
  ['500', plain(500, 'Cannot read properties of undefined (reading "handleRequest")'), false],
  ['502', plain(502, '<html>upstream</html>', 'text/html'), false],
  // actionhero/keryx#503
  [
    'an event that is no JSON-RPC message',
    plain(200, 'data: {"message":"Session not found"}\n\n', 'text/event-stream'),
    false,
  ],
  [
    'a document that is no JSON-RPC message',
    plain(200, '{"detail":"no session"}', 'application/json'),
    false,
  ],
  ['a web page', plain(200, '<html>Sign in</html>', 'text/html'), false],
  ['200 with another code', rpc(200, 'Server not initialized', -32000, true), false],
];

async function startForgetfulServer({
  refuse,
  isReadOnly = false,
  refusesAll = false,
  fails,
}: {
  refuse: Refusal;
  isReadOnly?: boolean;
  /** Refuses new sessions, too, except for `initialize`. */
  refusesAll?: boolean;
  /** Answers calls of a living session. */
  fails?: Refusal;
}) {
  const seen: string[] = [];
  /** The sessions that the client has ended. */
  const ended: unknown[] = [];
  const sessions = new Set<string>();
  let count = 0;
  const origin = await listenOnFreePort(async (request, response) => {
    if (request.method === 'DELETE') ended.push(request.headers['mcp-session-id']);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as Request;
    const session = request.headers['mcp-session-id']?.toString() ?? '';
    if (message.id !== undefined) seen.push(message.method);
    if (message.method === 'initialize') {
      sessions.add(`session-${++count}`);
      response.setHeader('mcp-session-id', `session-${count}`);
    } else if (message.method !== 'server/discover' && (refusesAll || !sessions.has(session))) {
      return refuse(response, message.id);
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'tools/call' && fails) return fails(response, message.id);
    if (message.method === 'tools/call') seen.push('effect');
    const answer = toPlainAnswer(message);
    if (message.method === 'tools/list')
      answer.result = {
        tools: [{ name: 'write', inputSchema: {}, annotations: { readOnlyHint: isReadOnly } }],
      };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const tools = openTools({
    web: { type: 'http', url: `${origin}/mcp`, trustAnnotations: true },
  });
  const countOf = (method: string): number => seen.filter(one => one === method).length;
  return { tools, countOf, ended, forget: () => sessions.clear() };
}

describe.each(REFUSALS)(
  'a server that has forgotten the session and answers with %s',
  (_, refuse, isRejected) => {
    it('gets a new session, and a call runs at most once', async () => {
      const { tools, countOf, ended, forget } = await startForgetfulServer({ refuse });
      await call(tools, 'write');
      forget();
      const { type, value } = await call(tools, 'write');
      expect(type).toBe(isRejected ? 'text' : 'error-text');
      if (!isRejected) expect(value).toMatch(/may or may not|reported an error/);
      expect(countOf('effect')).toBe(isRejected ? 2 : 1);
      expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
      expect(countOf('effect')).toBe(isRejected ? 3 : 2);
      expect(countOf('initialize')).toBe(2);
      expect(countOf('ping')).toBe(1);
      // The server does not know the first one any more.
      await tools.close();
      await until(() => ended.length > 0);
      expect(ended).toEqual(['session-2']);
    });

    it('repeats a call that only reads', async () => {
      const { tools, forget } = await startForgetfulServer({ refuse, isReadOnly: true });
      await call(tools, 'write');
      forget();
      expect(await call(tools, 'write')).toMatchObject({ value: 'written' });
    });

    it('is not asked for sessions without end', async () => {
      const { tools, countOf } = await startForgetfulServer({ refuse, refusesAll: true });
      const handshakes = async () => {
        await tools.listTools();
        return countOf('initialize');
      };
      expect(await handshakes()).toBeLessThanOrEqual(2);
    });

    it('keeps a session that lives, and runs the call once', async () => {
      const { tools, countOf } = await startForgetfulServer({ refuse, fails: refuse });
      expect(await call(tools, 'write')).toMatchObject({ type: 'error-text' });
      expect(countOf('tools/call')).toBe(1);
      expect(countOf('initialize')).toBe(1);
    });
  },
);
