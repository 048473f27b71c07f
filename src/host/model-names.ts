import { KelivoError } from '../shared/errors.js';
import { toModelExpression } from '../shared/model-pattern.js';
import type { ProviderEntry, ProviderRegistryConfig } from './registry-config.js';

/** A model, and whose it is. */
export interface ModelReference {
  readonly provider: string;
  readonly modelId: string;
}

/** The further names of a provider that is registered at run time. */
export type ProviderNames = Pick<ProviderEntry, 'aliases' | 'models'>;

/** What gives names in a configuration. */
export interface Naming extends Pick<ProviderRegistryConfig, 'aliases' | 'roles' | 'defaultProvider'> {
  readonly providers: Readonly<Record<string, ProviderNames>>;
}

/** What a record of the application's may say of its model. What is null or missing is as the role has it. */
export interface ModelChoice {
  /** A provider by any of its names. */
  readonly provider?: string | null;
  /** A model name as the registry takes it; beside `provider` a model id of that provider. */
  readonly model?: string | null;
  /** The key for its requests. */
  readonly apiKey?: string | null;
  /** Gets the key of the defaults where the record has none of its own: to be taken from trusted records only. */
  readonly baseURL?: string | null;
  /** The length of vectors, for embedding models. */
  readonly dimensions?: number | null;
}

/** What names mean in a registry. */
export interface ModelNames {
  add(provider: string, names: ProviderNames): void;
  isTaken(name: string): boolean;
  /**
   * A role or an alias, `provider:model`, a model id that a pattern gives to a provider, or any other model id, which is
   * the default provider's.
   *
   * @throws KelivoError with code `unknown-name`, with the names that there are.
   */
  find(name: string): ModelReference;
  /**
   * The model of a role, with what a record says in place of the defaults.
   *
   * @throws KelivoError with code `unknown-name`, with the names that there are.
   */
  choose(role: string, choice: ModelChoice): ModelReference;
}

export function createModelNames({
  providers,
  aliases = {},
  roles = {},
  defaultProvider = Object.keys(providers)[0] ?? '',
}: Naming): ModelNames {
  /** The name of a provider by each of its names. */
  const byName = new Map<string, string>();
  /** The first that fits counts. */
  const patterns: { readonly expression: RegExp; readonly provider: string }[] = [];
  const models = { ...roles, ...aliases };

  const names: ModelNames = {
    add(provider, { aliases: others = [], models: own = [] }) {
      for (const name of [provider, ...others]) byName.set(name, provider);
      for (const pattern of own) patterns.push({ expression: toModelExpression(pattern), provider });
    },
    isTaken: name => byName.has(name),
    find: name => find(name, []),
    choose(role, { provider, model }) {
      if (provider == null) return model == null ? findRole(role) : find(model, []);
      return { provider: toProvider(provider), modelId: model ?? findRole(role).modelId };
    },
  };
  for (const [name, entry] of Object.entries(providers)) names.add(name, entry);
  return names;

  /** @param path the names that led here: an alias may have the name of the model it stands for. */
  function find(name: string, path: readonly string[]): ModelReference {
    const meaning = Object.hasOwn(models, name) && !path.includes(name) ? models[name] : undefined;
    if (meaning !== undefined) return find(meaning, [...path, name]);
    const at = name.indexOf(':');
    const prefix = name.slice(0, Math.max(at, 0));
    if (byName.has(prefix)) return { provider: toProvider(prefix), modelId: name.slice(at + 1) };
    const detected = patterns.find(({ expression }) => expression.test(name))?.provider;
    if (detected !== undefined) return { provider: detected, modelId: name };
    return { provider: toProvider(at < 0 ? defaultProvider : prefix), modelId: name };
  }

  function findRole(role: string): ModelReference {
    const name = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (name !== undefined) return find(name, []);
    throw toUnknownNameError('role', { name: role, known: Object.keys(roles) });
  }

  function toProvider(name: string): string {
    const provider = byName.get(name);
    if (provider !== undefined) return provider;
    throw toUnknownNameError('provider', { name, known: byName.keys() });
  }
}

function toUnknownNameError(
  kind: 'provider' | 'role',
  { name, known }: { name: string; known: Iterable<string> },
): KelivoError {
  const names = [...known].map(one => `"${one}"`).join(', ') || 'none';
  return new KelivoError({
    code: 'unknown-name',
    message: `Unknown ${kind} ${JSON.stringify(name)}. There are: ${names}.`,
  });
}
