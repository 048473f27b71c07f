import { hermesFormat } from '../../text-tools/formats/hermes.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { deepseekFormat } from './deepseek.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** Cogito v1 writes calls as Hermes does, Cogito v2 as DeepSeek V3, whatever its base model. */
export const cogito = defineModelAdapter({
  name: 'cogito',
  appliesTo: matchModelName('cogito'),
  middleware: textToolsMiddleware({
    formats: [
      { ...deepseekFormat, artefacts: ['<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>'] },
      hermesFormat,
    ],
    reasoning: [thinkTags],
  }),
});
