import { kimiFormat } from '../text-tools/formats/kimi.js';
import { thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { joinMiddlewares } from './join-middlewares.js';
import { kimiCallIdsMiddleware } from './kimi-call-ids.js';
import { matchModelName } from './match-model-name.js';
import { toolNamesMiddleware } from './tool-names.js';

/** Kimi wants ids of calls in its own form, and its special tokens come as text (vllm-project/vllm#46344). */
export const kimi = defineModelAdapter({
  name: 'kimi',
  appliesTo: matchModelName('kimi'),
  middleware: joinMiddlewares(
    kimiCallIdsMiddleware,
    toolNamesMiddleware,
    textToolsMiddleware({ formats: [kimiFormat], reasoning: [thinkTags] }),
  ),
});
