import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { dualServer } from './_dual-server.js';
import { call, namesOf, openTools, temporaryFolder } from './_fixture-server.js';
import { type Request, toPlainAnswer } from './_odd-server.js';
import { discoverlessServer } from './_silent-script.js';
import { listenOnFreePort } from './_free-port-server.js';

it.each(['ignores', 'exits'] as const)('a server that %s at `server/discover` is used', async reaction => {
  const { config } = await discoverlessServer(reaction);
  const tools = openTools({ old: config }, { startupTimeout: 120_000 });
  expect(await call(tools, 'echo', { text: 'a' })).toEqual({ type: 'text', value: 'echo a' });
});

it('a server that starts after the time for the question, and speaks no older revision, is used', async () => {
  const gate = path.join(await temporaryFolder(), 'gate');
  const { config } = await dualServer({ env: { DUAL_GATE: gate } });
  const tools = openTools({ slow: config }, { startupTimeout: 120_000 });
  const listing = namesOf(tools);
  await new Promise(resolve => setTimeout(resolve, 4000));
  await writeFile(gate, '');
  expect(await listing).toContain('echo');
});

type Refusal = (response: ServerResponse, id: number) => void;

const plain =
  (status: number, body = '', type = 'text/plain'): Refusal =>
  response =>
    void response.writeHead(status, { 'content-type': type }).end(body);

const rpc =
  (code: number, status = 200): Refusal =>
  (response, id) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'No.' } }));

/** Responses of servers to a request that they do not know. */
const REFUSALS: readonly [string, Refusal][] = [
  ['200 and nothing', response => void response.writeHead(200).end()],
  ['200 and a web page', plain(200, '<html></html>', 'text/html')],
  ['200 and another document', plain(200, '{"detail":"unknown"}', 'application/json')],
  ['200 and an empty stream', plain(200, '', 'text/event-stream')],
  ['200 and a stream of other events', plain(200, 'data: {"detail":"unknown"}\n\n', 'text/event-stream')],
  ['202', plain(202)],
  ['204', response => void response.writeHead(204).end()],
  ...[400, 404, 405, 406, 422, 501].map((status): [string, Refusal] => [`${status}`, plain(status, 'No.')]),
];

/** Refusals that do not tell how a server is to be asked. */
const FAILURES: readonly [string, Refusal][] = [
  ['500', plain(500, 'Internal Server Error')],
  ['500 and an error', rpc(-32603, 500)],
  ['502', plain(502, '<html></html>', 'text/html')],
  ...[-32601, -32600, -32603, -32000].map((code): [string, Refusal] => [`the code ${code}`, rpc(code)]),
  ['the end of the connection', response => void response.destroy()],
];

/** Starts a server that refuses requests, except for those of its stream of SSE. */
async function startRefusingServer(refuse: Refusal, isRefused: (method: string) => boolean): Promise<string> {
  let events: ServerResponse | undefined;
  const origin = await listenOnFreePort(async (request, response) => {
    if (request.method === 'GET' && request.url === '/mcp' && isRefused('initialize')) {
      events = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void events.write('event: endpoint\ndata: /messages\n\n');
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request)) as Request;
    const answer = JSON.stringify(toPlainAnswer(message));
    if (request.url === '/messages') {
      response.writeHead(202).end();
      if (message.id !== undefined) events?.write(`data: ${answer}\n\n`);
      return;
    }
    if (isRefused(message.method)) return refuse(response, message.id);
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
  return `${origin}/mcp`;
}

describe.each([...REFUSALS, ...FAILURES])('a server over HTTP that responds with %s', (_, refuse) => {
  it('to `server/discover` is used', async () => {
    const url = await startRefusingServer(refuse, method => method === 'server/discover');
    expect(await call(openTools({ old: { url } }), 'write')).toEqual({ type: 'text', value: 'written' });
  });
});

describe.each(REFUSALS)('a server that only has SSE and responds with %s', (_, refuse) => {
  it('to everything else is used', async () => {
    const url = await startRefusingServer(refuse, () => true);
    expect(await call(openTools({ old: { url } }), 'write')).toEqual({ type: 'text', value: 'written' });
  });
});
