import { fromStoredText, toStoredText as text } from './records.js';
import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.js';
import type { JournalStore, StoredTurn, TurnEntry, TurnIndex, TurnQuery, WriteOptions } from './store.js';

/* The tables of the SQLite store, and what they have in common with those of other SQL databases. */

type Value = string | number;

/**
 * A `WAL` file lets readers and one writer work together. `FULL` syncs it to the disk at each commit. Turns of versions
 * without entries get one.
 */
export const SCHEMA = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma secure_delete = on;
  create table if not exists kelivo_claims (turn text primary key, owner text not null, until integer not null);
  create index if not exists kelivo_claims_by_time on kelivo_claims (until);
  create table if not exists kelivo_records (
    turn text not null, step text not null, record text not null, expires_at integer not null,
    primary key (turn, step)
  ) without rowid;
  create index if not exists kelivo_records_by_time on kelivo_records (expires_at);
  create table if not exists kelivo_turns (
    turn text primary key, turn_id text not null, scope text not null, state text not null, details text not null,
    started_at integer not null, updated_at integer not null, expires_at integer not null
  ) without rowid;
  create index if not exists kelivo_turns_by_start on kelivo_turns (started_at, turn);
  create index if not exists kelivo_turns_by_scope on kelivo_turns (scope, started_at, turn);
  create index if not exists kelivo_turns_by_time on kelivo_turns (expires_at);
  insert into kelivo_turns
    select turn, coalesce(json_extract(record, '$.value.turnId'), turn), '', 'open', '', expires_at, expires_at, expires_at
    from kelivo_records where step = 'turn' and record like '{"format":1,%' and json_valid(record)
    on conflict do nothing;
`;

/** The columns of a turn `t` with its claim `c`. */
export const TURN_COLUMNS = `
  t.turn, t.turn_id as "turnId", t.scope, t.state, t.details, t.started_at as "startedAt",
  t.updated_at as "updatedAt", t.expires_at as "expiresAt", c.owner, c.until`;

export function createTables(database: SqliteDatabase) {
  const statements = createStatements(database);
  const { run, all } = statements;
  const { put, ...turns } = createTurns(statements);
  const isClaimed = (turn: string, owner: string): boolean =>
    all('select 1 from kelivo_claims where turn = ? and owner = ? and until > ?', turn, owner, Date.now())
      .length > 0;

  return {
    read(turn: string, step: string): string | undefined {
      const [row] = all<{ record: string }>(
        'select record from kelivo_records where turn = ? and step = ? and expires_at > ?',
        text(turn),
        text(step),
        Date.now(),
      );
      return row && fromStoredText(row.record);
    },
    write(
      turn: string,
      step: string,
      record: string,
      options: Omit<WriteOptions, 'expiresAt'> & EntryOptions,
    ): 'written' | 'exists' | 'lost' {
      const [key, name] = [text(turn), text(step)];
      if (!isClaimed(key, text(options.owner))) return 'lost';
      if (options.entry !== undefined && !put(key, options.entry, options)) return 'lost';
      const now = Date.now();
      run('delete from kelivo_records where turn = ? and step = ? and expires_at <= ?', key, name, now);
      const changes = run(
        'insert into kelivo_records (turn, step, record, expires_at) values (?, ?, ?, ?) on conflict do nothing',
        key,
        name,
        text(record),
        now + options.remaining,
      );
      return changes === 1 ? 'written' : 'exists';
    },
    claim(turn: string, owner: string, options: Parameters<JournalStore['claim']>[2]): boolean {
      const { lease, renews = false } = options;
      const [now, key, name] = [Date.now(), text(turn), text(owner)];
      if (renews)
        return (
          run('update kelivo_claims set until = ? where turn = ? and owner = ?', now + lease, key, name) === 1
        );
      const changes = run(
        'insert into kelivo_claims (turn, owner, until) values (?, ?, ?) on conflict (turn) do update ' +
          'set owner = excluded.owner, until = excluded.until ' +
          'where kelivo_claims.owner = excluded.owner or kelivo_claims.until <= ?',
        key,
        name,
        now + lease,
        now,
      );
      turns.prune({ limit: 5 });
      return changes === 1;
    },
    release(turn: string, owner: string, end?: { entry: TurnEntry } & EntryOptions): void {
      const [key, name] = [text(turn), text(owner)];
      if (end !== undefined && isClaimed(key, name) && put(key, end.entry, end))
        run('update kelivo_records set expires_at = ? where turn = ?', Date.now() + end.remaining, key);
      run('delete from kelivo_claims where turn = ? and owner = ?', key, name);
    },
    ...turns,
  };
}

/** The turns, with their claims and records. */
function createTurns({ run, all }: ReturnType<typeof createStatements>) {
  /** Writes the entry of a turn. Returns false if the turn may not have it. */
  function put(turn: string, entry: TurnEntry, options: EntryOptions): boolean {
    const now = Date.now();
    const expiresAt = now + options.remaining;
    const values = [text(entry.turnId), text(entry.scope), entry.state, text(entry.details)];
    const changes = run(
      'update kelivo_turns set turn_id = ?, scope = ?, state = ?, details = ?, updated_at = ?, expires_at = ? ' +
        "where turn = ? and state <> 'cancelled' and expires_at > ?",
      ...values,
      now,
      expiresAt,
      turn,
      now,
    );
    if (changes > 0 || !options.begins) return changes > 0;
    run('delete from kelivo_turns where turn = ? and expires_at <= ?', turn, now);
    return (
      run(
        'insert into kelivo_turns (turn_id, scope, state, details, started_at, updated_at, expires_at, turn) ' +
          'values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing',
        ...values,
        now,
        now,
        expiresAt,
        turn,
      ) > 0
    );
  }

  function deleteTurn(turn: string): void {
    for (const table of ['records', 'turns', 'claims'])
      run(`delete from kelivo_${table} where turn = ?`, turn);
  }

  function prune(limit: number): number {
    const now = Date.now();
    run('delete from kelivo_claims where until <= ?', now);
    const due = all<{ turn: string }>(
      'select turn from kelivo_turns where expires_at <= ? limit ?',
      now,
      limit,
    );
    for (const { turn } of due) deleteTurn(turn);
    // Records without an entry.
    const records = all<{ turn: string; step: string }>(
      'select turn, step from kelivo_records where expires_at <= ? limit ?',
      now,
      10 * limit,
    );
    for (const { turn, step } of records)
      run('delete from kelivo_records where turn = ? and step = ?', turn, step);
    return Math.max(due.length, new Set(records.map(record => record.turn)).size);
  }

  const list = (where: string, values: Value[], limit: number): StoredTurn[] =>
    all<TurnRow>(
      `select ${TURN_COLUMNS} from kelivo_turns t left join kelivo_claims c on c.turn = t.turn and c.until > ? ` +
        `where t.expires_at > ? ${where} order by t.started_at desc, t.turn desc limit ?`,
      Date.now(),
      Date.now(),
      ...values,
      limit,
    ).map(toStoredTurn);
  const get = (turn: string): StoredTurn | undefined => list('and t.turn = ?', [text(turn)], 1)[0];

  return {
    put,
    get,
    list(query: TurnQuery): StoredTurn[] {
      const { where, values } = toConditions(query);
      return list(where, values, query.limit);
    },
    records: (turn: string): { step: string; record: string }[] =>
      all<{ step: string; record: string }>(
        'select step, record from kelivo_records where turn = ? and expires_at > ?',
        text(turn),
        Date.now(),
      ).map(({ step, record }) => ({ step: fromStoredText(step), record: fromStoredText(record) })),
    change(turn: string, { from, to, claim }: Parameters<TurnIndex['change']>[1]): boolean {
      const known = get(turn);
      if (known === undefined || !from.includes(known.state)) return false;
      if (!allows(claim, known.claim)) return false;
      run('update kelivo_turns set state = ?, updated_at = ? where turn = ?', to, Date.now(), text(turn));
      run('delete from kelivo_claims where turn = ?', text(turn));
      return true;
    },
    delete(turn: string, options: { breaksClaim: boolean }): boolean {
      const key = text(turn);
      const claims = all('select 1 from kelivo_claims where turn = ? and until > ?', key, Date.now());
      if (claims.length > 0 && !options.breaksClaim) return false;
      deleteTurn(key);
      return true;
    },
    prune: (options: { limit: number }): number => prune(options.limit),
  };
}

/** Runs statements, each of which is prepared once. */
function createStatements(database: SqliteDatabase) {
  const statements = new Map<string, SqliteStatement>();
  const prepare = (sql: string): SqliteStatement => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const run = (sql: string, ...values: Value[]): number => Number(prepare(sql).run(...values).changes);
  const all = <Row>(sql: string, ...values: Value[]): Row[] => prepare(sql).all(...values) as Row[];
  return { run, all };
}

interface EntryOptions {
  /** Time in milliseconds for which the turn is kept. */
  readonly remaining: number;
  readonly begins?: boolean | undefined;
}

export type TurnRow = Omit<StoredTurn, 'claim'> & {
  readonly owner: string | null;
  readonly until: number | null;
};

/** Converts a row of a SQL database. */
export function toStoredTurn({ owner, until, ...row }: TurnRow): StoredTurn {
  return {
    turn: fromStoredText(row.turn),
    turnId: fromStoredText(row.turnId),
    scope: fromStoredText(row.scope),
    state: row.state,
    details: fromStoredText(row.details),
    startedAt: Number(row.startedAt),
    updatedAt: Number(row.updatedAt),
    expiresAt: Number(row.expiresAt),
    ...(owner !== null && { claim: { owner: fromStoredText(owner), until: Number(until) } }),
  };
}

/** Returns the conditions of a list, each of which begins with `and`. */
export function toConditions({ scope, states, isClaimed, after }: TurnQuery): {
  where: string;
  values: Value[];
} {
  const values: Value[] = [];
  let where = '';
  const add = (condition: string, ...given: Value[]): void => {
    where += ` and ${condition}`;
    values.push(...given);
  };
  if (scope !== undefined) add('t.scope = ?', text(scope));
  if (states !== undefined) add(`t.state in (${states.map(() => '?').join() || 'null'})`, ...states);
  if (isClaimed !== undefined) add(`c.owner is ${isClaimed ? 'not ' : ''}null`);
  if (after !== undefined) add('(t.started_at, t.turn) < (?, ?)', after.startedAt, text(after.turn));
  return { where, values };
}

/** Returns true if a change may end the claim that a turn has. */
const allows = (claim: Parameters<TurnIndex['change']>[1]['claim'], known: StoredTurn['claim']): boolean =>
  claim === 'break' || known === undefined || (claim?.owner === known.owner && claim.until === known.until);
