/**
 * How the API treats a model id.
 *
 * - `reasoning`: emits reasoning items, refuses `temperature` and `top_p`.
 * - `plain`: an OpenAI model that refuses `reasoning` and encrypted reasoning content.
 * - `unknown`: no id of OpenAI's; takes every parameter and does not reason.
 */
export type ModelKind = 'reasoning' | 'plain' | 'unknown';

/** Reads the kind off a model id. A vendor prefix (`openai/gpt-5`) changes nothing. */
export function toModelKind(modelId: string): ModelKind {
  const name = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();
  if (/^(gpt-[34]|chatgpt|gpt-\d+(\.\d+)?-chat)/.test(name)) return 'plain';
  return /^(o\d|gpt-([5-9]|\d\d)|codex-|computer-use)/.test(name) ? 'reasoning' : 'unknown';
}
