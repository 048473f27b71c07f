/*
 * The model families, one line each. An adapter applies to models by name; several adapters of one model chain in the
 * alphabetical order of these names.
 */
export { claude } from './claude.js';
export { commandR } from './command-r.js';
export { deepseek } from './deepseek.js';
export { gemini } from './gemini.js';
export { gemma } from './gemma.js';
export { glm } from './glm.js';
export { gptOss } from './gpt-oss.js';
export { hermes } from './hermes.js';
export { kimi } from './kimi.js';
export { llama } from './llama.js';
export { minimax } from './minimax.js';
export { mistral } from './mistral.js';
export { qwen } from './qwen.js';
export { seedOss } from './seed-oss.js';
