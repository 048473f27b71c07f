import type { LanguageModelV2 } from '@ai-sdk/provider';
import { KelivoError } from '../shared/errors.js';

/** The names by which another process finds the provider of a model. */
export interface ModelCall {
  /** The name of the registration. Undefined for the default provider. */
  readonly registration?: string;
  readonly method: 'languageModel' | 'responses';
  /** The origin of the server. Undefined for providers of other packages. */
  readonly server?: string;
}

/**
 * The serialized form of a model. It contains no settings, because they may contain keys and functions, and a workflow
 * engine stores it.
 */
export interface ModelReference extends ModelCall {
  readonly modelId: string;
  /** The `provider` of the model. */
  readonly provider: string;
  readonly specificationVersion: string;
}

/** A language model of any version. */
export interface AnyLanguageModel extends Pick<LanguageModelV2, 'provider' | 'modelId' | 'supportedUrls'> {
  readonly specificationVersion: string;
  // Methods, because their parameters accept the options of all versions.
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
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
  readonly server?: string;
  /** Compares with the settings of another provider. The settings themselves may contain keys. */
  hasSettings(settings: string): boolean;
}

const REGISTRY = Symbol.for('kelivo-responses.providers');

/** The registered providers of the process. A bundler may put several copies of this package into it. */
export function registrations(): Map<string, Registration> {
  const scope = globalThis as { [REGISTRY]?: Map<string, Registration> };
  return (scope[REGISTRY] ??= new Map());
}

/** The default provider of this process, when a model of it was serialized. */
let defaultProvider: Pick<Registration, 'provider' | 'server'> | undefined;

/**
 * Creates the model that a reference names, with the provider of this process.
 *
 * @throws KelivoError with code `unknown-name` if the provider is not registered, and with code `invalid-settings` if it
 *   creates another model than the one that was serialized.
 */
export function recreateModel(
  reference: ModelReference,
  createDefault: () => Pick<Registration, 'provider' | 'server'>,
): AnyLanguageModel {
  const { registration: name, modelId } = reference;
  const found = name === undefined ? (defaultProvider ??= createDefault()) : registrations().get(name);
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
    message: `Expected ${title} to be the one that created the model "${modelId}" before, got ${differences
      .map(([key, value]) => `${key} ${value} instead of ${reference[key as keyof typeof current]}`)
      .join(', ')}. Use the same settings, or register the provider under another name.`,
  });
}

/** Calls the method that the reference names. References come from the store of a workflow engine. */
export const createModel = (
  provider: RegistrableProvider,
  { method, modelId }: Pick<ModelReference, 'method' | 'modelId'>,
): AnyLanguageModel =>
  method === 'responses' && provider.responses !== undefined
    ? provider.responses(modelId)
    : provider.languageModel(modelId);
