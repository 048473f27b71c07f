import * as z from 'zod/v4';
import { type AdapterChoice, type AdapterSelection, isAdapterSelection } from '../adapters/adapter-choice.js';
import type { AdaptModelOptions } from '../adapters/adapt-model.js';
import { type ToolPrompting, toolPromptNames } from '../adapters/adapter-choice.js';
import type { ModelAdapterRegistry } from '../adapters/definition.js';
import { toModelExpression } from '../shared/names.js';
import { type Compatibility, mergeCompatibility } from '../responses/compatibility/compatibility.js';
import {
  type KnownServerName,
  compatibilityByName,
  knownServerNames,
} from '../responses/compatibility/known-servers.js';
import type { RequestOverride } from '../responses/model.js';

/** Request overrides for one model or a pattern of models. */
export interface ModelOverride {
  /** Additional headers of the requests. They override the provider's headers. */
  headers?: Record<string, string | undefined>;
  /**
   * Additional fields of the request body, by their API names, for example `{ top_k: 20 }`. A field replaces the complete
   * field of the same name, and an undefined field is removed. `input` and `stream` cannot be replaced.
   */
  body?: Record<string, unknown>;
  /** The connection for the requests of these models. */
  transport?: TransportName;
  /** The compatibility of these models. An object overrides single fields of the provider's `compatibility`. */
  compatibility?: KnownServerName | Compatibility;
  /**
   * The adapters of these models, which replace those of the provider: `['qwen']` for a model of that family whose id
   * does not contain its name, or `false` for none.
   */
  adapters?: ModelAdapterRegistry | readonly AdapterChoice[] | false;
  /** Writes the tools of these models into the prompt, in the given syntax, or not (`false`). */
  toolPrompting?: ToolPrompting | false;
  /** The meaning of calls in the text of these models whose tool the request does not declare. */
  undeclared?: UndeclaredPolicy;
  /** Treats the start of the responses of these models as reasoning that only its closing tag ends, or not. */
  startsInReasoning?: boolean;
}

/** The connection for the requests of language models. */
type TransportName = 'http' | 'websocket';

type UndeclaredPolicy = NonNullable<AdaptModelOptions['undeclared']>;

export function createCompatibilitySchema(): z.ZodType<
  KnownServerName | Compatibility,
  KnownServerName | Compatibility
> {
  const flag = z.boolean().optional();
  const compatibilityShape = {
    itemIds: z.enum(['omit', 'required']).optional(),
    messageType: z.union([flag, z.literal('assistant')]).optional(),
    developerRole: flag,
    status: flag,
    annotations: flag,
    toolOutput: z.enum(['any', 'string']).optional(),
    toolImages: z.enum(['output', 'user-message', 'text']).optional(),
    images: flag,
    reasoning: z.union([flag, z.literal('text')]).optional(),
    efforts: z.array(z.string()).optional(),
    include: z.enum(['any', 'unencrypted', 'none']).optional(),
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
export const createAdaptersSchema = (): z.ZodType<AdapterSelection, AdapterSelection> =>
  z.custom<AdapterSelection>(
    isAdapterSelection,
    'expected a registry of adapters, a list of adapters or their names, or false',
  );

export const createToolPromptingSchema = (): z.ZodType<ToolPrompting | false, ToolPrompting | false> =>
  z.union(
    [z.literal(false), z.enum(['auto', ...toolPromptNames])],
    `expected one of ${['auto', ...toolPromptNames].map(name => `"${name}"`).join(', ')}, or false`,
  );

export const createUndeclaredSchema = (): z.ZodType<UndeclaredPolicy, UndeclaredPolicy> =>
  z.enum(['call', 'text', 'drop']);

export const createTransportSchema = (): z.ZodType<TransportName, TransportName> =>
  z.enum(['http', 'websocket']);

const reserved = ['input', 'stream'];

export function createModelOverridesSchema(): z.ZodType<
  Record<string, ModelOverride>,
  Record<string, ModelOverride>
> {
  const override = z.strictObject({
    headers: z.record(z.string(), z.string().optional()).optional(),
    body: z
      .record(z.string(), z.unknown())
      .refine(
        body => !reserved.some(name => name in body),
        'expected no `input` and no `stream`, which come from the call',
      )
      .optional(),
    transport: createTransportSchema().optional(),
    compatibility: createCompatibilitySchema().optional(),
    adapters: createAdaptersSchema().optional(),
    toolPrompting: createToolPromptingSchema().optional(),
    undeclared: createUndeclaredSchema().optional(),
    startsInReasoning: z.boolean().optional(),
  } satisfies Record<keyof ModelOverride, z.ZodType>);
  return z.record(z.string(), override);
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
    known,
  }: {
    models?: Record<string, ModelOverride>;
    compatibility?: ModelOverride['compatibility'];
    /** The compatibility of the server. */
    known: Compatibility;
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
export type Adaptation = Pick<
  ModelOverride,
  'adapters' | 'toolPrompting' | 'undeclared' | 'startsInReasoning'
>;

/** Merges the adaptation of the provider with the overrides whose patterns match a model id. */
export function resolveAdaptation(
  modelId: string,
  { models = {}, ...adaptation }: Adaptation & { models?: Record<string, ModelOverride> },
): Adaptation {
  return findOverrides(modelId, models).reduce<Adaptation>(
    (resolved, override) => ({
      adapters: override.adapters ?? resolved.adapters,
      toolPrompting: override.toolPrompting ?? resolved.toolPrompting,
      undeclared: override.undeclared ?? resolved.undeclared,
      startsInReasoning: override.startsInReasoning ?? resolved.startsInReasoning,
    }),
    adaptation,
  );
}

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
