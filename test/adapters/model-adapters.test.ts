import { describe, expect, it } from 'vitest';
import { mayHaveAdapters } from '../../src/adapters/adapter-choice.js';
import { modelAdapters } from '../../src/adapters/model-adapters.js';
import { createModelAdapterRegistry } from '../../src/adapters/registry.js';

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
    'deepseek-ai/DeepSeek-R1-0528-Qwen3-8B',
    'deepseek-r1:32b',
  ],
  'deepseek-distill-llama': ['deepseek-ai/DeepSeek-R1-Distill-Llama-70B', 'deepseek-r1-distill-llama-70b'],
  glm: ['glm-4.6', 'z-ai/glm-4.5-air:free', 'zai-org/GLM-4.7-FP8', 'chatglm3-6b'],
  kimi: ['kimi-k2-0905-preview', 'moonshotai/Kimi-K2-Instruct', 'moonshot.kimi-k2-thinking'],
  minimax: ['MiniMax-M2', 'minimax/minimax-m2.5', 'MiniMaxAI/MiniMax-M3'],
  mimo: ['XiaomiMiMo/MiMo-V2-Flash', 'mimo-v2.5-pro', 'XiaomiMiMo/MiMo-VL-7B-RL'],
  'kimi-k3': ['moonshotai/Kimi-K3', 'kimi-k3', 'moonshotai/kimi-k3-turbo:free'],
  step3: ['stepfun-ai/Step-3.5-Flash', 'step-3.5-flash:free', 'stepfun-ai/step3', 'stepfun-ai/step3-fp8'],
  'seed-oss': ['ByteDance-Seed/Seed-OSS-36B-Instruct'],
  llama: [
    'llama3.1:8b',
    'meta-llama/Llama-4-Scout-17B-16E-Instruct',
    'meta-llama/Llama-3.2-3B-Instruct',
    'Team-ACE/ToolACE-8B',
    'us.meta.llama3-3-70b-instruct-v1:0',
  ],
  hermes: ['NousResearch/Hermes-4-70B'],
  granite: [
    'ibm-granite/granite-3.3-8b-instruct',
    'ibm-granite/granite-20b-functioncalling',
    'granite4:3b-h',
    'ibm/granite-3-8b-instruct',
  ],
  nemotron: [
    'nvidia/NVIDIA-Nemotron-Nano-9B-v2',
    'nvidia/Llama-3.1-Nemotron-Nano-8B-v1',
    'nvidia/Llama-3_3-Nemotron-Super-49B-v1_5',
    'nvidia/Llama-3_1-Nemotron-Ultra-253B-v1',
    'nvidia/nemotron-3-nano-30b-a3b:free',
  ],
  xlam: ['Salesforce/Llama-xLAM-2-8b-fc-r', 'Salesforce/xLAM-2-32b-fc-r', 'Salesforce/xLAM-1b-fc-r'],
  longcat: ['meituan-longcat/LongCat-Flash-Chat', 'LongCat-Flash-Thinking-2601', 'meituan/longcat-2'],
  hunyuan: [
    'tencent/Hunyuan-A13B-Instruct',
    'tencent/Hunyuan-7B-Instruct',
    'tencent/Hy3-preview',
    'hunyuan-turbos-latest',
  ],
  jamba: ['ai21labs/AI21-Jamba-1.5-Mini', 'jamba-large-1.7', 'ai21.jamba-1-5-large-v1:0'],
  'phi-4-mini': ['microsoft/Phi-4-mini-instruct', 'phi4-mini:3.8b', 'microsoft/Phi-4-mini-flash-reasoning'],
  internlm: ['internlm/internlm2_5-7b-chat', 'internlm/internlm3-8b-instruct', 'internlm/Intern-S1-mini'],
  apertus: ['swiss-ai/Apertus-70B-Instruct-2509'],
  gigachat: ['ai-sage/GigaChat3-10B-A1.8B', 'ai-sage/GigaChat3.1-702B-A36B'],
  minicpm5: ['openbmb/MiniCPM5-8B'],
  cogito: [
    'deepcogito/cogito-v1-preview-llama-8B',
    'deepcogito/cogito-v1-preview-qwen-32B',
    'deepcogito/cogito-v2-preview-deepseek-671B-MoE',
    'cogito-2.1:671b',
  ],
  laguna: ['poolside/Laguna-XS.2', 'poolside/laguna-s-2.1'],
  smollm3: ['HuggingFaceTB/SmolLM3-3B', 'smollm3-3b-q4'],
  trinity: ['arcee-ai/Trinity-Mini', 'arcee-ai/trinity-large-preview:free'],
  ernie: ['baidu/ERNIE-4.5-21B-A3B-Thinking', 'baidu/ernie-4.5-300b-a47b', 'ernie-5.0-thinking-preview'],
  'ling-3': ['inclusionAI/Ling-3-flash'],
  exaone: ['LGAI-EXAONE/EXAONE-4.0-32B', 'LGAI-EXAONE/K-EXAONE-2'],
  'command-r': [
    'command-r7b-12-2024',
    'CohereLabs/c4ai-command-a-03-2025',
    'command-a-reasoning-08-2025',
    'CohereLabs/North-Small',
  ],
  'gpt-oss': [
    'openai/gpt-oss-120b:free',
    'gpt-oss:20b',
    'openai.gpt-oss-120b-1:0',
    'mistral-fans/gpt-oss-20b',
  ],
  gemma: [
    'google/gemma-3-27b-it',
    'gemma-3n-e4b-it',
    'gemma3:4b',
    'google/gemma-2-9b-it',
    'unsloth/gemma-3-4b-it-GGUF',
    'google/medgemma-27b-text-it',
    'google/txgemma-9b-chat',
  ],
  gemma4: [
    'google/gemma-4-31B-it',
    'gemma4:e2b',
    'unsloth/gemma-4-E4B-it-GGUF',
    'google/gemma-4-26b-a4b-it:free',
  ],
  functiongemma: ['google/functiongemma-270m-it', 'functiongemma'],
  lfm2: ['LiquidAI/LFM2-8B-A1B', 'LiquidAI/LFM2.5-1.2B-Instruct', 'lfm2:24b', 'liquid/lfm-2-24b-a2b:free'],
  olmo3: ['allenai/Olmo-3-7B-Instruct', 'allenai/Olmo-3.1-32B-Think', 'olmo-3:7b'],
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

/** Models that are named after another family, or derived from it. */
describe.each([
  ['nvidia/Llama-3.1-Nemotron-70B-Instruct-HF', ['llama']],
  ['nvidia/Llama-3_1-Nemotron-51B-Instruct', ['llama']],
  ['mistralai/Mistral-Nemotron', ['mistral']],
  ['nvidia/mistral-nemo-minitron-8b-8k-instruct', ['mistral']],
  ['MiniMaxAI/MiniMax-M2', ['minimax']],
  ['Qwen/Qwen3-4B', ['qwen']],
  ['meta-llama/Llama-3.3-70B-Instruct', ['llama']],
])('the family of %s', (id, names) => {
  it(`is ${names.join(', ')}`, () => {
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
    // Models whose names resemble a family.
    'stepfun-ai/NextStep-1-Large',
    'stepfun-ai/Step-Audio-2-mini',
    'stepfun-ai/Step1X-Edit',
    'stepfun-ai/GELab-Zero-4B-preview',
    'step-2-16k',
    'XiaomiMiMo/MiMo-Audio-7B-Instruct',
    'microsoft/Phi-4-reasoning-plus',
    'microsoft/Phi-3-mini-4k-instruct',
    'microsoft/phi-3.5-mini-instruct',
    'openbmb/MiniCPM4-8B',
    'openbmb/MiniCPM-V-4_5',
    'openbmb/MiniCPM3-4B',
    'HuggingFaceTB/SmolLM2-1.7B-Instruct',
    'inclusionAI/Ling-1T',
    'bling-3b',
    'tencent/HunyuanVideo',
    'tencent/Hunyuan3D-2',
    'tencent/HunyuanImage-3.0',
    'tencent/Hunyuan-MT-7B',
    'meituan-longcat/LongCat-Video',
    'ai-sage/GigaChat-20B-A3B-instruct',
    'lagunas-7b',
    'northern-7b',
    // Members of a family that are not conversational.
    'ibm-granite/granite-embedding-english-r2',
    'ibm-granite/granite-guardian-3.3-8b',
    'ibm-granite/granite-docling-258M',
    'ibm-granite/granite-speech-3.3-8b',
    'nvidia/Llama-3.1-Nemotron-70B-Reward-HF',
    'nvidia/NVIDIA-Nemotron-Parse-v1.1',
    'nvidia/llama-nemotron-embed-1b-v2',
    'mistral-embed',
    'mistral-embed-2312',
    'codestral-embed-2505',
    'mistral-moderation-latest',
    'mistral-ocr-latest',
    'qwen3-embedding:8b',
    'Qwen/Qwen3-Reranker-8B',
    'gemini-embedding-001',
    'meta-llama/Llama-Guard-4-12B',
    'meta-llama/Llama-Prompt-Guard-2-86M',
    'google/embeddinggemma-300m',
    'google/shieldgemma-9b',
    'allenai/OLMo-2-1124-13B-Instruct',
    'LiquidAI/LFM-40B',
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

describe('the models of OpenAI', () => {
  it.each([
    'gpt-4',
    'gpt-4.1',
    'gpt-4o-mini',
    'gpt-4o-audio-preview',
    'gpt-5.1-codex-max',
    'gpt-5-2025-08-07',
    'gpt-5-pro',
    'o3',
    'o4-mini',
    'chatgpt-4o-latest',
  ])('need no adapters: %s', id => {
    expect(modelAdapters.findFor(id)).toEqual([]);
    expect(mayHaveAdapters(undefined, id)).toBe(false);
  });

  it.each(['gpt-oss-120b', 'openai/gpt-oss:20b', 'gpt-4-qwen', 'my-model'])(
    'do not include %s',
    id => void expect(mayHaveAdapters(undefined, id)).toBe(true),
  );

  it('may have adapters of the application', () => {
    const [adapter] = modelAdapters.all();
    expect(mayHaveAdapters([], 'qwen3')).toBe(false);
    expect(mayHaveAdapters(false, 'qwen3')).toBe(false);
    expect(mayHaveAdapters(['qwen'], 'gpt-5')).toBe(true);
    expect(mayHaveAdapters(createModelAdapterRegistry(adapter && [adapter]), 'gpt-5')).toBe(false);
    modelAdapters.register({ name: 'any', appliesTo: () => true, adaptBack: part => part });
    expect(mayHaveAdapters(undefined, 'gpt-5')).toBe(true);
    expect(modelAdapters.unregister('any')).toBe(true);
    expect(mayHaveAdapters(undefined, 'gpt-5')).toBe(false);
  });
});
