import { type AddressInfo, connect, createServer } from 'node:net';
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

const OFFICIAL = 'official provider, `stopWhen`';

/**
 * Measures turns of many rounds with large outputs of tools: over HTTP, over a WebSocket, and with the official provider
 * and `stopWhen`. The first turn of each sample opens its connection, the second turn uses it again.
 */
export async function measureTransports({ rounds, transportSamples: samples }: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const latency of LATENCIES) {
    const bytes: Record<Contender, number> = { http: 0, websocket: 0, official: 0 };
    const later: Record<Contender, number[]> = { http: [], websocket: [], official: [] };
    const measure = (name: Contender) => async () => {
      const { first, second, sent } = await measureTurns(name, { rounds, latency });
      bytes[name] = sent;
      later[name].push(second);
      return first;
    };
    const warmUp = samples > 1 ? 1 : 0;
    const first = await compare(
      { http: measure('http'), websocket: measure('websocket'), official: measure('official') },
      { samples, warmUp },
    );
    const name = `${rounds} rounds, ${latency} ms latency`;
    for (const [turn, costs] of [
      ['first turn', first],
      ['later turn', mapValues(later, times => times.slice(warmUp))],
    ] as const) {
      const sides = { name: `${name}, ${turn}`, ours: costs.websocket };
      figures.push(
        toShare({ ...sides, rival: 'own HTTP', theirs: costs.http }, samples > 1 ? 1 : undefined),
        toShare({ ...sides, rival: OFFICIAL, theirs: costs.official }),
      );
    }
    for (const rival of ['http', 'official'] as const) {
      figures.push({
        name: `bytes sent, ${name}`,
        rival: rival === 'http' ? 'own HTTP' : OFFICIAL,
        value: bytes.websocket / bytes[rival],
        unit: 'of',
        ...(rounds >= 20 && { goal: { atMost: 0.2 } }),
        measured: `${toKilobytes(bytes.websocket)} / ${toKilobytes(bytes[rival])}`,
      });
    }
  }
  return figures;
}

/** Runs two turns on new connections. Returns their times, and the bytes that the client sent in the first one. */
async function measureTurns(name: Contender, { rounds, latency }: { rounds: number; latency: number }) {
  const emulator = await startResponsesEmulator({ rules: 'none' });
  const proxy = await startProxy(new URL(emulator.url), latency / 2);
  let outputs = 0;
  const count = tool({ inputSchema: z.object({}), execute: async () => `${++outputs}${OUTPUT}` });
  const settings = { baseURL: `http://127.0.0.1:${proxy.port}/v1`, apiKey: 'sk-bench' };
  const own =
    name === 'official'
      ? undefined
      : createKelivoResponsesProvider({
          ...{ ...settings, transport: name === 'websocket' ? 'websocket' : 'http', tools: { count } },
          toolLoop: { maxRounds: rounds + 2 },
        });
  const model = own?.('gpt-4.1') ?? createOpenAI(settings).responses('gpt-4.1');
  const run = async (): Promise<number> => {
    emulator.enqueue(...Array.from({ length: rounds }, () => [{ call: 'count' }]), [{ text: 'Done.' }]);
    const startedAt = performance.now();
    const tools: ToolSet | undefined = own === undefined ? { count } : undefined;
    const { text } = streamText({ model, tools, prompt: 'Count.', stopWhen: stepCountIs(rounds + 1) });
    if ((await text) !== 'Done.') throw new Error(`Expected "Done.", got "${await text}".`);
    return performance.now() - startedAt;
  };
  try {
    const first = await run();
    const sent = proxy.sent();
    return { first, second: await run(), sent };
  } finally {
    await own?.close();
    proxy.close();
    await emulator.close();
  }
}

const mapValues = <Name extends string, From, To>(
  values: Readonly<Record<Name, From>>,
  map: (value: From) => To,
): Record<Name, To> =>
  Object.fromEntries(Object.entries<From>(values).map(([name, value]) => [name, map(value)])) as Record<
    Name,
    To
  >;

const toKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} KB`;

/**
 * Starts a proxy that delays connections and bytes in both directions, and counts the bytes of the clients. The client's
 * kernel reports a local connection as open at once, so the first bytes also wait for the round trip of the TCP handshake.
 * All later bytes of the connection queue up after them.
 */
async function startProxy(target: URL, delay: number) {
  let sent = 0;
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname);
    const connectedAt = performance.now() + 2 * delay;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // Timers of different lengths could change the order of the bytes.
      const waiting: { readonly at: number; readonly run: () => void }[] = [];
      const later = (run: () => void): void => {
        waiting.push({ at: Math.max(performance.now(), connectedAt) + delay, run });
        if (waiting.length === 1) next();
      };
      const next = (): void => {
        const rest = (waiting[0]?.at ?? 0) - performance.now();
        if (rest > 0) return void setTimeout(next, rest);
        waiting.shift()?.run();
        if (waiting.length > 0) next();
      };
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
}
