import { withCallIds } from '../../core/call-ids.js';
import * as formats from '../text-tools/formats/index.js';
import { type ReasoningTags, thinkTags } from '../text-tools/reading/text-tool-format.js';
import type { TextToolsOptions } from '../text-tools/text-tools.js';
import { callIdsMiddleware, toolNamesMiddleware } from '../kit/calls.js';
import { createMiddleware } from '../kit/middleware.js';
import { defineFamily } from '../kit/family.js';
import { matchModelName } from '../kit/model-adapter.js';
import { thoughtSignaturesMiddleware } from './gemini-thought-signatures.js';
import { mistralMiddleware } from './mistral.js';
import { cogito, nemotron } from './tags.js';

/*
 * The families that write calls between special tokens or without a marker, and those with quirks of native calls.
 */

/** Apertus writes calls and reasoning between special tokens. */
export const apertus = defineFamily('apertus', {
  formats: [formats.apertus],
  reasoning: [{ open: '<|inner_prefix|>', close: '<|inner_suffix|>' }],
});

/** Command R7B, Command A and North write calls, reasoning and text between special tokens. */
export const commandR = defineFamily('command-r', {
  ids: ['command-r', 'command-r7b', 'command-a', 'c4ai', 'north'],
  formats: [formats.commandR],
  reasoning: [{ open: '<|START_THINKING|>', close: '<|END_THINKING|>' }],
  prompt: 'command-r',
});

/** The chat template of R1 and its distillations ends in `<think>`, except after a tool result. */
const deepseekStartsInReasoning: TextToolsOptions['startsInReasoning'] = (modelId, params) =>
  /deepseek[-_.]r1/i.test(modelId) && params.prompt.at(-1)?.role !== 'tool';

/** Cogito names its base model. */
const isDeepseek = matchModelName('(?<!cogito.*)deepseek');

/** The distillations of DeepSeek R1 on Llama write calls as DeepSeek or as Llama does. */
export const deepseekDistillLlama = defineFamily('deepseek-distill-llama', {
  // On other servers the name has no base model, such as `deepseek-r1:70b`.
  ids: modelId => isDeepseek(modelId) && /distill(?:ed)?[-_. ]llama/i.test(modelId),
  formats: [formats.deepseek, formats.llama, formats.bareJson],
  startsInReasoning: deepseekStartsInReasoning,
});

/**
 * DeepSeek writes calls between special tokens up to V3.1, and in a markup called DSML since V3.2. The distillations of
 * R1 on Qwen may write calls as Qwen does.
 */
export const deepseek = defineFamily('deepseek', {
  ids: isDeepseek,
  unless: [deepseekDistillLlama],
  formats: [
    formats.deepseek,
    formats.dsml,
    formats.spacedDsml,
    formats.dsmlVariants,
    formats.hermes,
    formats.qwenXml,
  ],
  startsInReasoning: deepseekStartsInReasoning,
  prompt: modelId => {
    if (/v4[.-]1/i.test(modelId)) return 'deepseek-v4.1';
    return /v4/i.test(modelId) ? 'deepseek-v4' : /v3[.-]2/i.test(modelId) ? 'dsml' : 'deepseek';
  },
});

/** FunctionGemma writes calls as `<start_function_call>call:name{…}<end_function_call>`. */
export const functionGemma = defineFamily('functiongemma', {
  formats: [formats.functionGemma, formats.gemmaCall, formats.toolRequest],
  reasoning: [],
});

/**
 * Gemini's OpenAI-compatible endpoints return calls with empty ids (camel-ai/camel#3027), put the signatures of calls
 * into a separate field, and prefix tool names with a module, as in `default_api.get_weather`.
 */
export const gemini = defineFamily('gemini', {
  middlewares: [createMiddleware({ wrap: withCallIds }), toolNamesMiddleware, thoughtSignaturesMiddleware],
});

/** The reasoning of Gemma 4, which the model opens itself, also after text. The name of the channel may differ or be missing. */
const gemmaThought: ReasoningTags = {
  open: '<|channel>',
  close: '<channel|>',
  isAnywhere: true,
  hasName: true,
};

/** Gemma 4 writes calls as `<|tool_call>call:name{…}<tool_call|>`, and reasoning in a channel. */
export const gemma4 = defineFamily('gemma4', {
  ids: ['gemma[-_. ]?4(?!\\d)'],
  formats: [formats.gemma4, formats.gemmaCall, formats.gemmaThought],
  reasoning: [gemmaThought],
  prompt: 'gemma4',
});

/**
 * Gemma 1 to 3 have no call syntax and follow the prompt: a Python call in brackets or in a `tool_code` fence, JSON, or
 * `[TOOL_REQUEST]` under LM Studio. Uploads without a version may be Gemma 4.
 */
export const gemma = defineFamily('gemma', {
  ids: ['gemma', 'medgemma', 'txgemma'],
  unless: [gemma4],
  formats: [formats.toolRequest, formats.gemma4, formats.pythonic, formats.toolCode, formats.bareJson],
  reasoning: [gemmaThought],
  prompt: 'tool-request',
});

/** GigaChat 3 writes the call as a separate message after the text, GigaChat 3.5 in the markup of DeepSeek. */
export const gigachat = defineFamily('gigachat', {
  ids: ['gigachat(?!.?(?:1|2|20b|vision|audio))'],
  formats: [formats.gigachat, formats.gcml],
});

/**
 * gpt-oss appends the channel of its chat format to tool names, as in `get_weather<|channel|>commentary`, or prefixes
 * the namespace of its tools, as in `functions.get_weather` (vllm-project/vllm#35906, NVIDIA/TensorRT-LLM#9256). Servers
 * without a parser for the format return its messages as text.
 */
export const gptOss = defineFamily('gpt-oss', {
  middlewares: [toolNamesMiddleware],
  formats: [formats.harmony, formats.bareHarmony],
  reasoning: [],
  prompt: 'harmony',
});

/** Granite 3.1 and 4 write calls in the format of Hermes, the other versions after markers of their own. */
export const granite = defineFamily('granite', {
  ids: ['granite(?!-?(?:speech|timeseries|geospatial))'],
  formats: [formats.granite, formats.hermes, formats.callLines],
  // Granite 3.2 has headings in place of tags.
  reasoning: [thinkTags, { open: 'Here is my thought process:', close: 'Here is my response:' }],
  prompt: modelId => (/granite[-_. ]?[4-9]/i.test(modelId) ? 'granite4' : 'granite'),
});

/** Inkling writes reasoning, text and calls as contents of messages. */
export const inkling = defineFamily('inkling', {
  formats: [formats.inkling],
  reasoning: [{ open: '<|content_thinking|>', close: '<|end_message|>', isAnywhere: true }],
});

/** InternLM and Intern-S1 write each call as an action of a plugin. */
export const internlm = defineFamily('internlm', {
  ids: ['internlm(?!.?xcomposer)', 'intern-s'],
  formats: [formats.internlm, formats.hermes],
  prompt: 'internlm',
});

/**
 * Kimi K2 is trained on ids of the form `functions.<name>:<index>`, counted over the conversation. With other ids in its
 * history it returns nothing, or writes its calls as text: MoonshotAI/Kimi-K2, docs/tool_call_guidance.md;
 * getkimchi/kimchi#1063; ml-explore/mlx-lm#821. K3 and some servers of K2 omit the prefix and restart the count in
 * each response: fw-ai/fireconnect#16.
 */
const kimiCallIds = callIdsMiddleware({
  isValid: call => {
    const [, name, index = ''] = /^(?:functions\.)?(.+):(\d+)$/s.exec(call.toolCallId) ?? [];
    return name === call.toolName && index !== '';
  },
  toValid: (call, attempt) => `functions.${call.toolName}:${call.index + attempt}`,
  repeated: 'new-call',
});

/** Kimi requires call ids in its own format, and its special tokens arrive as text (vllm-project/vllm#46344). */
export const kimi = defineFamily('kimi', {
  ids: ['kimi(?!-?k3)'],
  middlewares: [kimiCallIds, toolNamesMiddleware],
  formats: [formats.kimi],
  prompt: 'kimi',
});

/** Kimi K3 writes reasoning, text and calls as sections between special tokens. Its prompt opens the reasoning. */
export const kimiK3 = defineFamily('kimi-k3', {
  ids: ['kimi-?k3'],
  middlewares: [kimiCallIds, toolNamesMiddleware],
  formats: [formats.kimiK3],
  reasoning: [{ open: '<|open|>think<|sep|>', close: '<|close|>think<|sep|>' }],
  startsInReasoning: /kimi-?k3/i,
  prompt: 'kimi-k3',
});

/** LFM2 and LFM2.5 write Python calls or JSON between special tokens, and may repeat them after the end. */
export const lfm2 = defineFamily('lfm2', {
  ids: ['lfm-?2'],
  formats: [formats.lfm, formats.pythonic],
  prompt: 'lfm2',
});

/** Mistral rejects call ids and message orders that other models accept, and writes calls as `[TOOL_CALLS]`. */
export const mistral = defineFamily('mistral', {
  ids: [
    'mi[sx]tral',
    'mistrallite',
    'ministral',
    'magistral',
    'mathstral',
    'devstral',
    'codestral',
    'pixtral',
    'voxtral',
  ],
  middlewares: [mistralMiddleware()],
  // Tokenizer v13 is that of models since the end of 2025, v11 that of those since June 2025.
  prompt: modelId =>
    /ministral-?3|devstral-?(?:2|medium|small-2)(?!\d)|large-?3|251[12]|2[6-9]\d\d(?!\d)/i.test(modelId)
      ? 'mistral-v13'
      : /(?:25(?:0[6-9]|10)|small-?3\.2|magistral)/i.test(modelId)
        ? 'mistral-v11'
        : 'mistral',
});

/** Muse addresses its messages to the user, to itself or to a tool. */
export const muse = defineFamily('muse', { formats: [formats.muse], reasoning: [] });

/** openPangu V2 writes a JSON list between special tokens. */
export const openPangu = defineFamily('openpangu', { formats: [formats.pangu] });

/** Phi-4-mini writes a JSON list after the word `functools`, or between tokens. Other Phi models make no calls. */
export const phi4Mini = defineFamily('phi-4-mini', {
  ids: ['phi.?4.mini'],
  formats: [formats.phi, formats.phiToken],
  prompt: 'phi',
});

/** PLaMo 3 writes each part of a call between special tokens. */
export const plamo3 = defineFamily('plamo3', { ids: ['plamo-?3'], formats: [formats.plamo], reasoning: [] });

/** Solar Open 2 writes calls, their arguments and reasoning between special tokens. */
export const solarOpen = defineFamily('solar-open2', {
  ids: ['solar-?open-?2'],
  formats: [formats.solar],
  reasoning: [{ open: '<|think:start|>', close: '<|think:end|>' }],
});

/**
 * xLAM responds with a bare list of calls, also after `<think>` or in a fence, with an object that contains it, or with a list
 * after markers of other families.
 */
export const xlam = defineFamily('xlam', {
  formats: [formats.xlam, formats.hermes, formats.bareList, formats.toolCalls, formats.fencedList],
  prompt: 'xlam',
});

/**
 * Llama 3 and 4 respond with the bare JSON of a call (vllm-project/vllm#46863). Llama 4, small models of Llama 3.2 and
 * ToolACE also write a list of Python calls.
 */
export const llama = defineFamily('llama', {
  ids: ['llama', 'meta-llama', 'toolace'],
  unless: [cogito, nemotron, xlam],
  formats: [formats.llamaPythonic, formats.llama, formats.bareJson, formats.pythonic],
  reasoning: [],
  prompt: modelId => (/llama[-_. ]?4/i.test(modelId) ? 'pythonic' : 'llama'),
});
