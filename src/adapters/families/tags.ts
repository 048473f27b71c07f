import * as formats from '../text-tools/formats/index.js';
import { thinkTags } from '../text-tools/reading/text-tool-format.js';
import { type CallIdFormat, callIdsMiddleware, toAlphanumericId } from '../kit/calls.js';
import { defineFamily } from '../kit/family.js';
import { qwenMiddleware } from './qwen.js';

/*
 * The families that write calls between tags of XML, with JSON or with tags inside.
 */

const MAX_ID_LENGTH = 64;

/**
 * `tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'` (CommandCodeAI/command-code#323). Amazon Bedrock accepts
 * at most 64 characters (`toolUseId` of its Converse API).
 */
const wordCharacters: CallIdFormat = {
  isValid: call => call.toolCallId.length <= MAX_ID_LENGTH && /^[a-zA-Z0-9_-]+$/.test(call.toolCallId),
  toValid(call, attempt) {
    const id = call.toolCallId.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
    if (attempt === 0 && id.length <= MAX_ID_LENGTH) return id;
    // Two ids may differ only in the characters that were removed or replaced.
    const suffix = `_${toAlphanumericId(`${attempt} ${call.toolCallId}`, { length: 9 })}`;
    return id.slice(0, MAX_ID_LENGTH - suffix.length) + suffix;
  },
};

/**
 * Apriel writes a JSON list in `<tool_calls>`. The chat templates of the reasoning models, which are those since Nemotron
 * 15B, open the reasoning. The marker before the answer is never shown, whatever precedes it.
 */
export const apriel = defineFamily('apriel', {
  formats: [
    {
      ...formats.callList,
      artefacts: ['[BEGIN FINAL RESPONSE]'],
      turnEnds: ['[END FINAL RESPONSE]', '<|end|>'],
    },
  ],
  reasoning: [{ open: 'Here are my reasoning steps:', close: '[BEGIN FINAL RESPONSE]' }],
  startsInReasoning: /apriel[-_. ]?(?:1\.|h1|.{0,80}(?:thinker|15b))/i,
});

/**
 * Claude rejects call ids with characters that other models use, such as `functions.get_weather:0`. Servers without tool
 * support return its calls as text.
 */
export const claude = defineFamily('claude', {
  middlewares: [callIdsMiddleware(wordCharacters)],
  formats: [formats.claude],
  reasoning: [],
});

/** Cogito v1 writes calls as Hermes does, Cogito v2 as DeepSeek V3, whatever its base model. */
export const cogito = defineFamily('cogito', { formats: [formats.deepseek, formats.hermes] });

/** dots writes calls in `<dots_function_call>`, with JSON or with `<invoke>`. */
export const dots = defineFamily('dots-llm', {
  ids: ['dots[-_.]?llm'],
  formats: [formats.dotsJson, formats.dots],
});

/** ERNIE 4.5 Thinking writes calls in the format of Hermes. It starts in reasoning, and answers in `<response>`. */
export const ernie = defineFamily('ernie', {
  ids: ['ernie(?!.?(?:image|[1-3](?!\\d)))'],
  formats: [formats.ernie],
  startsInReasoning: /thinking/i,
});

/** EXAONE 4 writes calls in the format of Hermes, K-EXAONE 2 in that of Qwen3-Coder. */
export const exaone = defineFamily('exaone', { formats: [formats.hermes, formats.qwenXml] });

/** GLM 4.5 and later write calls as pairs of `<arg_key>` and `<arg_value>`, or in the format of the system prompt. */
export const glm = defineFamily('glm', {
  ids: ['glm', 'chatglm'],
  formats: [formats.hermes, formats.qwenXml, formats.glm],
  // The chat templates since GLM 4.7 end in `<think>`.
  startsInReasoning: /glm-?(?:4\.[7-9]|[5-9])(?![\db])/i,
  prompt: modelId => (/glm-?(?:4\.[7-9]|[5-9])/i.test(modelId) ? 'glm-4.7' : 'glm'),
});

/** Hermes writes calls as JSON in `<tool_call>`. */
export const hermes = defineFamily('hermes', { formats: [formats.hermes, formats.qwenXml] });

/** Hunyuan A13B writes a JSON list in `<tool_calls>`, Hunyuan 3 and 4 pairs of keys and values. */
export const hunyuan = defineFamily('hunyuan', {
  ids: ['hunyuan(?!.?(?:video|3d|image|mt|dit|world|avatar|ocr))', 'hy.?v?[34]'],
  formats: [formats.hunyuan, formats.pairCall, formats.hermes],
  // The suffixes are those of the published tokenizers.
  reasoning: [
    thinkTags,
    { open: '<think:opensource>', close: '</think:opensource>' },
    { open: '<think:6124c78e>', close: '</think:6124c78e>' },
  ],
  prompt: modelId => (/hunyuan/i.test(modelId) ? 'hunyuan' : 'hermes'),
});

/** HyperCLOVA X SEED Think writes calls in the format of GLM, with strings in quotes. */
export const hyperclova = defineFamily('hyperclova', {
  ids: ['hyperclovax?'],
  formats: [formats.hyperclova],
});

/** IQuest-Coder V2 writes the pairs of GLM in `<iquestcoder_tool_call>`. */
export const iquestCoder = defineFamily('iquest-coder', {
  ids: ['iquest-?coder'],
  formats: [formats.iquest],
});

/** Jamba 1.5 and later write a JSON list in `<tool_calls>`. */
export const jamba = defineFamily('jamba', { formats: [formats.callList], reasoning: [] });

/** K2-Horizon writes calls in `<ifm|tool_call>`, with JSON or with pairs of keys and values. */
export const k2Horizon = defineFamily('k2-horizon', { ids: ['k2-?horizon'], formats: [formats.horizon] });

/** Laguna writes calls in the format of GLM. The chat template of Laguna S ends in `<think>`. */
export const laguna = defineFamily('laguna', {
  formats: [formats.hermes, formats.glm],
  startsInReasoning: /laguna[-_.]s(?![a-z])/i,
  prompt: 'glm',
});

/** Ling 3 writes calls in the format of GLM. */
export const ling3 = defineFamily('ling-3', {
  ids: ['ling-?3'],
  formats: [formats.hermes, formats.glm],
  prompt: 'glm',
});

/** LongCat writes calls in `<longcat_tool_call>`, with JSON or with pairs of keys and values. */
export const longcat = defineFamily('longcat', {
  ids: ['longcat(?!.?(?:video|audio|image|avatar))'],
  formats: [formats.longcat],
  // The first pair is that of LongCat-Flash-Thinking.
  reasoning: [{ open: '<longcat_think>', close: '</longcat_think>' }, thinkTags],
  prompt: 'longcat',
});

/** MiMo V2 writes calls in the XML of Qwen3-Coder, MiMo-7B and MiMo-VL in the JSON of Hermes. */
export const mimo = defineFamily('mimo', {
  ids: ['mimo(?!-audio)'],
  formats: [formats.hermes, formats.mimo],
  prompt: modelId => (/mimo-?v/i.test(modelId) ? 'qwen-xml' : 'hermes'),
});

/** MiniCPM5 writes calls as XML. Earlier models have other formats. */
export const minicpm5 = defineFamily('minicpm5', {
  ids: ['minicpm-?5'],
  formats: [formats.minicpm],
  prompt: 'minicpm5',
});

/**
 * MiniMax M2 writes calls as `<minimax:tool_call>` (MiniMax-AI/MiniMax-M2.5#10), M3 with a token before each tag, M1 as
 * JSON in `<tool_calls>`.
 */
export const minimax = defineFamily('minimax', {
  formats: [
    formats.minimaxM3,
    formats.bareMinimaxM3,
    formats.minimax,
    formats.callList,
    formats.minimaxM3Tokens,
  ],
  // The second pair is that of M3.
  reasoning: [thinkTags, { open: '<mm:think>', close: '</mm:think>' }],
  // The chat template of M2 ends in `<think>`.
  startsInReasoning: /minimax-?m2/i,
  prompt: modelId => (/m3/i.test(modelId) ? 'minimax-m3' : 'minimax'),
});

/** Nemotron Nano v2 and the reasoning Llama Nemotrons write calls in `<TOOLCALL>`, Nemotron 3 as Qwen3-Coder does. */
export const nemotron = defineFamily('nemotron', {
  // The other models named so follow their base model: Llama 3.1 and Mistral.
  ids: ['(?<!mistral.)nemotron(?!.*[^a-z\\d](?:70b|51b|reward|parse|speech)(?![a-z]))'],
  formats: [formats.nemotron, formats.hermes, formats.qwenXml],
  // The models whose chat templates end in `<think>`.
  startsInReasoning: /nemotron[-_.]?3(?![\d.]|[-_.]?8b)|nano[-_.](?:9b|12b)[-_.]v2|nano[-_.]v2/i,
  prompt: modelId => (/nemotron-?3/i.test(modelId) ? 'nemotron3' : 'nemotron'),
});

/** OLMo 3 writes one Python call per line in `<function_calls>`. The prompt of its Think models ends in `<think>`. */
export const olmo3 = defineFamily('olmo3', {
  ids: ['olmo-?3'],
  formats: [formats.olmo],
  startsInReasoning: /think/i,
  prompt: 'olmo3',
});

/** Without a parser in the server, Qwen writes calls as JSON or XML in `<tool_call>`, and reasoning in `<think>`. */
export const qwen = defineFamily('qwen', {
  ids: ['qwen', 'qwq'],
  unless: [cogito],
  middlewares: [qwenMiddleware()],
  prompt: modelId =>
    /coder/i.test(modelId)
      ? 'qwen-xml'
      : /qwen-?(?:3\.[5-9]|[4-9](?!\d*b))/i.test(modelId)
        ? 'qwen3.5'
        : 'hermes',
});

/** Reka Edge writes calls in the format of Hermes. */
export const reka = defineFamily('reka', { formats: [formats.hermes] });

/** Seed-OSS writes calls in `<seed:tool_call>`. Later Seed models write JSON. */
export const seedOss = defineFamily('seed-oss', {
  ids: ['seed-oss', 'seed'],
  unless: [hyperclova],
  formats: [formats.seed, formats.hermes],
  reasoning: [{ open: '<seed:think>', close: '</seed:think>' }],
  prompt: 'seed-oss',
});

/** SmolLM3 writes calls in the format of Hermes. */
export const smollm3 = defineFamily('smollm3', { ids: ['smollm-?3'], formats: [formats.hermes] });

/** Spark 2.5 and 3 write calls in the format of GLM. */
export const spark = defineFamily('spark3', {
  ids: ['spark-?(?:2\\.5|3)'],
  formats: [formats.hermes, formats.glm],
  prompt: 'glm',
});

/** Step 3.5 writes calls in the format of Qwen3-Coder, Step 3 in its own. The chat templates of both end in `<think>`. */
export const step3 = defineFamily('step3', {
  ids: ['step-?3'],
  formats: [formats.qwenXml, formats.step3],
  startsInReasoning: /step-?3/i,
  prompt: 'step3.5',
});

/** Trinity writes calls in the format of Hermes. */
export const trinity = defineFamily('trinity', { formats: [formats.hermes] });
