import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import { generateText, jsonSchema, stepCountIs, streamText, tool, type ToolSet } from 'ai';
import * as ai7 from 'ai7';
import { z } from 'zod';
import { toSse } from '../../_sse.js';
import { functionCall, message, toStream } from '../../responses/stream/_fixtures/wire-events.js';
import { createLoopModel, createOfficialModel, createStepModels, OPTIONS } from '../_models.js';
import { toResponseBody } from '../_responses.js';
import { drain, EVENT_STREAM, respondWith } from '../_transport.js';
import { compare } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

const ROUNDS = 3;

interface Turn {
  readonly name: string;
  /** Duration of each tool of a round in milliseconds, in the order of the calls. */
  readonly toolTimes: readonly number[];
  /** Time that the server takes to write a call, in milliseconds. */
  readonly callTime: number;
  readonly atMost?: number;
}

/**
 * Measures rounds of four read-only tools, the readiness to repeat a round, and a call with many numbers. The tool loop starts
 * a tool when its call is complete, while the server still writes the next calls.
 */
export async function measureTurn(scale: Scale): Promise<Figure[]> {
  const { turns, toolTime } = scale;
  const samples = { samples: turns, warmUp: 1 };
  const even = [1, 1, 1, 1].map(times => times * toolTime);
  const uneven = [4, 3, 2, 1].map(times => times * toolTime);
  return [
    ...(await compareTurn(
      { name: `tools of ${toolTime} ms`, toolTimes: even, callTime: toolTime, atMost: 0.75 },
      samples,
    )),
    ...(await compareTurn(
      { name: `tools of ${uneven.join(', ')} ms`, toolTimes: uneven, callTime: toolTime },
      samples,
    )),
    await compareRetry(scale),
    await compareNumbers(scale),
    ...(await compareForms(scale, { toolTimes: uneven, callTime: toolTime }, samples)),
  ];
}

/** Compares a response that could be requested again with one that could not. */
async function compareRetry({ deltas, ...scale }: Scale): Promise<Figure> {
  const fetch = respondWith(toResponseBody('text', deltas), { size: 16 * 1024 });
  const read = (model: LanguageModelV2) => async () => drain((await model.doStream(OPTIONS)).stream);
  const costs = await compare(
    {
      on: read(createLoopModel(fetch)),
      off: read(createLoopModel(fetch, undefined, { retry: { streamRetries: false } })),
    },
    { ...scale, time: 'processor' },
  );
  const names = { name: 'text, 16 KiB: repeated rounds', rival: '`retry: { streamRetries: false }`' };
  return toShare({ ...names, ours: costs.on, theirs: costs.off }, 1.05);
}

const FORMS = ['provider', 'host'] as const;
const OFFICIAL_7 = '`streamText` of `ai` 7, official model';

/** Runs a turn in which each round is a step of `ai` 7. */
async function runSteps(settings: object): Promise<void> {
  const options = { prompt: 'Look it up.', ...settings } as Parameters<typeof ai7.streamText>[0];
  const { text, steps } = ai7.streamText(options);
  if ((await text) !== ANSWER || (await steps).length !== ROUNDS + 1)
    throw new Error(
      `Expected ${ROUNDS + 1} steps and "${ANSWER}", got ${(await steps).length} and "${await text}".`,
    );
}

/** Compares turns in steps of the host, by who runs their tools: in elapsed time, and in processor time without any tool. */
async function compareForms(
  { durableTurns: turns, ...scale }: Scale,
  { toolTimes, callTime }: Pick<Turn, 'toolTimes' | 'callTime'>,
  samples: { samples: number; warmUp: number },
): Promise<Figure[]> {
  let lookUps = 0;
  const lookUp = {
    inputSchema: z.object({ milliseconds: z.number() }),
    async execute({ milliseconds }: { milliseconds: number }) {
      if (milliseconds > 0) await delay(milliseconds);
      return `found ${++lookUps}`;
    },
  };
  const tools = { look_up: { ...lookUp, readOnly: true } };
  const stopWhen = ai7.isStepCount(ROUNDS + 1);
  const start = async (name: (typeof FORMS)[number] | 'official', fetch: typeof globalThis.fetch) => {
    const { [name]: settings } = await createStepModels(fetch, tools);
    return name === 'official'
      ? { model: settings, tools: { look_up: ai7.tool(lookUp) }, stopWhen }
      : settings;
  };
  const run = (name: Parameters<typeof start>[0]) => async (): Promise<number> => {
    const settings = await start(name, createServer({ toolTimes, callTime }));
    const startedAt = performance.now();
    await runSteps(settings);
    return performance.now() - startedAt;
  };
  const clock = await compare(
    { provider: run('provider'), host: run('host'), official: run('official') },
    samples,
  );
  // The number of outputs in the request tells the round.
  const answer = async (_: unknown, { body }: RequestInit = {}): Promise<Response> => {
    const round = String(body).split('"function_call_output"').length - 1;
    const call = functionCall('look_up', '{"milliseconds":0}', {
      id: `fc_${round}`,
      callId: `call_${round}`,
    });
    return new Response(toSse(toStream([round < ROUNDS ? call : message([ANSWER])])), {
      headers: EVENT_STREAM,
    });
  };
  const repeat = async (name: Parameters<typeof start>[0]) => {
    const settings = await start(name, answer as typeof globalThis.fetch);
    return async (): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) await runSteps(settings);
    };
  };
  const processor = await compare(
    { provider: await repeat('provider'), host: await repeat('host'), official: await repeat('official') },
    { ...scale, time: 'processor' },
  );
  return FORMS.flatMap(form => [
    toShare(
      {
        name: `steps, tools of ${toolTimes.join(', ')} ms run by the ${form}`,
        rival: OFFICIAL_7,
        ours: clock[form],
        theirs: clock.official,
      },
      1,
    ),
    toShare({
      name: `steps, ${turns} turns, tools run by the ${form}: processor`,
      rival: OFFICIAL_7,
      ours: processor[form],
      theirs: processor.official,
    }),
  ]);
}

/** Compares a turn with a call of many numbers, as one document and with a tool that does nothing. */
async function compareNumbers({ numbers, ...scale }: Scale): Promise<Figure> {
  const values = Array.from({ length: numbers }, (_, index) => index % 10);
  const call = functionCall('add', JSON.stringify({ values }), { id: 'fc_1', callId: 'call_1' });
  const documents = [call, message([ANSWER])].map(script =>
    JSON.stringify(toStream([script]).at(-1)?.response),
  );
  const inputSchema = jsonSchema<{ values: number[] }>({
    type: 'object',
    properties: { values: { type: 'array', items: { type: 'number' } } },
  });
  const add = tool({ inputSchema, execute: async () => 'added' });
  const createFetch = (): typeof fetch => {
    let request = 0;
    return async () =>
      new Response(documents[request++], { headers: { 'content-type': 'application/json' } });
  };
  const run = async (model: LanguageModelV2, tools?: ToolSet): Promise<void> => {
    const { text } = await generateText({ model, tools, prompt: 'Add them.', stopWhen: stepCountIs(2) });
    if (text !== ANSWER) throw new Error(`Expected "${ANSWER}" at the end of the turn, got "${text}".`);
  };
  const costs = await compare(
    {
      loop: () => run(createLoopModel(createFetch(), { add })),
      steps: () => run(createOfficialModel(createFetch()), { add }),
    },
    { ...scale, time: 'processor' },
  );
  const names = {
    name: `a call with ${numbers.toLocaleString('en')} numbers`,
    rival: '`generateText`, official model, `stepCountIs`',
  };
  return toShare({ ...names, ours: costs.loop, theirs: costs.steps }, 3);
}

async function compareTurn(
  { name, atMost, ...times }: Turn,
  samples: { samples: number; warmUp: number },
): Promise<Figure[]> {
  let lookUps = 0;
  const lookUp = tool({
    inputSchema: z.object({ milliseconds: z.number() }),
    execute: async ({ milliseconds }) => {
      await delay(milliseconds);
      // The loop stops a call that returns the same output again and again.
      return `found ${++lookUps}`;
    },
  });
  const costs = await compare(
    {
      loop: () => runTurn(createLoopModel(createServer(times), { look_up: { ...lookUp, readOnly: true } })),
      steps: () => runTurn(createOfficialModel(createServer(times)), { look_up: lookUp }),
      path: () => walkCriticalPath(times),
    },
    samples,
  );
  return [
    toShare(
      { name, rival: '`streamText`, official model, `stepCountIs`', ours: costs.loop, theirs: costs.steps },
      atMost,
    ),
    toShare({ name, rival: 'critical path', ours: costs.loop, theirs: costs.path }, 1.1),
  ];
}

async function runTurn(model: LanguageModelV2, tools?: ToolSet): Promise<void> {
  const { text } = streamText({ model, tools, prompt: 'Look it up.', stopWhen: stepCountIs(ROUNDS + 1) });
  if ((await text) !== ANSWER)
    throw new Error(`Expected "${ANSWER}" at the end of the turn, got "${await text}".`);
}

/** Waits the shortest possible time: that of the server, plus the time that the slowest tool runs after it. */
async function walkCriticalPath({
  toolTimes,
  callTime,
}: Pick<Turn, 'toolTimes' | 'callTime'>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const tools = [];
    for (const toolTime of toolTimes) {
      await delay(callTime);
      tools.push(delay(toolTime));
    }
    await Promise.all(tools);
  }
}

const ANSWER = 'All found.';

/** Creates a `fetch` that responds with calls in each round, then with text. */
export function createServer({ toolTimes, callTime }: Pick<Turn, 'toolTimes' | 'callTime'>): typeof fetch {
  let round = 0;
  return async () => {
    const calls = toolTimes.map((milliseconds, index) => {
      const ids = { id: `fc_${round}_${index}`, callId: `call_${round}_${index}` };
      return functionCall('look_up', JSON.stringify({ milliseconds }), ids);
    });
    const events = toStream(round++ < ROUNDS ? calls : [message([ANSWER])]);
    const isCall = ({ type, item }: Record<string, unknown>): boolean =>
      type === 'response.output_item.done' && (item as { type: string }).type === 'function_call';
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      async start(controller) {
        for (const event of events) {
          if (isCall(event)) await delay(callTime);
          controller.enqueue(encoder.encode(toSse([event])));
        }
        controller.close();
      },
    });
    // Calls of other servers wait for the end of their response.
    return new Response(body, { headers: { ...EVENT_STREAM, 'openai-version': '2020-10-01' } });
  };
}
