import type { LanguageModelV2 } from '@ai-sdk/provider';
import { toAnswer } from '../_answers.js';
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

/** From the first byte of the server to the first piece of text. */
export async function measureFirstToken({ firstTokens }: Scale): Promise<Figure[]> {
  const answer = cutAfterFirstDelta(toAnswer('text', 3));
  const costs = await compare(
    {
      official: toContender(createOfficialModel, answer),
      bare: toContender(createBareModel, answer),
      'tool loop': toContender(createLoopModel, answer),
      'tool loop and adapter': toContender(createAdaptedModel, answer),
    },
    { samples: firstTokens, warmUp: Math.ceil(firstTokens / 5) },
  );
  const goals = { bare: 1, 'tool loop': 1.1, 'tool loop and adapter': 1.1 };
  return (['bare', 'tool loop', 'tool loop and adapter'] as const).map(name =>
    toShare({ name, rival: 'official model', ours: costs[name], theirs: costs.official }, goals[name]),
  );
}

interface CutAnswer {
  readonly beginning: Uint8Array;
  readonly rest: Uint8Array;
}

function cutAfterFirstDelta(body: Uint8Array): CutAnswer {
  const text = Buffer.from(body);
  const end = text.indexOf('\n\n', text.indexOf('"type":"response.output_text.delta"')) + 2;
  return { beginning: body.subarray(0, end), rest: body.subarray(end) };
}

function toContender(
  createModel: (fetch: typeof globalThis.fetch) => LanguageModelV2,
  { beginning, rest }: CutAnswer,
): Contender {
  let firstByteAt = 0;
  const model = createModel(async () => {
    const stream = new ReadableStream({
      start(controller) {
        // The model has the status and waits for the body.
        setImmediate(() => {
          firstByteAt = performance.now();
          controller.enqueue(beginning);
          // More comes when the first of it has long been read.
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
