import * as z from 'zod/v4';
import { toModelExpression } from '../shared/model-pattern.js';
import { type Compatibility, mergeCompatibility } from '../responses/compatibility/compatibility.js';
import {
  type KnownServerName,
  compatibilityByHost,
  compatibilityByName,
  knownServerNames,
} from '../responses/compatibility/known-servers.js';
import type { RequestOverride } from '../responses/model.js';

/** What is different for some language models of a provider. */
export interface ModelOverride {
  /** Further headers of their requests. They win over the provider's own. */
  headers?: Record<string, string | undefined>;
  /**
   * Further fields of their requests, by the names on the wire, for example `{ top_k: 20 }`. A field given here replaces
   * the one the request would have, as a whole; an undefined one is not sent. `input` and `stream` cannot be replaced.
   */
  body?: Record<string, unknown>;
  /** What the input of these models takes. An object changes single points of the provider's `compatibility`. */
  compatibility?: KnownServerName | Compatibility;
}

const flag = z.boolean().optional();
const profileShape = {
  itemIds: z.enum(['omit', 'required']).optional(),
  messageType: flag,
  status: flag,
  annotations: flag,
  toolOutput: z.enum(['any', 'string']).optional(),
  toolImages: z.enum(['output', 'user-message', 'text']).optional(),
  reasoning: flag,
  include: z.enum(['any', 'unencrypted', 'none']).optional(),
  additionalProperties: flag,
  instructionsWithPreviousResponse: flag,
  without: z.array(z.string()).optional(),
} satisfies Record<keyof Compatibility, z.ZodType>;

export const compatibilitySchema = z
  .union(
    [z.enum(knownServerNames), z.strictObject(profileShape)],
    `expected one of ${knownServerNames.map(name => `"${name}"`).join(', ')}, or an object of ` +
      Object.keys(profileShape).join(', '),
  )
  .optional();

const reserved = ['input', 'stream'];

export const modelOverridesSchema = z
  .record(
    z.string(),
    z.strictObject({
      headers: z.record(z.string(), z.string().optional()).optional(),
      body: z
        .record(z.string(), z.unknown())
        .refine(
          body => !reserved.some(name => name in body),
          'expected no `input` and no `stream`: those are what the call asks for',
        )
        .optional(),
      compatibility: compatibilitySchema,
    }),
  )
  .optional();

/**
 * What holds for a model: of all patterns that match its id, the more specific one wins, field by field. An exact id is
 * the most specific, then the pattern with more characters beside its `*`; of equals, the later one.
 */
export function resolveModelOverride(
  modelId: string,
  {
    models = {},
    compatibility,
    host,
  }: { models?: Record<string, ModelOverride>; compatibility?: ModelOverride['compatibility']; host: string },
): RequestOverride {
  const start: RequestOverride = {
    headers: {},
    body: {},
    compatibility: toProfile(compatibilityByHost(host), compatibility),
  };
  return Object.entries(models)
    .filter(([pattern]) => toModelExpression(pattern).test(modelId))
    .sort(([a], [b]) => toSpecificity(a) - toSpecificity(b))
    .reduce(
      (resolved, [, override]) => ({
        headers: { ...resolved.headers, ...override.headers },
        body: { ...resolved.body, ...override.body },
        compatibility: toProfile(resolved.compatibility, override.compatibility),
      }),
      start,
    );
}

/** A name stands for a whole profile; an object changes what holds otherwise. */
function toProfile(base: Compatibility, choice: ModelOverride['compatibility']): Compatibility {
  if (choice === undefined) return base;
  return typeof choice === 'string' ? compatibilityByName(choice) : mergeCompatibility(base, choice);
}

const toSpecificity = (pattern: string): number =>
  pattern.includes('*') ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY;
