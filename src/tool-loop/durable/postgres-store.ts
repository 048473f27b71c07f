import { toDigest } from '../../core/shared/hash.js';
import { fromStoredText, toStoredText as text } from './records.js';
import { toConditions, toStoredTurn, TURN_COLUMNS, type TurnRow } from './sqlite-tables.js';
import type { JournalStore, TurnEntry, TurnIndex } from './store.js';

/** A pool of `pg`, or anything with its `query`. */
export interface PostgresPool {
  /** Runs one statement. */
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** Options of a PostgreSQL store. */
export interface PostgresStoreOptions {
  /** A pool of `pg` 8, which the application closes, or anything with its `query`. A pooler may be between. */
  pool: PostgresPool;
  /**
   * Creates missing tables on first use. With false, `migratePostgresStore` must have run before, with a user who may
   * create tables.
   * @default true
   */
  migrates?: boolean;
}

/** A journal store in PostgreSQL. */
export interface PostgresStore extends JournalStore {
  readonly turns: TurnIndex;
}

/**
 * Creates a journal store in PostgreSQL 12 or later, for processes on any number of machines. Every operation is one
 * statement, which locks the claim of its turn. Times are those of the database.
 *
 * @example
 * ```ts
 * const store = createPostgresStore({ pool: new Pool({ connectionString: process.env.DATABASE_URL }) });
 * ```
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { query, one } = createQueries(options);
  const turns = createTurns({ query, one });
  return {
    async read(turn, step) {
      const row = await one<{ record: string }>(
        `select record from kelivo_records where turn = ? and step = ? and expires_at > ${NOW}`,
        await toKey(turn),
        await toKey(step),
      );
      return row && fromStoredText(row.record);
    },

    async write(turn, step, record, writeOptions) {
      // The clock of this process may be wrong, but the time that is left is right.
      const left = Math.round(writeOptions.expiresAt - Date.now());
      const row = await one<{ result: 'written' | 'exists' | 'lost' }>(
        `with input as (
          select ?::text as turn, ?::text as step, ?::text as record, ?::text as owner, ${NOW} + ?::bigint as expires_at
        ), claim as (
          select i.* from kelivo_claims c join input i on i.turn = c.turn
          where c.owner = i.owner and c.until > ${NOW} for update of c
        ), ${entryOf(writeOptions.entry === undefined ? 'none' : writeOptions.begins ? 'begin' : 'update')}, written as (
          insert into kelivo_records as r (turn, step, record, expires_at)
          select turn, step, record, expires_at from claim where exists (select 1 from entry)
          on conflict (turn, step) do update set record = excluded.record, expires_at = excluded.expires_at
          where r.expires_at <= ${NOW}
          returning 1
        )
        select case when not exists (select 1 from entry) then 'lost'
          when exists (select 1 from written) then 'written' else 'exists' end as result`,
        await toKey(turn),
        await toKey(step),
        text(record),
        await toKey(writeOptions.owner),
        left,
        ...factsOf(writeOptions.entry),
      );
      return row?.result ?? 'lost';
    },

    async claim(turn, owner, { lease, renews = false }) {
      const values = [await toKey(turn), await toKey(owner), Math.ceil(lease)];
      if (renews)
        return (
          (await one(
            `with input as (select ?::text as turn, ?::text as owner, ?::bigint as lease)
            update kelivo_claims c set until = ${NOW} + i.lease from input i
            where c.turn = i.turn and c.owner = i.owner returning 1`,
            ...values,
          )) !== undefined
        );
      const row = await one(
        `insert into kelivo_claims as c (turn, owner, until) values (?, ?, ${NOW} + ?::bigint)
        on conflict (turn) do update set owner = excluded.owner, until = excluded.until
        where c.owner = excluded.owner or c.until <= ${NOW} returning 1`,
        ...values,
      );
      // A process claims once per turn. What could not be deleted is deleted by a later claim.
      await turns.prune({ limit: 5 }).catch(() => {});
      return row !== undefined;
    },

    async release(turn, owner, end) {
      const values = [await toKey(turn), await toKey(owner)];
      if (end === undefined) {
        await query('delete from kelivo_claims where turn = ? and owner = ?', ...values);
        return;
      }
      const { entry } = end;
      await query(
        `with input as (select ?::text as turn, ?::text as owner, ${NOW} + ?::bigint as expires_at), claim as (
          delete from kelivo_claims c using input i where c.turn = i.turn and c.owner = i.owner and c.until > ${NOW}
          returning i.*
        ), ${entryOf('update')}
        update kelivo_records r set expires_at = claim.expires_at from claim
        where r.turn = claim.turn and exists (select 1 from entry)`,
        ...values,
        Math.round(end.expiresAt - Date.now()),
        ...factsOf(entry),
      );
    },

    turns,
  };
}

/** The turns of a store, with their claims and records. */
function createTurns({ query, one }: ReturnType<typeof createQueries>): TurnIndex {
  async function select(where: string, ...values: unknown[]) {
    const sql =
      `select ${TURN_COLUMNS} from kelivo_turns t left join kelivo_claims c on c.turn = t.turn and c.until > ${NOW} ` +
      `where t.expires_at > ${NOW} ${where} order by t.started_at desc, t.turn desc limit ?`;
    return (await query<TurnRow>(sql, ...values)).map(toStoredTurn);
  }

  return {
    get: async turn => (await select('and t.turn = ?', await toKey(turn), 1))[0],
    async list(selection) {
      const { where, values } = toConditions(selection);
      return select(where, ...values, selection.limit);
    },
    async records(turn) {
      const rows = await query<{ step: string; record: string }>(
        `select step, record from kelivo_records where turn = ? and expires_at > ${NOW}`,
        await toKey(turn),
      );
      return rows.map(row => ({ step: fromStoredText(row.step), record: fromStoredText(row.record) }));
    },
    async change(turn, change) {
      const known = change.claim === undefined || change.claim === 'break' ? undefined : change.claim;
      const row = await one(
        `with input as (
          select ?::text as turn, ?::boolean as breaks, ?::text as owner, ?::bigint as until
        ), live as (
          select c.owner, c.until from kelivo_claims c join input i on i.turn = c.turn
          where c.until > ${NOW} for update of c
        ), changed as (
          update kelivo_turns t set state = ?, updated_at = ${NOW} from input i
          where t.turn = i.turn and t.state = any(?::text[]) and t.expires_at > ${NOW} and (
            not exists (select 1 from live) or i.breaks
            or exists (select 1 from live where live.owner = i.owner and live.until = i.until))
          returning t.turn
        ), broken as (
          delete from kelivo_claims where turn in (select turn from changed)
        )
        select 1 from changed`,
        await toKey(turn),
        change.claim === 'break',
        known === undefined ? null : await toKey(known.owner),
        known?.until ?? null,
        change.to,
        [...change.from],
      );
      return row !== undefined;
    },
    async delete(turn, options) {
      // A writer that holds the lock of the claim ends first. Nobody writes without a claim afterwards, so that the second
      // statement finds all records.
      for (let attempt = 0; attempt < 3; attempt++) {
        await query(
          `delete from kelivo_claims where turn = ? and (?::boolean or until <= ${NOW})`,
          await toKey(turn),
          options.breaksClaim,
        );
        const row = await one<{ is_deleted: boolean }>(
          `with input as (select ?::text as turn), live as (
            select 1 from kelivo_claims c join input i on i.turn = c.turn for update of c
          ), entry as (
            delete from kelivo_turns t using input i where t.turn = i.turn and not exists (select 1 from live)
          ), records as (
            delete from kelivo_records r using input i where r.turn = i.turn and not exists (select 1 from live)
          )
          select not exists (select 1 from live) as is_deleted`,
          await toKey(turn),
        );
        if (row?.is_deleted === true) return true;
        if (!options.breaksClaim) return false;
      }
      return false;
    },
    async prune(options) {
      const rows = await query<{ turn: string }>(
        `with due as (
          select turn from kelivo_turns where expires_at <= ${NOW} limit ?
        ), ended as (
          delete from kelivo_turns where turn in (select turn from due) and expires_at <= ${NOW} returning turn
        ), plain as (
          select turn, step from kelivo_records where expires_at <= ${NOW} limit ?
        ), records as (
          delete from kelivo_records where turn in (select turn from ended) or (turn, step) in (select turn, step from plain)
          returning turn
        ), claims as (
          delete from kelivo_claims where turn in (select turn from ended) or until <= ${NOW}
        )
        select turn from ended union select turn from records`,
        options.limit,
        10 * options.limit,
      );
      return rows.length;
    },
  };
}

/** Runs statements with `?` for each value, after the tables exist. */
function createQueries({ pool, migrates = true }: PostgresStoreOptions) {
  let migration: Promise<void> | undefined;
  async function query<Row>(sql: string, ...values: unknown[]): Promise<readonly Row[]> {
    if (migrates) {
      migration ??= migratePostgresStore({ pool });
      migration.catch(() => {
        migration = undefined;
      });
      await migration;
    }
    return (await pool.query(toNumbered(sql), values)).rows as readonly Row[];
  }
  const one = async <Row>(sql: string, ...values: unknown[]): Promise<Row | undefined> =>
    (await query<Row>(sql, ...values))[0];
  return { query, one };
}

/** The time of the database in milliseconds since 1970. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * Returns a common table `entry` that has a row if the turn of `claim` accepts the record: with `update`, its entry was
 * updated; with `begin`, it was created or updated.
 */
function entryOf(mode: 'none' | 'begin' | 'update'): string {
  if (mode === 'none') return 'entry as (select 1 from claim)';
  const values =
    'facts as (select ?::text as turn_id, ?::text as scope, ?::text as state, ?::text as details), entry as ';
  if (mode === 'update')
    return `${values} (
      update kelivo_turns t set turn_id = f.turn_id, scope = f.scope, state = f.state, details = f.details,
        updated_at = ${NOW}, expires_at = i.expires_at
      from claim i, facts f where t.turn = i.turn and t.state <> 'cancelled' and t.expires_at > ${NOW} returning 1
    )`;
  return `${values} (
    insert into kelivo_turns as t (turn, turn_id, scope, state, details, started_at, updated_at, expires_at)
    select i.turn, f.turn_id, f.scope, f.state, f.details, ${NOW}, ${NOW}, i.expires_at from claim i, facts f
    on conflict (turn) do update set turn_id = excluded.turn_id, scope = excluded.scope, state = excluded.state,
      details = excluded.details, updated_at = excluded.updated_at, expires_at = excluded.expires_at,
      started_at = case when t.expires_at <= ${NOW} then excluded.started_at else t.started_at end
    where t.state <> 'cancelled' or t.expires_at <= ${NOW}
    returning 1
  )`;
}

/** Returns the values of the facts that `entryOf` names. */
const factsOf = (entry: TurnEntry | undefined): string[] =>
  entry === undefined ? [] : [text(entry.turnId), text(entry.scope), entry.state, text(entry.details)];

/** The longest key in characters, of which an index of PostgreSQL has to hold two in 2704 bytes. */
const MAX_KEY = 400;

/** Returns a key as text, or the digest of a long one. */
const toKey = async (key: string): Promise<string> =>
  key.length <= MAX_KEY ? text(key) : `digest ${await toDigest(key)}`;

/** Numbers the placeholders, as PostgreSQL requires. */
function toNumbered(sql: string): string {
  let number = 0;
  return sql.replace(/\?/g, () => `$${++number}`);
}

/**
 * Creates all tables or none. The lock ends with the transaction; without it, processes that begin together get a unique
 * violation of the catalogue. Who waited for it creates nothing, because an index that exists would still lock its table, in
 * another order than operations do. `text` keeps records as they are, which `jsonb` does not, and `C` compares keys by bytes.
 */
const SCHEMA = `do $$ begin
  perform pg_advisory_xact_lock(7305808869229538);
  if exists (select 1 from pg_class where relname = 'kelivo_turns_by_time' and pg_table_is_visible(oid)) then
    return;
  end if;
  create table if not exists kelivo_claims (
    turn text collate "C" primary key, owner text collate "C" not null, until bigint not null
  );
  create index if not exists kelivo_claims_by_time on kelivo_claims (until);
  create table if not exists kelivo_records (
    turn text collate "C" not null, step text collate "C" not null, record text not null, expires_at bigint not null,
    primary key (turn, step)
  );
  create index if not exists kelivo_records_by_time on kelivo_records (expires_at);
  create table if not exists kelivo_turns (
    turn text collate "C" primary key, turn_id text not null, scope text collate "C" not null, state text not null,
    details text not null, started_at bigint not null, updated_at bigint not null, expires_at bigint not null
  );
  create index if not exists kelivo_turns_by_start on kelivo_turns (started_at, turn);
  create index if not exists kelivo_turns_by_scope on kelivo_turns using hash (scope);
  create index if not exists kelivo_turns_by_time on kelivo_turns (expires_at);
end $$`;

/**
 * Creates the missing tables of a PostgreSQL store, also if many processes begin together. The user needs the right to
 * create tables.
 */
export async function migratePostgresStore({ pool }: Pick<PostgresStoreOptions, 'pool'>): Promise<void> {
  const { rows } = await pool.query("select to_regclass('kelivo_turns_by_time') is not null as has_tables");
  if ((rows[0] as { has_tables?: unknown } | undefined)?.has_tables !== true) await pool.query(SCHEMA);
}
