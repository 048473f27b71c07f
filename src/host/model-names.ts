import { KelivoError } from '../shared/errors.js';
import { toModelExpression } from '../shared/model-pattern.js';
import { nearestName } from '../shared/nearest-name.js';
import type { ProviderEntry, ProviderRegistryConfig } from './registry-config.js';

/** A model id with the name of its provider. */
export interface ModelReference {
  readonly provider: string;
  readonly modelId: string;
}

/** Aliases and model patterns of a provider that is registered at run time. */
export type ProviderNames = Pick<ProviderEntry, 'aliases' | 'models'>;

/** The parts of a configuration that define names. */
export interface Naming extends Pick<ProviderRegistryConfig, 'aliases' | 'roles' | 'defaultProvider'> {
  readonly providers: Readonly<Record<string, ProviderNames>>;
}

/** Model selection of an application record. Null or missing fields fall back to the role. */
export interface ModelChoice {
  /** Name or alias of a provider. */
  readonly provider?: string | null;
  /** A model name as the registry accepts it. If `provider` is set, a model id of that provider. */
  readonly model?: string | null;
  /** API key for the requests of this model. */
  readonly apiKey?: string | null;
  /** Base URL. It receives the default API key unless the record has one, so use trusted records only. */
  readonly baseURL?: string | null;
  /** Vector length, for embedding models. */
  readonly dimensions?: number | null;
}

/** Resolves the names of a registry. */
export interface ModelNames {
  add(provider: string, names: ProviderNames): void;
  isTaken(name: string): boolean;
  /**
   * Resolves a role, an alias, `provider:model`, a model id that matches a pattern, or any other model id, which belongs
   * to the default provider.
   *
   * @throws KelivoError with code `unknown-name` and the known names.
   */
  find(name: string): ModelReference;
  /**
   * Resolves the model of a role. Fields of the choice override the role's defaults.
   *
   * @throws KelivoError with code `unknown-name` and the known names.
   */
  choose(role: string, choice: ModelChoice): ModelReference;
}

export function createModelNames({
  providers,
  aliases = {},
  roles = {},
  defaultProvider = Object.keys(providers)[0] ?? '',
}: Naming): ModelNames {
  /** Provider names by name and alias. */
  const byName = new Map<string, string>();
  /** In order of registration. The first match wins. */
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

  /** @param path Names resolved so far, to detect cycles: an alias may have the name of its model id. */
  function find(name: string, path: readonly string[]): ModelReference {
    const target = Object.hasOwn(models, name) && !path.includes(name) ? models[name] : undefined;
    if (target !== undefined) return find(target, [...path, name]);
    const separator = name.indexOf(':');
    const prefix = name.slice(0, Math.max(separator, 0));
    if (byName.has(prefix)) return { provider: toProvider(prefix), modelId: name.slice(separator + 1) };
    const matched = patterns.find(({ expression }) => expression.test(name))?.provider;
    if (matched !== undefined) return { provider: matched, modelId: name };
    return { provider: toProvider(separator < 0 ? defaultProvider : prefix), modelId: name };
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
  return new KelivoError({
    code: 'unknown-name',
    message: `Unknown ${kind} ${JSON.stringify(name)}. ${toNameHint(name, { kind, known: [...known] })}`,
  });
}

/** Suggests the nearest name and lists all known names. */
export function toNameHint(
  name: string,
  { kind, known }: { kind: 'adapter' | 'provider' | 'role'; known: readonly string[] },
): string {
  // Every name of one or two characters is similar to every other one.
  const nearest = name.length < 3 ? undefined : nearestName(name, known);
  const suggestion = nearest === undefined ? '' : `Did you mean ${JSON.stringify(nearest)}? `;
  const names = known.map(one => JSON.stringify(one)).join(', ') || 'none';
  return `${suggestion}Known ${kind}s: ${names}.`;
}
