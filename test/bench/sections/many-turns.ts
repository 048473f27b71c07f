import * as ai5 from 'ai';
import * as ai7 from 'ai7';
import { createKelivoResponsesProvider as createProviderV4 } from 'kelivo-responses/v4';
import { z } from 'zod';
import { toSse } from '../../_sse.js';
import { functionCall, message, toStream } from '../../responses/stream/_fixtures/wire-events.js';
import { gate } from '../../tool-loop/_tools.js';
import { createLoopModel, createOfficialModel, createOfficialModelV4 } from '../_models.js';
import { EVENT_STREAM } from '../_transport.js';
import { median, ratioOf } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';
import { collectedHeap } from './memory.js';

const MEGABYTE = 2 ** 20;

const lookUp = {
  inputSchema: z.object({ city: z.string() }),
  execute: async () => 'It is sunny. '.repeat(20),
};
const tools = { look_up: lookUp };

/** Returns a function that runs a turn, and returns when its answer has been read. */
type Start = (fetch: typeof globalThis.fetch) => () => Promise<void>;

const prompt = 'How is the weather in Oslo?';

const contenders: Readonly<Record<string, { readonly ours: Start; readonly theirs: Start }>> = {
  'ai 5': {
    ours(fetch) {
      const model = createLoopModel(fetch, tools);
      return () => read(ai5.streamText({ model, prompt }));
    },
    theirs(fetch) {
      const settings = { model: createOfficialModel(fetch), stopWhen: ai5.stepCountIs(3) };
      return () => read(ai5.streamText({ ...settings, prompt, tools: { look_up: ai5.tool(lookUp) } }));
    },
  },
  'ai 7': {
    ours(fetch) {
      const model = createLoopModel(fetch, tools, {}, undefined, createProviderV4 as never) as unknown;
      return () => read(ai7.streamText({ model: model as ai7.LanguageModel, prompt }));
    },
    theirs(fetch) {
      const settings = { model: createOfficialModelV4(fetch), stopWhen: ai7.isStepCount(3) };
      return () => read(ai7.streamText({ ...settings, prompt, tools: { look_up: ai7.tool(lookUp) } }));
    },
  },
};

/** Measures turns with a call that all wait for the response to its output: their memory then, and their processor time. */
export async function measureManyTurns({ manyTurns, turns: samples }: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [ai, { ours, theirs }] of Object.entries(contenders)) {
    for (const turns of manyTurns) {
      const sides = { ours: [] as Cost[], theirs: [] as Cost[] };
      for (let sample = -1; sample < samples; sample++) {
        const [our, their] = [await runAll(ours, turns), await runAll(theirs, turns)];
        if (sample < 0) continue;
        sides.ours.push(our);
        sides.theirs.push(their);
      }
      const of = (cost: keyof Cost) => ({
        ours: sides.ours.map(({ [cost]: value }) => value),
        theirs: sides.theirs.map(({ [cost]: value }) => value),
      });
      const names = {
        name: `${turns} turns at once, ${ai}`,
        rival: 'official model in the loop of the host',
      };
      const memory = of('memory');
      figures.push(toShare({ ...names, name: `${names.name}: processor`, ...of('processor') }, 0.9), {
        ...names,
        name: `${names.name}: memory`,
        value: ratioOf(memory.ours, memory.theirs),
        unit: 'of',
        goal: { atMost: 1 },
        measured: `${median(memory.ours).toFixed(1)} MB / ${median(memory.theirs).toFixed(1)} MB`,
      });
    }
  }
  return figures;
}

interface Cost {
  /** In milliseconds. */
  readonly processor: number;
  /** In megabytes. */
  readonly memory: number;
}

async function runAll(start: Start, turns: number): Promise<Cost> {
  const { opened: areWaiting, open: areAllWaiting } = gate();
  const { opened: mayAnswer, open: answer } = gate();
  let waiting = 0;
  const fetch = async (_: unknown, { body }: RequestInit = {}): Promise<Response> => {
    const isSecond = String(body).includes('"function_call_output"');
    if (isSecond) {
      if (++waiting === turns) areAllWaiting();
      await mayAnswer;
    }
    const item = isSecond ? message(['It is ', 'sunny.']) : functionCall('look_up', '{"city":"Oslo"}');
    return new Response(toSse(toStream([item])), { headers: EVENT_STREAM });
  };
  const before = collectedHeap();
  const startedAt = process.cpuUsage();
  const run = start(fetch as typeof globalThis.fetch);
  const running = Promise.all(Array.from({ length: turns }, run));
  await Promise.race([areWaiting, running]);
  const first = process.cpuUsage(startedAt);
  const memory = (collectedHeap() - before) / MEGABYTE;
  const continuedAt = process.cpuUsage();
  answer();
  await running;
  const second = process.cpuUsage(continuedAt);
  return { memory, processor: (first.user + first.system + second.user + second.system) / 1000 };
}

async function read(result: { readonly text: PromiseLike<string>; consumeStream(): PromiseLike<void> }) {
  await result.consumeStream();
  const text = await result.text;
  if (text !== 'It is sunny.')
    throw new Error(`Expected the answer of the turn, got ${JSON.stringify(text)}.`);
}
