import { jsonSchema, Output, type ToolChoice, type ToolSet } from 'ai';
import type { Settings } from '../../shared/playground-state.js';
import { openResponseSchema } from './response-schema.js';

/** Returns the settings as options of `streamText`. Settings without a value are not sent. */
export function toCallOptions({
  systemPrompt,
  temperature,
  maxOutputTokens,
  reasoningEffort,
  verbosity,
  toolChoice,
  parallelToolCalls,
  responseSchema,
}: Settings) {
  const format = openResponseSchema(responseSchema);
  return {
    ...(systemPrompt !== '' && { system: systemPrompt }),
    ...(temperature !== null && { temperature }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(toolChoice !== 'default' && { toolChoice: toToolChoice(toolChoice) }),
    ...(format !== undefined && {
      experimental_output: Output.object({ schema: jsonSchema(format.schema) }),
    }),
    providerOptions: {
      openai: {
        // The complete conversation is sent with each request, so that either provider can continue it.
        store: false,
        reasoningSummary: 'auto',
        ...(reasoningEffort !== 'default' && { reasoningEffort }),
        ...(verbosity !== 'default' && { textVerbosity: verbosity }),
        ...(parallelToolCalls !== 'default' && { parallelToolCalls: parallelToolCalls === 'on' }),
      },
    },
  };
}

/** `auto`, `none`, `required`, or a tool. */
export const toToolChoice = (choice: string): ToolChoice<ToolSet> =>
  choice.startsWith('tool:')
    ? { type: 'tool', toolName: choice.slice('tool:'.length) }
    : (choice as 'auto' | 'none' | 'required');
