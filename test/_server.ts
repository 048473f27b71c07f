import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { closeAfterTest } from './testing/_contract.js';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  /** Resolves when the connection of this request closes. `complete` is true if the response was sent completely. */
  readonly closed: Promise<{ complete: boolean }>;
}

export interface TestServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Starts an HTTP server on a free port. It stops at the end of the test. */
export async function serve(
  handle: (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>,
): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    const request: ReceivedRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: text === '' ? {} : JSON.parse(text),
      closed: new Promise(resolve =>
        response.once('close', () => resolve({ complete: response.writableFinished })),
      ),
    };
    requests.push(request);
    await handle(response, request);
  });
  // A busy client would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  closeAfterTest({ requests, close });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests };
}

/** Starts a server that sends the same response to every request. */
export const serveBody = (
  body: string,
  {
    status = 200,
    contentType = 'text/event-stream',
    headers = {},
  }: { status?: number; contentType?: string; headers?: Record<string, string> } = {},
): Promise<TestServer> =>
  serve(response => {
    response.writeHead(status, { 'content-type': contentType, ...headers }).end(body);
  });

/** Starts a server that sends the same JSON to every request. */
export const serveJson = (body: unknown, { status = 200 }: { status?: number } = {}): Promise<TestServer> =>
  serveBody(JSON.stringify(body), { status, contentType: 'application/json' });

/**
 * Returns a port of 127.0.0.1 on which nothing listens until the end of the test. A connection holds it: a free port would soon
 * be that of another test's server.
 */
export async function holdClosedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return client.localPort ?? 0;
}
