import type { Part } from '../../core/part.js';
import { KelivoError } from '../../shared/errors.js';
import { isPlainObject } from '../../shared/json.js';
import type { AdaptedCall } from '../../text-tools/text-tools.js';
import type { AnyMiddleware } from '../../versions/middleware.js';

/** Corrects the quirks of one model family. */
export interface ModelAdapter<Middleware extends AnyMiddleware = AnyMiddleware> {
  /** The family, for example `mistral`. Unique in a registry. */
  readonly name: string;
  /** Returns true if the model id belongs to this family, regardless of the server that serves it. */
  appliesTo(modelId: string): boolean;
  /** Wraps the model. Concurrent calls share it, so it keeps no state between calls. */
  readonly middleware: Middleware;
}

/** A model adapter before it is defined. It has a `middleware`, `adaptBack` or both. */
export interface ModelAdapterDefinition<Middleware extends AnyMiddleware = AnyMiddleware> extends Omit<
  ModelAdapter,
  'middleware'
> {
  /** Wraps the model. @default the request is left unchanged */
  readonly middleware?: Middleware | undefined;
  /**
   * Replaces each part of a response. Generated responses are read as the same parts as streamed ones, so that one
   * function serves both. It receives the parts of the `middleware`, or of the model without one.
   * @default parts are left unchanged
   */
  readonly adaptBack?: AdaptBack;
}

/** The call that a part belongs to. */
export interface AdaptBackContext {
  readonly modelId: string;
  /** The options of the call, with the tools that it declares. */
  readonly params: AdaptedCall;
}

/**
 * Returns the replacement of a part of a response: a part, or several. An empty list drops the part. Concurrent calls
 * share the function, so it keeps no state between parts.
 */
export type AdaptBack = (part: Part, context: AdaptBackContext) => Part | readonly Part[];

/** Finds the adapters of model families by model id. */
export interface ModelAdapterRegistry {
  /**
   * Adds an adapter after the others, so that it wraps the model more closely.
   *
   * @throws KelivoError with code `invalid-settings` for an invalid adapter or a name that is taken.
   */
  register(adapter: ModelAdapter | ModelAdapterDefinition): void;
  /** Removes an adapter by its name. Returns false if there was none. */
  unregister(name: string): boolean;
  /** Returns the adapter with a name, or undefined if there is none. */
  get(name: string): ModelAdapter | undefined;
  /** Returns the adapters that apply to a model, in the order of registration. */
  findFor(modelId: string): readonly ModelAdapter[];
  /** Returns all adapters in the order of registration. */
  all(): readonly ModelAdapter[];
}

/** The functions of a middleware. */
const HOOKS = [
  'transformParams',
  'wrapGenerate',
  'wrapStream',
  'overrideProvider',
  'overrideModelId',
  'overrideSupportedUrls',
] as const;

/**
 * Checks the definition of an adapter.
 *
 * @throws KelivoError with code `invalid-settings` that names the field, the expected and the received value.
 */
export function checkAdapter(adapter: unknown): void {
  const { name, appliesTo, middleware, adaptBack } = isPlainObject(adapter) ? adapter : {};
  if (typeof name !== 'string' || name === '') fail('`name` to be the name of a model family', name);
  if (typeof appliesTo !== 'function') {
    fail(`\`appliesTo\` of the adapter "${name}" to be a function of a model id`, appliesTo);
  }
  if (adaptBack !== undefined && typeof adaptBack !== 'function') {
    fail(`\`adaptBack\` of the adapter "${name}" to be a function of a part`, adaptBack);
  }
  if (middleware !== undefined || adaptBack === undefined) checkMiddleware(name, middleware);
}

function checkMiddleware(name: string, middleware: unknown): void {
  if (!isMiddleware(middleware)) {
    fail(`\`middleware\` of the adapter "${name}" to be an object`, middleware);
  }
  const given = HOOKS.filter(hook => middleware[hook] !== undefined);
  if (given.length === 0) {
    fail(`\`middleware\` of the adapter "${name}" to have one of ${HOOKS.join(', ')}`, middleware);
  }
  for (const hook of given) {
    if (typeof middleware[hook] !== 'function') {
      fail(`\`middleware.${hook}\` of the adapter "${name}" to be a function`, middleware[hook]);
    }
  }
}

const isMiddleware = (value: unknown): value is Readonly<Partial<Record<(typeof HOOKS)[number], unknown>>> =>
  typeof value === 'object' && value !== null;

function fail(expected: string, received: unknown): never {
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected ${expected}, got ${describe(received)}.`,
  });
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === '' ? '""' : String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object with the keys ${keys.join(', ')}`;
}

/** Syntaxes in which tools, calls and results can be written into the prompt. */
export const toolPromptNames = [
  'hermes',
  'qwen-xml',
  'claude',
  'command-r',
  'deepseek',
  'dsml',
  'gemma4',
  'glm',
  'granite',
  'harmony',
  'kimi',
  'kimi-k3',
  'lfm2',
  'llama',
  'minimax',
  'minimax-m3',
  'mistral',
  'olmo3',
  'pythonic',
  'seed-oss',
  'tool-request',
] as const;

/** The name of a syntax. */
export type ToolPromptName = (typeof toolPromptNames)[number];

/** A syntax, or `auto` for the one of the model's family. */
export type ToolPrompting = ToolPromptName | 'auto';
