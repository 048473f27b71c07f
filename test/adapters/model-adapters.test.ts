import { describe, expect, it } from 'vitest';
import { modelAdapters } from '../../src/adapters/model-adapters.js';

/** Model ids of services, registries and local servers, by family. */
const families: Readonly<Record<string, readonly string[]>> = {
  mistral: [
    'mistral-large-latest',
    'mistral-medium-2508',
    'mistral-small-2506',
    'mistral-tiny',
    'open-mistral-7b',
    'open-mistral-nemo-2407',
    'open-mixtral-8x22b',
    'codestral-latest',
    'codestral-2501',
    'devstral-medium-latest',
    'labs-devstral-small-2512',
    'magistral-medium-2509',
    'ministral-8b-latest',
    'ministral-14b-2512',
    'pixtral-large-latest',
    'pixtral-12b-2409',
    'voxtral-small-latest',
    'mistralai/Mistral-Small-3.2-24B-Instruct-2506',
    'mistralai/mistral-small-3.2-24b-instruct:free',
    'mistralai/Devstral-Small-2-24B-Instruct-2512',
    'mistralai/Mixtral-8x7B-Instruct-v0.1',
    'unsloth/Magistral-Small-2509-GGUF:Q4_K_M',
    'bartowski/mistralai_Mistral-Small-3.1-24B-Instruct-2503-GGUF',
    'hf.co/bartowski/Ministral-8B-Instruct-2410-GGUF',
    'mistral.mistral-large-2407-v1:0',
    'us.mistral.pixtral-large-2502-v1:0',
    'mistral.mixtral-8x7b-instruct-v0:1',
    'bedrock/converse/mistral.mistral-large-2402-v1:0',
    'Mistral-Large-2411',
    'mistral-large@2411',
    'vertex_ai/codestral-2501',
    '@cf/mistral/mistral-7b-instruct-v0.1',
    'accounts/fireworks/models/mixtral-8x22b-instruct',
    'nvidia/mistral-nemo-minitron-8b-8k-instruct',
    'amazon/MistralLite',
    'dolphin-2.6-mistral-7b',
    'mistral:7b-instruct',
    'mistral-nemo:12b-instruct-2407-q4_K_M',
    'devstral:24b',
    '/models/Mistral-7B-Instruct-v0.3.Q4_K_M.gguf',
    'C:\\models\\Codestral-22B-v0.1-Q4_K_M.gguf',
  ],
  qwen: [
    'qwen/qwen3-coder:free',
    'Qwen/Qwen3-Next-80B-A3B-Thinking',
    'bartowski/Qwen2.5-7B-Instruct-GGUF',
    'qwen.qwen3-coder-480b-a35b-v1:0',
    'qwen-max-latest',
    'qwen3:8b',
    'QwQ-32B',
    'qwen3-vl-plus',
  ],
  deepseek: [
    'deepseek-chat',
    'deepseek/deepseek-v3.2-exp',
    'us.deepseek.r1-v1:0',
    'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B',
    'deepseek-r1-distill-llama-70b',
  ],
  glm: ['glm-4.6', 'z-ai/glm-4.5-air:free', 'zai-org/GLM-4.7-FP8', 'chatglm3-6b'],
  kimi: ['kimi-k2-0905-preview', 'moonshotai/Kimi-K2-Instruct', 'moonshot.kimi-k2-thinking'],
  minimax: ['MiniMax-M2', 'minimax/minimax-m2.5'],
  'seed-oss': ['ByteDance-Seed/Seed-OSS-36B-Instruct'],
  llama: ['llama3.1:8b', 'meta-llama/Llama-4-Scout-17B-16E-Instruct', 'us.meta.llama3-3-70b-instruct-v1:0'],
  hermes: ['NousResearch/Hermes-4-70B'],
  'gpt-oss': [
    'openai/gpt-oss-120b:free',
    'gpt-oss:20b',
    'openai.gpt-oss-120b-1:0',
    'mistral-fans/gpt-oss-20b',
  ],
  gemini: ['gemini-2.5-pro', 'google/gemini-3-pro-preview', 'models/gemini-flash-latest'],
  claude: ['claude-sonnet-4-5', 'anthropic/claude-opus-4.1', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0'],
};

describe.each(Object.entries(families))('%s', (name, ids) => {
  it.each(ids)('is the only family for %s', id => {
    expect(modelAdapters.findFor(id).map(adapter => adapter.name)).toEqual([name]);
  });
});

describe('several', () => {
  it.each([
    ['NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO', ['hermes', 'mistral']],
    ['NousResearch/Hermes-3-Llama-3.1-8B', ['hermes', 'llama']],
  ])('apply to %s', (id, names) => {
    expect(modelAdapters.findFor(id).map(adapter => adapter.name)).toEqual(names);
  });
});

describe('none', () => {
  it.each([
    'gpt-5',
    'gpt-4o-mini',
    'o3',
    'grok-4',
    'microsoft/phi-4',
    'text-embedding-3-large',
    '',
    // Members of a family that are not conversational.
    'mistral-embed',
    'mistral-embed-2312',
    'codestral-embed-2505',
    'mistral-moderation-latest',
    'mistral-ocr-latest',
    'qwen3-embedding:8b',
    'Qwen/Qwen3-Reranker-8B',
    'gemini-embedding-001',
    'meta-llama/Llama-Guard-4-12B',
    // Similar names.
    'my-qwentessential',
    'mistralic-7b',
    'astral-7b',
    'claudette-7b',
    'geminid',
    'gpt-ossified',
    'ollama/phi4',
    'qwen-friends/gpt-4',
    'mistralai/',
  ])('applies to %j', id => {
    expect(modelAdapters.findFor(id)).toEqual([]);
  });
});

it('finds each adapter by its unique name', () => {
  const names = modelAdapters.all().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(modelAdapters.findFor(name).map(one => one.name)).toContain(name);
});
