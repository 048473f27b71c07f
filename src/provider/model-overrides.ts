import * as z from 'zod/v4';
import { isPlainObject } from '../core/shared/json.js';
import type { AdaptModelOptions } from '../adapters/adapt-model.js';
import { type AdapterSelection, isAdapterSelection } from '../adapters/adapter-choice.js';
import { isChatTemplate, type ToolPrompting, toolPromptNames } from '../adapters/kit/definition.js';
import {
  type Compatibility,
  compatibilityByName,
  type KnownServerName,
  knownServerNames,
  mergeCompatibility,
} from '../responses/compatibility/compatibility.js';
import type { RequestOverride } from '../responses/config.js';
import { toModelExpression } from '../core/shared/names.js';
import { SchemaTable, type SettingsOf } from '../core/shared/settings.js';

/** A schema for a named type. The compiler checks that what it accepts has that type. */
export type SchemaOf<Type> = z.ZodType<Type, Type>;

/** The settings that adapt a model, whose meaning is that of the options of `adaptModel`. */
type Adapting = Omit<AdaptModelOptions, 'adapters' | 'historySecret'>;

const adaptingRows = {
  toolPrompting: createToolPromptingSchema,
  startsInReasoning: () => z.boolean(),
  undeclared: () => z.enum(['call', 'text', 'drop']),
  streamArgumentsFrom: () => z.number().nonnegative(),
  responseTemplate: createResponseTemplateSchema,
} satisfies { [Name in keyof Adapting]-?: () => SchemaOf<NonNullable<Adapting[Name]>> };

const ownModelSettingsRows = {
  /**
   * Differences between the input of the server and OpenAI's: the name of a known server, or an object with single
   * fields. Other servers are recognized by their responses (llama.cpp by a header, OpenRouter behind a gateway by its ids,
   * vLLM by an error or the owner of its models), unless a name is set. With any value, a request that is rejected for a
   * known reason is changed and sent again, and later requests of the model are changed before they are sent. Known reasons
   * are reasoning that cannot be verified, an unknown parameter or `include` value, a tool output that must be a string, a
   * missing message type, images for a model without vision, an unsupported reasoning effort, and a reference to an item that
   * the server has not stored, which is replaced by the item. For single models, an object overrides single fields of the
   * provider's.
   * @default by the host of `baseURL`, else by the responses
   */
  compatibility: createCompatibilitySchema,
  /**
   * Adapters for the quirks of model families, such as tool calls written as text. A registry is searched by model id,
   * and so are the adapters of a list. A name (`['qwen']`) and a module (`{ import: '@acme/adapters', export: 'tulip' }`)
   * apply to every model, for ids that do not contain the name of the family. `false` turns adapters off. They run inside
   * the tool loop.
   * @default modelAdapters of `kelivo-responses/adapters`
   */
  adapters: createAdaptersSchema,
  /**
   * The connection for the requests of language models. `websocket` sends each request as a frame on a connection that the
   * rounds of a turn share, with only the items that the server does not have. It needs the package `ws`, or Node 22, Bun or
   * Deno. Without a client, or if the server refuses it, requests are sent over HTTP with one warning. Requests in
   * background mode always use HTTP, and `fetch` does not apply to WebSockets, whose options are `webSocket` of the provider.
   * @default 'http'
   */
  transport: () => z.enum(['http', 'websocket']),
};

/** The schemas of the settings of a provider that can be overridden for single models. */
export const modelSettingsRows = () => ({ ...ownModelSettingsRows, ...adaptingRows });

/** Settings of a provider that can be overridden for single models. */
export interface ModelSettings extends SettingsOf<typeof ownModelSettingsRows>, Adapting {}

/** Overrides for one model or a pattern of models. */
export interface ModelOverride extends ModelSettings {
  /** Additional headers of the requests. They override the provider's headers. */
  headers?: Record<string, string | undefined>;
  /**
   * Additional fields of the request body, by their API names, for example `{ top_k: 20 }`. A field replaces the complete
   * field of the same name, and an undefined field is removed. `input` and `stream` cannot be replaced.
   */
  body?: Record<string, unknown>;
}

function createCompatibilitySchema(): SchemaOf<KnownServerName | Compatibility> {
  const flag = z.boolean().optional();
  const compatibilityShape = {
    itemIds: z.enum(['omit', 'required']).optional(),
    messageType: flag,
    developerRole: flag,
    status: flag,
    annotations: flag,
    toolOutput: z.enum(['any', 'string']).optional(),
    toolImages: z.enum(['output', 'user-message', 'text']).optional(),
    images: flag,
    reasoning: z.union([flag, z.literal('text')]).optional(),
    efforts: z.array(z.string()).optional(),
    additionalProperties: flag,
    instructionsWithPreviousResponse: flag,
    without: z.array(z.string()).optional(),
  } satisfies Record<keyof Compatibility, z.ZodType>;
  return z.union(
    [z.enum(knownServerNames), z.strictObject(compatibilityShape)],
    `expected one of ${knownServerNames.map(name => `"${name}"`).join(', ')}, or an object of ` +
      Object.keys(compatibilityShape).join(', '),
  );
}

/** The entries of a list are checked when the provider is created. */
function createAdaptersSchema(): SchemaOf<AdapterSelection> {
  return z.custom<AdapterSelection>(
    isAdapterSelection,
    'expected a registry of adapters, a list of adapters or their names, or false',
  );
}

function createToolPromptingSchema(): SchemaOf<ToolPrompting | false> {
  return z.custom<ToolPrompting | false>(
    value =>
      value === false ||
      value === 'auto' ||
      (typeof value === 'string' ? toolPromptNames.has(value) : isChatTemplate(value)),
    `expected one of ${['auto', ...toolPromptNames].map(name => `"${name}"`).join(', ')}, an object with ` +
      '`chatTemplate`, or false',
  );
}

type ResponseTemplate = NonNullable<AdaptModelOptions['responseTemplate']>;

function createResponseTemplateSchema(): SchemaOf<ResponseTemplate> {
  return z.custom<ResponseTemplate>(
    value => isPlainObject(value) && isPlainObject(value.fields),
    'expected a response template: an object with `fields` and `start_anchor`',
  );
}

const RESERVED = ['input', 'stream'];

export function createModelOverridesSchema(): SchemaOf<Record<string, ModelOverride>> {
  const override = new SchemaTable({
    ...modelSettingsRows(),
    headers: () => z.record(z.string(), z.string().optional()),
    body: () =>
      z
        .record(z.string(), z.unknown())
        .refine(
          body => !RESERVED.some(name => name in body),
          'expected no `input` and no `stream`, which come from the call',
        ),
  } satisfies Record<keyof ModelOverride, () => z.ZodType>);
  return z.record(z.string(), override.schema);
}

interface OverrideSettings {
  readonly models?: Record<string, ModelOverride>;
  readonly compatibility?: ModelOverride['compatibility'];
}

type ResolvedOverride = RequestOverride & Pick<ModelOverride, 'transport'>;

/**
 * Merges the overrides whose patterns match a model id. The more specific pattern wins, field by field. An exact id is
 * the most specific, then the pattern with more characters other than `*`. Of equal patterns, the later one wins.
 *
 * @param known The compatibility of the server. @default that of OpenAI
 */
export function resolveModelOverride(
  modelId: string,
  settings: OverrideSettings,
  known: Compatibility = {},
): ResolvedOverride {
  const start: ResolvedOverride = {
    headers: {},
    body: {},
    compatibility: selectCompatibility(known, settings.compatibility),
  };
  return findOverrides(modelId, settings.models ?? {}).reduce(
    (resolved, override) => ({
      headers: { ...resolved.headers, ...override.headers },
      body: { ...resolved.body, ...override.body },
      compatibility: selectCompatibility(resolved.compatibility, override.compatibility),
      transport: override.transport ?? resolved.transport,
    }),
    start,
  );
}

/** The overrides of one model, which are resolved again when its responses have shown another server. */
export class ModelOverrides {
  readonly #modelId: string;
  readonly #settings: OverrideSettings;
  #latest: { readonly known: Compatibility | undefined; readonly override: ResolvedOverride } | undefined;

  constructor(modelId: string, settings: OverrideSettings) {
    this.#modelId = modelId;
    this.#settings = settings;
  }

  of(known: Compatibility | undefined): ResolvedOverride {
    if (this.#latest === undefined || this.#latest.known !== known)
      this.#latest = { known, override: resolveModelOverride(this.#modelId, this.#settings, known) };
    return this.#latest.override;
  }
}

/** Adaptation of a model: its override, or the setting of the provider. */
export interface Adaptation extends Pick<ModelOverride, (typeof ADAPTATION)[number]> {
  /** Adapters in the list apply by model id, because it is that of the provider. */
  adaptersById?: boolean;
}

/** The settings that adapt a model. */
const ADAPTATION = [
  'adapters',
  'toolPrompting',
  'startsInReasoning',
  'undeclared',
  'streamArgumentsFrom',
  'responseTemplate',
] as const satisfies readonly (keyof ModelOverride)[];

const isAdaptation = (name: string): boolean => ADAPTATION.some(known => known === name);

/** Merges the adaptation of the provider with the overrides whose patterns match a model id. */
export const resolveAdaptation = (
  modelId: string,
  { models = {}, ...adaptation }: Adaptation & { models?: Record<string, ModelOverride> },
): Adaptation =>
  findOverrides(modelId, models).reduce<Adaptation>(
    (resolved, override) => ({
      ...resolved,
      ...Object.fromEntries(
        Object.entries(override).filter(([name, value]) => value !== undefined && isAdaptation(name)),
      ),
      // The adapters of an override were chosen for its models.
      ...(override.adapters !== undefined && { adaptersById: false }),
    }),
    adaptation,
  );

/** Returns the overrides whose patterns match a model id, the most specific one last. */
export const findOverrides = (modelId: string, models: Record<string, ModelOverride>): ModelOverride[] =>
  Object.entries(models)
    .filter(([pattern]) => toModelExpression(pattern).test(modelId))
    .sort(([a], [b]) => toSpecificity(a) - toSpecificity(b))
    .map(([, override]) => override);

/** A name replaces the compatibility. An object overrides single fields of the base. */
function selectCompatibility(base: Compatibility, choice: ModelOverride['compatibility']): Compatibility {
  if (choice === undefined) return base;
  return typeof choice === 'string' ? compatibilityByName(choice) : mergeCompatibility(base, choice);
}

const toSpecificity = (pattern: string): number =>
  pattern.includes('*') ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY;
