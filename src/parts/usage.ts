import type { JSONObject, JSONValue, LanguageModelV2Usage } from '@ai-sdk/provider';
import { isPlainObject } from '../shared/json.js';

/** Usage with the counts that later versions of the model interface have. Calls of `ai@5` do not contain them. */
export interface ModelUsage extends LanguageModelV2Usage {
  /** Input tokens that were written to the prompt cache. They are included in `inputTokens`. */
  readonly cacheWriteInputTokens?: number;
  /** The usage as the server reported it. Of several responses, the sum of each count. */
  readonly raw?: JSONObject;
}

/** Adds two usages. Counts that are missing on both sides stay undefined. */
export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  const cacheWriteInputTokens = add(a.cacheWriteInputTokens, b.cacheWriteInputTokens);
  const raw = a.raw === undefined ? b.raw : b.raw === undefined ? a.raw : addCounts(a.raw, b.raw);
  return {
    inputTokens: add(a.inputTokens, b.inputTokens),
    outputTokens: add(a.outputTokens, b.outputTokens),
    totalTokens: add(a.totalTokens, b.totalTokens),
    reasoningTokens: add(a.reasoningTokens, b.reasoningTokens),
    cachedInputTokens: add(a.cachedInputTokens, b.cachedInputTokens),
    ...(cacheWriteInputTokens !== undefined && { cacheWriteInputTokens }),
    ...(raw !== undefined && { raw }),
  };
}

const add = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : a + b;

/** Adds the numbers of two objects at every level. Of other values, the later one counts. */
function addCounts(a: JSONObject, b: JSONObject): JSONObject {
  const sum: JSONObject = { ...a };
  for (const [name, value] of Object.entries(b)) {
    if (value !== undefined) sum[name] = addValue(a[name], value);
  }
  return sum;
}

function addValue(a: JSONValue | undefined, b: JSONValue): JSONValue {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  return isPlainObject(a) && isPlainObject(b) ? addCounts(a as JSONObject, b as JSONObject) : b;
}
