import { KelivoError } from '../errors.js';
import { toModelExpression } from '../model-pattern.js';

/** A model, and whose it is. */
export interface ModelReference {
  readonly provider: string;
  readonly modelId: string;
}

/** What names mean in a registry. */
export interface NameTable {
  /** The name of a provider by each of its names. */
  readonly providers: ReadonlyMap<string, string>;
  /** Patterns of model names, with their provider. The first that fits counts. */
  readonly patterns: readonly (readonly [pattern: string, provider: string])[];
  /** Names of models: aliases and roles. */
  readonly models: Readonly<Record<string, string>>;
  readonly defaultProvider: string;
}

/**
 * Finds out what a model name means: a role or an alias, `provider:model`, a model id that a pattern gives to a provider,
 * or any other model id, which is the default provider's.
 *
 * @throws KelivoError with code `unknown-name`, with the names that there are.
 */
export function resolveModelName(name: string, table: NameTable): ModelReference {
  return resolve(name, table, []);
}

function resolve(name: string, table: NameTable, path: readonly string[]): ModelReference {
  const { providers, patterns, models, defaultProvider } = table;
  if (Object.hasOwn(models, name) && !path.includes(name)) {
    return resolve(models[name] ?? '', table, [...path, name]);
  }
  const at = name.indexOf(':');
  const provider = at < 0 ? undefined : providers.get(name.slice(0, at));
  if (provider !== undefined) return { provider, modelId: name.slice(at + 1) };
  const detected = patterns.find(([pattern]) => toModelExpression(pattern).test(name))?.[1];
  if (detected !== undefined) return { provider: detected, modelId: name };
  if (at < 0) return { provider: defaultProvider, modelId: name };
  throw toUnknownNameError('provider', { name: name.slice(0, at), known: providers.keys() });
}

export function toUnknownNameError(
  kind: 'provider' | 'role',
  { name, known }: { name: string; known: Iterable<string> },
): KelivoError {
  const names = [...known].map(one => `"${one}"`).join(', ') || 'none';
  return new KelivoError({
    code: 'unknown-name',
    message: `Unknown ${kind} ${JSON.stringify(name)}. There are: ${names}.`,
  });
}
