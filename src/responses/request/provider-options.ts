import { InvalidArgumentError, type SharedV2ProviderOptions } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { idOf } from '../../shared/json.js';

/** Number of alternatives that `logprobs: true` requests: the maximum of the API. */
export const MAX_TOP_LOGPROBS = 20;

export const reasoningEffortUpdates = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Options that the official provider reads from `providerOptions.openai`. Unknown keys are ignored, as it does. */
const schema = z.object({
  conversation: z.string().nullish(),
  // The official provider accepts three values. Other servers support more.
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

/** Provider options of one call. An option that was `null` is absent. */
export type ResponsesCallOptions = { readonly [KEY in keyof Parsed]?: Exclude<Parsed[KEY], null> };

/**
 * Reads the options of a call from the namespaces `openai` and `kelivo`, which takes precedence.
 *
 * @throws InvalidArgumentError for an invalid value, with the full name of the option.
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
    (parent, key) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, key) : undefined),
    value,
  );
  const reason = issue?.message ?? 'Invalid value';
  return new InvalidArgumentError({
    argument,
    message: `Invalid value for \`${argument}\`. ${reason}, got ${JSON.stringify(got)}. Correct or remove it.`,
    cause: error,
  });
}

/** Options of a message or part in a history, as this package and the official provider write them. */
export interface PartOptions {
  /** Id of the output item. */
  readonly itemId?: string;
  /** Id of the response that contains the part, if the server stores it. */
  readonly responseId?: string;
  readonly reasoningEncryptedContent?: string;
  readonly phase?: string;
  readonly imageDetail?: string;
  readonly promptCacheBreakpoint?: unknown;
  readonly async?: boolean;
  readonly reasoningEffortUpdate?: unknown;
}

type Namespace = SharedV2ProviderOptions[string];

/**
 * Reads the options of a message or part from the namespaces `openai` and `kelivo`, which takes precedence. A part with
 * neither may have the same options under another provider of this API, such as `azure` or `xai`.
 */
export function readPartOptions(providerOptions: SharedV2ProviderOptions | undefined): PartOptions {
  if (providerOptions === undefined) return {};
  const { openai, kelivo } = providerOptions;
  const namespace =
    openai === undefined && kelivo === undefined
      ? Object.values(providerOptions).find(isItemNamespace)
      : { ...openai, ...kelivo };
  if (namespace === undefined) return {};
  return {
    itemId: idOf(namespace.itemId),
    responseId: idOf(namespace.responseId),
    reasoningEncryptedContent: idOf(namespace.reasoningEncryptedContent),
    phase: idOf(namespace.phase),
    imageDetail: idOf(namespace.imageDetail),
    promptCacheBreakpoint: namespace.promptCacheBreakpoint ?? undefined,
    async: typeof namespace.async === 'boolean' ? namespace.async : undefined,
    reasoningEffortUpdate: namespace.reasoningEffortUpdate ?? undefined,
  };
}

/** Returns the field that marks the end of a cacheable prefix. Empty without a breakpoint. */
export function toCacheBreakpoint(breakpoint: unknown): { prompt_cache_breakpoint?: unknown } {
  return breakpoint === undefined ? {} : { prompt_cache_breakpoint: breakpoint };
}

function isItemNamespace(namespace: Namespace | undefined): namespace is Namespace {
  return idOf(namespace?.itemId) !== undefined || idOf(namespace?.reasoningEncryptedContent) !== undefined;
}
