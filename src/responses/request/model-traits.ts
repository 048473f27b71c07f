/** What follows from the name of a model alone. Unknown names get no special treatment. */
export interface ModelTraits {
  /** Reasons, so takes `developer` messages and no sampling settings. */
  readonly isReasoningModel: boolean;
  /** A model of OpenAI's that is known to refuse reasoning settings. */
  readonly refusesReasoning: boolean;
  /** Takes sampling settings when its effort is `none`. */
  readonly samplesWithoutReasoning: boolean;
  /** The efforts it takes, where the list is fixed; such models have no log probabilities either. */
  readonly reasoningEfforts: readonly string[] | undefined;
  /** Takes `configuration_update` items, asynchronous tools, and cache options in place of a retention. */
  readonly isGpt6OrLater: boolean;
  readonly supportsFlexTier: boolean;
  readonly supportsPriorityTier: boolean;
}

const gpt6Efforts = ['low', 'medium', 'high', 'xhigh', 'max'];
const effortsByModel: Readonly<Record<string, readonly string[]>> = {
  'gpt-6-sol': ['none', ...gpt6Efforts],
  'gpt-6-luna': ['none', ...gpt6Efforts],
};

/** Reasoning models whose name follows no pattern. */
const namedReasoningModels = new Set(['codex-mini-latest', 'computer-use-preview']);

export function toModelTraits(modelId: string): ModelTraits {
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

  return {
    isReasoningModel: oSeries !== null || reasoningGpt || namedReasoningModels.has(name),
    refusesReasoning: (major >= 3 && !reasoningGpt) || /^(?:gpt-4o|chatgpt-)/.test(name),
    samplesWithoutReasoning: major === 5 && minor >= 1,
    reasoningEfforts: effortsByModel[name] ?? (isGpt6OrLater ? gpt6Efforts : undefined),
    isGpt6OrLater,
    supportsFlexTier: oVersion >= 3 || reasoningGpt,
    supportsPriorityTier:
      oVersion >= 3 || name.startsWith('gpt-4') || (reasoningGpt && !variant.startsWith('nano')),
  };
}

/**
 * The model's own name: routers and clouds put a vendor before it and a variant behind it, as in
 * `openai/gpt-5`, `us.openai.gpt-5:free` or `ft:gpt-4.1:my-org::id`.
 */
function toBareModelName(modelId: string): string {
  const name = modelId.toLowerCase().replace(/^ft:/, '');
  const segment = name.slice(name.lastIndexOf('/') + 1);
  return segment.replace(/:.*$/, '').replace(/^(?:[a-z][a-z_-]*\.)+/, '');
}
