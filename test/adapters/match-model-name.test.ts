import { describe, expect, it } from 'vitest';
import { matchModelName } from '../../src/adapters/model-adapter.js';

const isQwen = matchModelName('qwen', 'qwq');

describe('a family is found by name', () => {
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

describe('a family is not found', () => {
  it.each<[string, string]>([
    ['in a longer word', 'my-qwentessential'],
    ['at the end of a word', 'myqwen'],
    ['in who serves the model', 'qwen-friends/gpt-4'],
    ['in where the model is kept', '/models/qwen/llama-3.gguf'],
    ['in a model that embeds', 'qwen3-embedding:8b'],
    ['in a model that ranks', 'Qwen/Qwen3-Reranker-8B'],
    ['in a model that guards', 'Qwen3Guard-Gen-8B'],
    ['in a model that speaks', 'qwen3-tts-flash'],
    ['in what another was distilled into', 'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B'],
    ['in nothing', ''],
    ['in a path of nothing', '//'],
  ])('%s', (_, id) => expect(isQwen(id)).toBe(false));
});
