import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';

type Part = LanguageModelV2StreamPart;

/** Creates a model that writes a text in deltas of four characters. */
export function createWritingModel(text: string, modelId = 'writing'): LanguageModelV2 {
  return {
    specificationVersion: 'v2',
    provider: 'bench',
    modelId,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('Expected a streamed call. Use doStream.')),
    doStream: async () => {
      const parts = toParts(text);
      const stream = new ReadableStream<Part>(
        {
          pull(controller) {
            const { done, value } = parts.next();
            if (done) controller.close();
            else controller.enqueue(value);
          },
        },
        { highWaterMark: 0 },
      );
      return { stream };
    },
  };
}

function* toParts(text: string): Generator<Part, undefined> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: '0' };
  for (let start = 0; start < text.length; start += 4) {
    yield { type: 'text-delta', id: '0', delta: text.slice(start, start + 4) };
  }
  yield { type: 'text-end', id: '0' };
  const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
  yield { type: 'finish', finishReason: 'stop', usage };
  return undefined;
}
