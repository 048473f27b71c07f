/*
 * The syntaxes in which models write calls as text, by the names of `formats` in the public interface.
 */
export {
  callList,
  glm,
  horizon,
  hunyuan,
  hyperclova,
  iquest,
  longcat,
  pairCall,
  solar,
} from './argument-pairs.js';
export { fencedList, toolCalls } from './fenced.js';
export { functionGemma, gemma4, gemmaCall, gemmaThought, toolRequest } from './gemma.js';
export { bareHarmony, harmony } from './harmony.js';
export {
  claude,
  dots,
  dsml,
  dsmlVariants,
  gcml,
  mimo,
  minicpm,
  minimax,
  qwenXml,
  seed,
  spacedDsml,
  step3,
} from './invoke.js';
export {
  bareJson,
  bareList,
  commandR,
  dotsJson,
  ernie,
  granite,
  hermes,
  internlm,
  llama,
  nemotron,
  pangu,
  phi,
  phiToken,
  xlam,
} from './json-lists.js';
export { kimiK3 } from './kimi-k3.js';
export { inkling, muse } from './messages.js';
export { bareMinimaxM3, minimaxM3, minimaxM3Tokens } from './minimax-m3.js';
export { callLines, lfm, llamaPythonic, olmo, pythonic, toolCode } from './pythonic.js';
export { toolElements, yamlElements } from './tool-elements.js';
export { apertus, deepseek, gigachat, kimi, mistral, plamo } from './token-calls.js';
