import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ResponsesEmulator, startResponsesEmulator } from '../../src/testing/index.js';
import { NODES } from '../nodes/nodes.js';
import { root } from '../package/manifest.js';
import {
  type EverythingServer,
  everythingOverStdio,
  startEverythingServer,
} from '../tools/mcp/_everything-server.js';
import { installConsumer, testedEntries } from './_consumer.js';
import { installRuntimes, type Run, runtimes, versions } from './_runtimes.js';

const missing = await installRuntimes();
if (missing !== undefined) console.warn(`The runtimes are not tested: ${missing}`);

it('are in the README with their tested versions', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  expect(readme).toContain(`${new Intl.ListFormat('en-GB').format(NODES.map(major => major))}, Bun`);
  for (const name of ['bun', 'deno', 'workerd'] as const)
    expect(readme.toLowerCase()).toContain(`${name} ${versions[name]}`);
});

describe.skipIf(missing !== undefined)('the installed package', () => {
  let consumer: string;
  let everything: EverythingServer;

  beforeAll(async () => {
    consumer = await mkdtemp(path.join(tmpdir(), 'kelivo-runtimes-'));
    [everything] = await Promise.all([startEverythingServer('streamableHttp'), installConsumer(consumer)]);
  });

  afterAll(async () => {
    await everything?.close();
    await rm(consumer, { recursive: true, force: true });
  });

  describe.each(runtimes)('in $name', ({ name, startsProcesses, hasWebSocket, run }) => {
    describe.each(testedEntries)(`${versions[name]}, entry $name`, entry => {
      let emulator: ResponsesEmulator;
      let observed: Run['observed'];
      let printed: string;

      beforeAll(async () => {
        emulator = await startResponsesEmulator({ apiKey: 'test-key' });
        emulator.enqueue({ fault: 'stall' });
        const options = {
          baseURL: emulator.baseURL,
          httpServer: everything.config,
          stdioServer: everythingOverStdio(),
        };
        ({ observed, printed } = await run(entry, options, consumer));
      });
      afterAll(() => emulator?.close());

      it('closes the connection of an aborted stream', async () => {
        expect(observed.abort).toEqual({ ends: ['abort'] });
        await expect.poll(() => emulator.requests[0]).toMatchObject({ aborted: true });
      });

      it('generates text', () => {
        const text = 'You said: Say hello.';
        expect(observed.generate).toEqual({ text, finishReason: 'stop', hasUsage: true });
      });

      it('streams text', () => {
        const text = 'You said: Say hello.';
        expect(observed.stream).toEqual({
          text,
          finishReason: 'stop',
          hasUsage: true,
          isStreamed: true,
          warnings: [],
        });
      });

      it('runs a local tool', () => {
        expect(observed.localTool).toMatchObject({
          text: expect.stringContaining('42'),
          finishReason: 'stop',
        });
      });

      it('runs a tool of an MCP server over HTTP', () => {
        expect(observed.httpTool).toMatchObject({
          text: expect.stringContaining('42'),
          finishReason: 'stop',
        });
      });

      it(
        startsProcesses
          ? 'runs a tool of an MCP server over stdio'
          : 'reports that it cannot start an MCP server over stdio',
        () => {
          expect(observed.stdioTool).toMatchObject(
            startsProcesses
              ? { text: expect.stringContaining('42'), finishReason: 'stop' }
              : { warnings: [expect.stringContaining('can only be started in')] },
          );
        },
      );

      it(
        hasWebSocket
          ? 'sends the rounds of a turn over one WebSocket'
          : 'has no WebSocket that sends headers, and uses HTTP with a warning',
        () => {
          const frames = emulator.requests.filter(({ method }) => method === 'response.create');
          expect(frames).toHaveLength(hasWebSocket ? 2 : 0);
          expect(new Set(frames.map(({ connection }) => connection)).size).toBe(hasWebSocket ? 1 : 0);
          if (hasWebSocket)
            expect(frames[1]?.body).toMatchObject({ previous_response_id: expect.stringMatching(/^resp_/) });
          expect(observed.webSocket).toMatchObject({
            text: expect.stringContaining('42'),
            finishReason: 'stop',
            isStreamed: true,
            warnings: hasWebSocket ? [] : [expect.stringContaining('was sent over HTTP')],
          });
        },
      );

      it('prints nothing', () => expect(printed).toBe(''));

      it('leaves no other request open', () => {
        expect(emulator.requests.slice(1).filter(({ aborted }) => aborted)).toEqual([]);
      });
    });
  });
});
