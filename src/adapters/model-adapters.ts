import { claude } from './claude.js';
import { commandR } from './command-r.js';
import { createModelAdapterRegistry } from './registry.js';
import { deepseek } from './deepseek.js';
import { gemini } from './gemini.js';
import { gemma } from './gemma.js';
import { glm } from './glm.js';
import { gptOss } from './gpt-oss.js';
import { hermes } from './hermes.js';
import { kimi } from './kimi.js';
import { llama } from './llama.js';
import { minimax } from './minimax.js';
import { mistral } from './mistral.js';
import { qwen } from './qwen.js';
import { seedOss } from './seed-oss.js';

/**
 * The default registry, with one line for each family of this package. Adapters that an application registers here apply
 * to every provider and every `adaptModel` call without its own `adapters`.
 */
export const modelAdapters = createModelAdapterRegistry([
  claude,
  commandR,
  deepseek,
  gemini,
  gemma,
  glm,
  gptOss,
  hermes,
  kimi,
  llama,
  minimax,
  mistral,
  qwen,
  seedOss,
]);
