import { randomUUID } from 'node:crypto';
import type {
  Conversation,
  ConversationMode,
  ConversationSummary,
  PlaygroundMessage,
  StoredMessage,
  Thread,
} from '../../shared/playground-state.js';
import { toTurnUsages } from '../../shared/cost.js';
import type { TraceEvent } from '../../shared/trace-event.js';
import { toTrace } from '../../shared/trace.js';
import type { Connection } from './sqlite.js';
import { isComplete, type MessageRow, toTree } from './message-tree.js';
import { packJson, unpackJson } from './pieces.js';
import { createRecordingStore, NO_RECORDING, type RecordingStore } from './recordings.js';

/**
 * Conversations in the playground's database. The messages of a thread form a tree, of which one path is shown. Nothing is
 * replaced: a response that is generated again is stored next to the previous one.
 */
export interface ConversationStore extends Pick<RecordingStore, 'prune'> {
  /** Returns all conversations but those of applications, the most recently changed first. */
  list(): readonly ConversationSummary[];
  /** Remembers a new chat without a message until the next start, so that every page can show it. */
  addDraft(id: string): void;
  isDraft(id: string): boolean;
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
   * deleted during the turn stays deleted, and contains the response if it is restored.
   */
  addResponse(place: MessagePlace, message: PlaygroundMessage, trace: readonly TraceEvent[]): void;
  has(conversationId: string, messageId: string): boolean;
  /** Returns the messages from the first to this one, whether or not they are shown. */
  pathTo(conversationId: string, messageId: string): readonly StoredMessage[];
  /** Shows a version of a message, with the newest messages after it. Returns false if there is no such message. */
  show(conversationId: string, messageId: string): boolean;
  /** Returns the complete trace of a response, or its outline if the recording was deleted. */
  readTrace(conversationId: string, messageId: string): readonly TraceEvent[] | undefined;
  /** Returns the conversation of a response. */
  findTurn(messageId: string): { readonly conversationId: string; readonly title: string } | undefined;
  /** Returns the newest turns of all conversations, the newest first. */
  listTurns(): readonly ListedTurn[];
  readOutline(number: number): StoredTurn['outline'] | undefined;
  /** Returns the conversations whose title or messages contain a text, the most recently changed first. */
  search(text: string): readonly ConversationMatch[];
  /** Deletes a conversation. Until the next start, it can be restored. */
  delete(id: string): void;
  /** Returns false if there is no such deleted conversation. */
  restore(id: string): boolean;
  addAppTurn(turn: AppTurnRecord): void;
}

export interface AppTurnRecord {
  readonly question: string;
  readonly title: string;
  readonly message: PlaygroundMessage;
  readonly trace: readonly TraceEvent[];
}

export interface ConversationMatch {
  readonly id: string;
  /** The newest message that contains the text, unless only the title does. */
  readonly message?: { readonly role: PlaygroundMessage['role']; readonly text: string };
}

/** A turn without the contents of its requests and their responses. */
export interface StoredTurn {
  readonly conversationId: string;
  readonly messageId: string;
  readonly thread: Thread;
  /** The beginning of the message that the turn answers. The title of the conversation for turns of applications. */
  readonly title: string;
  readonly outline: readonly TraceEvent[];
}

/** A stored turn, without its outline. */
export interface ListedTurn extends Omit<StoredTurn, 'outline'> {
  /** Belongs to this turn forever. */
  readonly number: number;
  /** Bytes of the outline, to which the deletion of the recording adds some. Nothing else changes it. */
  readonly size: number;
}

const MAX_DRAFTS = 1000;

/** Characters of a listed message. */
const MAX_TITLE = 200;

/** Turns that are listed. */
const MAX_TURNS = 10_000;

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

export function createConversationStore(database: Connection): ConversationStore {
  const deleted = '(SELECT conversation_id FROM deleted)';
  const chats = `mode <> 'app' AND conversations.id NOT IN ${deleted}`;
  // A chat has many turns, so its title identifies none of them.
  const question = `CASE WHEN mode = 'app' THEN title ELSE coalesce(
    (SELECT substr(group_concat(part.value ->> 'text', ' '), 1, ${MAX_TITLE})
     FROM messages AS asked, json_each(asked.message, '$.parts') AS part
     WHERE asked.conversation_id = conversations.id AND asked.id = messages.parent_id
       AND part.value ->> 'type' = 'text'), title) END`;
  const statements = {
    list: database.prepare<[], ConversationRow>(
      `SELECT * FROM conversations WHERE ${chats} ORDER BY updated_at DESC`,
    ),
    one: database.prepare<[string], ConversationRow>(
      `SELECT * FROM conversations WHERE id = ? AND id NOT IN ${deleted}`,
    ),
    insert: database.prepare(
      'INSERT INTO conversations (id, title, mode, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    rename: database.prepare('UPDATE conversations SET title = ? WHERE id = ?'),
    touch: database.prepare('UPDATE conversations SET updated_at = ? WHERE id = ?'),
    delete: database.prepare(
      'INSERT INTO deleted (conversation_id) SELECT id FROM conversations WHERE id = ? ON CONFLICT DO NOTHING',
    ),
    restore: database.prepare('DELETE FROM deleted WHERE conversation_id = ?'),
    texts: database.prepare<[], { id: string; role: PlaygroundMessage['role']; text: string }>(
      `SELECT conversations.id, messages.message ->> 'role' AS role, part.value ->> 'text' AS text
       FROM conversations
       JOIN messages ON messages.conversation_id = conversations.id, json_each(messages.message, '$.parts') AS part
       WHERE ${chats} AND part.value ->> 'type' = 'text'
       ORDER BY updated_at DESC, messages.number DESC`,
    ),
    messages: database.prepare<[string], MessageRow>(
      'SELECT id, thread, parent_id, message, end, outline FROM messages WHERE conversation_id = ? ORDER BY number',
    ),
    turns: database.prepare<[], ListedTurn>(
      `SELECT number, conversations.id AS conversationId, messages.id AS messageId, thread,
         ${question} AS title, octet_length(outline) AS size
       FROM messages JOIN conversations ON conversations.id = messages.conversation_id
       WHERE end IS NOT NULL AND conversations.id NOT IN ${deleted}
       ORDER BY messages.number DESC LIMIT ${MAX_TURNS}`,
    ),
    outline: database.prepare<[number], { outline: string }>('SELECT outline FROM messages WHERE number = ?'),
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
    trace: database.prepare<[string, string], { trace: string; outline: string }>(
      `SELECT trace, outline FROM messages WHERE conversation_id = ? AND id = ?
       AND conversation_id NOT IN ${deleted}`,
    ),
    place: database.prepare<[string], { conversationId: string; title: string }>(
      `SELECT conversations.id AS conversationId, title
       FROM messages JOIN conversations ON conversations.id = messages.conversation_id
       WHERE messages.id = ? AND end IS NOT NULL AND conversations.id NOT IN ${deleted}`,
    ),
    putPiece: database.prepare(
      'INSERT INTO pieces (conversation_id, hash, json) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    getPiece: database.prepare<[string, string], { json: string }>(
      'SELECT json FROM pieces WHERE conversation_id = ? AND hash = ?',
    ),
  };

  const recordings = createRecordingStore(database);
  const drafts = new Set<string>();
  const touch = (id: string): void => void statements.touch.run(new Date().toISOString(), id);

  const store: ConversationStore = {
    list: () => statements.list.all().map(toSummary),
    addDraft(id) {
      drafts.add(id);
      if (drafts.size > MAX_DRAFTS) drafts.delete([...drafts][0] ?? '');
    },
    isDraft: id => drafts.has(id),
    read(id) {
      const row = statements.one.get(id);
      if (row === undefined) return undefined;
      const rows = statements.messages.all(id);
      const tree = toTree(rows);
      const threads = statements.heads
        .all(id)
        .map(({ thread, message_id }) => [thread, tree.pathTo(message_id)]);
      const usages = rows
        .filter(({ end }) => end !== null)
        .flatMap(({ outline }) => toTurnUsages(toTrace(JSON.parse(outline) as TraceEvent[])));
      return { ...toSummary(row), threads: Object.fromEntries(threads) as Conversation['threads'], usages };
    },
    open(id, { mode, title }) {
      statements.insert.run(id, title, mode, new Date().toISOString());
      statements.restore.run(id);
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
        recordings.add({ conversationId, messageId: message.id }, new Date().toISOString());
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
      const { trace, outline } = row;
      return unpackJson(JSON.parse(trace === NO_RECORDING ? outline : trace), {
        get,
      }) as readonly TraceEvent[];
    },
    findTurn: messageId => statements.place.get(messageId),
    listTurns: () => statements.turns.all(),
    readOutline(number) {
      const row = statements.outline.get(number);
      return row && (JSON.parse(row.outline) as readonly TraceEvent[]);
    },
    search(text) {
      const part = text.toLowerCase();
      const isMatch = (whole: string): boolean => whole.toLowerCase().includes(part);
      const found = new Map<string, ConversationMatch>();
      // SQLite compares letters of other languages exactly.
      for (const { id, role, text: whole } of statements.texts.iterate())
        if (!found.has(id) && isMatch(whole)) found.set(id, { id, message: { role, text: whole } });
      for (const { id, title } of statements.list.iterate())
        if (!found.has(id) && isMatch(title)) found.set(id, { id });
      return [...found.values()];
    },
    delete(id) {
      statements.delete.run(id);
    },
    restore: id => statements.restore.run(id).changes > 0,
    addAppTurn: database.transaction(({ question, title, message, trace }: AppTurnRecord): void => {
      const conversationId = randomUUID();
      const asked: PlaygroundMessage = {
        id: randomUUID(),
        role: 'user',
        parts: [{ type: 'text', text: question }],
      };
      store.open(conversationId, { mode: 'app', title });
      store.addQuestion({ conversationId, thread: 'main', parentId: null }, asked);
      store.addResponse({ conversationId, thread: 'main', parentId: asked.id }, message, trace);
    }),
    prune: recordings.prune,
  };
  return store;
}

const toSummary = ({ id, title, mode, updated_at }: ConversationRow): ConversationSummary => ({
  id,
  title,
  mode,
  updatedAt: updated_at,
});

/** Removes the contents of requests and responses, which are most of a trace. */
const toOutline = (trace: readonly TraceEvent[]): readonly TraceEvent[] =>
  trace.flatMap((event): readonly TraceEvent[] => {
    if (event.type === 'wire' || event.type === 'body') return [];
    if (event.type === 'request') return [{ ...event, headers: {}, body: undefined }];
    return [event.type === 'response' ? { ...event, headers: {} } : event];
  });
