import { InvalidArgumentError, type JSONObject, type SharedV2ProviderOptions } from '@ai-sdk/provider';
import { createLocalTools, type LocalTool, type LocalTools, type ToolInput } from '../tools/local-tools.js';
import type { LocalToolsOptions } from '../tools/run-local-tool.js';
import { type ToolStub, toToolStub } from '../tools/tool-stubs.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';

/** What a call needs so that the provider runs its tools. To be spread into `generateText` or `streamText`. */
export interface ProviderRunTools<Schemas> {
  /** Declarations, so that the host shows the calls and keeps them in its history. */
  tools: { [Name in keyof Schemas]: ToolStub<ToolInput<Schemas[Name]>> };
  /** The tools themselves. They travel by reference: a process boundary would lose them. */
  providerOptions: { kelivo: JSONObject };
}

/**
 * Lets the tool loop run a host's own tools for one call: all rounds become one step, in which they may run beside MCP
 * tools. It takes tools of `ai` 5, 6 and 7 with `execute`, and a model with a tool loop, of the provider's or of
 * `withToolLoop()`. A tool of the provider that has the same name is offered under another one in this call.
 *
 * Tools with `needsApproval` wait for `approve` of the tool loop, as the host is not asked here; without it their calls are
 * refused.
 *
 * The host gets as a tool's result what the model read: what `toModelOutput` made of it, where there is one.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model: provider('gpt-5'), prompt, ...runInProvider({ weather }) });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
export function runInProvider<Schemas = Record<string, unknown>>(
  tools: LocalTools<Schemas>,
  options: LocalToolsOptions = {},
): ProviderRunTools<Schemas> {
  // A source holds functions, which the type of provider options does not foresee.
  const executors = createLocalTools(tools, options) as unknown as JSONObject;
  const stubs = Object.entries<LocalTool>(tools).map(([name, { description }]) => [
    name,
    toToolStub(typeof description === 'string' ? { description } : {}),
  ]);
  return {
    tools: Object.fromEntries(stubs) as ProviderRunTools<Schemas>['tools'],
    providerOptions: { kelivo: { executors } },
  };
}

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
