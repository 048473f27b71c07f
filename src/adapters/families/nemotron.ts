import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { createJsonListFormat } from '../../text-tools/formats/json-list.js';
import { qwenXmlFormat } from '../../text-tools/formats/qwen-xml.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import type { TextToolFormat } from '../../text-tools/text-tool-format.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** `<TOOLCALL>[{"name": …, "arguments": "{…}"}]</TOOLCALL>`, whose arguments are often JSON in a string. */
export const nemotronFormat: TextToolFormat = createJsonListFormat('nemotron', {
  openers: ['<TOOLCALL>'],
  closers: ['</TOOLCALL>'],
  turnEnds: ['<SPECIAL_12>'],
});

/** Matches the models whose chat templates end in `<think>`. */
const alwaysReasons = (modelId: string): boolean =>
  /nemotron[-_.]?3(?![\d.]|[-_.]?8b)|nano[-_.](?:9b|12b)[-_.]v2|nano[-_.]v2/i.test(modelId);

/** Nemotron Nano v2 and the reasoning Llama Nemotrons write calls in `<TOOLCALL>`, Nemotron 3 as Qwen3-Coder does. */
export const nemotron = defineModelAdapter({
  name: 'nemotron',
  // The other models named so follow their base model: Llama 3.1 and Mistral.
  appliesTo: matchModelName('(?<!mistral.)nemotron(?!.*[^a-z\\d](?:70b|51b|reward|parse|speech)(?![a-z]))'),
  middleware: textToolsMiddleware({
    formats: [nemotronFormat, hermesFormat, qwenXmlFormat],
    reasoning: [thinkTags],
    startsInReasoning: alwaysReasons,
  }),
});
