import { lfmFormat, pythonicFormat } from '../../text-tools/formats/pythonic.js';
import { thinkTags } from '../../text-tools/parser/reasoning.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/** LFM2 and LFM2.5 write Python calls or JSON between special tokens, and may repeat them after the end. */
export const lfm2 = defineModelAdapter({
  name: 'lfm2',
  appliesTo: matchModelName('lfm-?2'),
  middleware: textToolsMiddleware({ formats: [lfmFormat, pythonicFormat], reasoning: [thinkTags] }),
});
