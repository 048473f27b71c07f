import type {
  Conversation,
  ConversationMode,
  ConversationSummary,
  PlaygroundMessage,
  StoredMessage,
  Thread,
} from '../../shared/playground-state.js';
import type { TraceEvent, TurnEnd } from '../../shared/trace-event.js';
import type { Connection } from './database.js';
import { packJson, unpackJson } from './pieces.js';

/**
 * Conversations in the playground's database. The messages of a thread form a tree, of which one path is shown. Nothing is
 * replaced: a response that is generated again is stored next to the previous one.
 */
export interface ConversationStore {
  /** Returns all conversations, the most recently changed first. */
  list(): readonly ConversationSummary[];
  read(id: string): Conversation | undefined;
  /** Creates the conversation if it is new. */
  open(id: string, options: { mode: ConversationMode; title: string }): void;
  rename(id: string, title: string): void;
  /**
   * Adds a user message and shows it. Adding the same message again changes nothing.
   *
   * @returns false if another message has this id.
   */
  addQuestion(place: MessagePlace, message: PlaygroundMessage): boolean;
  /**
   * Adds a response. It is shown if it is complete, or if its question has no complete response. A conversation that was
   * deleted during the turn stays deleted.
   */
  addResponse(place: MessagePlace, message: PlaygroundMessage, trace: readonly TraceEvent[]): void;
  has(conversationId: string, messageId: string): boolean;
  /** Returns the messages from the first to this one, whether or not they are shown. */
  pathTo(conversationId: string, messageId: string): readonly StoredMessage[];
  /** Shows a version of a message, with the newest messages after it. Returns false if there is no such message. */
  show(conversationId: string, messageId: string): boolean;
  /** Returns the complete trace of a response. */
  readTrace(conversationId: string, messageId: string): readonly TraceEvent[] | undefined;
  delete(id: string): void;
}

export interface MessagePlace {
  readonly conversationId: string;
  readonly thread: Thread;
  readonly parentId: string | null;
}

interface ConversationRow {
  readonly id: string;
  readonly title: string;
  readonly mode: ConversationMode;
  readonly updated_at: string;
}

interface MessageRow {
  readonly id: string;
  readonly thread: Thread;
  readonly parent_id: string | null;
  readonly message: string;
  readonly end: TurnEnd | null;
  readonly outline: string;
}

export function createConversationStore(database: Connection): ConversationStore {
  const statements = {
    list: database.prepare<[], ConversationRow>('SELECT * FROM conversations ORDER BY updated_at DESC'),
    one: database.prepare<[string], ConversationRow>('SELECT * FROM conversations WHERE id = ?'),
    insert: database.prepare(
      'INSERT INTO conversations (id, title, mode, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    rename: database.prepare('UPDATE conversations SET title = ? WHERE id = ?'),
    touch: database.prepare('UPDATE conversations SET updated_at = ? WHERE id = ?'),
    delete: database.prepare('DELETE FROM conversations WHERE id = ?'),
    messages: database.prepare<[string], MessageRow>(
      'SELECT id, thread, parent_id, message, end, outline FROM messages WHERE conversation_id = ? ORDER BY number',
    ),
    heads: database.prepare<[string], { thread: Thread; message_id: string }>(
      'SELECT thread, message_id FROM heads WHERE conversation_id = ?',
    ),
    setHead: database.prepare(
      `INSERT INTO heads (conversation_id, thread, message_id) VALUES (?, ?, ?)
       ON CONFLICT (conversation_id, thread) DO UPDATE SET message_id = excluded.message_id`,
    ),
    add: database.prepare(
      `INSERT INTO messages (conversation_id, id, thread, parent_id, message, end, outline, trace)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    trace: database.prepare<[string, string], { trace: string }>(
      'SELECT trace FROM messages WHERE conversation_id = ? AND id = ?',
    ),
    putPiece: database.prepare(
      'INSERT INTO pieces (conversation_id, hash, json) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    getPiece: database.prepare<[string, string], { json: string }>(
      'SELECT json FROM pieces WHERE conversation_id = ? AND hash = ?',
    ),
  };

  const touch = (id: string): void => void statements.touch.run(new Date().toISOString(), id);

  return {
    list: () => statements.list.all().map(toSummary),
    read(id) {
      const row = statements.one.get(id);
      if (row === undefined) return undefined;
      const tree = toTree(statements.messages.all(id));
      const threads = statements.heads
        .all(id)
        .map(({ thread, message_id }) => [thread, tree.pathTo(message_id)]);
      return { ...toSummary(row), threads: Object.fromEntries(threads) as Conversation['threads'] };
    },
    open(id, { mode, title }) {
      statements.insert.run(id, title, mode, new Date().toISOString());
    },
    rename(id, title) {
      statements.rename.run(title, id);
    },
    addQuestion: database.transaction(
      ({ conversationId, thread, parentId }: MessagePlace, message: PlaygroundMessage): boolean => {
        const known = statements.messages.all(conversationId).find(({ id }) => id === message.id);
        if (known !== undefined) {
          const { parts } = JSON.parse(known.message) as PlaygroundMessage;
          const isSame = known.parent_id === parentId && known.thread === thread && known.end === null;
          return isSame && JSON.stringify(parts) === JSON.stringify(message.parts);
        }
        const json = JSON.stringify(message);
        statements.add.run(conversationId, message.id, thread, parentId, json, null, '[]', '[]');
        statements.setHead.run(conversationId, thread, message.id);
        touch(conversationId);
        return true;
      },
    ),
    addResponse: database.transaction(
      (
        { conversationId, thread, parentId }: MessagePlace,
        message: PlaygroundMessage,
        trace: readonly TraceEvent[],
      ) => {
        if (statements.one.get(conversationId) === undefined) return;
        const end = trace.findLast(event => event.type === 'turn-end')?.end ?? 'failed';
        const put = (hash: string, json: string): void =>
          void statements.putPiece.run(conversationId, hash, json);
        statements.add.run(
          conversationId,
          message.id,
          thread,
          parentId,
          JSON.stringify(message),
          end,
          JSON.stringify(toOutline(trace)),
          JSON.stringify(packJson(trace, { put })),
        );
        const siblings = statements.messages.all(conversationId).filter(row => row.parent_id === parentId);
        if (isComplete(end) || !siblings.some(row => isComplete(row.end)))
          statements.setHead.run(conversationId, thread, message.id);
        touch(conversationId);
      },
    ),
    has: (conversationId, messageId) => statements.trace.get(conversationId, messageId) !== undefined,
    pathTo: (conversationId, messageId) => toTree(statements.messages.all(conversationId)).pathTo(messageId),
    show(conversationId, messageId) {
      const rows = statements.messages.all(conversationId);
      const shown = rows.find(({ id }) => id === messageId);
      if (shown === undefined) return false;
      statements.setHead.run(conversationId, shown.thread, toTree(rows).lastAfter(messageId));
      return true;
    },
    readTrace(conversationId, messageId) {
      const row = statements.trace.get(conversationId, messageId);
      if (row === undefined) return undefined;
      const get = (hash: string): string | undefined => statements.getPiece.get(conversationId, hash)?.json;
      return unpackJson(JSON.parse(row.trace), { get }) as readonly TraceEvent[];
    },
    delete(id) {
      statements.delete.run(id);
    },
  };
}

const toSummary = ({ id, title, mode, updated_at }: ConversationRow): ConversationSummary => ({
  id,
  title,
  mode,
  updatedAt: updated_at,
});

/** A turn that reached a limit has a complete response, which can be continued. */
const isComplete = (end: TurnEnd | null): boolean => end === 'finished' || end === 'limit';

/** Removes the contents of requests and responses, which are most of a trace. */
const toOutline = (trace: readonly TraceEvent[]): readonly TraceEvent[] =>
  trace.flatMap((event): readonly TraceEvent[] => {
    if (event.type === 'wire' || event.type === 'body') return [];
    if (event.type === 'request') return [{ ...event, headers: {}, body: undefined }];
    return [event.type === 'response' ? { ...event, headers: {} } : event];
  });

/** The messages of a conversation by parent. */
function toTree(rows: readonly MessageRow[]) {
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
