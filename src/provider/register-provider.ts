import { KelivoError } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import type { AnyLanguageModel } from '../versions/specification.js';
import { coreOf, withCore } from './provider.js';
import {
  createModel,
  type ModelCall,
  type RegistrableProvider,
  registrations,
  toSerializable,
} from './serialization.js';

/** Options of `registerProvider`. */
export interface RegisterProviderOptions {
  /**
   * Replaces a provider with the same name. Otherwise a second provider is an error, unless its settings are equal.
   * Functions are never equal, so set it if a bundler evaluates a module twice.
   * @default false
   */
  readonly replace?: boolean;
}

/**
 * Registers a provider, so that its language models can be passed to the steps of a workflow, for example by
 * `WorkflowAgent` of `@ai-sdk/workflow`. A serialized model contains the name and the model id, but no settings and keys.
 * The process that runs the step finds the provider by its name, so it must import the module that registers it.
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
  { replace = false }: RegisterProviderOptions = {},
): Provider {
  const settings = comparableSettingsOf(provider);
  if (!replace && registrations().get(name)?.hasSettings(settings) === false) {
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Expected one provider with the name "${name}", got a second one, whose settings differ or contain functions. Use different names, or { replace: true } if a module is evaluated twice.`,
    });
  }
  const core = coreOf(provider);
  const server = core?.server;
  registrations().set(name, { provider, server, hasSettings: other => other === settings });

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
function comparableSettingsOf(provider: object): string {
  const settings = coreOf(provider)?.settings ?? provider;
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
