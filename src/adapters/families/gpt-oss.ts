import { bareHarmonyFormat, harmonyFormat } from '../../text-tools/formats/harmony.js';
import { joinMiddlewares } from '../middleware.js';
import { textToolsMiddleware } from '../text-tools-middleware.js';
import { toolNamesMiddleware } from '../tool-names.js';
import { defineModelAdapter, matchModelName } from '../model-adapter.js';

/**
 * gpt-oss appends the channel of its chat format to tool names, as in `get_weather<|channel|>commentary`, or prefixes
 * the namespace of its tools, as in `functions.get_weather` (vllm-project/vllm#35906, NVIDIA/TensorRT-LLM#9256). Servers
 * without a parser for the format return its messages as text.
 */
export const gptOss = defineModelAdapter({
  name: 'gpt-oss',
  appliesTo: matchModelName('gpt-oss'),
  middleware: joinMiddlewares(
    toolNamesMiddleware,
    textToolsMiddleware({ formats: [harmonyFormat, bareHarmonyFormat] }),
  ),
});
