import type { PlaygroundMessage, StoredMessage, Thread } from '../../shared/playground-state.js';
import type { TraceEvent, TurnEnd } from '../../shared/trace-event.js';

export interface MessageRow {
  readonly id: string;
  readonly thread: Thread;
  readonly parent_id: string | null;
  readonly message: string;
  readonly end: TurnEnd | null;
  readonly outline: string;
}

/** A turn that reached a limit has a complete response, which can be continued. */
export const isComplete = (end: TurnEnd | null): boolean => end === 'finished' || end === 'limit';

/** The messages of a conversation by parent. */
export function toTree(rows: readonly MessageRow[]) {
  const byId = new Map(rows.map(row => [row.id, row]));
  const children = new Map<string, MessageRow[]>();
  for (const row of rows) {
    const key = `${row.thread} ${row.parent_id ?? ''}`;
    children.set(key, [...(children.get(key) ?? []), row]);
  }
  const siblingsOf = (row: MessageRow): readonly MessageRow[] =>
    (children.get(`${row.thread} ${row.parent_id ?? ''}`) ?? []).filter(
      other => (other.end === null) === (row.end === null),
    );

  function toStored(row: MessageRow): StoredMessage {
    const siblings = siblingsOf(row);
    const newest = siblings.at(-1);
    return {
      message: JSON.parse(row.message) as PlaygroundMessage,
      parentId: row.parent_id,
      versions: siblings.map(({ id }) => id),
      ...(newest !== undefined &&
        newest !== row &&
        newest.end !== null &&
        !isComplete(newest.end) && {
          failedVersion: toFailedVersion(newest, newest.end),
        }),
      outline: JSON.parse(row.outline) as TraceEvent[],
    };
  }

  return {
    pathTo(id: string): readonly StoredMessage[] {
      const path: StoredMessage[] = [];
      for (let row = byId.get(id); row !== undefined; row = byId.get(row.parent_id ?? ''))
        path.unshift(toStored(row));
      return path;
    },
    /** Returns the last message of the newest path after this one. */
    lastAfter(id: string): string {
      const row = byId.get(id);
      const next = children
        .get(`${row?.thread ?? ''} ${id}`)
        ?.toSorted(byCompleteness)
        .at(-1);
      return next === undefined ? id : this.lastAfter(next.id);
    },
  };
}

/** Sorts complete messages last, and keeps the order otherwise. */
const byCompleteness = (first: MessageRow, second: MessageRow): number =>
  Number(first.end === null || isComplete(first.end)) - Number(second.end === null || isComplete(second.end));

function toFailedVersion({ id, outline }: MessageRow, end: TurnEnd): StoredMessage['failedVersion'] {
  const events = JSON.parse(outline) as TraceEvent[];
  const message = events.findLast(event => event.type === 'turn-end')?.message;
  return { id, end, ...(message !== undefined && { message }) };
}
