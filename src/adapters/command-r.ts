import { commandRFormat } from '../text-tools/formats/command-r.js';
import { cohereThinkTags } from '../text-tools/reasoning-tags.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';

/** Command R7B and Command A write calls, thoughts and answers between special tokens. */
export const commandR = defineModelAdapter({
  name: 'command-r',
  appliesTo: matchModelName('command-r', 'command-r7b', 'command-a', 'c4ai'),
  middleware: textToolsMiddleware({ formats: [commandRFormat], reasoning: [cohereThinkTags] }),
});
