export { createApprovalClaim } from './claim.js';
export { createJournal, type Journal, type JournalSettings } from './journal.js';
export {
  createPostgresStore,
  migratePostgresStore,
  type PostgresPool,
  type PostgresStore,
  type PostgresStoreOptions,
} from './postgres-store.js';
export { createFileOutputStore, type FileOutputStoreOptions } from '../features/kept-outputs/file-store.js';
export type { RecordContext, RecordEncoding } from './records.js';
export {
  createRedisStore,
  type RedisClient,
  type RedisStore,
  type RedisStoreOptions,
} from './redis-store.js';
export type { SqliteDatabase, SqliteStatement } from './sqlite-driver.js';
export { createSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite-store.js';
export {
  type JournalStore,
  type StoredTurn,
  type TurnEntry,
  type TurnIndex,
  type TurnQuery,
  type WriteOptions,
} from './store.js';
export type { InspectedTurn, JournalTurns, TurnSummary } from './turns.js';
