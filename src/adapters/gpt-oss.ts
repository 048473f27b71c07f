import { defineModelAdapter } from './define-model-adapter.js';
import { matchModelName } from './match-model-name.js';
import { toolNamesMiddleware } from './tool-names.js';

/**
 * gpt-oss names a tool with the channel of its chat format behind it, `get_weather<|channel|>commentary`, or with the
 * namespace its tools are shown in, `functions.get_weather`: vllm-project/vllm#35906, NVIDIA/TensorRT-LLM#9256.
 */
export const gptOss = defineModelAdapter({
  name: 'gpt-oss',
  appliesTo: matchModelName('gpt-oss'),
  middleware: toolNamesMiddleware,
});
