import { modelAdapters } from '../adapters/model-adapters.js';
import { KelivoError } from '../shared/errors.js';
import { findSettingsIssues } from '../shared/parse-settings.js';
import { findSettingFaults, validateSettings } from '../provider/settings.js';
import type { McpServers } from '../tools/mcp/config.js';
import { validateMcpServers } from '../tools/mcp/validate-mcp-servers.js';
import {
  importedEntrySchema,
  kelivoEntrySchema,
  namesSchema,
  type ProviderRegistryConfig,
  registrySchema,
} from './registry-config.js';
import { createModelNames, type Naming } from './model-names.js';

const CONFIG = 'the provider configuration';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Checks a configuration as a whole.
 *
 * @throws KelivoError with code `invalid-settings` and a line for each fault, with the path to it.
 */
export function validateProviderConfig(config: unknown): ProviderRegistryConfig {
  const faults = findSettingsIssues(registrySchema, config, CONFIG);
  // What can be read is looked into, whatever is wrong beside it.
  const { providers, mcpServers, ...naming }: Fields = Object(config);
  faults.push(...findServerFaults(mcpServers, 'mcpServers'));
  if (isRecord(providers)) {
    for (const [name, entry] of Object.entries(providers)) {
      faults.push(...findEntryFaults(entry, `providers.${name}`));
    }
    const { aliases, roles, defaultProvider } = registrySchema.shape;
    faults.push(
      ...findNameFaults({
        providers: Object.fromEntries(
          Object.entries(providers).map(([name, entry]) => [name, namesSchema.safeParse(entry).data ?? {}]),
        ),
        aliases: aliases.safeParse(naming.aliases).data,
        roles: roles.safeParse(naming.roles).data,
        defaultProvider: defaultProvider.safeParse(naming.defaultProvider).data,
      }),
    );
  }
  if (faults.length === 0) return config as ProviderRegistryConfig;
  throw new KelivoError({
    code: 'invalid-settings',
    message: faults.length === 1 ? String(faults[0]) : `Invalid ${CONFIG}:\n- ${faults.join('\n- ')}`,
  });
}

/** @param path where the entry stands, for messages. */
export function findEntryFaults(entry: unknown, path: string): string[] {
  const { type, settings, adapters, mcpServers, toolLoop, ...rest }: Fields = Object(entry);
  const schema = 'import' in rest ? importedEntrySchema : kelivoEntrySchema;
  const allSettings = {
    ...(type === 'kelivo-responses' && isRecord(settings) && settings),
    ...(isRecord(mcpServers) && { mcpServers }),
    ...((toolLoop === false || isRecord(toolLoop)) && { toolLoop }),
  };
  return [
    ...findSettingsIssues(schema, entry, `\`${path}\` of ${CONFIG}`),
    ...findSettingsFaults(allSettings, path),
    ...findServerFaults(mcpServers, `${path}.mcpServers`),
    ...(Array.isArray(adapters) ? findAdapterFaults(adapters, `${path}.adapters`) : []),
  ];
}

function findSettingsFaults(settings: Fields, path: string): string[] {
  const faults = findSettingFaults(settings).map(fault => `\`${path}\`: ${fault}`);
  return faults.length > 0 ? faults : faultsOf(path, () => validateSettings(settings));
}

function findServerFaults(servers: unknown, path: string): string[] {
  if (!isRecord(servers)) return [];
  return Object.entries(servers as McpServers).flatMap(([name, server]) =>
    faultsOf(path, () => validateMcpServers({ [name]: server })),
  );
}

function findAdapterFaults(names: readonly unknown[], path: string): string[] {
  const known = modelAdapters.all().map(adapter => adapter.name);
  return names
    .filter(name => typeof name === 'string' && !known.includes(name))
    .map(name => `\`${path}\`: Unknown adapter "${String(name)}". Known are: ${known.join(', ')}.`);
}

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** What a check throws, as a fault at a place; none where it throws nothing. */
export function faultsOf(path: string, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (KelivoError.isInstance(error)) return [`\`${path}\`: ${error.message}`];
    throw error;
  }
}
