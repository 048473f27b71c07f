import { nearestName } from '../../core/shared/names.js';
import { type KnownProvider, knownProviders } from './known-providers.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a provider that have variables, by the ends of their names. */
export const variableEndings = {
  apiKey: ['API_KEY'],
  baseURL: ['BASE_URL'],
  chat: ['MODEL'],
  embedding: ['EMBEDDING_MODEL'],
  dimensions: ['EMBEDDING_DIMS', 'EMBEDDING_DIMENSIONS'],
} as const;

/** Variables that belong to no provider. */
const OTHERS = [
  'LLM_PROVIDER',
  'EMBEDDING_PROVIDER',
  'EMBEDDING_DIMS',
  'EMBEDDING_DIMENSIONS',
  'KELIVO_RESPONSES',
  'KELIVO_HISTORY_SECRET',
  'KELIVO_PLAYGROUND_URL',
];

/** Reads a variable. A blank value counts as unset. */
export const readVariable = (environment: Environment, name: string): string | undefined =>
  environment[name]?.trim() || undefined;

/** Returns true if a variable with one of the prefixes is set. */
export const hasVariables = (prefixes: readonly string[], environment: Environment): boolean =>
  Object.keys(environment).some(
    name =>
      prefixes.some(prefix => name.startsWith(`${prefix}_`)) && readVariable(environment, name) !== undefined,
  );

/**
 * Finds variables that are ignored although the user probably expects otherwise. The texts contain no values, which may be
 * keys.
 *
 * @param used The names of the providers of roles.
 */
export function findEnvironmentWarnings(environment: Environment, used: ReadonlySet<string>): string[] {
  const providers = Object.values(knownProviders);
  // Two providers have the variables of OpenAI.
  const contradictions = new Set(providers.flatMap(known => findContradictions(known, environment)));
  return [
    ...findMisspelt(environment),
    ...contradictions,
    ...(used.has('openai-compatible') ? findMixedServers(environment) : []),
  ];
}

/** The names of a provider's variables for one setting, the one that wins first. */
const namesOf = (prefixes: readonly string[], endings: readonly string[]): string[] =>
  prefixes.flatMap(prefix => endings.map(ending => `${prefix}_${ending}`));

const endingsOf = (known: KnownProvider): readonly (readonly string[])[] => [
  ...Object.values(variableEndings),
  ...Object.values(known.settings ?? {}).map(ending => [ending]),
];

function findMisspelt(environment: Environment): string[] {
  const ofProviders = Object.values(knownProviders).flatMap(known =>
    namesOf(known.prefixes, endingsOf(known).flat()),
  );
  const known = [...new Set([...OTHERS, ...ofProviders])];
  const families = new Set(known.map(toFamily));
  return Object.keys(environment).flatMap(name => {
    const isOther = !families.has(toFamily(name)) || readVariable(environment, name) === undefined;
    // A longer name, such as `OLLAMA_MODELS`, is that of another program.
    if (isOther || name.startsWith('LLM_ROLE_') || known.some(one => name.startsWith(one))) return [];
    const meant = nearestName(name, known);
    return meant === undefined ? [] : [`\`${name}\` is set, but is not read. Did you mean \`${meant}\`?`];
  });
}

const toFamily = (name: string): string => name.slice(0, name.indexOf('_') + 1);

function findContradictions(known: KnownProvider, environment: Environment): string[] {
  return endingsOf(known).flatMap(endings => {
    const set = namesOf(known.prefixes, endings).filter(
      name => readVariable(environment, name) !== undefined,
    );
    const values = new Set(set.map(name => readVariable(environment, name)));
    const [winner, ...ignored] = set;
    if (winner === undefined || values.size < 2) return [];
    const names = ignored.map(name => `\`${name}\``).join(', ');
    return [`\`${winner}\` and ${names} have different values. \`${winner}\` is used. Remove the others.`];
  });
}

/** A compatible server receives no key of OpenAI, and needs an address. */
function findMixedServers(environment: Environment): string[] {
  const { prefixes = [], otherPrefixes = [] } = knownProviders['openai-compatible'] ?? {};
  const isOwn = hasVariables(prefixes, environment);
  const read = (among: readonly string[], ending: string) =>
    among.some(prefix => readVariable(environment, `${prefix}_${ending}`) !== undefined);
  const [own = ''] = prefixes;
  const [other = ''] = otherPrefixes;
  const [key] = variableEndings.apiKey;
  const [address] = variableEndings.baseURL;
  const warnings: string[] = [];
  if (!read(isOwn ? prefixes : otherPrefixes, address)) {
    const unused = read(otherPrefixes, address)
      ? `, and \`${other}_${address}\` is not used beside variables of ${own}_…`
      : '';
    warnings.push(`The provider openai-compatible has no address${unused}. Set \`${own}_${address}\`.`);
  }
  if (isOwn && !read(prefixes, key) && read(otherPrefixes, key)) {
    warnings.push(
      `The provider openai-compatible sends no key, because \`${other}_${key}\` is not used beside variables of ${own}_…. ` +
        `Set \`${own}_${key}\` if the server needs one.`,
    );
  }
  return warnings;
}
