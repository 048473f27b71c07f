/*
 * The syntaxes in which tools, calls and results are written into prompts, by the names of `prompts` in the public
 * interface.
 */
export {
  commandRPrompt as commandR,
  deepseekPrompt as deepseek,
  granitePrompt as granite,
  hermesPrompt as hermes,
  llamaPrompt as llama,
  mistralPrompt as mistral,
  toolRequestPrompt as toolRequest,
} from './json-prompts.js';
export { lfmPrompt as lfm2, olmoPrompt as olmo3, pythonicPrompt as pythonic } from './pythonic-prompts.js';
export {
  claudePrompt as claude,
  dsmlPrompt as dsml,
  glmPrompt as glm,
  minimaxM3Prompt as minimaxM3,
  minimaxPrompt as minimax,
  qwenXmlPrompt as qwenXml,
  seedPrompt as seedOss,
} from './tag-prompts.js';
export {
  gemma4Prompt as gemma4,
  harmonyPrompt as harmony,
  kimiK3Prompt as kimiK3,
  kimiPrompt as kimi,
} from './token-prompts.js';
