import { charactersPerToken, reasoningTokensPerItem } from './estimate-tokens.js';
import type { OutputItem } from './wire.js';

/**
 * Cuts the output where `maxTokens` are spent: the item in which that happens is left `incomplete`, what
 * would follow is missing. With `cutsLast` the last item is called incomplete as it stands.
 */
export function truncateOutput(
  items: readonly OutputItem[],
  { maxTokens, cutsLast }: { maxTokens?: number; cutsLast: boolean },
): { output: readonly OutputItem[]; isTruncated: boolean } {
  const last = items.at(-1);
  if (cutsLast && last !== undefined) {
    return { output: [...items.slice(0, -1), cutItem(last, Number.POSITIVE_INFINITY)], isTruncated: true };
  }
  if (maxTokens === undefined) return { output: items, isTruncated: false };

  const output: OutputItem[] = [];
  let left = maxTokens * charactersPerToken;
  for (const item of items) {
    const length = lengthOf(item);
    if (length > left)
      return { output: left > 0 ? [...output, cutItem(item, left)] : output, isTruncated: true };
    output.push(item);
    left -= length;
  }
  return { output, isTruncated: false };
}

function lengthOf(item: OutputItem): number {
  switch (item.type) {
    case 'message':
      return item.content.reduce(
        (sum, part) => sum + (part.type === 'refusal' ? part.refusal : part.text).length,
        0,
      );
    case 'function_call':
      return item.arguments.length;
    case 'reasoning':
      return reasoningTokensPerItem * charactersPerToken;
    case 'raw':
      return 0;
  }
}

function cutItem(item: OutputItem, length: number): OutputItem {
  switch (item.type) {
    case 'message':
      return {
        ...item,
        status: 'incomplete',
        content: item.content.map(part =>
          part.type === 'refusal'
            ? { ...part, refusal: part.refusal.slice(0, length) }
            : { ...part, text: part.text.slice(0, length) },
        ),
      };
    case 'function_call':
      return { ...item, status: 'incomplete', arguments: item.arguments.slice(0, length) };
    default:
      return item;
  }
}
