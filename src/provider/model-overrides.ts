import * as z from 'zod/v4';
import { isPlainObject } from '../shared/json.js';
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
import type { RequestOverride } from '../responses/model.js';
import { toModelExpression } from '../shared/names.js';
import { once, type SettingsOf } from '../shared/settings.js';

/** A schema for a named type. The compiler checks that what it accepts has that type. */
export type SchemaOf<Type> = z.ZodType<Type, Type>;

/** Settings of a provider that can be overridden for single models, one entry for both. */
export const modelSettingsShape = once(() => ({
  /**
   * Differences between the input of the server and OpenAI's: the name of a known server, or an object with single
   * fields. Other servers are recognized by their responses (llama.cpp by a header, OpenRouter behind a gateway by its ids,
   * vLLM by an error or the owner of its models), unless a name is set. With any value, a request that is rejected for a known reason is changed and sent again, and later requests of the model are changed
   * before they are sent. For single models, an object overrides single fields of the provider's.
   * @default by the host of `baseURL`, else by the responses
   */
  compatibility: createCompatibilitySchema(),
  /**
   * Adapters for the quirks of model families, such as tool calls written as text. A registry is searched by model id,
   * and so are the adapters of a list. A name (`['qwen']`) and a module (`{ import: '@acme/adapters', export: 'tulip' }`)
   * apply to every model, for ids that do not contain the name of the family. `false` turns adapters off. They run inside
   * the tool loop.
   * @default modelAdapters of `kelivo-responses/adapters`
   */
  adapters: createAdaptersSchema(),
  /**
   * Writes tools, the tool choice, calls and results into the prompt, for endpoints that reject `tools`, and reads the
   * calls in the response. The value is the syntax: `auto` selects that of the model's family, or `hermes`.
   * @default false
   */
  toolPrompting: createToolPromptingSchema(),
  /**
   * Treats the start of responses as reasoning that only its closing tag ends, or not. For models under an alias, whose
   * id does not show that the chat template opens the reasoning.
   * @default derived from the model id
   */
  startsInReasoning: z.boolean(),
  /**
   * The meaning of calls in the text whose tool the request does not declare: a `call`, which is answered with an error
   * that the model can react to, `text`, or `drop`.
   * @default 'call'
   */
  undeclared: z.enum(['call', 'text', 'drop']),
  /**
   * The length from which the arguments of a call in the text stream. Hosts cannot take back a call that has started, so a
   * shorter one starts when it is complete, and leaves no trace if it is truncated or invalid. 0 streams all arguments as
   * they arrive, for hosts that show them.
   * @default 256
   */
  streamArgumentsFrom: z.number().nonnegative(),
  /**
   * The `response_template` of the model's tokenizer configuration on Hugging Face. It replaces the formats of the
   * adapters. It is checked completely before the first request of the model.
   * @default the formats of the adapters
   */
  responseTemplate: createResponseTemplateSchema(),
}));

/** Overrides for one model or a pattern of models. */
export interface ModelOverride extends SettingsOf<ReturnType<typeof modelSettingsShape>> {
  /** Additional headers of the requests. They override the provider's headers. */
  headers?: Record<string, string | undefined>;
  /**
   * Additional fields of the request body, by their API names, for example `{ top_k: 20 }`. A field replaces the complete
   * field of the same name, and an undefined field is removed. `input` and `stream` cannot be replaced.
   */
  body?: Record<string, unknown>;
  /** The connection of the requests. WebSockets have the options of the provider. */
  transport?: 'http' | 'websocket';
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

const createResponseTemplateSchema = (): SchemaOf<ResponseTemplate> =>
  z.custom<ResponseTemplate>(
    value => isPlainObject(value) && isPlainObject(value.fields),
    'expected a response template: an object with `fields` and `start_anchor`',
  );

const RESERVED = ['input', 'stream'];

export function createModelOverridesSchema(): SchemaOf<Record<string, ModelOverride>> {
  const override = z.strictObject({
    ...modelSettingsShape(),
    headers: z.record(z.string(), z.string().optional()),
    body: z
      .record(z.string(), z.unknown())
      .refine(
        body => !RESERVED.some(name => name in body),
        'expected no `input` and no `stream`, which come from the call',
      ),
    transport: z.enum(['http', 'websocket']),
  } satisfies Record<keyof ModelOverride, z.ZodType>);
  return z.record(z.string(), override.partial());
}

/**
 * Merges the overrides whose patterns match a model id. The more specific pattern wins, field by field. An exact id is
 * the most specific, then the pattern with more characters other than `*`. Of equal patterns, the later one wins.
 */
export function resolveModelOverride(
  modelId: string,
  {
    models = {},
    compatibility,
    known = {},
  }: {
    models?: Record<string, ModelOverride>;
    compatibility?: ModelOverride['compatibility'];
    /** The compatibility of the server. @default that of OpenAI */
    known?: Compatibility | undefined;
  },
): RequestOverride & Pick<ModelOverride, 'transport'> {
  const start: RequestOverride & Pick<ModelOverride, 'transport'> = {
    headers: {},
    body: {},
    compatibility: selectCompatibility(known, compatibility),
  };
  return findOverrides(modelId, models).reduce(
    (resolved, override) => ({
      headers: { ...resolved.headers, ...override.headers },
      body: { ...resolved.body, ...override.body },
      compatibility: selectCompatibility(resolved.compatibility, override.compatibility),
      transport: override.transport ?? resolved.transport,
    }),
    start,
  );
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
const findOverrides = (modelId: string, models: Record<string, ModelOverride>): ModelOverride[] =>
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
