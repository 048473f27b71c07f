import type { InputItem, ReasoningItem } from '../wire.js';

export interface NormalizeReasoningOptions {
  readonly store: boolean;
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly warn: (message: string) => void;
}

/**
 * Leaves only the reasoning that the API accepts: with its encrypted content, as nothing else is known to a server
 * that stores nothing, and before an item of its own turn. With `synthesize`, calls that lost their reasoning
 * get an item made up for it.
 */
export function normalizeReasoning(
  items: readonly InputItem[],
  options: NormalizeReasoningOptions,
): InputItem[] {
  const replayable = withReplayable(items, options);
  const settled = withoutTrailing(replayable);
  return options.missingReasoning === 'synthesize' ? withSynthesized(settled) : settled;
}

function withReplayable(
  items: readonly InputItem[],
  { store, missingReasoning, warn }: NormalizeReasoningOptions,
): readonly InputItem[] {
  // Where ids are kept, an item without content still names what a call needs.
  if (store || missingReasoning === 'synthesize') return items;
  const replayable = items.filter(item => !isReasoning(item) || item.encrypted_content !== undefined);
  if (replayable.length < items.length) {
    warn(
      'Reasoning parts without encrypted content are not supported when store is false. Skipping reasoning parts.',
    );
  }
  return replayable;
}

/** An answer may end in reasoning, when it was cut off or its hosted tool call is not sent. */
function withoutTrailing(items: readonly InputItem[]): InputItem[] {
  const settled: InputItem[] = [];
  let isFollowed = false;
  for (const item of items.toReversed()) {
    if (isReasoning(item) && !isFollowed) continue;
    settled.push(item);
    isFollowed = isOfModel(item);
  }
  return settled.reverse();
}

function withSynthesized(items: readonly InputItem[]): InputItem[] {
  const ids = new Set(items.flatMap(item => (isReasoning(item) && item.id !== undefined ? [item.id] : [])));
  const settled: InputItem[] = [];
  let hasReasoning = false;
  for (const item of items) {
    const id = isOfModel(item) && !hasReasoning ? toReasoningId(item) : undefined;
    if (id !== undefined && !ids.has(id)) {
      ids.add(id);
      settled.push({ type: 'reasoning', id, summary: [] });
      hasReasoning = true;
    }
    hasReasoning = isOfModel(item) && (hasReasoning || isReasoning(item));
    settled.push(item);
  }
  return settled;
}

/** The server looks for the `rs_…` that came with an `fc_…`; both ids share what follows the prefix. */
function toReasoningId(item: InputItem): string | undefined {
  if (item.type !== 'function_call') return undefined;
  const rest = /^fc_([A-Za-z0-9_-]+)$/.exec(item.id ?? '')?.[1];
  return rest && `rs_${rest}`;
}

/** Whether the model wrote an item, so that it belongs to the same answer as those beside it. */
function isOfModel(item: InputItem): boolean {
  if ('role' in item) return item.role === 'assistant';
  return modelItems.has(item.type);
}

const modelItems: ReadonlySet<string> = new Set([
  'reasoning',
  'function_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'computer_call',
  'custom_tool_call',
  'mcp_approval_request',
]);

function isReasoning(item: InputItem): item is ReasoningItem {
  return item.type === 'reasoning';
}
