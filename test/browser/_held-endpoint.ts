import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startEmulator } from '../testing/_emulator.js';

export interface HeldEndpoint {
  readonly baseURL: string;
  /** Sends the rest of the responses. */
  release(): void;
}

/**
 * Starts an emulator whose responses stop in the middle until the test releases them, so that a turn runs exactly as long as
 * the test needs.
 */
export async function startHeldEndpoint(): Promise<HeldEndpoint> {
  const emulator = await startEmulator();
  let release = (): void => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  const server = createServer(async (request, response) => {
    const body = await text(request);
    // The user agent tells which provider has sent the request.
    const headers = { 'content-type': 'application/json', 'user-agent': request.headers['user-agent'] ?? '' };
    const complete = await (
      await fetch(emulator.baseURL + '/responses', { method: 'POST', headers, body })
    ).text();
    // The objects before and after the text are longer than the text.
    const deltas = [...complete.matchAll(/^event: response\.output_text\.delta$/gm)];
    const middle = deltas[Math.ceil(deltas.length / 2)]?.index ?? complete.length;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(complete.slice(0, middle));
    await released;
    response.end(complete.slice(middle));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    release();
    server.closeAllConnections();
    server.close();
  });
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, release };
}
