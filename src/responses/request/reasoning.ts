import { type LanguageModelV2CallWarning, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { isHostedCall } from '../hosted-tools/index.js';
import { type InputItem, isConfigurationUpdate, isFunctionCall, isReasoning } from '../wire.js';
import type { ModelTraits } from './model-settings.js';
import { reasoningEffortUpdates, type ResponsesCallOptions } from './provider-options.js';

export interface NormalizeReasoningOptions {
  readonly store: boolean;
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly warn: (message: string) => void;
}

/**
 * Removes reasoning that the API rejects. A server that stores nothing requires the encrypted content, and every
 * reasoning item must precede an item of the same turn. With `synthesize`, function calls that lost their reasoning get
 * an empty reasoning item.
 */
export function normalizeReasoning(
  items: readonly InputItem[],
  options: NormalizeReasoningOptions,
): InputItem[] {
  const replayable = withReplayable(items, options);
  const normalized = withoutTrailing(replayable);
  return options.missingReasoning === 'synthesize' ? withSynthesized(normalized) : normalized;
}

function withReplayable(
  items: readonly InputItem[],
  { store, missingReasoning, warn }: NormalizeReasoningOptions,
): readonly InputItem[] {
  // If ids are sent, an item without content still contains the id that a call refers to.
  if (store || missingReasoning === 'synthesize') return items;
  const replayable = items.filter(item => !isReasoning(item) || item.encrypted_content !== undefined);
  if (replayable.length < items.length) {
    warn(
      'Reasoning parts without encrypted content are not supported when store is false. Skipping reasoning parts.',
    );
  }
  return replayable;
}

/** Removes reasoning at the end of a response: the response was truncated, or its hosted tool call is not sent. */
function withoutTrailing(items: readonly InputItem[]): InputItem[] {
  const normalized: InputItem[] = [];
  let isFollowed = false;
  for (const item of items.toReversed()) {
    if (isReasoning(item) && !isFollowed) continue;
    normalized.push(item);
    isFollowed = isOfModel(item);
  }
  return normalized.reverse();
}

function withSynthesized(items: readonly InputItem[]): InputItem[] {
  const ids = new Set(items.flatMap(item => (isReasoning(item) && item.id !== undefined ? [item.id] : [])));
  const normalized: InputItem[] = [];
  let hasReasoning = false;
  for (const item of items) {
    const id = isOfModel(item) && !hasReasoning ? toReasoningId(item) : undefined;
    if (id !== undefined && !ids.has(id)) {
      ids.add(id);
      normalized.push({ type: 'reasoning', id, summary: [] });
      hasReasoning = true;
    }
    hasReasoning = isOfModel(item) && (hasReasoning || isReasoning(item));
    normalized.push(item);
  }
  return normalized;
}

/** Returns the id of the reasoning that belongs to a call. The ids `rs_…` and `fc_…` share the part after the prefix. */
function toReasoningId(item: InputItem): string | undefined {
  if (!isFunctionCall(item)) return undefined;
  const rest = /^fc_([A-Za-z0-9_-]+)$/.exec(item.id ?? '')?.[1];
  return rest && `rs_${rest}`;
}

/** Returns true for items that the model wrote, which form a response with the adjacent ones. */
function isOfModel(item: InputItem): boolean {
  if ('role' in item) return item.role === 'assistant';
  return isReasoning(item) || isFunctionCall(item) || isHostedCall(item.type);
}

/** Returns why a call cannot change the reasoning effort within a conversation. Undefined if it can. */
export function toEffortUpdateIssue(
  { isGpt6OrLater }: ModelTraits,
  { reasoningMode, truncation }: ResponsesCallOptions,
): string | undefined {
  if (!isGpt6OrLater) return 'reasoningEffortUpdate is only supported by GPT-6 and later models';
  return reasoningMode === 'pro' || truncation === 'auto'
    ? 'reasoningEffortUpdate requires standard reasoning mode without automatic truncation'
    : undefined;
}

/** Converts an empty system message that changes the reasoning effort. */
export function toEffortUpdate(
  effort: unknown,
  { content, issue }: { content: string; issue: string | undefined },
): InputItem {
  const known = reasoningEffortUpdates.find(name => name === effort);
  const reason =
    content !== ''
      ? 'Message-level reasoningEffortUpdate requires empty system message content.'
      : known === undefined
        ? `Expected reasoningEffortUpdate to be one of ${reasoningEffortUpdates.join(', ')}, got ${JSON.stringify(effort)}.`
        : issue;
  if (known === undefined || reason !== undefined) {
    throw new UnsupportedFunctionalityError({
      functionality: 'Message-level reasoningEffortUpdate',
      message: reason,
    });
  }
  return { type: 'configuration_update', reasoning: { effort: known } };
}

/** Inserts the call's change of effort before the items, unless they begin with the same change. */
export function withEffortUpdate(
  items: InputItem[],
  {
    effort,
    issue,
    warn,
  }: {
    effort: string | undefined;
    issue: string | undefined;
    warn: (warning: LanguageModelV2CallWarning) => void;
  },
): InputItem[] {
  if (effort !== undefined && issue !== undefined) {
    warn({ type: 'unsupported-setting', setting: 'reasoningEffortUpdate', details: issue });
  }
  const [first] = items;
  const isPresent = isConfigurationUpdate(first) && first.reasoning.effort === effort;
  const isAdded = effort !== undefined && issue === undefined && !isPresent;
  const updated: InputItem[] = isAdded
    ? [{ type: 'configuration_update', reasoning: { effort } }, ...items]
    : items;
  const isAdjacent = updated.some(
    (item, index) => isConfigurationUpdate(item) && isConfigurationUpdate(updated[index + 1]),
  );
  if (isAdjacent) {
    throw new UnsupportedFunctionalityError({
      functionality: 'Adjacent reasoning effort configuration updates',
    });
  }
  return updated;
}
