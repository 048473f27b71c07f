import * as z from 'zod/v4';
import type { KelivoResponsesSettings } from '../provider/settings.js';
import type { ToolLoopOptions } from '../tool-loop/options.js';
import type { McpServers } from '../tools/mcp/config.js';
import { type SwitchValue, switchValueSchema } from './switchable-provider.js';

/** Providers, models and tools of an application, as plain data that a JSON file can hold. */
export interface ProviderRegistryConfig {
  /** The providers, by names of the application's choice. */
  providers: Record<string, ProviderEntry>;
  /** The provider of models that no name or pattern gives to another. @default the first of `providers` */
  defaultProvider?: string;
  /** Further names of models: `{ "fast": "openai:gpt-5-mini" }`. */
  aliases?: Record<string, string>;
  /** The default models of the application's tasks: `{ "chat": "openai:gpt-5", "summary": "fast" }`. */
  roles?: Record<string, string>;
  /** The length of the vectors of embedding models, where no record says another. @default the model's own */
  embeddingDimensions?: number;
  /** MCP servers whose tools the models of all providers have that name no servers of their own. */
  mcpServers?: McpServers;
}

/** One provider: of this package, or of any other. */
export type ProviderEntry = KelivoProviderEntry | ImportedProviderEntry;

/** What an entry of either kind may say. */
interface SharedEntry {
  /** Further names of the provider. */
  aliases?: string[];
  /** Patterns of the model names that are this provider's, such as `gemini-*`; `*` stands for any characters. */
  models?: string[];
  /** MCP servers for its models in place of those of the configuration; `false` for none. */
  mcpServers?: McpServers | false;
  /** The adapters its models may get, by name, or `false` for none. @default all of this package */
  adapters?: string[] | false;
  /** How its tool loop works, or `false` for models that run no tools. */
  toolLoop?: Omit<ToolLoopOptions, 'tools' | 'timeouts'> | false;
}

/** The provider of this package. */
export interface KelivoProviderEntry extends SharedEntry {
  type: 'kelivo-responses';
  /** Its settings, but for those that stand beside them. */
  settings?: Omit<KelivoResponsesSettings, 'mcpServers' | 'adapters' | 'toolLoop'>;
  /** Whether the official provider answers in its place. @default the environment variable KELIVO_RESPONSES, else 'on' */
  enabled?: SwitchValue;
  /** What a model that is switched off is. @default 'plain' */
  fallback?: 'plain' | 'with-tool-loop';
}

/** A provider of any package of the AI SDK 5, which is loaded when one of its models is first called. */
export interface ImportedProviderEntry extends SharedEntry {
  /** An entry without a `type` is one of another package. */
  type?: undefined;
  /** The package, for example `@ai-sdk/google`. */
  import: string;
  /** The function of it that makes a provider, for example `createGoogleGenerativeAI`. */
  creator: string;
  /** What that function is given. */
  settings?: Record<string, unknown>;
}

const name = z.string().min(1);
const anObject = z.record(z.string(), z.unknown());

const namesShape = { aliases: z.array(name).optional(), models: z.array(name).optional() };

/** The further names of a provider, apart from all else that its entry says. */
export const namesSchema = z.object(namesShape);

const sharedShape = {
  ...namesShape,
  mcpServers: z.union([z.literal(false), anObject], 'expected an object of MCP servers or false').optional(),
  adapters: z
    .union([z.literal(false), z.array(name)], 'expected a list of adapter names or false')
    .optional(),
  toolLoop: z.union([z.literal(false), anObject], 'expected an object of options or false').optional(),
};

const besideSettings = ['mcpServers', 'adapters', 'toolLoop'];

export const kelivoEntrySchema = z.strictObject({
  type: z.literal('kelivo-responses'),
  settings: anObject
    .refine(
      settings => !besideSettings.some(key => key in settings),
      'expected `mcpServers`, `adapters` and `toolLoop` beside `settings`, not in them',
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
