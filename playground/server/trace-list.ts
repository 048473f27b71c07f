import { setImmediate } from 'node:timers/promises';
import { toTrace } from '../shared/trace.js';
import { summarizeTrace, type TraceSummary } from '../shared/trace-summary.js';
import type { PlaygroundContext } from './context.js';
import type { ListedTurn, StoredTurn } from './store/conversations.js';

/** Turns that are summarized at once. Other requests are answered in between. */
const BATCH = 200;

/** A redacted summary as JSON, and what it was made of. */
interface KeptSummary extends Pick<ListedTurn, 'title' | 'size'> {
  readonly json: string;
}

/**
 * Returns a function that lists all turns as JSON. The summaries of stored turns are kept until a recording is deleted, a
 * conversation is renamed, or a secret is added or removed.
 */
export function createTraceList({
  apps,
  conversations,
  redactor,
}: Pick<PlaygroundContext, 'apps' | 'conversations' | 'redactor'>): () => Promise<string> {
  let kept: ReadonlyMap<number, KeptSummary> = new Map();
  /** That of `kept`. */
  let generation = -1;
  let pending = Promise.resolve('[]');

  function summarize(turns: readonly StoredTurn[]): readonly string[] {
    const summaries = turns.map(({ outline, ...place }) => ({
      ...place,
      ...summarizeTrace(toTrace(outline)),
    }));
    const redacted = redactor.json(summaries);
    // Ids identify turns, even if they look like a secret.
    return redacted.map((summary, index) => {
      const { conversationId, messageId } = summaries[index] as TraceSummary;
      return JSON.stringify({ ...summary, conversationId, messageId });
    });
  }

  async function list(): Promise<string> {
    if (redactor.generation() !== generation) kept = new Map();
    generation = redactor.generation();
    const running = apps.running();
    const listed = conversations.listTurns();
    // Turns that are not listed any more are not kept.
    const next = new Map<number, KeptSummary>();
    const changed: ListedTurn[] = [];
    for (const turn of listed) {
      const known = kept.get(turn.number);
      if (known?.title === turn.title && known.size === turn.size) next.set(turn.number, known);
      else changed.push(turn);
    }
    for (let start = 0; start < changed.length; start += BATCH) {
      if (start > 0) await setImmediate();
      const batch = changed.slice(start, start + BATCH).flatMap(({ number, size, ...place }) => {
        const outline = conversations.readOutline(number);
        return outline === undefined ? [] : [{ number, size, turn: { ...place, outline } }];
      });
      for (const [index, json] of summarize(batch.map(({ turn }) => turn)).entries()) {
        const { number, size, turn } = batch[index] as (typeof batch)[number];
        next.set(number, { title: turn.title, size, json });
      }
    }
    if (redactor.generation() !== generation) return list();
    kept = next;
    return `[${[...summarize(running), ...listed.flatMap(({ number }) => next.get(number)?.json ?? [])].join(',')}]`;
  }

  // One after the other, so that two pages do not summarize the same turns.
  return () => (pending = pending.then(list, list));
}
