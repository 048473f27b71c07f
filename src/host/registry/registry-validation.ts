import { findAdapterIssues } from '../../adapters/adapter-choice.js';
import { findProviderSettingsIssues, validateSettings } from '../../provider/settings.js';
import { KelivoError } from '../../shared/errors.js';
import { isPlainObject, objectOf } from '../../shared/json.js';
import { findSettingsIssues } from '../../shared/settings.js';
import { validateMcpServers } from '../../mcp/config/config.js';
import { knownModelsOf } from './known-providers.js';
import { createModelNames, type Naming, type ProviderNaming } from '../model-names.js';
import {
  importedEntrySchema,
  kelivoEntrySchema,
  namesSchema,
  type ProviderRegistryConfig,
  registrySchema,
} from './registry-config.js';

const CONFIG = 'the provider configuration';

/**
 * Validates a configuration.
 *
 * @throws KelivoError with code `invalid-settings`. The message has one line per issue, each with its path.
 */
export function validateProviderConfig(config: unknown): ProviderRegistryConfig {
  assertNoIssues(config, findConfigIssues(config));
  return config;
}

function assertNoIssues(
  _config: unknown,
  issues: readonly string[],
): asserts _config is ProviderRegistryConfig {
  if (issues.length === 0) return;
  const [first = ''] = issues;
  const message = issues.length === 1 ? first : `Invalid provider configuration:\n- ${issues.join('\n- ')}`;
  throw new KelivoError({ code: 'invalid-settings', message });
}

function findConfigIssues(config: unknown): string[] {
  const issues = findSettingsIssues(registrySchema, config, CONFIG);
  // Every readable part is checked, even if another part is invalid.
  const { providers, mcpServers, aliases, roles, defaultProvider } = objectOf(config) ?? {};
  issues.push(...findServerIssues(mcpServers, 'mcpServers'));
  if (!isPlainObject(providers)) return issues;
  for (const [name, entry] of Object.entries(providers)) {
    issues.push(...findEntryIssues(entry, `providers.${name}`));
  }
  const { shape } = registrySchema;
  const naming = {
    providers: Object.fromEntries(Object.entries(providers).map(([name, entry]) => [name, toNaming(entry)])),
    aliases: shape.aliases.safeParse(aliases).data,
    roles: shape.roles.safeParse(roles).data,
    defaultProvider: shape.defaultProvider.safeParse(defaultProvider).data,
  };
  return [...issues, ...findNameIssues(naming)];
}

/** Returns the names of an entry. If one of them is invalid, returns only its known models. */
export const toNaming = (entry: unknown): ProviderNaming => ({
  ...namesSchema.safeParse(entry).data,
  knownModels: knownModelsOf(entry),
});

/** @param path Path of the entry in the configuration, for messages. */
export function findEntryIssues(entry: unknown, path: string): string[] {
  const { type, settings, adapters, mcpServers, toolLoop, ...rest } = objectOf(entry) ?? {};
  const schema = 'import' in rest ? importedEntrySchema : kelivoEntrySchema;
  const allSettings = {
    ...(type === 'kelivo-responses' && objectOf(settings)),
    ...(isPlainObject(mcpServers) && { mcpServers }),
    ...((toolLoop === false || isPlainObject(toolLoop)) && { toolLoop }),
  };
  return [
    ...findSettingsIssues(schema, entry, `\`${path}\` of ${CONFIG}`),
    ...findSettingIssues(allSettings, path),
    ...findServerIssues(mcpServers, `${path}.mcpServers`),
    ...findAdapterIssues(adapters).map(issue => `\`${path}.adapters\`: ${issue}`),
  ];
}

function findSettingIssues(settings: Readonly<Record<string, unknown>>, path: string): string[] {
  const issues = findProviderSettingsIssues(settings).map(issue => `\`${path}\`: ${issue}`);
  return issues.length > 0 ? issues : toIssues(path, () => validateSettings(settings));
}

function findServerIssues(servers: unknown, path: string): string[] {
  return Object.entries(objectOf(servers) ?? {}).flatMap(([name, server]) =>
    toIssues(path, () => validateMcpServers({ [name]: server })),
  );
}

/** Finds provider names that are duplicate or contain ":", and model names that resolve to no provider. */
function findNameIssues({ providers, defaultProvider, aliases = {}, roles = {} }: Naming): string[] {
  const given = [
    ...Object.keys(providers).map(name => ({ name, path: `providers.${name}` })),
    ...Object.entries(providers).flatMap(([provider, { aliases: others = [] }]) =>
      others.map((name, index) => ({ name, path: `providers.${provider}.aliases.${index}` })),
    ),
  ];
  if (given.length === 0) return ['`providers`: Expected at least one provider, got none.'];
  const issues: string[] = [];
  const owners = new Map<string, string>();
  for (const { name, path } of given) {
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, path);
    else issues.push(`\`${path}\`: Expected a unique name, got "${name}", which \`${owner}\` already uses.`);
    issues.push(...findSeparatorIssues(name, path));
  }

  const names = createModelNames({
    ...{ providers, aliases, roles },
    defaultProvider:
      defaultProvider !== undefined && owners.has(defaultProvider) ? defaultProvider : undefined,
  });
  const check = (path: string, find: () => unknown) => issues.push(...toIssues(path, find));
  if (defaultProvider !== undefined) check('defaultProvider', () => names.toProvider(defaultProvider));
  for (const [kind, models] of Object.entries({ aliases, roles })) {
    for (const [name, model] of Object.entries(models)) {
      // A role may be used for models of any kind.
      check(`${kind}.${name}`, () => names.find(model, { role: name, kind: undefined }));
    }
  }
  return issues;
}

/** A provider name that contains the separator cannot be used in `provider:model`. */
export const findSeparatorIssues = (name: string, path: string): string[] =>
  name.includes(':')
    ? [
        `\`${path}\`: Expected a provider name without ":", which separates it from a model id, got "${name}".`,
      ]
    : [];

/** Converts the error that a check throws into an issue at a path. */
function toIssues(path: string, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (KelivoError.isInstance(error)) return [`\`${path}\`: ${error.message}`];
    throw error;
  }
}
