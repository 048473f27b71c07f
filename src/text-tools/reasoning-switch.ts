import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { isPlainObject } from '../shared/json.js';

/** The switches of chat templates and servers, with the values that turn reasoning off. */
const switches: Readonly<Record<string, (value: unknown) => boolean>> = {
  // `chat_template_kwargs` of vLLM, SGLang and llama.cpp.
  enable_thinking: value => value === false,
  enableThinking: value => value === false,
  thinking: value => value === false || (isPlainObject(value) && value.type === 'disabled'),
  thinking_mode: value => value === 'disabled' || value === 'off',
  reasoning_effort: value => value === 'none',
  reasoningEffort: value => value === 'none',
  // OpenRouter and the Responses API.
  reasoning: value => isPlainObject(value) && (value.enabled === false || value.effort === 'none'),
};

/** The objects of a server's options that may contain the switches. */
const containers = ['chat_template_kwargs', 'chatTemplateKwargs', 'extra_body', 'extraBody'];

/** Returns true if the options of any provider in the request turn the model's reasoning off. */
export const turnsReasoningOff = ({
  providerOptions = {},
}: Pick<LanguageModelV2CallOptions, 'providerOptions'>): boolean =>
  Object.values(providerOptions).some(options => isOffIn(options));

function isOffIn(options: unknown): boolean {
  if (!isPlainObject(options)) return false;
  return (
    Object.entries(switches).some(([name, isOff]) => isOff(options[name])) ||
    containers.some(name => isOffIn(options[name]))
  );
}
