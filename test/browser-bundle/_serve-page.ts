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
 * Serves a bundle, and passes on what is asked under some paths: a page may ask its own origin alone where other servers
 * send no CORS headers.
 *
 * @param targets addresses by the beginning of the path that stands for them
 */
export async function servePage(
  bundle: Bundle,
  { targets }: { targets: Readonly<Record<string, (url: URL) => string>> },
): Promise<PageServer> {
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const prefix = Object.keys(targets).find(path => url.pathname.startsWith(path));
    const target = prefix === undefined ? undefined : targets[prefix]?.(url);
    if (target !== undefined) return passOn(incoming, outgoing, target);
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

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, target: string): void {
  const { method, headers } = incoming;
  const onward = request(target, { method, headers: { ...headers, host: new URL(target).host } }, answer => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}
