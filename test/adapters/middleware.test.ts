import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { wrapModel } from '../_core.js';
import { generate, textRound, scriptedModel, stream } from '../tool-loop/_scripted-model.js';

const tag = (name: string, log: string[]): LanguageModelV2Middleware => ({
  transformParams: async ({ type, params }) => {
    log.push(`${name} ${type}`);
    return { ...params, stopSequences: [...(params.stopSequences ?? []), name] };
  },
  wrapGenerate: async ({ doGenerate, params }) => {
    log.push(`${name} saw ${params.stopSequences}`);
    return doGenerate();
  },
  wrapStream: async ({ doStream, params }) => {
    log.push(`${name} saw ${params.stopSequences}`);
    return doStream();
  },
});

describe('wrapModel', () => {
  it.each([
    ['stream', stream],
    ['generate', generate],
  ] as const)('puts the first middleware outermost (%s)', async (type, run) => {
    const log: string[] = [];
    const model = scriptedModel(textRound('Hi'));
    await run(wrapModel(model, [tag('a', log), tag('b', log)]));
    expect(log).toEqual([`a ${type}`, 'a saw a', `b ${type}`, 'b saw a,b']);
    expect(model.requests[0]?.stopSequences).toEqual(['a', 'b']);
  });

  it('lets a middleware call the other method', async () => {
    const model = scriptedModel(textRound('Hi'));
    const wrapped = wrapModel(model, [
      {
        wrapGenerate: async ({ doStream }) => {
          await (await doStream()).stream.cancel();
          return {
            content: [],
            finishReason: 'stop',
            usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
            warnings: [],
          };
        },
      },
    ]);
    expect((await generate(wrapped)).content).toEqual([]);
    expect(model.cancelled).toBe(1);
  });

  it('uses the outermost override, which receives the model inside it', () => {
    const wrapped = wrapModel(scriptedModel(), [
      { overrideProvider: ({ model }) => `${model.provider}-outer` },
      { overrideProvider: () => 'inner', overrideModelId: ({ model }) => `${model.modelId}-b` },
      { overrideSupportedUrls: () => ({ 'audio/*': [/./] }) },
    ]);
    expect(wrapped).toMatchObject({
      specificationVersion: 'v2',
      provider: 'inner-outer',
      modelId: 'scripted-1-b',
      supportedUrls: { 'audio/*': [/./] },
    });
  });

  it('keeps the identity of the model without overrides', () => {
    const { provider, modelId, supportedUrls } = scriptedModel();
    const wrapped = wrapModel(scriptedModel(), [{}]);
    expect(wrapped).toMatchObject({ provider, modelId, supportedUrls });
  });

  it('calls the hooks of a class on its instance', async () => {
    class Counting implements LanguageModelV2Middleware {
      calls = 0;
      wrapStream: NonNullable<LanguageModelV2Middleware['wrapStream']> = function (
        this: Counting,
        { doStream },
      ) {
        this.calls++;
        return doStream();
      };
    }
    const counting = new Counting();
    await stream(wrapModel(scriptedModel(textRound('Hi')), [counting]));
    expect(counting.calls).toBe(1);
  });
});
