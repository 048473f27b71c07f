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

/** The sides of a host: turns of the loop, turns of the host's loop, and responses without a call. */
interface Sides<Side> {
  readonly ours: Side;
  readonly theirs: Side;
  readonly open: Side;
}

const contenders: Readonly<Record<string, Sides<Start>>> = {
  'ai 5': {
    ours(fetch) {
      const model = createLoopModel(fetch, tools);
      return () => read(ai5.streamText({ model, prompt }));
    },
    theirs(fetch) {
      const settings = { model: createOfficialModel(fetch), stopWhen: ai5.stepCountIs(3) };
      return () => read(ai5.streamText({ ...settings, prompt, tools: { look_up: ai5.tool(lookUp) } }));
    },
    open(fetch) {
      const model = createOfficialModel(fetch);
      return () => read(ai5.streamText({ model, prompt }));
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
    open(fetch) {
      const model = createOfficialModelV4(fetch);
      return () => read(ai7.streamText({ model, prompt }));
    },
  },
};

/**
 * Measures turns with a call that all wait for the response to its output: their memory then, and their processor time.
 *
 * A turn of our loop is one response, whose streams the host keeps while the call runs. A turn of the host's loop has no
 * stream between two responses. Their memory is therefore also compared with that of a response that the official model
 * has not finished yet.
 */
export async function measureManyTurns({ manyTurns, turns: samples }: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [ai, { ours, theirs, open }] of Object.entries(contenders)) {
    for (const turns of manyTurns) {
      const costs: Sides<Cost[]> = { ours: [], theirs: [], open: [] };
      for (let sample = -1; sample < samples; sample++) {
        const [our, their] = [await runAll(ours, turns), await runAll(theirs, turns)];
        const opened = await runAll(open, turns);
        if (sample < 0) continue;
        costs.ours.push(our);
        costs.theirs.push(their);
        costs.open.push(opened);
      }
      const of = (side: keyof Sides<unknown>, cost: keyof Cost) =>
        costs[side].map(({ [cost]: value }) => value);
      const name = `${turns} turns at once, ${ai}`;
      const rival = 'official model in the loop of the host';
      const memory = of('ours', 'memory');
      const toMemory = (against: string, theirMemory: readonly number[]): Figure => ({
        name: `${name}: memory`,
        rival: against,
        value: ratioOf(memory, theirMemory),
        unit: 'of',
        measured: `${median(memory).toFixed(1)} MB / ${median(theirMemory).toFixed(1)} MB`,
      });
      figures.push(
        toShare(
          {
            name: `${name}: processor`,
            rival,
            ours: of('ours', 'processor'),
            theirs: of('theirs', 'processor'),
          },
          0.9,
        ),
        { ...toMemory(rival, of('theirs', 'memory')), goal: { atMost: 1 } },
        toMemory('official model, open responses without a call', of('open', 'memory')),
      );
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
  const server = new WaitingServer(turns);
  const before = collectedHeap();
  const startedAt = process.cpuUsage();
  const run = start(async (_, { body } = {}) => server.answer(String(body)));
  const running = Promise.all(Array.from({ length: turns }, run));
  await Promise.race([server.isHolding, running]);
  const first = process.cpuUsage(startedAt);
  const memory = (collectedHeap() - before) / MEGABYTE;
  const continuedAt = process.cpuUsage();
  server.goOn();
  await running;
  const second = process.cpuUsage(continuedAt);
  return { memory, processor: (first.user + first.system + second.user + second.system) / 1000 };
}

/** Answers the first request of a turn, and holds the end of each turn until all turns have come to it. */
class WaitingServer {
  readonly isHolding: Promise<void>;
  readonly goOn: () => void;
  readonly #allHeld: () => void;
  readonly #mayGoOn: Promise<void>;
  #held = 0;

  constructor(readonly turns: number) {
    ({ opened: this.isHolding, open: this.#allHeld } = gate());
    ({ opened: this.#mayGoOn, open: this.goOn } = gate());
  }

  async answer(request: string): Promise<Response> {
    if (!request.includes('"look_up"')) return toResponse(this.#answerInHalves());
    if (!request.includes('"function_call_output"')) {
      return toResponse(toSse(toStream([functionCall('look_up', '{"city":"Oslo"}')])));
    }
    await this.#hold();
    return toResponse(toSse(toStream([message(ANSWER)])));
  }

  /** Streams the answer up to its first delta, and the rest after the hold. */
  #answerInHalves(): ReadableStream<Uint8Array> {
    const events = toStream([message(ANSWER)]);
    const half = events.findIndex(({ type }) => type === 'response.output_text.delta') + 1;
    const halves = [events.slice(0, half), events.slice(half)].map(part =>
      new TextEncoder().encode(toSse(part)),
    );
    let sent = 0;
    return new ReadableStream({
      // Called for the second half when the first one has been read.
      pull: async controller => {
        if (sent > 0) await this.#hold();
        controller.enqueue(halves[sent++]);
        if (sent === halves.length) controller.close();
      },
    });
  }

  #hold(): Promise<void> {
    if (++this.#held === this.turns) this.#allHeld();
    return this.#mayGoOn;
  }
}

const ANSWER = ['It is ', 'sunny.'];

const toResponse = (body: BodyInit): Response => new Response(body, { headers: EVENT_STREAM });

async function read(result: { readonly text: PromiseLike<string>; consumeStream(): PromiseLike<void> }) {
  await result.consumeStream();
  const text = await result.text;
  if (text !== ANSWER.join(''))
    throw new Error(`Expected the answer of the turn, got ${JSON.stringify(text)}.`);
}
