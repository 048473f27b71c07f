export { createJournal, type JournalSettings } from './journal.js';
export { createRedisStore, type RedisClient, type RedisStoreOptions } from './redis-store.js';
export { createSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite-store.js';
export { createApprovalClaim, type JournalStore } from './store.js';
