import type { LanguageModelV2, LanguageModelV2Message } from '@ai-sdk/provider';
import { tool } from 'ai';
import { createOpenAI as createOpenAI3 } from 'openai3';
import { z } from 'zod';
import { toSse } from '../../_sse.js';
import { functionCall, message, toStream } from '../../responses/stream/_fixtures/wire-events.js';
import {
  createBareModel,
  createBareModelV4,
  createLoopModel,
  createOfficialModel,
  createOfficialModelV4,
  type ReadableModel,
} from '../_models.js';
import { respondWith, drain } from '../_transport.js';
import { compare, type Contender, median } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

const ANSWER = new TextEncoder().encode(toSse(toStream([message(['Done.'])])));
const CALL = new TextEncoder().encode(toSse(toStream([functionCall('note', '{}')])));

/**
 * Measures the time from `doStream`, or from the last tool result, to the bytes of the request, and whole calls. `JSON.stringify`
 * returns a text in pieces, which are joined when somebody reads them. Who reads its own request, to find half characters, would
 * else pay what `fetch` pays for the others.
 */
export async function measureConversation(scale: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  const times: Times[] = [];
  const last = scale.messages.length - 1;
  for (const [index, count] of scale.messages.entries()) {
    const prompt = toConversation(count);
    const costs = await compare(
      {
        official: toFirstRequest(createOfficialModel, prompt),
        official3: toFirstRequest(createLaterModel(createOpenAI3), prompt),
        official4: toFirstRequest(createOfficialModelV4, prompt),
        bare: toFirstRequest(createBareModel, prompt),
        followUp: toFollowUp(prompt),
        wholeOfficial: toWholeCall(createOfficialModel, prompt),
        wholeBare: toWholeCall(createBareModel, prompt),
        wholeOfficial4: toWholeCall(createOfficialModelV4, prompt),
        wholeBare4: toWholeCall(createBareModelV4, prompt),
        ...(await toJson(prompt)),
      },
      // Short conversations get more samples.
      { samples: scale.samples * (count > 1_000 ? 1 : 5), warmUp: scale.warmUp },
    );
    const name = toName(count);
    figures.push(
      ...(['official', 'official3', 'official4'] as const).map(official =>
        toShare(
          {
            name: `${name}: first request`,
            rival: OFFICIAL[official],
            ours: costs.bare,
            theirs: costs[official],
          },
          count === 10 || count === 100 ? 1 : undefined,
        ),
      ),
      toShare({
        name: `${name}: whole call`,
        rival: OFFICIAL.official,
        ours: costs.wholeBare,
        theirs: costs.wholeOfficial,
      }),
      toShare({
        name: `${name}: whole call, V4`,
        rival: OFFICIAL.official4,
        ours: costs.wholeBare4,
        theirs: costs.wholeOfficial4,
      }),
      toShare({
        name: `${name}: first request`,
        rival: '`JSON.stringify`, encoded',
        ours: costs.bare,
        theirs: costs.json,
      }),
      toShare(
        {
          name: `${name}: follow-up round`,
          rival: '`JSON.stringify`',
          ours: costs.followUp,
          theirs: costs.jsonText,
        },
        index === last ? 1.3 : undefined,
      ),
    );
    times.push({ count, bare: costs.bare, json: costs.json });
  }
  return [...figures, ...toGrowth(times)];
}

const OFFICIAL = {
  official: 'official model',
  official3: 'official model of version 3',
  official4: 'official model of version 4',
};

interface Settings {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Returns a creator of models of a later version, which take the same prompts and are only read to the end. */
const createLaterModel =
  (create: (settings: Settings) => { responses(modelId: string): unknown }) =>
  (fetch: typeof globalThis.fetch): LanguageModelV2 =>
    create({ baseURL: 'https://api.openai.com/v1', apiKey: 'sk-bench', fetch }).responses(
      'gpt-4.1',
    ) as LanguageModelV2;

/** Compares the cost growth from the second longest to the longest conversation with that of `JSON.stringify`. */
function toGrowth(times: readonly Times[]): Figure[] {
  const [shorter, longer] = times.slice(-2);
  if (shorter === undefined || longer === undefined) return [];
  const growthOf = (side: 'bare' | 'json') => median(longer[side]) / median(shorter[side]);
  const [ours, theirs] = [growthOf('bare'), growthOf('json')];
  return [
    {
      name: `growth from ${toName(shorter.count)} to ${toName(longer.count)}`,
      rival: '`JSON.stringify`, encoded',
      value: ours / theirs,
      unit: 'of',
      goal: { atMost: 1.3 },
      measured: `${ours.toFixed(1)} × / ${theirs.toFixed(1)} ×`,
    },
  ];
}

interface Times {
  readonly count: number;
  readonly bare: readonly number[];
  readonly json: readonly number[];
}

const toName = (count: number): string => `${count.toLocaleString('en-US')} messages`;

/** Creates alternating questions, calls, results and answers. */
function toConversation(count: number): LanguageModelV2Message[] {
  const text =
    'A message that is about as long as the average message in a conversation about program code. '.repeat(4);
  return Array.from({ length: count - 1 }, (_, index): LanguageModelV2Message => {
    const toolCallId = `call_${index >> 2}`;
    switch (index % 4) {
      case 0:
        return { role: 'user', content: [{ type: 'text', text: `${index}: ${text}` }] };
      case 1:
        return {
          role: 'assistant',
          content: [
            { type: 'text', text },
            { type: 'tool-call', toolCallId, toolName: 'note', input: { path: 'notes.txt', text } },
          ],
        };
      case 2: {
        const output = { type: 'json' as const, value: { ok: true, text } };
        return {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: `call_${(index - 1) >> 2}`, toolName: 'note', output },
          ],
        };
      }
      default:
        return { role: 'assistant', content: [{ type: 'text', text: `${index}: ${text}` }] };
    }
  }).concat({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] });
}

/** Measures a call from `doStream` to the end of a short answer. */
function toWholeCall(
  createModel: (fetch: typeof globalThis.fetch) => ReadableModel,
  prompt: LanguageModelV2Message[],
): Contender {
  const model = createModel((input, init) => {
    encode(init?.body);
    return respondWith(ANSWER)(input, init);
  });
  return async () => drain((await model.doStream({ prompt } as never)).stream);
}

function toFirstRequest(
  createModel: (fetch: typeof globalThis.fetch) => ReadableModel,
  prompt: LanguageModelV2Message[],
): Contender {
  let requestedAt = 0;
  const model = createModel((input, init) => {
    encode(init?.body);
    requestedAt = performance.now();
    return respondWith(ANSWER)(input, init);
  });
  return async () => {
    const startedAt = performance.now();
    const { stream } = await model.doStream({ prompt } as never);
    await drain(stream);
    return requestedAt - startedAt;
  };
}

/**
 * Measures from the end of the last tool to the text of the second request. The server has sent everything by then.
 */
function toFollowUp(prompt: LanguageModelV2Message[]): Contender {
  let rounds = 0;
  let ranAt = 0;
  let requestedAt = 0;
  const note = tool({
    inputSchema: z.object({}),
    execute: async () => {
      await new Promise(resolve => setTimeout(resolve, 2));
      ranAt = performance.now();
      return 'noted';
    },
  });
  const model = createLoopModel(
    (input, init) => {
      requestedAt = performance.now();
      return respondWith(rounds++ % 2 === 0 ? CALL : ANSWER)(input, init);
    },
    { note },
  );
  return async () => {
    const { stream } = await model.doStream({ prompt });
    await drain(stream);
    return requestedAt - ranAt;
  };
}

const encoder = new TextEncoder();

/** Encodes the body of a request as `fetch` does. */
const encode = (body: unknown): void => void encoder.encode(String(body));

/** Serializes the same request body, with its bytes as for a first request, and without them as for a follow-up. */
async function toJson(
  prompt: LanguageModelV2Message[],
): Promise<Readonly<Record<'json' | 'jsonText', Contender>>> {
  let body: unknown;
  const model = createBareModel((input, init) => {
    body = JSON.parse(String(init?.body));
    return respondWith(ANSWER)(input, init);
  });
  await drain((await model.doStream({ prompt })).stream);
  return {
    json: async () => encode(JSON.stringify(body)),
    jsonText: async () => void JSON.stringify(body),
  };
}
