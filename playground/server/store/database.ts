import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { describeFailure } from '../../shared/failure.js';
import { Connection } from './sqlite.js';

/** The number of the layout of the tables. */
const LAYOUT = 2;

/**
 * Opens the playground's database, readable only for its owner, and creates its tables.
 *
 * @throws Error if the file is no database, or has the tables of a later version. The file stays unchanged.
 */
export function openDatabase(folder: string): Connection {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'conversations.sqlite');
  const database = new Connection(file);
  try {
    const layout = readLayout(database);
    if (layout > LAYOUT) throw new Error(`its layout ${layout} is of a later version`);
    chmodSync(file, 0o600);
    createTables(database);
    if (layout < 2) keepSettings(database);
    database.exec(`PRAGMA user_version = ${LAYOUT}`);
  } catch (cause) {
    database.close();
    throw new Error(
      `Expected a database of this version in ${file}: ${describeFailure(cause)}. Move the file away, or choose another folder with --data.`,
      { cause },
    );
  }
  return database;
}

/** Returns the number of the layout that a database has, 0 for a new one. */
export const readLayout = (database: Connection): number =>
  database.prepare<[], { user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;

function createTables(database: Connection): void {
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA foreign_keys = ON;
    CREATE TABLE IF NOT EXISTS conversations (
      id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      mode TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS messages (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      thread TEXT NOT NULL,
      parent_id TEXT,
      message TEXT NOT NULL,
      -- The end of the turn, for responses.
      end TEXT,
      outline TEXT NOT NULL,
      trace TEXT NOT NULL,
      UNIQUE (conversation_id, id)
    ) STRICT;
    -- The last shown message of each thread.
    CREATE TABLE IF NOT EXISTS heads (
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      thread TEXT NOT NULL,
      message_id TEXT NOT NULL,
      PRIMARY KEY (conversation_id, thread)
    ) STRICT;
    -- Parts of traces that occur repeatedly.
    CREATE TABLE IF NOT EXISTS pieces (
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      hash TEXT NOT NULL,
      json TEXT NOT NULL,
      PRIMARY KEY (conversation_id, hash)
    ) STRICT, WITHOUT ROWID;
    -- Images and documents of messages, by the hash of their content.
    CREATE TABLE IF NOT EXISTS attachments (
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      hash TEXT NOT NULL,
      media_type TEXT NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (conversation_id, hash)
    ) STRICT;
    -- The time and the bytes of each recorded turn.
    CREATE TABLE IF NOT EXISTS recordings (
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      message_id TEXT NOT NULL,
      at TEXT NOT NULL,
      size REAL NOT NULL,
      PRIMARY KEY (conversation_id, message_id)
    ) STRICT, WITHOUT ROWID;
    DROP TABLE IF EXISTS app_sizes;
    -- Conversations whose deletion can be undone until the next start.
    CREATE TABLE IF NOT EXISTS deleted (
      conversation_id TEXT PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE
    ) STRICT;
    DELETE FROM conversations WHERE id IN (SELECT conversation_id FROM deleted);
    CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `);
}

/** Gives the conversations of layout 1, which shared their settings, the current ones. */
function keepSettings(database: Connection): void {
  database.exec(`
    INSERT OR IGNORE INTO settings (name, value)
    SELECT 'settings of ' || id, value FROM conversations JOIN settings ON name = 'settings'
  `);
}
