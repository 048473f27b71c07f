import { type AddressInfo, connect, createServer } from 'node:net';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import { createOpenAI } from '@ai-sdk/openai';
import { stepCountIs, streamText, tool, type ToolSet } from 'ai';
import { createKelivoResponsesProvider } from 'kelivo-responses';
import { startResponsesEmulator } from 'kelivo-responses/testing';
import { z } from 'zod';
import { compare } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

const OUTPUT = 'x'.repeat(20_000);
const LATENCIES = [0, 50, 100];
type Contender = 'http' | 'websocket' | 'official';

/**
 * Measures turns of many rounds with large outputs of tools: over HTTP, over a WebSocket, and with the official provider
 * and `stopWhen`. A proxy delays the bytes in both directions by half of the latency.
 */
export async function measureTransports({ rounds, transportSamples: samples }: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const latency of LATENCIES) {
    const emulator = await startResponsesEmulator({ validate: false });
    const proxy = await startProxy(new URL(emulator.url), latency / 2);
    let outputs = 0;
    const count = tool({ inputSchema: z.object({}), execute: async () => `${++outputs}${OUTPUT}` });
    const baseURL = `http://127.0.0.1:${proxy.port}/v1`;
    const [http, websocket] = (['http', 'websocket'] as const).map(transport =>
      createKelivoResponsesProvider({
        ...{ baseURL, apiKey: 'sk-bench', transport, tools: { count } },
        toolLoop: { maxRounds: rounds + 2 },
      }),
    );
    if (http === undefined || websocket === undefined) throw new Error('Expected two providers.');
    const official = createOpenAI({ baseURL, apiKey: 'sk-bench' }).responses('gpt-4.1');
    const bytes: Record<Contender, number> = { http: 0, websocket: 0, official: 0 };
    const run = async (name: Contender, model: LanguageModelV2, tools?: ToolSet): Promise<void> => {
      emulator.enqueue(...Array.from({ length: rounds }, () => [{ call: 'count' }]), [{ text: 'Done.' }]);
      const before = proxy.sent();
      const { text } = streamText({ model, tools, prompt: 'Count.', stopWhen: stepCountIs(rounds + 1) });
      if ((await text) !== 'Done.') throw new Error(`Expected "Done.", got "${await text}".`);
      bytes[name] = proxy.sent() - before;
    };
    const costs = await compare(
      {
        http: () => run('http', http('gpt-4.1')),
        websocket: () => run('websocket', websocket('gpt-4.1')),
        official: () => run('official', official, { count }),
      },
      { samples, warmUp: samples > 1 ? 1 : 0 },
    );
    const name = `${rounds} rounds, ${latency} ms latency`;
    const times = { ours: costs.websocket };
    figures.push(
      toShare({ name, rival: 'own HTTP', ...times, theirs: costs.http }, samples > 1 ? 1 : undefined),
      toShare({ name, rival: 'official provider, `stopWhen`', ...times, theirs: costs.official }),
      ...(['http', 'official'] as const).map(rival => ({
        name: `bytes sent, ${name}`,
        rival: rival === 'http' ? 'own HTTP' : 'official provider, `stopWhen`',
        value: bytes.websocket / bytes[rival],
        unit: 'of' as const,
        ...(rounds >= 20 && { goal: { atMost: 0.2 } }),
        measured: `${toKilobytes(bytes.websocket)} / ${toKilobytes(bytes[rival])}`,
      })),
    );
    await Promise.all([http.close(), websocket.close()]);
    proxy.close();
    await emulator.close();
  }
  return figures;
}

const toKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} KB`;

/** Starts a proxy that delays bytes, and counts those of the clients. */
async function startProxy(target: URL, delay: number) {
  let sent = 0;
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('data', chunk => {
        if (from === client) sent += chunk.length;
        later(() => to.writable && to.write(chunk));
      });
      from.on('end', () => later(() => to.end()));
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    sent: () => sent,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };

  /** Keeps the order: timers of equal length fire in the order in which they were set. */
  function later(run: () => void): void {
    if (delay > 0) setTimeout(run, delay);
    else run();
  }
}
