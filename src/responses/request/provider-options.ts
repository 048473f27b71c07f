import {
  InvalidArgumentError,
  type LanguageModelV2CallWarning,
  type SharedV2ProviderOptions,
} from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { idOf } from '../../shared/json.js';
import { nearestName } from '../../shared/nearest-name.js';
import type { SettingsOf } from '../../shared/settings.js';

/** Number of alternatives that `logprobs: true` requests: the maximum of the API. */
export const MAX_TOP_LOGPROBS = 20;

export const reasoningEffortUpdates = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Options that the official provider reads from `providerOptions.openai`. `kelivo` accepts the same. */
const optionsShape = {
  /** Id of a stored conversation. Only new messages are sent. */
  conversation: z.string().nullish(),
  /** Additional data of the response, for example `file_search_call.results`. The official provider accepts three values. */
  include: z.array(z.string()).nullish(),
  /** Instructions, sent in addition to the system messages. */
  instructions: z.string().nullish(),
  /** Log probabilities of the text: `true`, or the number of alternatives per token. */
  logprobs: z.union([z.boolean(), z.number().min(1).max(MAX_TOP_LOGPROBS)]).nullish(),
  /** Maximum number of hosted tool calls in a response. */
  maxToolCalls: z.number().nullish(),
  /** Key-value pairs that the server stores with the response. */
  metadata: z.unknown().nullish(),
  /** Allows the model to call several tools at once. */
  parallelToolCalls: z.boolean().nullish(),
  /** Id of a stored response to continue. Only new messages are sent. */
  previousResponseId: z.string().nullish(),
  /** Routes requests with the same prefix to the same cache. */
  promptCacheKey: z.string().nullish(),
  /** Prompt cache breakpoints and lifetime. */
  promptCacheOptions: z
    .object({ mode: z.enum(['implicit', 'explicit']).optional(), ttl: z.literal('30m').optional() })
    .nullish(),
  /** Lifetime of the prompt cache. */
  promptCacheRetention: z.enum(['in_memory', '24h']).nullish(),
  /** Reasoning of earlier turns that the model receives. */
  reasoningContext: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
  /** Reasoning effort, for example `low`. The accepted values depend on the model. */
  reasoningEffort: z.string().nullish(),
  /** Changes the reasoning effort without changing the cached prefix. */
  reasoningEffortUpdate: z.enum(reasoningEffortUpdates).nullish(),
  /** Amount of work that the model does before it responds. */
  reasoningMode: z.enum(['standard', 'pro']).nullish(),
  /** Requests a summary of the reasoning, for example `auto` or `detailed`. */
  reasoningSummary: z.string().nullish(),
  /** Stable, anonymous identifier of the end user. */
  safetyIdentifier: z.string().nullish(),
  /** Processing tier of the request. */
  serviceTier: z.enum(['auto', 'flex', 'priority', 'default']).nullish(),
  /** Stores the response on the server. Overrides the `store` setting. */
  store: z.boolean().nullish(),
  /** Enforces JSON schemas strictly. */
  strictJsonSchema: z.boolean().nullish(),
  /** Length of the text response. */
  textVerbosity: z.enum(['low', 'medium', 'high']).nullish(),
  /** Handling of a context window that is exceeded: `auto` drops old messages, `disabled` fails. */
  truncation: z.enum(['auto', 'disabled']).nullish(),
  /** Identifier of the end user. */
  user: z.string().nullish(),
};

const schema = z.object(optionsShape);

/** Options of one call to a Responses model. `null` counts as absent. */
export type ResponsesProviderOptions = SettingsOf<typeof optionsShape>;

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

/** Keys that other layers read from `providerOptions.kelivo`. */
const OTHER_KELIVO_OPTIONS = [
  'turnId',
  'round',
  'context',
  'executors',
  'toolApproval',
  'turn',
  'host',
  'approvalResponses',
];

/** Warns about unknown options in the namespaces `openai` and `kelivo`, which are ignored. */
export function warnAboutUnknownOptions(
  providerOptions: SharedV2ProviderOptions | undefined,
  warn: (warning: LanguageModelV2CallWarning) => void,
): void {
  const options = Object.keys(optionsShape);
  for (const namespace of ['openai', 'kelivo']) {
    const known = namespace === 'kelivo' ? [...options, ...OTHER_KELIVO_OPTIONS] : options;
    for (const [name, value] of Object.entries(providerOptions?.[namespace] ?? {})) {
      if (value == null || known.includes(name)) continue;
      const nearest = nearestName(name, known);
      const hint = nearest === undefined ? 'Remove it.' : `Did you mean \`${nearest}\`?`;
      const message = `The option \`providerOptions.${namespace}.${name}\` is unknown and was ignored. ${hint}`;
      warn({ type: 'other', message });
    }
  }
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
