import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';

/** Starts an HTTP server on a free port, and returns its origin. The server stops at the end of the test. */
export async function listenOnFreePort(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  // A busy client would send a request on a connection that is closed at the same moment.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port.');
  return `http://127.0.0.1:${address.port}`;
}
