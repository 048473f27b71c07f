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
 * The default registry: one line for each family of this package. What an application registers here, every provider
 * and every `adaptModel` without adapters of its own uses from then on.
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
