import type * as z from 'zod/v4';
import { modelAdapters } from '../adapters/model-adapters.js';
import { KelivoError } from '../errors.js';
import { findFaults } from '../parse-settings.js';
import { validateSettings } from '../settings.js';
import { validateMcpServers } from '../tools/mcp/validate-mcp-servers.js';
import {
  importedEntrySchema,
  kelivoEntrySchema,
  type ProviderEntry,
  type ProviderRegistryConfig,
  registrySchema,
} from './provider-registry-config.js';

const CONFIG = 'the provider configuration';

/**
 * Checks a configuration as a whole.
 *
 * @throws KelivoError with code `invalid-settings` and a line for each fault, with the path to it.
 */
export function validateProviderConfig(config: unknown): ProviderRegistryConfig {
  const faults = findFaults(registrySchema, config, CONFIG);
  if (faults.length === 0) {
    const { providers, mcpServers } = config as z.infer<typeof registrySchema>;
    if (mcpServers !== undefined)
      faults.push(...faultsOf('mcpServers', () => validateMcpServers(mcpServers)));
    for (const [name, entry] of Object.entries(providers)) {
      faults.push(...findEntryFaults(entry, `providers.${name}`));
    }
  }
  if (faults.length === 0) faults.push(...findNameFaults(config as ProviderRegistryConfig));
  if (faults.length === 0) return config as ProviderRegistryConfig;
  throw new KelivoError({
    code: 'invalid-settings',
    message: faults.length === 1 ? String(faults[0]) : `Invalid ${CONFIG}:\n- ${faults.join('\n- ')}`,
  });
}

/** @param path where the entry stands, for messages. */
export function findEntryFaults(entry: unknown, path: string): string[] {
  const isImported = typeof entry === 'object' && entry !== null && 'import' in entry;
  const faults = findFaults(
    isImported ? importedEntrySchema : kelivoEntrySchema,
    entry,
    `\`${path}\` of ${CONFIG}`,
  );
  if (faults.length > 0) return faults;
  const { adapters, mcpServers, toolLoop, ...rest } = entry as ProviderEntry;
  const settings = {
    ...('import' in rest ? {} : rest.settings),
    ...(mcpServers && { mcpServers }),
    ...(toolLoop !== undefined && { toolLoop }),
  };
  return [
    ...faultsOf(path, () => validateSettings(settings)),
    ...(mcpServers ? faultsOf(`${path}.mcpServers`, () => validateMcpServers(mcpServers)) : []),
    ...(adapters ? findAdapterFaults(adapters, `${path}.adapters`) : []),
  ];
}

function faultsOf(path: string, validate: () => unknown): string[] {
  try {
    validate();
    return [];
  } catch (error) {
    if (KelivoError.isInstance(error)) return [`\`${path}\`: ${error.message}`];
    throw error;
  }
}

function findAdapterFaults(names: readonly string[], path: string): string[] {
  const known = modelAdapters.all().map(adapter => adapter.name);
  return names
    .filter(name => !known.includes(name))
    .map(name => `\`${path}\`: Unknown adapter "${name}". Known are: ${known.join(', ')}.`);
}

/** Names that are taken twice, and names of providers that are not there. */
function findNameFaults({
  providers,
  defaultProvider,
  aliases = {},
  roles = {},
}: ProviderRegistryConfig): string[] {
  const faults: string[] = [];
  const taken = new Map<string, string>(Object.keys(providers).map(name => [name, `providers.${name}`]));
  for (const [name, { aliases: others = [] }] of Object.entries(providers)) {
    others.forEach((alias, index) => {
      const path = `providers.${name}.aliases.${index}`;
      const owner = taken.get(alias);
      if (owner === undefined) taken.set(alias, path);
      else faults.push(`\`${path}\`: "${alias}" is the name of \`${owner}\` already.`);
    });
  }
  const known = [...taken.keys()];
  const checkProvider = (name: string, path: string): void => {
    if (!taken.has(name))
      faults.push(`\`${path}\`: Unknown provider "${name}". Known are: ${known.join(', ')}.`);
  };
  if (known.length === 0) faults.push(`\`providers\`: Expected at least one provider, got none.`);
  if (defaultProvider !== undefined) checkProvider(defaultProvider, 'defaultProvider');
  for (const [kind, models] of Object.entries({ aliases, roles })) {
    for (const [name, model] of Object.entries(models)) {
      // A model id may have a colon of its own, as Ollama's `qwen3:8b`, after that of its provider.
      const [provider = '', ...modelId] = model.split(':');
      const isName = modelId.length === 0;
      if (!isName) checkProvider(provider, `${kind}.${name}`);
    }
  }
  return faults;
}
