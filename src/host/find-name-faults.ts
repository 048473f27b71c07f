import { createModelNames, type Naming } from './create-model-names.js';
import { faultsOf } from './faults-of.js';

/** Names that are taken twice or cannot be told apart, and names that mean nothing; a sentence for each. */
export function findNameFaults({ providers, defaultProvider, aliases = {}, roles = {} }: Naming): string[] {
  const given = [
    ...Object.keys(providers).map(name => ({ name, path: `providers.${name}` })),
    ...Object.entries(providers).flatMap(([provider, { aliases: others = [] }]) =>
      others.map((name, index) => ({ name, path: `providers.${provider}.aliases.${index}` })),
    ),
  ];
  if (given.length === 0) return ['`providers`: Expected at least one provider, got none.'];
  const faults: string[] = [];
  const owners = new Map<string, string>();
  for (const { name, path } of given) {
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, path);
    else faults.push(`\`${path}\`: "${name}" is the name of \`${owner}\` already.`);
    faults.push(...findSeparatorFaults(name, path));
  }

  const names = createModelNames({
    ...{ providers, aliases, roles },
    defaultProvider:
      defaultProvider !== undefined && owners.has(defaultProvider) ? defaultProvider : undefined,
  });
  const check = (path: string, find: () => unknown) => faults.push(...faultsOf(path, find));
  if (defaultProvider !== undefined)
    check('defaultProvider', () => names.choose('', { provider: defaultProvider, model: '' }));
  for (const [kind, models] of Object.entries({ aliases, roles })) {
    for (const [name, model] of Object.entries(models)) check(`${kind}.${name}`, () => names.find(model));
  }
  return faults;
}

/** A provider whose name has the separator could not be named in `provider:model`. */
export const findSeparatorFaults = (name: string, path: string): string[] =>
  name.includes(':')
    ? [
        `\`${path}\`: Expected the name of a provider without ":", which parts it from a model id, got "${name}".`,
      ]
    : [];
