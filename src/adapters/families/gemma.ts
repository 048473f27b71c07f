import {
  functionGemmaFormat,
  gemma4Format,
  gemmaCallFormat,
  gemmaThoughtFormat,
} from '../../text-tools/formats/gemma.js';
import { pythonicFormat, toolCodeFormat } from '../../text-tools/formats/pythonic.js';
import { readCallArguments, readJsonCalls } from '../../text-tools/values/json-call.js';
import type { ReasoningTags } from '../../text-tools/parser/reasoning.js';
import { readName } from '../../text-tools/parser/text-cursor.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { bareJsonFormat } from './llama.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/**
 * `[TOOL_REQUEST]name {…}[TOOL_REQUEST_END]`, or with `{"name": …, "arguments": …}` inside. The system prompt of the
 * server asks for this format.
 */
export const toolRequestFormat: TextToolFormat = {
  name: 'tool-request',
  openers: ['[TOOL_REQUEST]'],
  closers: ['[TOOL_REQUEST_END]', '[END_TOOL_REQUEST]', '<end_of_turn>'],
  *read(cursor, calls) {
    if ((yield* cursor.peek()) === '{') {
      return yield* readJsonCalls(cursor, calls, { fields: { name: 'name', arguments: ['arguments'] } });
    }
    return yield* readCallArguments(cursor, calls, { name: yield* readName(cursor) });
  },
};

const isGemma = matchModelName('gemma', 'medgemma', 'txgemma');
const isGemma4 = matchModelName('gemma[-_. ]?4(?!\\d)');

/** The reasoning of Gemma 4, which the model opens itself, also after text. */
const gemmaThought: ReasoningTags = { open: '<|channel>thought', close: '<channel|>', isAnywhere: true };

/**
 * Gemma 1 to 3 have no call syntax and follow the prompt: a Python call in brackets or in a `tool_code` fence, JSON, or
 * `[TOOL_REQUEST]` under LM Studio. Uploads without a version may be Gemma 4.
 */
export const gemma = defineModelAdapter({
  name: 'gemma',
  appliesTo: modelId => isGemma(modelId) && !isGemma4(modelId),
  middleware: textToolsMiddleware({
    formats: [toolRequestFormat, gemma4Format, pythonicFormat, toolCodeFormat, bareJsonFormat],
    reasoning: [gemmaThought],
  }),
});

/** Gemma 4 writes calls as `<|tool_call>call:name{…}<tool_call|>`, and reasoning in a channel. */
export const gemma4 = defineModelAdapter({
  name: 'gemma4',
  appliesTo: modelId => isGemma4(modelId),
  middleware: textToolsMiddleware({
    formats: [gemma4Format, gemmaCallFormat, gemmaThoughtFormat],
    reasoning: [gemmaThought],
  }),
});

/** FunctionGemma writes calls as `<start_function_call>call:name{…}<end_function_call>`. */
export const functionGemma = defineModelAdapter({
  name: 'functiongemma',
  appliesTo: matchModelName('functiongemma'),
  middleware: textToolsMiddleware({ formats: [functionGemmaFormat, gemmaCallFormat, toolRequestFormat] }),
});
