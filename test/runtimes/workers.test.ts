import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ResponsesEmulator, startResponsesEmulator } from '../../src/testing/index.js';
import { type EverythingServer, startEverythingServer } from '../tools/mcp/_everything-server.js';
import { installConsumer } from './_consumer.js';
import { installRuntimes, startWorker } from './_runtimes.js';

const missing = await installRuntimes();
if (missing !== undefined) console.warn(`Workers are not tested: ${missing}`);

const dateOf = (month: number) => `2026-${String(month).padStart(2, '0')}-01`;

/** Workers of a release accept the dates until the release. Workers of these dates are deployed today. */
const dates = [
  ...[1, 2, 3, 4].map(month => ({ release: 'workerd-april' as const, compatibilityDate: dateOf(month) })),
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(month => ({
    release: 'workerd' as const,
    compatibilityDate: dateOf(month),
  })),
];

describe.skipIf(missing !== undefined)('a provider that serves several requests', () => {
  let consumer: string;
  let everything: EverythingServer;
  let emulator: ResponsesEmulator;

  beforeAll(async () => {
    consumer = await mkdtemp(path.join(tmpdir(), 'kelivo-workers-'));
    [everything, emulator] = await Promise.all([
      startEverythingServer('streamableHttp'),
      startResponsesEmulator({ apiKey: 'test-key' }),
      installConsumer(consumer),
    ]);
  });
  afterAll(async () => {
    await Promise.all([everything?.close(), emulator?.close()]);
    await rm(consumer, { recursive: true, force: true });
  });

  it.each(dates)('works in $release with the date $compatibilityDate', async date => {
    const worker = await startWorker({
      ...date,
      consumer,
      name: `${date.release}-${date.compatibilityDate}`,
      contents: `
        import { createKelivoResponsesProvider } from 'kelivo-responses/v4';
        import { generateText, streamText } from 'ai7';
        import { z } from 'zod';
        globalThis.AI_SDK_LOG_WARNINGS = false;
        const create = () =>
          createKelivoResponsesProvider({
            baseURL: '${emulator.baseURL}',
            apiKey: 'test-key',
            tools: { add: { inputSchema: z.object({ a: z.number(), b: z.number() }), execute: ({ a, b }) => a + b } },
            mcpServers: { everything: ${JSON.stringify(everything.config)} },
          });
        const ofModule = create();
        let ofFirstRequest;
        async function stream(provider, prompt) {
          let text = '';
          const onError = ({ error }) => void (text += error);
          const result = streamText({ model: provider('gpt-5'), prompt, maxRetries: 0, onError });
          for await (const delta of result.textStream) text += delta;
          return text;
        }
        export default {
          async fetch() {
            ofFirstRequest ??= create();
            const model = ofModule('gpt-5');
            return Response.json([
              (await generateText({ model, prompt: 'Use get-sum with 20 and 22.', maxRetries: 0 })).text,
              await stream(ofModule, 'Use the tool add with 20 and 22.'),
              await stream(ofFirstRequest, 'Use get-sum with 20 and 22.'),
            ]);
          },
        };`,
    });
    onTestFinished(worker.stop);
    for (let request = 0; request < 2; request++)
      expect(await worker.request({})).toEqual(Array(3).fill(expect.stringContaining('42')));
    expect(worker.printed()).toBe('');
  });
});
