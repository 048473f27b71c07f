import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

export type Connection = Database.Database;

/** Opens the playground's database, readable only for its owner, and creates its tables. */
export function openDatabase(folder: string): Connection {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, 'playground.sqlite');
  const database = new Database(file);
  chmodSync(file, 0o600);
  database.pragma('journal_mode = WAL');
  database.pragma('foreign_keys = ON');
  database.exec(`
    CREATE TABLE IF NOT EXISTS conversations (
      id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      mode TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS messages (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
      thread TEXT NOT NULL,
      message TEXT NOT NULL,
      trace TEXT NOT NULL,
      UNIQUE (conversation_id, thread, id)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `);
  return database;
}
