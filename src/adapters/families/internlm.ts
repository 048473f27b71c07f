import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { createJsonListFormat } from '../../text-tools/formats/json-list.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** `<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>` for each call. `<|interpreter|>` is code. */
export const internlmFormat: TextToolFormat = createJsonListFormat('internlm', {
  openers: ['<|plugin|>'],
  prefixes: ['<|action_start|>'],
  closers: ['<|action_end|>'],
  turnEnds: ['<|im_end|>'],
  arguments: 'parameters',
});

/** InternLM and Intern-S1 write each call as an action of a plugin. */
export const internlm = defineModelAdapter({
  name: 'internlm',
  appliesTo: matchModelName('internlm(?!.?xcomposer)', 'intern-s'),
  middleware: textToolsMiddleware({ formats: [internlmFormat, hermesFormat], reasoning: [thinkTags] }),
});
