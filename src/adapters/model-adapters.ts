import { claude } from './claude.js';
import { createModelAdapterRegistry } from './create-model-adapter-registry.js';
import { gemini } from './gemini.js';
import { gptOss } from './gpt-oss.js';
import { mistral } from './mistral.js';
import { qwen } from './qwen.js';

/**
 * The default registry: one line for each family of this package. What an application registers here, every provider
 * and every `adaptModel` without adapters of its own uses from then on.
 */
export const modelAdapters = createModelAdapterRegistry([claude, gemini, gptOss, mistral, qwen]);
