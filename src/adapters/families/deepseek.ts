import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { createInvokeFormat } from '../../text-tools/formats/invoke.js';
import { qwenXmlFormat } from '../../text-tools/formats/qwen-xml.js';
import { readCallArguments } from '../../text-tools/values/json-call.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { readName } from '../../text-tools/parser/text-cursor.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import type { TextToolsOptions } from '../../text-tools/text-tools.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/**
 * `<｜tool▁calls▁begin｜>`, then `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>` for each call of
 * DeepSeek V3.1. V3 and R1 write `function` before the separator, and the name and fenced JSON after it.
 */
export const deepseekFormat: TextToolFormat = {
  name: 'deepseek',
  openers: ['<｜tool▁call▁begin｜>'],
  prefixes: ['<｜tool▁calls▁begin｜>'],
  closers: ['<｜tool▁call▁end｜>', '<｜tool▁calls▁end｜>', '<｜end▁of▁sentence｜>'],
  *read(cursor, calls) {
    let name = yield* readName(cursor);
    if (!(yield* cursor.takes('<｜tool▁sep｜>'))) return false;
    if (name !== 'function' || (yield* cursor.peek()) === '{') {
      return yield* readCallArguments(cursor, calls, { name });
    }
    name = yield* readName(cursor);
    yield* cursor.takeSpace();
    if (!(yield* cursor.takes('```json'))) return false;
    if (!(yield* readCallArguments(cursor, calls, { name }))) return false;
    yield* cursor.takeSpace();
    return yield* cursor.takes('```');
  },
};

/**
 * `<｜DSML｜invoke name="…">` of DeepSeek V3.2 and V4. The attribute `string` distinguishes strings from JSON. Blank
 * lines before a list belong to it, and V4 starts calls without closing its reasoning.
 */
export const dsmlFormat: TextToolFormat = createInvokeFormat('dsml', {
  tagPrefix: '｜DSML｜',
  lists: ['function_calls', 'tool_calls'],
  leads: ['\n\n', '\n'],
  reasoningEnders: ['<｜DSML｜tool_calls>'],
  closers: ['<｜end▁of▁sentence｜>'],
});

/** The chat template of R1 and its distillations ends in `<think>`, except after a tool result. */
export const startsInReasoning: TextToolsOptions['startsInReasoning'] = (modelId, { prompt }) =>
  /deepseek[-_.]r1/i.test(modelId) && prompt.at(-1)?.role !== 'tool';

/** A distillation on Llama. On other servers its name has no base model, such as `deepseek-r1:70b`. */
export const isDistilledLlama = (modelId: string): boolean => /distill(?:ed)?[-_. ]llama/i.test(modelId);

/** Cogito names its base model. */
export const isDeepseek = matchModelName('(?<!cogito.*)deepseek');

/**
 * DeepSeek writes calls between special tokens up to V3.1, and in a markup called DSML since V3.2. The distillations of
 * R1 on Qwen may write calls as Qwen does.
 */
export const deepseek = defineModelAdapter({
  name: 'deepseek',
  appliesTo: modelId => isDeepseek(modelId) && !isDistilledLlama(modelId),
  middleware: textToolsMiddleware({
    formats: [deepseekFormat, dsmlFormat, hermesFormat, qwenXmlFormat],
    reasoning: [thinkTags],
    startsInReasoning,
  }),
});
