import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageModelV2 } from '@ai-sdk/provider';
import { stepCountIs, streamText, tool, type ToolSet } from 'ai';
import { z } from 'zod';
import { toSse } from '../../_sse.js';
import { functionCall, message, toStream } from '../../responses/stream/_fixtures/wire-events.js';
import { createLoopModel, createOfficialModel } from '../_models.js';
import { EVENT_STREAM } from '../_transport.js';
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
 * Measures rounds of four read-only tools. The tool loop starts a tool when its call is complete, while the server still
 * writes the next calls.
 */
export async function measureTurn({ turns, toolTime }: Scale): Promise<Figure[]> {
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
  ];
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
    return new Response(body, { headers: EVENT_STREAM });
  };
}
