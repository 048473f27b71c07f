/* Traits of a model that its name tells before the first call. */

/** URLs that the API fetches itself, by media type. Hosts download all others. */
export const supportedUrls: Record<string, RegExp[]> = {
  'image/*': [/^https?:\/\/.*$/],
  'application/pdf': [/^https?:\/\/.*$/],
};

/** Traits that follow from the name of a model. Models with unknown names get no special treatment. */
export interface ModelTraits {
  /** The name follows a pattern of OpenAI. Settings that such a model lacks are omitted; others receive all settings. */
  readonly isKnown: boolean;
  /** Accepts `developer` messages but no sampling settings. */
  readonly isReasoningModel: boolean;
  readonly rejectsReasoning: boolean;
  /** Accepts sampling settings if the effort is `none`. */
  readonly samplesWithoutReasoning: boolean;
  /** Accepted efforts. Undefined if they are not known. */
  readonly reasoningEfforts: readonly string[] | undefined;
  /** Returns log probabilities only if the effort is `none`. */
  readonly needsNoneForLogprobs: boolean;
  /** Accepts `configuration_update` items, asynchronous tools, and cache options instead of a retention. */
  readonly isGpt6OrLater: boolean;
  /** Accepts deferred tools and `tool_search`: https://platform.openai.com/docs/guides/tools-tool-search. */
  readonly searchesTools: boolean;
  readonly supportsFlexTier: boolean;
  readonly supportsPriorityTier: boolean;
}

/** Suffixes of variants that differ only in size, with a date or without. */
const PLAIN = String.raw`(?:-(?:mini|nano|sol|luna|terra))?(?:-\d{4}-\d\d-\d\d)?`;

/**
 * The efforts that models accept, by name. The first matching row applies. Efforts of the pro, codex and chat variants and
 * of the o series are not published.
 */
const REASONING_EFFORTS: readonly (readonly [name: RegExp, efforts: readonly string[]])[] = [
  [
    /^gpt-(?:6-sol|6-luna|6\.1-terra)(?:-\d{4}-\d\d-\d\d)?$/,
    ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  ],
  [/^gpt-(?:[6-9]|[1-9]\d+)\b/, ['low', 'medium', 'high', 'xhigh', 'max']],
  [new RegExp(`^gpt-5${PLAIN}$`), ['minimal', 'low', 'medium', 'high']],
  [new RegExp(String.raw`^gpt-5\.1${PLAIN}$`), ['none', 'low', 'medium', 'high']],
  [new RegExp(String.raw`^gpt-5\.[2-5]${PLAIN}$`), ['none', 'low', 'medium', 'high', 'xhigh']],
  [new RegExp(String.raw`^gpt-5\.\d+${PLAIN}$`), ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
];

/** Reasoning models whose names follow no pattern. */
const namedReasoningModels = new Set(['codex-mini-latest', 'computer-use-preview']);

/** @param forceReasoning overrides the classification as a reasoning model. */
export function toModelTraits(modelId: string, forceReasoning?: boolean): ModelTraits {
  const name = toBareModelName(modelId);
  const oSeries = /^o(\d+)(?:-|$)/.exec(name);
  const gpt = /^gpt-(\d+)(?:\.(\d+))?(?:-(.+))?$/.exec(name);
  const oVersion = Number(oSeries?.[1] ?? 0);
  const major = Number(gpt?.[1] ?? 0);
  const minor = Number(gpt?.[2] ?? 0);
  const variant = gpt?.[3] ?? '';
  const isChat = variant.startsWith('chat') && gpt?.[2] === undefined;
  const reasoningGpt = major >= 5 && !isChat;
  const isGpt6OrLater = major >= 6;
  const isReasoningName = oSeries !== null || reasoningGpt || namedReasoningModels.has(name);
  const isOldName = (major >= 3 && !reasoningGpt) || /^(?:gpt-4o|chatgpt-)/.test(name);
  const reasoningEfforts = REASONING_EFFORTS.find(([pattern]) => pattern.test(name))?.[1];

  return {
    isKnown: isReasoningName || isOldName,
    isReasoningModel: forceReasoning ?? isReasoningName,
    rejectsReasoning: forceReasoning === undefined ? isOldName : !forceReasoning,
    samplesWithoutReasoning: isGpt6OrLater
      ? reasoningEfforts?.includes('none') === true
      : major === 5 && minor >= 1,
    reasoningEfforts,
    needsNoneForLogprobs: isGpt6OrLater,
    isGpt6OrLater,
    searchesTools: isGpt6OrLater || (major === 5 && minor >= 4),
    supportsFlexTier: oVersion >= 3 || reasoningGpt,
    supportsPriorityTier:
      oVersion >= 3 || name.startsWith('gpt-4') || (reasoningGpt && !variant.startsWith('nano')),
  };
}

/**
 * Returns the name without the vendor and variant that routers and clouds add, as in `openai/gpt-5`,
 * `us.openai.gpt-5:free` or `ft:gpt-4.1:my-org::id`.
 */
function toBareModelName(modelId: string): string {
  const name = modelId.toLowerCase().replace(/^ft:/, '');
  const segment = name.slice(name.lastIndexOf('/') + 1);
  const bare = segment.replace(/:.*$/s, '').replace(/^(?:[a-z][a-z_-]*\.)+/, '');
  // Azure names GPT-3.5 without the dot.
  return bare.replace(/^gpt-35\b/, 'gpt-3.5');
}
