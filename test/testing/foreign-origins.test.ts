import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { ResponsesEmulatorOptions } from '../../src/testing/index.js';
import { startEmulator } from './_emulator.js';

// A browser sends requests of any page to this machine: with the origin of the page, or under a name of its site that
// resolves to 127.0.0.1.

async function ask(headers: Record<string, string>, options: ResponsesEmulatorOptions = {}) {
  const emulator = await startEmulator(options);
  const { port } = new URL(emulator.url);
  const sent = request(`${emulator.baseURL}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', host: `127.0.0.1:${port}`, ...headers },
    agent: false,
  });
  sent.end(JSON.stringify({ model: 'gpt-4o', input: 'Hi' }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = JSON.parse((await response.toArray()).join('')) as {
    error: { message: string; code: string };
  };
  return { ...body, status: response.statusCode };
}

async function connect(origin: string, options: ResponsesEmulatorOptions = {}): Promise<string> {
  const emulator = await startEmulator(options);
  const socket = new WebSocket(`${emulator.baseURL.replace('http', 'ws')}/responses`, { origin });
  const error = once(socket, 'error').then(([reason]) => String(reason));
  const opened = once(socket, 'open').then(() => 'open');
  // The promise that is not settled first may reject when the socket closes.
  opened.catch(() => {});
  error.catch(() => {});
  const outcome = await Promise.race([opened, error]);
  socket.on('error', () => {}).terminate();
  return outcome;
}

const foreign = ['https://evil.example', 'null', 'http://localhost.evil.example', 'http://192.168.1.2:3000'];

describe('the emulator', () => {
  it.each(['evil.example', 'evil.example:4010', '127.0.0.1.evil.example', '10.0.0.1', '[::2]'])(
    'refuses the host %s',
    async host => {
      const { status, error } = await ask({ host });
      expect(status).toBe(403);
      expect(error.code).toBe('foreign_origin');
      expect(error.message).toContain(`got one with the host ${host}. Add its origin to \`allowedOrigins\``);
    },
  );

  it.each(foreign)('refuses pages of %s', async origin => {
    const { status, error } = await ask({ origin });
    expect(status).toBe(403);
    expect(error.message).toContain(`got one with the origin ${origin}.`);
    expect(await connect(origin)).toContain('403');
  });

  it.each(['http://localhost:5173', 'http://127.0.0.1', 'https://app.localhost', 'http://[::1]:3000'])(
    'answers pages of %s, but not if other origins are given',
    async origin => {
      expect(await ask({ origin })).toMatchObject({ status: 200 });
      expect(await connect(origin)).toBe('open');
      expect(await ask({ origin }, { allowedOrigins: [] })).toMatchObject({ status: 403 });
      expect(await connect(origin, { allowedOrigins: [] })).toContain('403');
    },
  );

  it('answers programs, under each name of this machine', async () => {
    for (const host of ['localhost:1', 'LOCALHOST', '127.0.0.2:80', '[::1]:4010', 'api.localhost'])
      expect(await ask({ host }, { allowedOrigins: [] })).toMatchObject({ status: 200 });
  });

  it('answers the origins that are allowed, also under their names', async () => {
    const options = { allowedOrigins: ['https://app.example', 'http://localhost:5173'] };
    expect(await ask({ origin: 'https://app.example', host: 'app.example' }, options)).toMatchObject({
      status: 200,
    });
    expect(await ask({ origin: 'http://localhost:5173' }, options)).toMatchObject({ status: 200 });
    expect(await ask({ origin: 'http://app.example' }, options)).toMatchObject({ status: 403 });
    expect(await ask({ host: 'b.app.example' }, options)).toMatchObject({ status: 403 });
    expect(await connect('https://app.example', options)).toBe('open');
  });
});
