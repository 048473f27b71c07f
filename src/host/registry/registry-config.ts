import * as z from 'zod/v4';
import type { AdaptModelOptions } from '../../adapters/adapt-model.js';
import type { ToolPrompting } from '../../adapters/kit/definition.js';
import type { AdapterModule } from '../../adapters/adapter-choice.js';
import { createToolPromptingSchema, createUndeclaredSchema } from '../../provider/model-overrides.js';
import type { KelivoResponsesSettings } from '../../provider/settings.js';
import type { ToolLoopOptions } from '../../tool-loop/options.js';
import type { McpServers } from '../../mcp/config/config.js';
import { type SwitchValue, switchValueSchema } from '../switchable-provider.js';

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
  /**
   * Length of embedding vectors of all providers, unless an entry or a record specifies another one.
   * @default the model's own length
   */
  embeddingDimensions?: number;
  /** MCP servers for the models of all providers that do not configure their own. */
  mcpServers?: McpServers;
}

/** One provider: of this package or of another AI SDK package. */
export type ProviderEntry = KelivoProviderEntry | ImportedProviderEntry;

/** Fields of both kinds of entries. */
interface SharedEntry {
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
  /** Length of embedding vectors, unless a record specifies another one. */
  embeddingDimensions?: number;
  /** MCP servers that replace those of the configuration, or `false` for none. */
  mcpServers?: McpServers | false;
  /**
   * Adapters for all models of the provider, by name or as an export of a module
   * (`{ "import": "@acme/adapters", "export": "tulip" }`), or `false` for none.
   * @default the adapters of this package, chosen by model id
   */
  adapters?: (string | AdapterModule)[] | false;
  /** Writes tools into the prompt, in this syntax, for endpoints that reject `tools`. @default false */
  toolPrompting?: ToolPrompting | false;
  /** The meaning of calls in the text whose tool the request does not declare. @default 'call' */
  undeclared?: AdaptModelOptions['undeclared'];
  /**
   * Treats the start of responses as reasoning that only its closing tag ends, or not.
   * @default derived from the model id
   */
  startsInReasoning?: boolean;
  /** Options of the tool loop, or `false` to disable it. */
  toolLoop?: Omit<ToolLoopOptions, 'tools' | 'timeouts'> | false;
}

/** The provider of this package. */
export interface KelivoProviderEntry extends SharedEntry {
  /** Marks an entry whose models this package runs. */
  type: 'kelivo-responses';
  /** Provider settings, except those that are fields of the entry. */
  settings?: Omit<KelivoResponsesSettings, (typeof entryFields)[number]>;
  /**
   * Models that this package runs. The official provider runs all others.
   * @default the environment variable KELIVO_RESPONSES, else 'on'
   */
  enabled?: SwitchValue;
  /** Behavior of models that are switched off, as in `createSwitchableProvider`. @default 'plain' */
  fallback?: 'plain' | 'with-tool-loop';
}

/** The provider of another AI SDK 5 package, which is imported when one of its models is first called. */
export interface ImportedProviderEntry extends SharedEntry {
  /** Not allowed: entries without a `type` name another package. */
  type?: undefined;
  /** Name of the package, for example `@ai-sdk/google`. */
  import: string;
  /** Name of the exported function that creates the provider, for example `createGoogleGenerativeAI`. */
  creator: string;
  /** Argument of that function. */
  settings?: Record<string, unknown>;
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

const sharedShape = {
  ...namesShape,
  mcpServers: z.union([z.literal(false), anObject], 'expected an object of MCP servers or false').optional(),
  adapters: z
    .union(
      [z.literal(false), z.array(z.union([name, anObject]))],
      'expected a list of adapter names and modules, or false',
    )
    .optional(),
  toolPrompting: createToolPromptingSchema().optional(),
  undeclared: createUndeclaredSchema().optional(),
  startsInReasoning: z.boolean().optional(),
  toolLoop: z.union([z.literal(false), anObject], 'expected an object of options or false').optional(),
};

const entryFields = [
  'mcpServers',
  'adapters',
  'toolPrompting',
  'undeclared',
  'startsInReasoning',
  'toolLoop',
] as const;

export const kelivoEntrySchema = z.strictObject({
  type: z.literal('kelivo-responses'),
  settings: anObject
    .refine(
      settings => !entryFields.some(key => key in settings),
      `expected ${entryFields.map(field => `\`${field}\``).join(', ')} next to \`settings\`, not inside it`,
    )
    .optional(),
  enabled: switchValueSchema.optional(),
  fallback: z.enum(['plain', 'with-tool-loop']).optional(),
  ...sharedShape,
});

export const importedEntrySchema = z.strictObject({
  import: name,
  creator: name,
  settings: anObject.optional(),
  ...sharedShape,
});

export const registrySchema = z.strictObject({
  providers: anObject,
  defaultProvider: name.optional(),
  aliases: z.record(z.string(), name).optional(),
  roles: z.record(z.string(), name).optional(),
  embeddingDimensions: z.number().int().min(1).optional(),
  mcpServers: anObject.optional(),
});
