import { InvalidArgumentError, type SharedV2ProviderOptions } from '@ai-sdk/provider';
import { createLocalTools, type LocalTools } from '../tools/local-tools.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';

// A host passes the same object in every step of a call.
const sources = new WeakMap<object, ToolSource>();

/**
 * The tools that one call brings along in `providerOptions.kelivo.executors`: tools of the AI SDK with `execute`, or a
 * tool source. Hosts hand the options of a call on by reference, functions and all.
 *
 * @throws InvalidArgumentError for anything else.
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
export function executorsOf(providerOptions: SharedV2ProviderOptions | undefined): ToolSource | undefined {
  const executors: unknown = providerOptions?.kelivo?.executors;
  if (executors === undefined || isToolSource(executors)) return executors;
  if (typeof executors !== 'object' || executors === null || Array.isArray(executors)) {
    throw new InvalidArgumentError({
      argument: 'providerOptions.kelivo.executors',
      message:
        'Expected `providerOptions.kelivo.executors` to be tools by their names, as runInProvider() gives them, ' +
        `got ${Array.isArray(executors) ? 'an array' : typeof executors}.`,
    });
  }
  const source = sources.get(executors) ?? createLocalTools(executors as LocalTools);
  sources.set(executors, source);
  return source;
}
