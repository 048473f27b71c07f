import { KelivoError } from '../core/shared/errors.js';
import { isPlainObject } from '../core/shared/json.js';
import { type RegisterOptions, registerUnique } from '../core/shared/registration.js';
import { toModelOf } from '../core/versions/language-model.js';
import type { AnyLanguageModel } from '../core/versions/specification.js';
import { VERSIONS, versionOf } from '../core/versions/versions.js';
import { coreOf, defaultProvider, withCore } from './core-provider.js';

/*
 * Vercel Workflow passes models between processes. A serialized model is a reference, by which another process creates it
 * again with its own provider.
 */

/** The names by which another process finds the provider of a model. */
export interface ModelCall {
  /** The name of the registration. Undefined for the default provider. */
  readonly registration?: string;
  readonly method: 'languageModel' | 'responses';
  /** The origin of the server. Undefined for providers of other packages. */
  readonly server?: string | undefined;
}

/**
 * The serialized form of a model. It contains no settings, because they may contain keys and functions, and a workflow
 * engine stores it.
 */
interface ModelReference extends ModelCall {
  readonly modelId: string;
  /** The `provider` of the model. */
  readonly provider: string;
  readonly specificationVersion: string;
}

/** A provider of this package, or any object that creates language models. */
export interface RegistrableProvider {
  /** Returns a language model. */
  languageModel(modelId: string): AnyLanguageModel;
  /** Returns a model without tools. Absent in other packages. */
  responses?(modelId: string): AnyLanguageModel;
}

/** A provider with the name under which it was registered. */
interface Registration {
  readonly provider: RegistrableProvider;
  /** The origin of its server. Undefined for providers of other packages. */
  readonly server?: string | undefined;
  /** Compares with the settings of another provider. The settings themselves may contain keys. */
  hasSettings(settings: string): boolean;
}

const REGISTRY = Symbol.for('kelivo-responses.providers');

/** The registered providers of the process. A bundler may put several copies of this package into it. */
function registrations(): Map<string, Registration> {
  const scope = globalThis as { [REGISTRY]?: Map<string, Registration> };
  return (scope[REGISTRY] ??= new Map());
}

/** Options of `registerProvider`. A second provider with equal settings is no error. Functions are never equal. */
export type RegisterProviderOptions = RegisterOptions;

/**
 * Registers a provider, so that its language models can be passed to the steps of a workflow, for example by
 * `WorkflowAgent` of `@ai-sdk/workflow`. A serialized model contains the name and the model id, but no settings and keys.
 * The process that runs the step finds the provider by its name, so it must import the module that registers it. The provider
 * `kelivoResponses` needs no registration, but a step must use an export of its entry.
 *
 * @param name A name that is unique in the application. Providers of different tenants need different names.
 * @param provider A provider of this package, of any version, or an object with `languageModel`.
 * @returns The provider, with language models that can be serialized.
 *
 * @example
 * ```ts
 * export const provider = registerProvider('chat', createKelivoResponsesProvider({ apiKey: process.env.CHAT_KEY }));
 * ```
 *
 * @throws KelivoError with code `invalid-settings` if another provider has the name.
 */
export function registerProvider<Provider extends RegistrableProvider>(
  name: string,
  provider: Provider,
  options: RegisterProviderOptions = {},
): Provider {
  const core = coreOf(provider);
  const settings = comparableSettingsOf(core?.settings ?? provider);
  const server = core?.server;
  const isEqual = registrations().get(name)?.hasSettings(settings) === true;
  const message = `Expected one provider with the name "${name}", got a second one, whose settings differ or contain functions. Use different names, or { replace: true } if a module is evaluated twice.`;
  registerUnique(registrations(), [name, { provider, server, hasSettings: other => other === settings }], {
    ...(isEqual ? { replace: true } : options),
    message,
  });

  const create = (method: ModelCall['method']) => (modelId: string) =>
    toSerializable(toOwnProperties(createModel(provider, { method, modelId })), {
      registration: name,
      method,
      server,
    });
  const languageModel = create('languageModel');
  const registered = Object.assign((modelId: string) => languageModel(modelId), provider, {
    languageModel,
    ...(provider.responses !== undefined && { responses: create('responses') }),
  });
  return withCore(registered, core);
}

/** Settings as text, by the settings of a provider of this package or by another provider. */
const comparable = new WeakMap<object, string>();

let functionCount = 0;

/** Returns the settings of a provider as text, in which no two functions or instances of classes are equal. */
function comparableSettingsOf(settings: object): string {
  const known = comparable.get(settings);
  if (known !== undefined) return known;
  const text = JSON.stringify(settings, (_key, value: unknown) =>
    typeof value === 'function' ||
    (typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlainObject(value))
      ? `function ${functionCount++}`
      : value,
  );
  comparable.set(settings, text);
  return text;
}

/** Models of other packages are instances of classes with methods that need `this`. */
const toOwnProperties = (model: AnyLanguageModel): AnyLanguageModel =>
  Object.hasOwn(model, 'doStream')
    ? model
    : {
        specificationVersion: model.specificationVersion,
        get provider() {
          return model.provider;
        },
        modelId: model.modelId,
        get supportedUrls() {
          return model.supportedUrls;
        },
        doGenerate: options => model.doGenerate(options),
        doStream: options => model.doStream(options),
      };

/**
 * Creates the model that a reference names, with the provider of this process.
 *
 * @throws KelivoError with code `unknown-name` if the provider is not registered, and with code `invalid-settings` if it
 *   creates another model than the one that was serialized.
 */
function recreateModel(reference: ModelReference): AnyLanguageModel {
  const { registration: name } = reference;
  const found = name === undefined ? toRegistration(reference) : registrations().get(name);
  if (found === undefined) {
    throw new KelivoError({
      code: 'unknown-name',
      message: `Expected a provider that is registered as "${name}", got none. Call registerProvider("${name}", provider) in a module that is imported where the steps of the workflow run.`,
    });
  }
  const { provider, server } = found;
  const model = createModel(provider, reference);
  const current = { provider: model.provider, specificationVersion: model.specificationVersion, server };
  const differences = Object.entries(current).filter(
    ([key, value]) => value !== reference[key as keyof typeof current],
  );
  if (differences.length === 0) return model;
  const title = name === undefined ? 'the default provider' : `the provider "${name}"`;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected ${title} to be the one that created the model "${reference.modelId}" before, got ${differences
      .map(([key, value]) => `${key} ${value} instead of ${reference[key as keyof typeof current]}`)
      .join(', ')}. Use the same settings, or register the provider under another name.`,
  });
}

/** The default provider, in the version of the reference. */
function toRegistration(reference: ModelReference): Pick<Registration, 'provider' | 'server'> {
  const version = VERSIONS[versionOf(reference)];
  const provider: RegistrableProvider = {
    languageModel: modelId => toModelOf(defaultProvider.languageModel(modelId), version),
    responses: modelId => toModelOf(defaultProvider.responses(modelId), version),
  };
  return { provider, server: defaultProvider.server };
}

/** Calls the method that the reference names. References come from the store of a workflow engine. */
const createModel = (
  provider: RegistrableProvider,
  reference: Pick<ModelReference, 'method' | 'modelId'>,
): AnyLanguageModel =>
  reference.method === 'responses' && provider.responses !== undefined
    ? provider.responses(reference.modelId)
    : provider.languageModel(reference.modelId);

/** Returns the model as an instance of the class by which workflow engines serialize models. */
export const toSerializable = <Model extends AnyLanguageModel>(model: Model, call?: ModelCall): Model =>
  new KelivoLanguageModel(model, call) as unknown as Model;

// Vercel Workflow serializes the arguments of steps with static methods under the symbols of `@workflow/serde`, and finds
// their class by an id. Its build would derive the id from the path of the file, which differs between the bundles for
// workflow functions and for steps. So the class registers itself, and has no text by which that build finds classes.
const [SERIALIZE, DESERIALIZE] = ['serialize', 'deserialize'].map(name => Symbol.for(`workflow-${name}`)) as [
  symbol,
  symbol,
];
const CLASS_REGISTRY = Symbol.for('workflow-class-registry');
const CALL = Symbol('kelivo-responses.call');

/** Its members are own properties, because hosts copy models and call their methods without `this`. */
class KelivoLanguageModel {
  static readonly classId = 'class//kelivo-responses//KelivoLanguageModel';
  static {
    const scope = globalThis as { [CLASS_REGISTRY]?: Map<string, unknown> };
    (scope[CLASS_REGISTRY] ??= new Map()).set(this.classId, this);
  }

  declare readonly modelId: string;
  declare readonly provider: string;
  declare readonly specificationVersion: string;
  /** Creates the model again. Undefined for models of providers that are not registered. */
  declare readonly [CALL]: ModelCall | undefined;

  constructor(model: AnyLanguageModel, call?: ModelCall) {
    Object.defineProperties(this, { ...Object.getOwnPropertyDescriptors(model), [CALL]: { value: call } });
  }

  static [SERIALIZE](model: KelivoLanguageModel): ModelReference {
    const { modelId, provider, specificationVersion, [CALL]: call } = model;
    if (call !== undefined) return { ...call, modelId, provider, specificationVersion };
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected a model of a registered provider, got "${modelId}" of "${provider}". Create it with the provider that registerProvider(name, provider) returns.`,
    });
  }

  static [DESERIALIZE](reference: ModelReference): KelivoLanguageModel {
    const { registration, method, server, ...facts } = reference;
    const load = async () => recreateModel(reference);
    return new KelivoLanguageModel(
      {
        ...facts,
        get supportedUrls() {
          return load().then(model => model.supportedUrls);
        },
        doGenerate: async (options: never) => (await load()).doGenerate(options),
        doStream: async (options: never) => (await load()).doStream(options),
      },
      { registration, method, server },
    );
  }
}
