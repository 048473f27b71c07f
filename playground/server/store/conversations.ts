import type {
  Conversation,
  ConversationMode,
  ConversationSummary,
  PlaygroundMessage,
  StoredMessage,
  Thread,
} from '../../shared/playground-state.js';
import type { TraceEvent } from '../../shared/trace-event.js';
import type { Connection } from './database.js';

/** Conversations in the playground's database. */
export interface ConversationStore {
  /** Returns all conversations, the most recently changed first. */
  list(): readonly ConversationSummary[];
  read(id: string): Conversation | undefined;
  /** Creates the conversation if it is new. */
  open(id: string, options: { mode: ConversationMode; title: string }): void;
  rename(id: string, title: string): void;
  /** Adds a message, or replaces the one with its id. */
  save(id: string, thread: Thread, message: PlaygroundMessage, trace?: readonly TraceEvent[]): void;
  /** Deletes the responses after the last user message. */
  dropResponse(id: string, thread: Thread): void;
  delete(id: string): void;
}

interface ConversationRow {
  readonly id: string;
  readonly title: string;
  readonly mode: ConversationMode;
  readonly updated_at: string;
}

interface MessageRow {
  readonly number: number;
  readonly thread: Thread;
  readonly message: string;
  readonly trace: string;
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
      'SELECT number, thread, message, trace FROM messages WHERE conversation_id = ? ORDER BY number',
    ),
    save: database.prepare(
      `INSERT INTO messages (id, conversation_id, thread, message, trace) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (conversation_id, thread, id) DO UPDATE SET message = excluded.message, trace = excluded.trace`,
    ),
    drop: database.prepare('DELETE FROM messages WHERE number = ?'),
  };

  const rowsOf = (id: string, thread: Thread): MessageRow[] =>
    statements.messages.all(id).filter(row => row.thread === thread);

  return {
    list: () => statements.list.all().map(toSummary),
    read(id) {
      const row = statements.one.get(id);
      if (row === undefined) return undefined;
      const threads: Partial<Record<Thread, StoredMessage[]>> = {};
      for (const { thread, message, trace } of statements.messages.all(id)) {
        (threads[thread] ??= []).push({
          message: JSON.parse(message) as PlaygroundMessage,
          trace: JSON.parse(trace) as TraceEvent[],
        });
      }
      return { ...toSummary(row), threads };
    },
    open(id, { mode, title }) {
      statements.insert.run(id, title, mode, new Date().toISOString());
    },
    rename(id, title) {
      statements.rename.run(title, id);
    },
    save: database.transaction(
      (id: string, thread: Thread, message: PlaygroundMessage, trace: readonly TraceEvent[] = []) => {
        // A conversation that is deleted during a response stays deleted.
        if (statements.one.get(id) === undefined) return;
        statements.save.run(message.id, id, thread, JSON.stringify(message), JSON.stringify(trace));
        statements.touch.run(new Date().toISOString(), id);
      },
    ),
    dropResponse: database.transaction((id: string, thread: Thread) => {
      const rows = rowsOf(id, thread);
      const isUser = ({ message }: MessageRow): boolean =>
        (JSON.parse(message) as PlaygroundMessage).role === 'user';
      for (const { number } of rows.slice(rows.findLastIndex(isUser) + 1)) statements.drop.run(number);
    }),
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
