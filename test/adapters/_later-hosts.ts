import * as host6 from 'ai6';
import * as host7 from 'ai7';
import type { LanguageModelV3, LanguageModelV3StreamPart } from 'provider3';
import { describe, expect, it } from 'vitest';
import { call, finish, textRound, scriptedModel, start } from '../tool-loop/_scripted-model.js';

// Later hosts log a warning for every model of version 2.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** The requirements for a middleware that receives parts of a later specification. */
export function testUnderLaterHosts(middleware: object): void {
  describe('under the wrapLanguageModel of later hosts', () => {
    const expected = { text: 'Hi', finishReason: 'stop', tokens: { inputTokens: 10, outputTokens: 5 } };

    it('keeps finish reason and usage of a model of version 3 in ai@6', async () => {
      const model = host6.wrapLanguageModel({ model: modelV3(), middleware: asV3(middleware) });
      expect(toResult(await host6.generateText({ model, prompt: 'Go.' }))).toEqual(expected);
      const streamed = host6.streamText({ model, prompt: 'Go.' });
      expect(await toStreamedResult(streamed)).toEqual(expected);
    });

    it('keeps finish reason and usage of a model of version 2 in ai@7', async () => {
      const model = host7.wrapLanguageModel({
        model: scriptedModel(textRound('Hi'), textRound('Hi')),
        middleware: asV4(middleware),
      });
      expect(toResult(await host7.generateText({ model, prompt: 'Go.' }))).toEqual(expected);
      const streamed = host7.streamText({ model, prompt: 'Go.' });
      expect(await toStreamedResult(streamed)).toEqual(expected);
    });

    it('emits a call that the host executes in ai@7', async () => {
      const model = host7.wrapLanguageModel({
        model: scriptedModel(
          [start, ...call('a1B2c3D4e', 'get_weather', { city: 'Oslo' }), finish('tool-calls')],
          textRound('Sun.'),
        ),
        middleware: asV4(middleware),
      });
      const { text, steps } = await host7.generateText({
        model,
        prompt: 'Weather?',
        tools: {
          get_weather: host7.tool({
            inputSchema: host7.jsonSchema<{ city: string }>({ type: 'object' }),
            execute: async ({ city }) => `Sun in ${city}`,
          }),
        },
        stopWhen: host7.isStepCount(3),
      });
      expect(text).toBe('Sun.');
      expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(['Sun in Oslo']);
    });
  });
}

/** Middlewares that only rewrite parts of different major versions differ only in their types. */
const asV3 = (middleware: object) =>
  ({ ...middleware, specificationVersion: 'v3' }) as Parameters<
    typeof host6.wrapLanguageModel
  >[0]['middleware'];
const asV4 = (middleware: object) =>
  ({ ...middleware, specificationVersion: 'v4' }) as Parameters<
    typeof host7.wrapLanguageModel
  >[0]['middleware'];

interface HostResult {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined };
}

const toResult = ({ text, finishReason, usage }: HostResult) => ({
  text,
  finishReason,
  tokens: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
});

const toStreamedResult = async (result: {
  readonly [Key in keyof HostResult]: PromiseLike<HostResult[Key]>;
}) =>
  toResult({
    text: await result.text,
    finishReason: await result.finishReason,
    usage: await result.usage,
  });

function modelV3(): LanguageModelV3 {
  const usage = {
    inputTokens: { total: 10, noCache: 7, cacheRead: 3, cacheWrite: undefined },
    outputTokens: { total: 5, text: 3, reasoning: 2 },
  };
  const finishReason = { unified: 'stop', raw: 'STOP' } as const;
  const parts: LanguageModelV3StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hi' },
    { type: 'text-end', id: '0' },
    { type: 'finish', finishReason, usage },
  ];
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'scripted-3',
    supportedUrls: {},
    doGenerate: async () => ({ content: [{ type: 'text', text: 'Hi' }], finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    }),
  };
}
