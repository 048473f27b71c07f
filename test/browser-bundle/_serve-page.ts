import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bundle } from './_bundle.js';

export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

const html = '<!doctype html><title>Page</title><script type="module" src="/stdin.js"></script>';

/**
 * Serves a bundle and forwards requests of some paths. A page may only call its own origin if the other servers send no
 * CORS headers.
 *
 * @param targets functions that return the address for a request, by path prefix
 */
export async function servePage(
  bundle: Bundle,
  { targets }: { targets: Readonly<Record<string, (url: URL) => string>> },
): Promise<PageServer> {
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const prefix = Object.keys(targets).find(path => url.pathname.startsWith(path));
    const target = prefix === undefined ? undefined : targets[prefix]?.(url);
    if (target !== undefined) return forward(incoming, outgoing, target);
    const script = bundle.get(url.pathname);
    const isPage = url.pathname === '/';
    outgoing.writeHead(script !== undefined || isPage ? 200 : 404, {
      'content-type': isPage ? 'text/html' : 'text/javascript',
    });
    outgoing.end(isPage ? html : script);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, target: string): void {
  const { method, headers } = incoming;
  const onward = request(
    target,
    { method, headers: { ...headers, host: new URL(target).host } },
    response => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    },
  );
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
