import { minimaxFormat } from '../text-tools/formats/invoke.js';
import { thinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** MiniMax M2 writes calls as `<minimax:tool_call>` (MiniMax-AI/MiniMax-M2.5#10); M3 leaves its tokens behind. */
export const minimax = defineModelAdapter({
  name: 'minimax',
  appliesTo: matchModelName('minimax'),
  middleware: textToolsMiddleware({ formats: [minimaxFormat], reasoning: [thinkTags] }),
});
