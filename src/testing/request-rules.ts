/**
 * Whose rules a request is checked by.
 *
 * - `openai`: OpenAI's own.
 * - `mistral`: those of the Mistral API for its present models, on chat completions with its error bodies; on
 *   `/responses` as vLLM applies them.
 * - `mistral-v3`: the same for its older models, which take no text beside tool calls.
 */
export type RequestRules = 'openai' | 'mistral' | 'mistral-v3';
