import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import {
  createResponseScanner,
  createStreamFetch,
  withTrailer,
} from '../../../src/tools/mcp/transport/stream-fetch.js';
import { call, openTools, until } from './_fixture-server.js';
import { startHttpServer } from './_http-server.js';
import { type Request, toPlainAnswer } from './_odd-server.js';

async function openHttpTools() {
  const server = await startHttpServer();
  const tools = openTools({ web: { url: server.url, type: 'http' } });
  await tools.listTools();
  return { server, tools };
}

it.each(['drop', 'drop-hard'])(
  'fails a call whose stream ends early, without waiting for its timeout (%s)',
  async toolName => {
    const { server, tools } = await openHttpTools();
    expect(await call(tools, toolName)).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining(`The tool "${toolName}" may or may not have been executed`),
    });
    await call(tools, 'echo');
    expect(server.requests.filter(({ action }) => action === 'initialize')).toHaveLength(1);
  },
);

it('lets the SDK resume a stream with event ids', async () => {
  const { server, tools } = await openHttpTools();
  expect(await call(tools, 'resume')).toEqual({ type: 'text', value: 'resumed' });
  expect(server.requests.at(-1)).toMatchObject({ method: 'GET', lastEventId: 'event-1' });
});

/** Opens tools whose GET requests get other responses, with a call that runs until its stream ends. */
async function openWithGet(get: (lastEventId: string | null) => Response, states: string[] = []) {
  const server = await startHttpServer();
  const tools = openTools(
    { web: { url: server.url, type: 'http', timeout: 5000 } },
    {
      onLog: () => {},
      onStateChange: ({ state }) => states.push(state),
      fetch: async (url, init) =>
        init?.method === 'GET' ? get(new Headers(init.headers).get('last-event-id')) : fetch(url, init),
    },
  );
  await tools.listTools();
  let hasEnded = false;
  const running = call(tools, 'hang').finally(() => (hasEnded = true));
  await until(() => server.openStreams === 1);
  const openings = () => server.requests.filter(({ action }) => action === 'initialize').length;
  return { server, tools, running, openings, hasEnded: () => hasEnded };
}

const events = { headers: { 'content-type': 'text/event-stream' } };
const unanswered: readonly [name: string, toResponse: () => Response][] = [
  ['status 405', () => new Response(null, { status: 405 })],
  ['status 404', () => new Response('unknown event', { status: 404 })],
  ['status 503', () => new Response('busy', { status: 503 })],
  ['a stream without an answer and an id', () => new Response(': nothing\n\n', events)],
];

it.each(unanswered)('fails only the call whose stream is not resumed: %s', async (_name, toResponse) => {
  const { server, tools, running, openings, hasEnded } = await openWithGet(lastEventId =>
    lastEventId === null ? new Response(null, { status: 405 }) : toResponse(),
  );
  expect(await call(tools, 'resume')).toMatchObject({
    value: expect.stringContaining('closed the connection. The tool "resume" may or may not'),
  });
  expect(await call(tools, 'echo')).toEqual({ type: 'text', value: 'echo' });
  expect([hasEnded(), openings()]).toEqual([false, 1]);
  server.endStreams();
  await running;
});

it('keeps the calls of a session whose separate stream is lost, and opens another one for the next call', async () => {
  let endStream = (): void => {};
  let gets = 0;
  const states: string[] = [];
  const { server, tools, running, openings, hasEnded } = await openWithGet(() => {
    if (++gets > 1) return new Response('busy', { status: 503 });
    const start = (controller: ReadableStreamDefaultController) => {
      controller.enqueue(new TextEncoder().encode('retry: 10\n\n'));
      endStream = () => controller.close();
    };
    return new Response(new ReadableStream({ start }), events);
  }, states);
  endStream();
  await until(() => states.at(-1) === 'idle');
  expect(await call(tools, 'echo')).toEqual({ type: 'text', value: 'echo' });
  expect([hasEnded(), openings()]).toEqual([false, 2]);
  server.endStreams();
  await running;
  await until(() => server.requests.some(({ method }) => method === 'DELETE'));
});

const toBodies: Readonly<Record<string, (answer: object) => string>> = {
  'a document': answer => JSON.stringify(answer, undefined, 2),
  'a stream': answer => `event: message\ndata: ${JSON.stringify(answer)}\n\n`,
};

/** Opens tools of a server with the given responses. */
function openResponding(respond: (request: Request) => Response | undefined) {
  return openTools(
    { web: { url: 'http://127.0.0.1:9/mcp', type: 'http' } },
    {
      fetch: async (_url, init) => {
        if (init?.method !== 'POST') return new Response(null, { status: 405 });
        const request = JSON.parse(String(init.body)) as Request;
        const usual = () =>
          request.id === undefined
            ? new Response(null, { status: 202 })
            : Response.json(toPlainAnswer(request));
        return respond(request) ?? usual();
      },
    },
  );
}

describe.each(Object.entries(toBodies))('%s with an answer is read', (_, toBody) => {
  it.each(
    [200, 201, 202].flatMap(status =>
      [undefined, 'text/plain', 'text/json', 'application/json', 'text/event-stream'].map(
        type => [status, type] as const,
      ),
    ),
  )('with the status %i and the content type %s', async (status, type) => {
    const tools = openResponding(request => {
      if (request.id === undefined) return undefined;
      const body = new TextEncoder().encode(toBody(toPlainAnswer(request)));
      return new Response(body, { status, headers: type === undefined ? {} : { 'content-type': type } });
    });
    expect(await call(tools, 'write')).toEqual({ type: 'text', value: 'written' });
  });
});

it.each([null, ''])(
  'a call that is answered with 202 and %j may have its answer on the separate stream',
  async body => {
    let send = (_text: string): void => {};
    const tools = openTools(
      { web: { url: 'http://127.0.0.1:9/mcp', type: 'http' } },
      {
        onLog: () => {},
        fetch: async (_url, init) => {
          if (init?.method === 'GET') {
            const encoder = new TextEncoder();
            const start = (controller: ReadableStreamDefaultController) => {
              send = text => controller.enqueue(encoder.encode(text));
            };
            return new Response(new ReadableStream({ start }), events);
          }
          const request = JSON.parse(String(init?.body)) as Request;
          if (request.id === undefined) return new Response(null, { status: 202 });
          if (request.method !== 'tools/call') return Response.json(toPlainAnswer(request));
          send(`data: ${JSON.stringify(toPlainAnswer(request))}\n\n`);
          return new Response(body, { status: 202 });
        },
      },
    );
    expect(await call(tools, 'write')).toEqual({ type: 'text', value: 'written' });
  },
);

it.each([200, 202, 204])('a call that is answered with %i and nothing fails at once', async status => {
  const tools = openResponding(({ method }) =>
    method === 'tools/call' ? new Response(null, { status }) : undefined,
  );
  const value = expect.stringContaining('may or may not have been executed');
  expect(await call(tools, 'write')).toEqual({ type: 'error-text', value });
});

it.each([200, 204, 400, 404, 405, 422, 500])(
  'a server may respond to notifications with %i',
  async status => {
    const tools = openResponding(({ id }) =>
      id === undefined ? new Response(status === 204 ? null : 'No.', { status }) : undefined,
    );
    expect(await call(tools, 'write')).toEqual({ type: 'text', value: 'written' });
  },
);

it('does not resume a stream after an error', async () => {
  const { server, tools } = await openHttpTools();
  expect(await call(tools, 'rpc-error')).toMatchObject({ value: expect.stringContaining('No such row.') });
  await call(tools, 'echo');
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(server.requests.filter(({ method }) => method === 'GET')).toEqual([]);
});

it('closes the stream of an aborted call after notifying the server', async () => {
  const { server, tools } = await openHttpTools();
  const controller = new AbortController();
  const pending = call(tools, 'hang', {}, controller);
  await until(() => server.openStreams === 1);
  controller.abort(new Error('stop'));
  await expect(pending).rejects.toThrow('stop');
  await until(() => server.openStreams === 0);
  // The stream had event ids, but no call waits for it.
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(server.requests.at(-1)).toMatchObject({ action: 'notifications/cancelled' });
});

it('opens no GET stream, which would keep an idle Node process alive', async () => {
  const { server, tools } = await openHttpTools();
  await call(tools, 'echo');
  expect(server.requests.map(({ method }) => method)).not.toContain('GET');
});

it('returns an HTTP failure as a short text without markup and secrets', async () => {
  const { server, tools } = await openHttpTools();
  const { origin } = new URL(server.url);
  expect(await call(tools, 'broken')).toEqual({
    type: 'error-text',
    value: `MCP server "web" returned HTTP 500 at ${origin}: Oh no. The tool "broken" may or may not have been executed.`,
  });
  expect(await call(tools, 'page')).toMatchObject({
    value: `MCP server "web" returned a response that is not MCP at ${origin}: Unexpected content type: text/html. The tool "page" may or may not have been executed.`,
  });
});

describe('createResponseScanner', () => {
  const stream = [
    ': hello\n\n',
    'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"result":1},"id":9}\r\n\r\n',
    'id: event-1\rdata: {"jsonrpc":"2.0",\rdata: "id":1,"result":{"text":"ü"}}\r\r',
    'data:{"jsonrpc":"2.0","id":"two","error":{"code":1,"message":"no"}}\n\n',
    'data: {"half": "result"',
  ].join('');

  it.each([1, 2, 5, 1000])('finds the responses and requests in chunks of %i bytes', size => {
    const responses: unknown[] = [];
    const scanner = createResponseScanner({
      onResponse: id => responses.push([id, 'response']),
      onRequest: id => responses.push([id, 'request']),
    });
    const bytes = new TextEncoder().encode(stream);
    for (let start = 0; start < bytes.length; start += size)
      scanner.push(bytes.subarray(start, start + size));
    expect(responses).toEqual([
      [9, 'request'],
      [1, 'response'],
      ['two', 'response'],
    ]);
    expect(scanner.lastEventId).toBe('event-1');
  });

  it('reports a stream without event ids as not resumable', () => {
    const scanner = createResponseScanner({ onResponse: () => {} });
    scanner.push(new TextEncoder().encode('retry: 10\nid:\ndata: {}\n\n'));
    expect(scanner.lastEventId).toBeUndefined();
  });

  it('takes time proportional to the length of a line', () => {
    const encoder = new TextEncoder();
    const head = encoder.encode('data: {"id":1,"result":"');
    const chunk = encoder.encode('a'.repeat(4096));
    const tail = encoder.encode('"}\n\n');
    const chunks = [head, ...Array.from({ length: 500 }, () => chunk), tail];
    const measure = (run: () => void): number =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const { user: before } = process.cpuUsage();
          run();
          return process.cpuUsage().user - before;
        }),
      );
    const scan = measure(() => {
      const responses: unknown[] = [];
      const scanner = createResponseScanner({ onResponse: id => responses.push(id) });
      for (const bytes of chunks) scanner.push(bytes);
      expect(responses).toEqual([1]);
    });
    // Copying the line for every chunk moves 500 MB. Reading it again for every chunk would cost more.
    const copies = measure(() => {
      let line = new Uint8Array();
      for (const bytes of chunks) {
        const longer = new Uint8Array(line.length + bytes.length);
        longer.set(line);
        longer.set(bytes, line.length);
        line = longer;
      }
    });
    expect(scan).toBeLessThan(copies);
  });

  it('reports a response when its last line has ended, before a line feed that may follow', () => {
    const responses: unknown[] = [];
    const scanner = createResponseScanner({ onResponse: id => responses.push(id) });
    for (const text of ['data: {"id":1,"result":2}\r', '', '\n\r'])
      scanner.push(new TextEncoder().encode(text));
    expect(responses).toEqual([1]);
    scanner.push(new TextEncoder().encode('\ndata: {"id":2,"result":2}\r\n\r\n'));
    expect(responses).toEqual([1, 2]);
  });
});

describe('withTrailer', () => {
  function endless(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      pull: controller => controller.enqueue(new TextEncoder().encode('0123456789')),
    });
  }

  it('fails a body without an end', async () => {
    const body = withTrailer(endless(), { onEnd: () => undefined, maxBytes: 100 });
    await expect(text(body)).rejects.toThrow('The server sent more than 100 bytes.');
  });

  it('appends the trailer to a body that is too long', async () => {
    const body = withTrailer(endless(), { onEnd: () => 'the end', maxBytes: 20 });
    expect(await text(body)).toBe('01234567890123456789the end');
  });
});

describe('a request of the server', () => {
  const request = 'data: {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}\n\n';
  const post = (id: number): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call' }),
  });
  const resume = (eventId: string): RequestInit => ({
    method: 'GET',
    headers: { accept: 'text/event-stream', 'last-event-id': eventId },
  });

  it.each([
    ['belongs to the call of a resumed stream', ['event-1', 'event-2'], [[7, { callId: 2 }]]],
    ['belongs to no call if several streams have the same event', ['event-1', 'event-1'], []],
  ])('%s', async (_title, [first, second], expected) => {
    const reports: unknown[] = [];
    const bodies = [`id: ${first}\ndata: \n\n`, `id: ${second}\ndata: \n\n`, request];
    const fetch = createStreamFetch(
      async () => new Response(bodies.shift(), { headers: { 'content-type': 'text/event-stream' } }),
      false,
      (...report) => reports.push(report),
    );
    for (const init of [post(1), post(2), resume(second ?? '')]) {
      await (await fetch('http://127.0.0.1/mcp', init)).text();
    }
    expect(reports).toEqual(expected);
  });
});

describe('the answer to another request', () => {
  const answer = (id: unknown) => ({
    jsonrpc: '2.0',
    id,
    result: { content: [{ type: 'text', text: 'of another user' }] },
  });

  it.each([
    ['a number', 1002],
    ['a text', 'other'],
    ['the id as another number', 70],
  ])('is no result and not quoted: %s', async (_, id) => {
    for (const body of [answer(id), [answer(id)]]) {
      const fetch = createStreamFetch(async () => Response.json(body));
      const response = await fetch('http://server.test', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'a' } }),
      });
      const messages = [await response.json()].flat() as { id: unknown; error?: { message: string } }[];
      const own = messages.filter(message => message.id === 7);
      expect(own).toMatchObject([
        {
          error: {
            message: `expected a result or an error, got an answer to the request ${JSON.stringify(id)}`,
          },
        },
      ]);
      expect(JSON.stringify(own)).not.toContain('of another user');
    }
  });
});
