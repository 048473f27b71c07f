import type { JSONObject, LanguageModelV2FinishReason, LanguageModelV2Usage } from '@ai-sdk/provider';
import type { ModelUsage } from '../../parts/usage.js';
import { asJson, idOf, numberOf, objectOf, type PlainObject } from '../../shared/json.js';
import { toCamelCase, toSdkNames } from '../../shared/field-names.js';

/** Returns the finish reason of a response with a terminal event. `reason` is why it is incomplete, if it is. */
export function toFinishReason(
  reason: string | undefined,
  {
    incomplete,
    hasCalls,
    hasRefusal = false,
  }: { incomplete: boolean; hasCalls: boolean; hasRefusal?: boolean },
): LanguageModelV2FinishReason {
  switch (reason) {
    case 'max_output_tokens':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    default:
      if (hasCalls) return 'tool-calls';
      if (hasRefusal) return 'content-filter';
      return incomplete || reason !== undefined ? 'other' : 'stop';
  }
}

/**
 * Returns the metadata of a finished response, under the names of the official provider. Fields that it does not return
 * have the names of the API in camel case.
 */
export function toFinishMetadata(response: PlainObject): JSONObject {
  const serviceTier = idOf(response.service_tier);
  const reasoningContext = objectOf(response.reasoning)?.context;
  const usage = toUsageMetadata(
    objectOf(objectOf(response.usage)?.input_tokens_details),
    objectOf(response.usage),
  );
  const diagnostics = objectOf(response.prompt_cache_diagnostics);
  return {
    ...(diagnostics !== undefined && { promptCacheDiagnostics: asJson(diagnostics) }),
    ...Object.fromEntries(
      COPIED_FIELDS.filter(name => response[name] !== undefined && response[name] !== null).map(name => [
        toCamelCase(name),
        toSdkNames(response[name]),
      ]),
    ),
    ...(serviceTier !== undefined && { serviceTier }),
    ...(typeof reasoningContext === 'string' && { reasoningContext }),
    ...(Object.keys(usage).length > 0 && { usage }),
  };
}

/** Fields of a response that are copied to the metadata. */
const COPIED_FIELDS = [
  'access_programs',
  'completed_at',
  'conversation',
  'input_transformations',
  'moderation',
  'tool_usage',
];

/** Returns token counts without a field in the AI SDK. */
function toUsageMetadata(input: PlainObject | undefined, usage: PlainObject | undefined): JSONObject {
  const counts = {
    cacheWriteTokens: input?.cache_write_tokens,
    orchestrationInputTokens: input?.orchestration_input_tokens,
    orchestrationInputCachedTokens: input?.orchestration_input_cached_tokens,
    orchestrationOutputTokens: objectOf(usage?.output_tokens_details)?.orchestration_output_tokens,
  };
  return Object.fromEntries(
    Object.entries(counts).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

export const NO_USAGE: LanguageModelV2Usage = {
  inputTokens: undefined,
  outputTokens: undefined,
  totalTokens: undefined,
};

/** Converts token counts. Counts that a server does not report stay undefined. */
export function toUsage(value: unknown): ModelUsage {
  const usage = objectOf(value);
  if (usage === undefined) return NO_USAGE;
  const inputTokens = numberOf(usage.input_tokens);
  const outputTokens = numberOf(usage.output_tokens);
  const sum =
    inputTokens !== undefined && outputTokens !== undefined ? inputTokens + outputTokens : undefined;
  const inputDetails = objectOf(usage.input_tokens_details);
  const cacheWriteInputTokens = numberOf(inputDetails?.cache_write_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: numberOf(usage.total_tokens) ?? sum,
    reasoningTokens: numberOf(objectOf(usage.output_tokens_details)?.reasoning_tokens),
    cachedInputTokens: numberOf(inputDetails?.cached_tokens),
    ...(cacheWriteInputTokens !== undefined && { cacheWriteInputTokens }),
    raw: usage as JSONObject,
  };
}

/** Removes the counts that version 2 of the model interface does not have. */
export const toV2Usage = ({
  cacheWriteInputTokens: _,
  raw: __,
  ...usage
}: ModelUsage): LanguageModelV2Usage => usage;
