/*
 * The model families, one line each. An adapter applies to models by name; several adapters of one model chain in the
 * alphabetical order of these names.
 */
export { apertus } from './apertus.js';
export { claude } from './claude.js';
export { cogito } from './cogito.js';
export { commandR } from './command-r.js';
export { deepseekDistillLlama } from './deepseek-distill-llama.js';
export { deepseek } from './deepseek.js';
export { ernie } from './ernie.js';
export { exaone } from './exaone.js';
export { gemini } from './gemini.js';
export { functionGemma, gemma, gemma4 } from './gemma.js';
export { gigachat } from './gigachat.js';
export { glm } from './glm.js';
export { gptOss } from './gpt-oss.js';
export { granite } from './granite.js';
export { hermes } from './hermes.js';
export { hunyuan } from './hunyuan.js';
export { internlm } from './internlm.js';
export { jamba } from './jamba.js';
export { kimiK3 } from './kimi-k3.js';
export { kimi } from './kimi.js';
export { laguna } from './laguna.js';
export { lfm2 } from './lfm2.js';
export { ling3 } from './ling-3.js';
export { llama } from './llama.js';
export { longcat } from './longcat.js';
export { mimo } from './mimo.js';
export { minicpm5 } from './minicpm5.js';
export { minimax } from './minimax.js';
export { mistral } from './mistral.js';
export { nemotron } from './nemotron.js';
export { olmo3 } from './olmo3.js';
export { phi4Mini } from './phi-4-mini.js';
export { qwen } from './qwen.js';
export { seedOss } from './seed-oss.js';
export { smollm3 } from './smollm3.js';
export { trinity } from './trinity.js';
export { xlam } from './xlam.js';
export { step3 } from './step3.js';
