/**
 * Fields of a request that a model can answer without. Not among them is what changes the meaning of a request:
 * without `store: false` an answer would be kept, without `text.format` it would have another form.
 */
const DISPENSABLE: readonly string[] = [
  'include',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'reasoning.context',
  'reasoning.effort',
  'reasoning.mode',
  'reasoning.summary',
  'safety_identifier',
  'service_tier',
  'temperature',
  'text.verbosity',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
];

/** The field that a refusal names, in whichever spelling, if the request can do without it. */
export function toRefusedField(named: string): string | undefined {
  // Servers name fields as their own code does: `reasoningEffort` (xAI), `reasoning_effort`, `reasoning.effort`.
  const flat = named.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`).replaceAll('.', '_');
  return DISPENSABLE.find(field => field.replaceAll('.', '_') === flat.replace(/_+$/, ''));
}
