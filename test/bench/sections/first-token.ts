import type { LanguageModelV2 } from '@ai-sdk/provider';
import { toResponseBody } from '../_responses.js';
import {
  createAdaptedModel,
  createBareModel,
  createLoopModel,
  createOfficialModel,
  OPTIONS,
} from '../_models.js';
import { EVENT_STREAM } from '../_transport.js';
import { compare, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

/** Measures the time from the first byte of the server to the first text delta. */
export async function measureFirstToken({ firstTokens }: Scale): Promise<Figure[]> {
  const body = splitAfterFirstDelta(toResponseBody('text', 3));
  const costs = await compare(
    {
      official: toContender(createOfficialModel, body),
      bare: toContender(createBareModel, body),
      'tool loop': toContender(createLoopModel, body),
      'tool loop and adapter': toContender(createAdaptedModel, body),
    },
    { samples: firstTokens, warmUp: Math.ceil(firstTokens / 5) },
  );
  const goals = { bare: 1, 'tool loop': 1.1, 'tool loop and adapter': 1.1 };
  return (['bare', 'tool loop', 'tool loop and adapter'] as const).map(name =>
    toShare({ name, rival: 'official model', ours: costs[name], theirs: costs.official }, goals[name]),
  );
}

interface SplitResponse {
  readonly beginning: Uint8Array;
  readonly rest: Uint8Array;
}

function splitAfterFirstDelta(body: Uint8Array): SplitResponse {
  const text = Buffer.from(body);
  const end = text.indexOf('\n\n', text.indexOf('"type":"response.output_text.delta"')) + 2;
  return { beginning: body.subarray(0, end), rest: body.subarray(end) };
}

function toContender(
  createModel: (fetch: typeof globalThis.fetch) => LanguageModelV2,
  { beginning, rest }: SplitResponse,
): Contender {
  let firstByteAt = 0;
  const model = createModel(async () => {
    const stream = new ReadableStream({
      start(controller) {
        // The model has received the status and waits for the body.
        setImmediate(() => {
          firstByteAt = performance.now();
          controller.enqueue(beginning);
          // The rest arrives after the beginning has been read.
          setTimeout(() => {
            controller.enqueue(rest);
            controller.close();
          }, 1);
        });
      },
    });
    return new Response(stream, { headers: EVENT_STREAM });
  });
  return async () => {
    const { stream } = await model.doStream(OPTIONS);
    let firstTextAt: number | undefined;
    for await (const { type } of stream) if (type === 'text-delta') firstTextAt ??= performance.now();
    if (firstTextAt === undefined) throw new Error('Expected a text-delta, got none.');
    return firstTextAt - firstByteAt;
  };
}
