import { InvalidArgumentError, type SharedV2ProviderOptions } from '@ai-sdk/provider';
import * as z from 'zod/v4';

/** How many alternatives `logprobs: true` asks for: the most the API gives. */
export const MAX_TOP_LOGPROBS = 20;

export const reasoningEffortUpdates = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** What the official provider reads from `providerOptions.openai`; unknown keys are ignored as it ignores them. */
const schema = z.object({
  conversation: z.string().nullish(),
  // The official provider knows three values; other servers have more.
  include: z.array(z.string()).nullish(),
  instructions: z.string().nullish(),
  logprobs: z.union([z.boolean(), z.number().min(1).max(MAX_TOP_LOGPROBS)]).nullish(),
  maxToolCalls: z.number().nullish(),
  metadata: z.unknown().nullish(),
  parallelToolCalls: z.boolean().nullish(),
  previousResponseId: z.string().nullish(),
  promptCacheKey: z.string().nullish(),
  promptCacheOptions: z
    .object({ mode: z.enum(['implicit', 'explicit']).optional(), ttl: z.literal('30m').optional() })
    .nullish(),
  promptCacheRetention: z.enum(['in_memory', '24h']).nullish(),
  reasoningContext: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
  reasoningEffort: z.string().nullish(),
  reasoningEffortUpdate: z.enum(reasoningEffortUpdates).nullish(),
  reasoningMode: z.enum(['standard', 'pro']).nullish(),
  reasoningSummary: z.string().nullish(),
  safetyIdentifier: z.string().nullish(),
  serviceTier: z.enum(['auto', 'flex', 'priority', 'default']).nullish(),
  store: z.boolean().nullish(),
  strictJsonSchema: z.boolean().nullish(),
  textVerbosity: z.enum(['low', 'medium', 'high']).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().nullish(),
});

type Parsed = z.infer<typeof schema>;

/** The options of one call, with `null` and absent the same. */
export type ResponsesCallOptions = { readonly [KEY in keyof Parsed]?: Exclude<Parsed[KEY], null> };

/**
 * Reads the options of a call from the namespaces `openai` and `kelivo`; where both set a key, `kelivo` wins.
 *
 * @throws InvalidArgumentError when a value is wrong, with its full name.
 */
export function readProviderOptions(
  providerOptions: SharedV2ProviderOptions | undefined,
): ResponsesCallOptions {
  return {
    ...readNamespace('openai', providerOptions?.openai),
    ...readNamespace('kelivo', providerOptions?.kelivo),
  };
}

function readNamespace(namespace: string, value: unknown): ResponsesCallOptions {
  if (value === undefined || value === null) return {};
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw toArgumentError(namespace, value, parsed.error);
  return Object.fromEntries(Object.entries(parsed.data).filter(([, option]) => option != null));
}

function toArgumentError(namespace: string, value: unknown, error: z.ZodError): InvalidArgumentError {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).map(String);
  const argument = ['providerOptions', namespace, ...path].join('.');
  const got = path.reduce<unknown>(
    (object, key) => (object as Record<string, unknown> | undefined)?.[key],
    value,
  );
  const reason = issue?.message ?? 'Invalid value';
  return new InvalidArgumentError({
    argument,
    message: `\`${argument}\` is wrong. ${reason}, got ${JSON.stringify(got)}. Correct it or leave it out.`,
    cause: error,
  });
}
