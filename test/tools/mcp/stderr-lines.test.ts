import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMcpConnectionPool, type McpStdioServerConfig } from '../../../src/tools/mcp/index.js';
import { createStderrReader } from '../../../src/tools/mcp/transport/stdio-transport.js';
import { call, openTools, until } from './_fixture-server.js';

const fixture = fileURLToPath(new URL('_fixture-server.mjs', import.meta.url));

/** A server that writes to its standard error before it reads its input. */
const writing = (bytes: string, env: Record<string, string> = {}): McpStdioServerConfig => ({
  command: process.execPath,
  args: ['-e', `require('fs').writeSync(2, ${bytes}); import(process.argv[1])`, fixture, 'plain'],
  env,
});

const privateKey =
  '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\nAgEAAoIBAQC7VJTUt9Us\n-----END PRIVATE KEY-----';

describe('onStderr', () => {
  it('receives the lines of each server without secrets, terminal sequences and invalid bytes', async () => {
    const seen: string[] = [];
    const config = writing(
      String.raw`Buffer.concat([
        Buffer.from('\x1b[31mlistening\x1b[0m\r\n\n50%\r100%\nkey ' + process.env.API_KEY + '\n' + process.env.PEM + '\n'),
        Buffer.from([0xff, 0xfe, 0x00, 0x0a]), Buffer.from('Grüße 🌍\n')])`,
      { API_KEY: 'opaque-value-7', PEM: privateKey },
    );
    const tools = openTools(
      { first: config, second: writing(`'second\\n'`) },
      { onStderr: (line, { server }) => seen.push(`${server}: ${line}`) },
    );
    await tools.listTools();
    await until(() => seen.length === 11);

    expect(seen.filter(line => line.startsWith('first'))).toEqual([
      'first: listening',
      'first: 50%',
      'first: 100%',
      'first: key [redacted]',
      ...Array(4).fill('first: [redacted]'),
      'first: \ufffd\ufffd',
      'first: Grüße 🌍',
    ]);
  });

  it('receives the unfinished last line of a server that ends, as its error does', async () => {
    const lines: string[] = [];
    const tools = openTools(
      { server: writing(`'starting'`, { FIXTURE_SECRET: 'from-environment' }) },
      { onStderr: line => lines.push(line) },
    );
    const { value } = await call(tools, 'crash');
    await until(() => lines.length === 1);

    expect(lines).toEqual(['startingabout to fall over, password=[redacted] and [redacted]']);
    expect(value).toContain(lines[0]);
  });

  it('shortens a line without end, and does not slow down the server', async () => {
    const lines: string[] = [];
    const secret = 'opaque-value-7';
    const tools = openTools(
      { server: writing(`(process.env.KEY + ' ').repeat(2_000_000) + '\\nnext\\n'`, { KEY: secret }) },
      { onStderr: line => lines.push(line) },
    );
    expect(await call(tools, 'echo', { text: 'x' })).toEqual({ type: 'text', value: 'echo x' });
    await until(() => lines.length === 2);

    expect(lines[0]).toMatch(/^(\[redacted\] )+.{0,11}… \(line shortened\)$/);
    expect(lines[0]?.length).toBeLessThan(16_384);
    expect(lines[1]).toBe('next');
  });

  it('receives every line of a server that writes much', async () => {
    let count = 0;
    const tools = openTools(
      { server: writing(`'a line of the log\\n'.repeat(100_000)`) },
      { onStderr: () => void count++ },
    );
    await tools.listTools();
    await until(() => count === 100_000);
    expect(await call(tools, 'echo', { text: 'x' })).toEqual({ type: 'text', value: 'echo x' });
  });

  it('cannot break a server by throwing', async () => {
    let count = 0;
    const tools = openTools(
      { server: writing(`'one\\ntwo\\n'`) },
      {
        onStderr: () => {
          count++;
          throw new Error('no display');
        },
      },
    );
    expect(await call(tools, 'echo', { text: 'x' })).toEqual({ type: 'text', value: 'echo x' });
    await until(() => count === 2);
  });

  it('is an option of a connection pool', async () => {
    const lines: string[] = [];
    const pool = createMcpConnectionPool({ onStderr: line => lines.push(line) });
    const tools = openTools({ server: writing(`'pooled\\n'`) }, { pool });
    await tools.listTools();
    await until(() => lines.length > 0);
    await pool.close();
    expect(lines).toEqual(['pooled']);
  });
});

describe('createStderrReader', () => {
  const config = { command: 'x', env: { KEY: 'opaque-value-7' } };
  const bytes = Buffer.concat([
    Buffer.from(`Grüße 🌍\r\nkey opaque-value-7\n${'long '.repeat(10_000)}\r\nnext\rlast`),
    Buffer.from([0xe2, 0x82]),
  ]);

  it.each([1, 2, 3, 7, 1000, 100_000])('emits the same lines from chunks of %i bytes', size => {
    const lines: string[] = [];
    const reader = createStderrReader(config, line => lines.push(line));
    for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size));
    reader.end();

    const [long = ''] = lines.splice(2, 1);
    expect(lines).toEqual(['Grüße 🌍', 'key [redacted]', 'next', 'last\ufffd']);
    expect(long).toBe(`${'long '.repeat(10_000).slice(0, 12 * 1024)}… (line shortened)`);
  });
});
