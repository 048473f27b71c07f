import type { RegisterOptions } from '../../core/shared/registration.js';
import type { Part } from '../../core/part.js';
import { KelivoError } from '../../core/shared/errors.js';
import { objectOf, type PlainObject } from '../../core/shared/json.js';
import { toNameHint } from '../../core/shared/names.js';
import type { AdaptedCall } from '../text-tools/text-tools.js';
import type { AnyMiddleware } from '../../core/versions/middleware.js';

/** Corrects the quirks of one model family. */
export interface ModelAdapter<Middleware extends AnyMiddleware = AnyMiddleware> {
  /** The family, for example `mistral`. Unique in a registry. */
  readonly name: string;
  /** Returns true if the model id belongs to this family, regardless of the server that serves it. */
  appliesTo(modelId: string): boolean;
  /** Wraps the model. Concurrent calls share it, so it keeps no state between calls. */
  readonly middleware: Middleware;
  /** The syntax in which `toolPrompting: 'auto'` writes tools for a model of the family. @default 'hermes' */
  readonly prompt?: string | ((modelId: string) => string) | undefined;
}

/**
 * A model adapter before it is defined: an object or an instance of a class, whose methods keep their `this`. It has at
 * least one of `adapt`, `adaptBack` and `middleware`, which all act on streamed and on generated responses.
 */
export interface ModelAdapterDefinition<
  State = unknown,
  Middleware extends AnyMiddleware = AnyMiddleware,
> extends Omit<ModelAdapter, 'middleware'> {
  /** Wraps the model, inside of `adapt` and `adaptBack`. @default the request is left unchanged */
  readonly middleware?: Middleware | undefined;
  /** Creates the state of one call. Its `adapt` and `adaptBack` share it, and no other call does. @default undefined */
  state?(): State;
  /**
   * Returns the options that the model receives in place of `options`, which it leaves unchanged. A promise delays the
   * request.
   * @default the request is left unchanged
   */
  adapt?(options: AdaptedCall, context: AdapterCall<State>): AdaptedCall | Promise<AdaptedCall>;
  /**
   * Returns the replacement of a part of a response: a part, several, or `undefined` to drop it. `finish` has to stay.
   * Generated responses are read as the same parts as streamed ones, so that one function serves both. It receives the
   * parts of the `middleware`, or of the model without one. A promise delays the part and all after it.
   * @default parts are left unchanged
   */
  adaptBack?(part: Part, context: AdapterCall<State>): AdaptedParts | Promise<AdaptedParts>;
}

/** The replacement of a part. */
export type AdaptedParts = Part | readonly Part[] | undefined;

/** One call of an adapted model. */
export interface AdapterCall<State = unknown> {
  readonly modelId: string;
  /** The state that the adapter created for this call. */
  readonly state: State;
  /** The options of the call before `adapt`, with the tools that it declares. */
  readonly params: AdaptedCall;
}

/** Finds the adapters of model families by model id. */
export interface ModelAdapterRegistry {
  /**
   * Adds an adapter after the others, so that it wraps the model more closely.
   *
   * @throws KelivoError with code `invalid-settings` for an invalid adapter or a name that is taken.
   */
  register(adapter: ModelAdapter | ModelAdapterDefinition, options?: RegisterOptions): void;
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

/** The fields of a definition, and the types of those that are optional functions. */
const FIELDS: Readonly<Record<keyof ModelAdapterDefinition, string | undefined>> = {
  name: undefined,
  appliesTo: undefined,
  middleware: undefined,
  prompt: undefined,
  state: 'a function that creates the state of a call',
  adapt: 'a function of the options of a call',
  adaptBack: 'a function of a part',
};

/**
 * Checks the definition of an adapter. Instances of classes may have other fields.
 *
 * @throws KelivoError with code `invalid-settings` that names the field, the expected and the received value.
 */
export function checkAdapter(adapter: unknown): void {
  const fields: PlainObject = objectOf(adapter) ?? {};
  const { name, appliesTo, middleware, prompt, adapt, adaptBack } = fields;
  if (typeof name !== 'string' || name === '') fail('`name` to be the name of a model family', name);
  if (Object.getPrototypeOf(fields) === Object.prototype) {
    const unknown = Object.keys(fields).find(key => !Object.hasOwn(FIELDS, key));
    if (unknown !== undefined) {
      const hint = toNameHint(unknown, { kind: 'fields', known: Object.keys(FIELDS) });
      throw toSettingsError(`Unknown field \`${unknown}\` of the adapter "${name}". ${hint}`);
    }
  }
  if (typeof appliesTo !== 'function') {
    fail(`\`appliesTo\` of the adapter "${name}" to be a function of a model id`, appliesTo);
  }
  for (const [field, expected] of Object.entries(FIELDS)) {
    const value = fields[field];
    if (expected === undefined || value === undefined || typeof value === 'function') continue;
    fail(`\`${field}\` of the adapter "${name}" to be ${expected}`, value);
  }
  if (prompt !== undefined && typeof prompt !== 'string' && typeof prompt !== 'function') {
    fail(
      `\`prompt\` of the adapter "${name}" to be the name of a syntax, or a function that returns it`,
      prompt,
    );
  }
  if (middleware !== undefined) checkMiddleware(name, middleware);
  else if (adapt === undefined && adaptBack === undefined) {
    fail(`the adapter "${name}" to have \`adapt\`, \`adaptBack\` or \`middleware\``, adapter);
  }
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
  throw toSettingsError(`Expected ${expected}, got ${describe(received)}.`);
}

/** Creates the error about an adapter. */
export const toSettingsError = (message: string): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message });

/** Describes a value of a wrong type. */
export function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === '' ? '""' : String(value);
  const keys = Object.keys(value);
  return keys.length === 0 ? 'an empty object' : `an object with the keys ${keys.join(', ')}`;
}

/** The names of the syntaxes in which tools, calls and results can be written into the prompt. Registering one adds it. */
export const toolPromptNames = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    'hermes qwen-xml qwen3.5 command-r deepseek deepseek-v4 deepseek-v4.1 dsml gemma4 glm glm-4.7 granite ' +
    'granite4 harmony hunyuan internlm kimi kimi-k3 lfm2 llama longcat minicpm5 minimax minimax-m3 mistral ' +
    'mistral-v11 mistral-v13 nemotron nemotron3 olmo3 phi pythonic seed-oss step3.5 tool-elements tool-request xlam ' +
    'yaml-elements'
  ).split(' '),
);

/** A chat template of the application, in the place of a syntax. */
export interface ChatTemplatePrompting {
  /**
   * The template in Jinja, for example `chat_template` of the model's `tokenizer_config.json`. It is rendered by
   * `@huggingface/jinja`, which the application installs.
   */
  readonly chatTemplate: string;
}

/** Returns true for a chat template. */
export const isChatTemplate = (value: unknown): value is ChatTemplatePrompting => {
  const { chatTemplate, ...others } = objectOf(value) ?? {};
  return typeof chatTemplate === 'string' && chatTemplate !== '' && Object.keys(others).length === 0;
};

/** The name of a syntax, `auto` for that of the model's family, or a chat template. */
export type ToolPrompting = string | ChatTemplatePrompting;
