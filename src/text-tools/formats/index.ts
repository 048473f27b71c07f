/*
 * The syntaxes in which models write calls as text, by the names of `formats` in the public interface.
 */
export {
  glmFormat as glm,
  horizonFormat as horizon,
  hyperclovaFormat as hyperclova,
  iquestFormat as iquest,
  longcatFormat as longcat,
  solarFormat as solar,
} from './argument-pairs.js';
export {
  callListFormat as callList,
  hunyuanFormat as hunyuan,
  pairCallFormat as pairCall,
} from './call-lists.js';
export {
  functionGemmaFormat as functionGemma,
  gemma4Format as gemma4,
  gemmaCallFormat as gemmaCall,
  gemmaThoughtFormat as gemmaThought,
  toolRequestFormat as toolRequest,
} from './gemma.js';
export { bareHarmonyFormat as bareHarmony, harmonyFormat as harmony } from './harmony.js';
export {
  claudeFormat as claude,
  dotsFormat as dots,
  dsmlFormat as dsml,
  gcmlFormat as gcml,
  minimaxFormat as minimax,
  spacedDsmlFormat as spacedDsml,
  step3Format as step3,
} from './invoke.js';
export {
  bareJsonFormat as bareJson,
  bareListFormat as bareList,
  commandRFormat as commandR,
  dotsJsonFormat as dotsJson,
  ernieFormat as ernie,
  graniteFormat as granite,
  hermesFormat as hermes,
  internlmFormat as internlm,
  llamaFormat as llama,
  nemotronFormat as nemotron,
  panguFormat as pangu,
  phiFormat as phi,
  phiTokenFormat as phiToken,
  xlamFormat as xlam,
} from './json-lists.js';
export { kimiK3Format as kimiK3 } from './kimi-k3.js';
export { inklingFormat as inkling, museFormat as muse } from './messages.js';
export { minicpmFormat as minicpm } from './minicpm5.js';
export {
  bareMinimaxM3Format as bareMinimaxM3,
  minimaxM3Format as minimaxM3,
  minimaxM3Tokens,
} from './minimax-m3.js';
export {
  callLinesFormat as callLines,
  lfmFormat as lfm,
  llamaPythonicFormat as llamaPythonic,
  olmoFormat as olmo,
  pythonicFormat as pythonic,
  toolCodeFormat as toolCode,
} from './pythonic.js';
export { mimoFormat as mimo, qwenXmlFormat as qwenXml, seedFormat as seed } from './qwen-xml.js';
export {
  apertusFormat as apertus,
  deepseekFormat as deepseek,
  gigachatFormat as gigachat,
  kimiFormat as kimi,
  mistralFormat as mistral,
  plamoFormat as plamo,
} from './token-calls.js';
export { fencedListFormat as fencedList, toolCallsFormat as toolCalls } from './fenced.js';
