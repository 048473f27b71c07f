import { findAdapterIssues } from '../../adapters/adapter-choice.js';
import { validateMcpServers } from '../../mcp/config/config.js';
import { findProviderSettingsIssues, listSettingNames } from '../../provider/settings.js';
import { KelivoError } from '../../shared/errors.js';
import { isPlainObject, objectOf } from '../../shared/json.js';
import { nearestName } from '../../shared/nearest-name.js';
import { findSettingsIssues } from '../../shared/settings.js';
import { isToolSource } from '../../tools/tool-source.js';
import { createModelNames, toNaming } from './resolve.js';
import {
  importedEntrySchema,
  kelivoEntrySchema,
  type ProviderRegistryConfig,
  registrySchema,
} from './schema.js';

const CONFIG = 'the provider configuration';

/**
 * Validates a configuration and the names in it.
 *
 * @throws KelivoError with code `invalid-settings`. The message has one line per issue, each with its path.
 */
export function validateProviderConfig(config: unknown): ProviderRegistryConfig {
  const issues = [...findConfigIssues(config), ...findNameIssues(config)];
  const [first] = issues;
  if (first === undefined) return config as ProviderRegistryConfig;
  const message = issues.length === 1 ? first : `Invalid provider configuration:\n- ${issues.join('\n- ')}`;
  throw new KelivoError({ code: 'invalid-settings', message });
}

/** Every readable part is checked, even if another part is invalid. */
function findConfigIssues(config: unknown): string[] {
  const { providers, mcpServers } = objectOf(config) ?? {};
  return [
    ...findSettingsIssues(registrySchema, config, CONFIG),
    ...findServerIssues(mcpServers, 'mcpServers'),
    ...Object.entries(objectOf(providers) ?? {}).flatMap(([entryName, entry]) =>
      findEntryIssues(entry, `providers.${entryName}`),
    ),
  ];
}

/** @param path Path of the entry in the configuration, for messages. */
export function findEntryIssues(entry: unknown, path: string): string[] {
  const fields = objectOf(entry) ?? {};
  const isImported = 'import' in fields || ('creator' in fields && fields.type === undefined);
  const schema = isImported ? importedEntrySchema() : kelivoEntrySchema;
  const given = isImported ? fields : (objectOf(fields.settings) ?? {});
  const place = isImported ? path : `${path}.settings`;
  const adapters: [string, unknown][] = [[`${place}.adapters`, given.adapters]];
  for (const [pattern, override] of Object.entries(objectOf(given.models) ?? {}))
    adapters.push([`${place}.models.${pattern}.adapters`, objectOf(override)?.adapters]);
  return [
    ...findSettingsIssues(schema, entry, `\`${path}\` of ${CONFIG}`),
    ...findUnknownKeys(fields, Object.keys(schema.shape), path),
    ...(isImported ? [] : findProviderSettingsIssues(given).map(issue => `\`${place}\`: ${issue}`)),
    ...findServerIssues(given.mcpServers, `${place}.mcpServers`),
    ...adapters.flatMap(([at, selection]) =>
      findAdapterIssues(selection).map(issue => `\`${at}\`: ${issue}`),
    ),
  ];
}

/** Rows of other applications have settings of the provider at the top. */
function findUnknownKeys(entry: object, known: readonly string[], path: string): string[] {
  const unknown = Object.keys(entry).filter(key => !known.includes(key));
  return unknown.map(key => {
    const setting = nearestName(key, listSettingNames());
    const nearest = nearestName(key, known) ?? (setting && `settings.${setting}`);
    const hint = nearest === undefined ? `Valid names: ${known.join(', ')}.` : `Did you mean \`${nearest}\`?`;
    return `Unknown setting \`${key}\` in \`${path}\` of ${CONFIG}. ${hint}`;
  });
}

const findServerIssues = (servers: unknown, path: string): string[] =>
  isPlainObject(servers) && !isToolSource(servers)
    ? Object.entries(servers).flatMap(([server, config]) =>
        toIssues(path, () => validateMcpServers({ [server]: config })),
      )
    : [];

/** A provider name that contains the separator cannot be used in `provider:model`. */
export const findSeparatorIssues = (providerName: string, path: string): string[] =>
  providerName.includes(':')
    ? [
        `\`${path}\`: Expected a provider name without ":", which separates it from a model id, got "${providerName}".`,
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

/** Finds provider names that are duplicate or contain ":", and model names that resolve to no provider. */
function findNameIssues(config: unknown): string[] {
  const entries = objectOf(config)?.providers;
  if (!isPlainObject(entries)) return [];
  const { shape } = registrySchema;
  const aliases = shape.aliases.safeParse(objectOf(config)?.aliases).data ?? {};
  const roles = shape.roles.safeParse(objectOf(config)?.roles).data ?? {};
  const defaultProvider = shape.defaultProvider.safeParse(objectOf(config)?.defaultProvider).data;
  const providers = Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, toNaming(entry)] as const),
  );
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

  const isKnown = defaultProvider !== undefined && owners.has(defaultProvider);
  const names = createModelNames({ aliases, roles, defaultProvider: isKnown ? defaultProvider : undefined });
  for (const [name, naming] of Object.entries(providers)) names.add(name, naming);
  if (defaultProvider !== undefined)
    issues.push(...toIssues('defaultProvider', () => names.toProvider(defaultProvider)));
  for (const [kind, models] of Object.entries({ aliases, roles })) {
    for (const [name, model] of Object.entries(models)) {
      // A role may be used for models of any kind.
      const task = { role: name, kind: undefined };
      issues.push(...toIssues(`${kind}.${name}`, () => names.find(model, task)));
    }
  }
  return issues;
}
