import * as z from 'zod/v4';
import { findAdapterIssues } from '../../adapters/adapter-choice.js';
import { type McpServers, validateMcpServers } from '../../tools/mcp/config/config.js';
import {
  findProviderSettingsIssues,
  type KelivoResponsesSettings,
  settingsTable,
} from '../../provider/settings.js';
import { KelivoError } from '../../core/shared/errors.js';
import { isPlainObject, objectOf } from '../../core/shared/json.js';
import { nearestName } from '../../core/shared/names.js';
import { once } from '../../core/shared/once.js';
import { findSettingsIssues } from '../../core/shared/settings.js';
import { isToolSource } from '../../tools/tool-source.js';
import {
  type SwitchableProviderOptions,
  type SwitchValue,
  switchValueSchema,
} from '../switch/switchable-provider.js';

/*
 * First stage of a registry: the JSON document, and every issue of it with its path.
 */

/** Providers, models and tools of an application, as plain data that can be stored as JSON. */
export interface ProviderRegistryConfig {
  /** Providers by name. The application chooses the names. */
  providers: Record<string, ProviderEntry>;
  /** Provider of models that no name or pattern assigns to another one. @default the first of `providers` */
  defaultProvider?: string;
  /** Aliases of models: `{ "fast": "openai:gpt-5-mini" }`. */
  aliases?: Record<string, string>;
  /** Default models by task: `{ "chat": "openai:gpt-5", "summary": "fast" }`. */
  roles?: Record<string, string>;
  /** MCP servers for the models of all providers that do not configure their own. */
  mcpServers?: McpServers;
}

/** One provider: of this package or of another AI SDK package. */
export type ProviderEntry = KelivoProviderEntry | ImportedProviderEntry;

/** Fields of both kinds of entries: what is called what. */
interface NamedEntry {
  /** Aliases of the provider. */
  aliases?: string[];
  /** Patterns of model ids that belong to this provider, such as `gemini-*`; `*` matches any characters. */
  models?: string[];
  /**
   * Model ids by role, for records that name the provider alone: `{ "chat": "gemini-2.5-pro" }`. The roles `chat` and
   * `embedding` also apply to other roles, for models of their kind.
   * @default a model of the package, if it is one of OpenAI, Google, Anthropic, Mistral, xAI or DeepSeek
   */
  defaultModels?: Record<string, string>;
  /** Length of embedding vectors, unless a record specifies another one. @default the model's own length */
  embeddingDimensions?: number;
}

/** The provider of this package. */
export interface KelivoProviderEntry extends NamedEntry, Pick<SwitchableProviderOptions, 'fallback'> {
  /** Marks an entry whose models this package runs. */
  type: 'kelivo-responses';
  /** Settings of the provider. `mcpServers` replaces those of the configuration. */
  settings?: KelivoResponsesSettings;
  /**
   * Models that this package runs. The official provider runs all others.
   * @default the environment variable KELIVO_RESPONSES, else 'on'
   */
  enabled?: SwitchValue;
}

/** Settings of this package that apply to the models of other packages. */
const WRAPPING = [
  'mcpServers',
  'adapters',
  'toolPrompting',
  'undeclared',
  'startsInReasoning',
  'streamArgumentsFrom',
  'responseTemplate',
  'toolLoop',
] as const;

/**
 * The provider of another AI SDK package, which is imported when one of its models is first called. The settings of this
 * package that wrap its models are fields of the entry.
 */
export interface ImportedProviderEntry
  extends NamedEntry, Pick<KelivoResponsesSettings, (typeof WRAPPING)[number]> {
  /** Name of the package, for example `@ai-sdk/google`. */
  import: string;
  /** Name of the exported function that creates the provider, for example `createGoogleGenerativeAI`. */
  creator: string;
  /** Argument of that function. */
  settings?: Record<string, unknown>;
  /**
   * Reasoning of other vendors in a conversation. `send` passes it on as the model's own, for compatible servers of one vendor.
   * @default it is not sent
   */
  foreignReasoning?: 'send';
}

const name = z.string().min(1);
const anObject = z.record(z.string(), z.unknown());

const namesShape = {
  aliases: z.array(name).optional(),
  models: z.array(name).optional(),
  defaultModels: z.record(z.string(), name).optional(),
  embeddingDimensions: z.number().int().min(1).optional(),
};

/** Reads only the names, default models and vector length of an entry. */
export const namesSchema = z.object(namesShape);

const kelivoEntrySchema = z.object({
  type: z.literal(
    'kelivo-responses',
    'expected "kelivo-responses", or `import` and `creator` of another package',
  ),
  settings: anObject.optional(),
  enabled: switchValueSchema.optional(),
  fallback: z.enum(['plain', 'with-tool-loop']).optional(),
  ...namesShape,
});

const importedEntrySchema = once(() =>
  z.object({
    import: name,
    creator: name,
    settings: anObject.optional(),
    foreignReasoning: z.literal('send').optional(),
    ...namesShape,
    ...Object.fromEntries(WRAPPING.map(setting => [setting, settingsTable().schemaOf(setting)?.optional()])),
  }),
);

export const registrySchema = z.strictObject({
  providers: anObject,
  defaultProvider: name.optional(),
  aliases: z.record(z.string(), name).optional(),
  roles: z.record(z.string(), name).optional(),
  mcpServers: anObject.optional(),
});

const CONFIG = 'the provider configuration';

/** Every readable part is checked, even if another part is invalid. */
export function findConfigIssues(config: unknown): string[] {
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
    const setting = nearestName(key, settingsTable().names);
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
export function toIssues(path: string, check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (KelivoError.isInstance(error)) return [`\`${path}\`: ${error.message}`];
    throw error;
  }
}
