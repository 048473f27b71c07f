import { describe, expect, it } from 'vitest';
import type { ModelAdapter } from '../../src/adapters/kit/definition.js';
import { defineModelAdapter, matchModelName } from '../../src/adapters/kit/model-adapter.js';

const valid: ModelAdapter = {
  name: 'shouty',
  appliesTo: () => true,
  middleware: { transformParams: async ({ params }) => params },
};

it('returns the adapter', () => {
  expect(defineModelAdapter(valid)).toBe(valid);
});

it.each<[string, unknown, string]>([
  ['a missing adapter', undefined, 'Expected `name` to be the name of a model family, got undefined.'],
  ['an empty name', { ...valid, name: '' }, 'Expected `name` to be the name of a model family, got "".'],
  [
    'a pattern instead of a function',
    { ...valid, appliesTo: /shouty/ },
    'Expected `appliesTo` of the adapter "shouty" to be a function of a model id, got an empty object.',
  ],
  [
    'a middleware that is not an object',
    { ...valid, middleware: 1 },
    'Expected `middleware` of the adapter "shouty" to be an object, got 1.',
  ],
  [
    'a middleware whose only hook is misspelt',
    { ...valid, middleware: { wrapstream: () => undefined } },
    'Expected `middleware` of the adapter "shouty" to have one of transformParams, wrapGenerate, wrapStream, ' +
      'overrideProvider, overrideModelId, overrideSupportedUrls, got an object with the keys wrapstream.',
  ],
  [
    'a hook that is not a function',
    { ...valid, middleware: { wrapStream: true } },
    'Expected `middleware.wrapStream` of the adapter "shouty" to be a function, got true.',
  ],
])('rejects %s', (_, adapter, message) => {
  expect(() => defineModelAdapter(adapter as ModelAdapter)).toThrow(
    expect.objectContaining({ code: 'invalid-settings', message }),
  );
});

const isQwen = matchModelName('qwen', 'qwq');

describe('matchModelName matches', () => {
  it.each([
    'qwen',
    'QWEN-MAX',
    'qwen2.5-coder:7b',
    'qwen_3',
    'my-qwen',
    'qwen/qwen3-coder:free',
    'hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Q4_K_M',
    'accounts/fireworks/models/qwen3-235b-a22b/',
    'C:\\models\\Qwen3-8B-Q4_K_M.gguf',
    'us.qwen.qwen3-32b-v1:0',
    'qwen3@20250428',
    'Qwen3-4B-Claude-Distill-GGUF',
    'QwQ-32B',
  ])('%s', id => expect(isQwen(id)).toBe(true));
});

describe('matchModelName does not match', () => {
  it.each<[string, string]>([
    ['a part of a longer word', 'my-qwentessential'],
    ['the end of a word', 'myqwen'],
    ['the name of a server', 'qwen-friends/gpt-4'],
    ['a folder', '/models/qwen/llama-3.gguf'],
    ['an embedding model', 'qwen3-embedding:8b'],
    ['a reranker', 'Qwen/Qwen3-Reranker-8B'],
    ['a guard model', 'Qwen3Guard-Gen-8B'],
    ['a speech model', 'qwen3-tts-flash'],
    ['the base model of a distillation', 'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B'],
    ['an empty id', ''],
    ['an empty path', '//'],
  ])('%s', (_, id) => expect(isQwen(id)).toBe(false));
});
