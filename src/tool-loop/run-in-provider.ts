import { InvalidArgumentError } from '@ai-sdk/provider';
import {
  createLocalTools,
  createUncheckedTools,
  type LocalTool,
  type LocalTools,
  type LocalToolsOptions,
  type ToolInput,
} from '../tools/local-tools.js';
import { isPlainObject, type JSONObject } from '../shared/json.js';
import { type ToolStub, toToolStub } from '../tools/tool-stubs.js';
import { isToolSource, type ToolSource } from '../tools/tool-source.js';

/** Options that make the provider run a call's tools. Spread them into `generateText` or `streamText`. */
export interface ProviderRunTools<Schemas> {
  /** Declarations, with which the host displays the calls and keeps them in its history. */
  tools: { [Name in keyof Schemas]: ToolStub<ToolInput<Schemas[Name]>> };
  /** The executable tools. They are passed by reference and do not cross process boundaries. */
  providerOptions: { kelivo: JSONObject };
}

/**
 * Lets the tool loop run a host's own tools for one call. All rounds become one step, in which these tools and MCP tools
 * run together. Accepts tools of `ai` 5, 6 and 7 with `execute`, for a model with a tool loop: one of the provider or of
 * `withToolLoop()`. If a tool of the provider has the same name, it gets another name in this call.
 *
 * Tools with `needsApproval` wait for `approve` of the tool loop. Without it their calls are refused.
 *
 * The host receives the same result as the model: the return value of `toModelOutput`, if the tool has one.
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
  // The type of provider options allows only JSON, but hosts pass the object by reference.
  const executors = createLocalTools(tools, options) as unknown as JSONObject;
  const stubs = Object.entries<LocalTool>(tools).map(([name, { description }]) => [
    name,
    toToolStub({ name, ...(typeof description === 'string' && { description }) }),
  ]);
  return {
    tools: Object.fromEntries(stubs) as ProviderRunTools<Schemas>['tools'],
    providerOptions: { kelivo: { executors } },
  };
}

/** Sources by the object that a host passes in every step of a call. */
const sources = new WeakMap<object, ToolSource>();

/**
 * Returns the tools in the value of `providerOptions.kelivo.executors`: tools of the AI SDK with `execute`, or a tool
 * source.
 *
 * @throws InvalidArgumentError for anything else.
 * @throws KelivoError with code `invalid-settings` for a tool without `execute`.
 */
export function toExecutorSource(executors: unknown): ToolSource {
  if (isToolSource(executors)) return executors;
  if (!isPlainObject(executors)) {
    throw new InvalidArgumentError({
      argument: 'providerOptions.kelivo.executors',
      message:
        'Expected `providerOptions.kelivo.executors` to be an object of tools by name, as returned by runInProvider(), ' +
        `got ${Array.isArray(executors) ? 'an array' : typeof executors}.`,
    });
  }
  const source = sources.get(executors) ?? createUncheckedTools(executors);
  sources.set(executors, source);
  return source;
}
