/*
 * The building blocks of formats and adapters, by the names of `blocks` in the public interface.
 */
export { createInvokeFormat as invokeCalls } from '../text-tools/formats/invoke.js';
export {
  createPairFormat as pairCalls,
  toPairTags as pairTags,
} from '../text-tools/formats/argument-pairs.js';
export { createJsonListFormat as jsonCalls } from '../text-tools/formats/json-lists.js';
export { callIdsMiddleware as callIds, toAlphanumericId } from './calls.js';
export { readName } from '../text-tools/reading/text-cursor.js';
export { thinkTags } from '../text-tools/reading/text-tool-format.js';
export { createTagGrammar as tagGrammar } from '../text-tools/tags/tag-grammar.js';
export { readTaggedCall } from '../text-tools/tags/tagged-call.js';
export { createArgumentWriter as argumentWriter } from '../text-tools/values/argument-writer.js';
export { readCallArguments, readJsonCalls } from '../text-tools/values/json-call.js';
export { readPythonCalls } from '../text-tools/values/python-call.js';
