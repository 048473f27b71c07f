import * as z from 'zod/v4';
import { KelivoError } from '../../core/shared/errors.js';
import { toModelExpression, toNameHint } from '../../core/shared/names.js';
import { parseSettings, SchemaTable, type SettingsOf } from '../../core/shared/settings.js';
import { type DefaultModels, knownModelsOf, variablesOf } from './known-providers.js';
import { namesSchema, type ProviderEntry, type ProviderRegistryConfig } from './schema.js';

/*
 * Third stage of a registry: a role, a name or a record becomes a provider and a model id.
 */

/** The tasks that models are chosen for. */
export type ModelKind = 'chat' | 'embedding';

const text = () => z.string().nullish();
const length = () => z.number().int().min(1).nullish();

const rows = {
  /** Name or alias of a provider, in any case. Alone, it selects the default model of that provider for the role. */
  provider: text,
  /** A model name as the registry accepts it. If `provider` is set, a model id of that provider. */
  model: text,
  /** The same as `model`, as in an `EmbeddingIdentity`. */
  modelId: text,
  /** API key for the requests of this model. */
  apiKey: text,
  /** Base URL. It receives the default API key unless the record has one, so use trusted records only. */
  baseURL: text,
  /** Vector length, for embedding models. */
  dimensions: length,
  /** Address of the server in an `EmbeddingIdentity`. It selects nothing. */
  server: text,

  /** The same as `apiKey`. */
  api_key: text,
  /** The same as `baseURL`. */
  base_url: text,
  /** Provider of language models, in a row that also configures embeddings. */
  llm_provider: text,
  /** Language model. */
  llm_model: text,
  /** API key of the language model. */
  llm_api_key: text,
  /** Base URL of the language model. */
  llm_base_url: text,
  /** Provider of embedding models. */
  embedding_provider: text,
  /** Embedding model. */
  embedding_model: text,
  /** API key of the embedding model. */
  embedding_api_key: text,
  /** Base URL of the embedding model. */
  embedding_base_url: text,
  /** Vector length. */
  embedding_dimensions: length,
  /** The same as `embedding_dimensions`. */
  embedding_dims: length,
};

const table = /* @__PURE__ */ new SchemaTable(rows);

/**
 * Model selection of an application record. Null, blank or missing fields fall back to the role. A row of a database may be
 * passed as it is if it has these columns only. With an `llm_…` column, the fields without a prefix belong to the
 * language model, and embedding models read `embedding_…` alone.
 */
export type ModelChoice = SettingsOf<typeof rows>;

/**
 * Reads the fields of a record for one kind of model.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown or invalid field.
 */
export function normalizeChoice(choice: ModelChoice, kind: ModelKind) {
  const record = parseSettings<ModelChoice>(table.schema, choice, 'the record of a model');
  const isChat = kind === 'chat';
  const isShared = isChat || !Object.keys(record).some(key => key.startsWith('llm_'));
  const pick = (own: string | null | undefined, ...shared: (string | null | undefined)[]) =>
    [own, ...(isShared ? shared : [])].map(value => value?.trim()).find(value => value);
  const ownModel = isChat ? record.llm_model : record.embedding_model;
  const ownProvider = isChat ? record.llm_provider : record.embedding_provider;
  return {
    provider: pick(ownProvider, record.provider),
    model: pick(ownModel, record.model, record.modelId),
    /** True if `embedding_provider` comes with a model that may be meant for language models. */
    isUnclear: !isChat && pick(ownModel) === undefined && pick(ownProvider) !== undefined,
    apiKey: pick(isChat ? record.llm_api_key : record.embedding_api_key, record.apiKey, record.api_key),
    baseURL: pick(isChat ? record.llm_base_url : record.embedding_base_url, record.baseURL, record.base_url),
    dimensions: record.embedding_dimensions ?? record.embedding_dims ?? record.dimensions ?? undefined,
  };
}

/** A model id with the name of its provider. */
interface ModelReference {
  readonly provider: string;
  readonly modelId: string;
}

/** Aliases, model patterns and default models of a provider that is registered at run time. */
export type ProviderNames = Pick<
  ProviderEntry,
  'aliases' | 'models' | 'defaultModels' | 'embeddingDimensions'
>;

/** The names of a provider, with the default models that its package is known for. */
export interface ProviderNaming extends ProviderNames {
  readonly knownModels?: DefaultModels;
}

/** The task that a model is chosen for. The kind selects default models of roles that the provider does not know. */
interface ModelTask {
  /** Undefined for a model that is named without a role. */
  readonly role: string | undefined;
  /** Undefined if a model of any kind is accepted. */
  readonly kind: ModelKind | 'image' | undefined;
}

/** The provider and the model that a record names. */
type NamedChoice = Partial<Pick<ReturnType<typeof normalizeChoice>, 'provider' | 'model' | 'isUnclear'>>;

/** Resolves the names of a registry. */
export interface ModelNames {
  add(provider: string, names: ProviderNaming): void;
  isTaken(name: string): boolean;
  /**
   * Resolves a role, an alias, a provider (its default model), `provider:model`, a model id that matches a pattern, or any
   * other model id, which belongs to the default provider.
   *
   * @throws KelivoError with code `unknown-name` and the known names, or `invalid-settings` for a provider without a
   *   default model.
   */
  find(name: string, task: ModelTask): ModelReference;
  /**
   * Resolves the model of a task. Fields of the choice override the role's defaults. A provider alone selects its own
   * model: that of the role if it belongs to the provider, else the default model of the provider.
   *
   * @throws KelivoError as `find`.
   */
  choose(task: ModelTask, choice: NamedChoice): ModelReference;
  /** @throws KelivoError with code `unknown-name` and the known names. */
  toProvider(name: string): string;
}

/** Creates the names of a registry. The default provider is the one that is added first, unless the configuration names one. */
export function createModelNames({
  aliases = {},
  roles = {},
  defaultProvider,
}: Pick<ProviderRegistryConfig, 'aliases' | 'roles' | 'defaultProvider'>): ModelNames {
  /** Provider names by name and alias. */
  const byName = new Map<string, string>();
  const namings = new Map<string, ProviderNaming>();
  /** In order of registration. The first match wins. */
  const patterns: { readonly expression: RegExp; readonly provider: string }[] = [];
  const models = { ...roles, ...aliases };

  return {
    add(provider, naming) {
      const { aliases: others = [], models: own = [] } = naming;
      namings.set(provider, naming);
      for (const name of [provider, ...others]) byName.set(name, provider);
      for (const pattern of own) patterns.push({ expression: toModelExpression(pattern), provider });
    },
    isTaken: name => byName.has(name),
    find: (name, task) => find(name, task, []),
    choose(task, { provider, model, isUnclear }) {
      if (provider === undefined) return model === undefined ? findRole(task) : find(model, task, []);
      const own = toProvider(provider);
      if (model === undefined) return { provider: own, modelId: findModelOf(own, task) };
      const named = toReference(model, byName);
      if (named !== undefined && named.provider === own) return named;
      const owner = isUnclear ? (named?.provider ?? findOwner(model)) : undefined;
      if (owner === undefined || owner === own) return { provider: own, modelId: model };
      throw new KelivoError({
        code: 'invalid-settings',
        message:
          `Expected \`embedding_model\` next to \`embedding_provider: ${JSON.stringify(provider)}\`, got only ` +
          `\`model: ${JSON.stringify(model)}\`, which belongs to the provider "${owner}".`,
      });
    },
    toProvider,
  };

  /** @param path Names resolved so far, to detect cycles: an alias may have the name of its model id. */
  function find(name: string, task: ModelTask, path: readonly string[]): ModelReference {
    const target = Object.hasOwn(models, name) && !path.includes(name) ? models[name] : undefined;
    if (target !== undefined) return find(target, task, [...path, name]);
    const named = byName.get(name);
    if (named !== undefined) return { provider: named, modelId: findDefaultOf(named, task) };
    const reference = toReference(name, byName);
    if (reference !== undefined) return reference;
    const matched = findOwner(name);
    if (matched !== undefined) return { provider: matched, modelId: name };
    const separator = name.indexOf(':');
    return {
      provider: toProvider(
        separator < 0 ? (defaultProvider ?? [...namings.keys()][0] ?? '') : name.slice(0, separator),
      ),
      modelId: name,
    };
  }

  /** Returns the provider whose patterns match a model id. */
  function findOwner(modelId: string): string | undefined {
    return patterns.find(pattern => pattern.expression.test(modelId))?.provider;
  }

  function findRole(task: ModelTask): ModelReference {
    const { role = '' } = task;
    const name = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (name !== undefined) return find(name, task, []);
    throw toUnknownNameError('role', { name: role, known: Object.keys(roles) });
  }

  /** Returns the model of a provider for a role that may name another provider. */
  function findModelOf(provider: string, task: ModelTask): string {
    const { role = '' } = task;
    const isKnown = Object.hasOwn(roles, role) || KINDS.includes(role) || hasDefault(provider, role);
    const ofRole = !isKnown || Object.hasOwn(roles, role) ? findRole(task) : undefined;
    if (ofRole?.provider === provider) return ofRole.modelId;
    // A model of the role that a pattern of the provider matches is served by both.
    const isServed = (modelId: string): boolean =>
      patterns.some(one => one.provider === provider && one.expression.test(modelId));
    const shared = ofRole !== undefined && isServed(ofRole.modelId) ? ofRole.modelId : undefined;
    return findDefaultOf(provider, task, shared);
  }

  /** @param shared Model of the role that the provider has, too. It precedes those that the package is known for. */
  function findDefaultOf(provider: string, { role = '', kind }: ModelTask, shared?: string): string {
    const { defaultModels = {}, knownModels = {} } = namings.get(provider) ?? {};
    const keys = [role, ...(kind === undefined ? KINDS : [kind])];
    const read = (from: DefaultModels) =>
      keys.flatMap(key => (Object.hasOwn(from, key) ? (from[key] ?? []) : []))[0];
    const modelId = read(defaultModels) ?? shared ?? read(knownModels);
    if (modelId !== undefined) return modelId;
    const taskName = role === '' ? `the task "${kind ?? 'chat'}"` : `the role "${role}"`;
    const variable = variablesOf(provider)?.[kind === 'embedding' ? kind : 'chat'];
    const hint = variable === undefined ? '' : ` (in the environment: \`${variable}\`)`;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        `Expected the name of a model of "${provider}", because this provider has no default model for ` +
        `${taskName}. Pass \`model\`, or set \`defaultModels\` of the provider${hint}.`,
    });
  }

  function hasDefault(provider: string, role: string): boolean {
    return Object.hasOwn(namings.get(provider)?.defaultModels ?? {}, role);
  }

  function toProvider(name: string): string {
    const provider = findProvider(name, byName);
    if (provider !== undefined) return provider;
    throw toUnknownNameError('provider', { name, known: byName.keys() });
  }
}

/** Reads `provider:model`. Returns undefined if the name does not begin with a provider. */
function toReference(name: string, byName: ReadonlyMap<string, string>): ModelReference | undefined {
  const separator = name.indexOf(':');
  const provider = separator < 0 ? undefined : findProvider(name.slice(0, separator), byName);
  if (provider === undefined) return undefined;
  const modelId = name.slice(separator + 1).trim();
  if (modelId !== '') return { provider, modelId };
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected a model id after the colon, got ${JSON.stringify(name)}. Name the provider alone for its default model.`,
  });
}

/** Returns the provider that has a name or alias. The case is ignored if only one provider matches then. */
export function findProvider(name: string, byName: ReadonlyMap<string, string>): string | undefined {
  const exact = byName.get(name);
  if (exact !== undefined) return exact;
  const found = [...byName].filter(([known]) => known.toLowerCase() === name.trim().toLowerCase());
  const owners = new Set(found.map(([, provider]) => provider));
  return owners.size === 1 ? [...owners][0] : undefined;
}

const KINDS: readonly string[] = ['chat', 'embedding'];

function toUnknownNameError(
  kind: 'provider' | 'role',
  options: { name: string; known: Iterable<string> },
): KelivoError {
  return new KelivoError({
    code: 'unknown-name',
    message: `Unknown ${kind} ${JSON.stringify(options.name)}. ${toNameHint(options.name, { kind: `${kind}s`, known: options.known })}`,
  });
}

/** Returns the names of an entry. If one of them is invalid, returns only its known models. */
export const toNaming = (entry: unknown): ProviderNaming => ({
  ...namesSchema.safeParse(entry).data,
  knownModels: knownModelsOf(entry),
});
