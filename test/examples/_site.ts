import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ResponsesEmulator } from 'kelivo-responses/testing';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves a folder, and the emulator at the same address, as a proxy does. */
export async function serveSite(emulator: ResponsesEmulator, folder?: string) {
  let held = Promise.resolve();
  let release = (): void => {};

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await fetch(`${emulator.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(request.method === 'POST' && { body: await buffer(request) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    for (const event of (await answer.text()).split(/(?<=\n\n)/)) {
      response.write(event);
      if (event.includes('response.output_text.delta')) await held;
    }
    response.end();
  }

  async function send(url: string, response: ServerResponse): Promise<void> {
    const file = path.join(folder ?? '', url === '/' ? 'index.html' : path.normalize(url));
    const content = folder === undefined ? undefined : await readFile(file).catch(() => undefined);
    if (content === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' }).end(content);
  }

  const server = createServer((request, response) => {
    const { url = '/' } = request;
    const sent = url.startsWith('/v1/') ? forward(request, response) : send(url, response);
    sent.catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Stops responses after the first delta of their texts, until `release`. */
    hold: () => void (held = new Promise(resolve => (release = resolve))),
    release: () => release(),
    close() {
      release();
      server.close();
      server.closeAllConnections();
    },
  };
}
