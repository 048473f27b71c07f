import { toDigest } from '../../core/shared/hash.js';
import { objectOf } from '../../core/shared/json.js';
import {
  type Access,
  type Claim,
  createAccess,
  createClaim,
  type JournalPolicy,
  type ClaimContext,
  toEndedError,
  type TurnToOpen,
} from './claim.js';
import { type Conversation, findConversation, toConversationStep, TurnChangedError } from './conversation.js';
import { checkAnswers, createRecordCodec } from './records.js';
import type { JournalOptions, OpenJournal, RecordFacts, TurnEnd } from './steps.js';
import { renewalOf, type StoredTurn, type TurnEntry } from './store.js';
import { readDetails, toTurnKey, type TurnDetails } from './turns.js';

/** Name of the record with which a turn begins. */
const TURN = 'turn';

/** Claims a turn, and reads or begins its records. */
export async function openRecordedTurn(
  turn: TurnToOpen,
  options: JournalPolicy & JournalOptions,
): Promise<OpenJournal> {
  const key = await toTurnKey(turn.scope, turn.turnId);
  const context: ClaimContext = { ...options, ...turn, key, store: checkAnswers(options.store) };
  const access = createAccess(context);
  const claim = createClaim(context, access);
  const records = createRecords(context, access, claim);
  const { conversation } = turn;
  /** Identifies the conversation: each step of the host has its own records. */
  const id = conversation?.id ?? 'host';
  let isNew: boolean;
  try {
    await claim.acquire();
    await records.begin();
    isNew = conversation !== undefined && (await records.openConversation(conversation));
  } catch (error) {
    await claim.release(error instanceof TurnChangedError ? records.toEnd({ state: 'changed' }) : undefined);
    throw error;
  }
  /** Returns the key of a step. A step with another input has another key, so its record is never returned by mistake. */
  const toKey = async (step: string, input: unknown): Promise<string> =>
    `${step} ${await toDigest([id, input])}`;

  return {
    lost: claim.lost,
    idempotencyKeyOf: (name, input) => toDigest([key, id, name, input]),

    async step(step, run, { input, isKept, ...facts }) {
      const stepKey = await toKey(step, input);
      const known = isNew ? undefined : await records.read(stepKey);
      if (known !== undefined) return known.value as Awaited<ReturnType<typeof run>>;
      const value = await run();
      if (!isKept(value)) return value;
      if ((await records.write(stepKey, { value, ...facts })) === 'exists')
        throw access.failWith(`The step "${step}" was recorded by another process in the meantime`);
      return value;
    },

    start: async (step, { input, ...facts }) =>
      (await records.write(await toKey(step, input), facts)) !== 'exists',

    identify: async prompt => (await context.readConversation?.(prompt))?.id,

    async wait(step, { input }) {
      if (context.store.turns === undefined) return () => {};
      records.wait(1);
      await records.write(await toKey(step, input), {});
      return () => records.wait(-1);
    },

    async close(end) {
      await records.end(end).catch(() => {});
      await claim.release(end && records.toEnd(end));
    },
  };
}

/** The records of a turn and its entry in the list of turns. */
function createRecords(context: ClaimContext, access: Access, claim: Claim) {
  const { key, turnId, scope, store, retention, conversation } = context;
  const name = JSON.stringify(turnId);
  const codec = createRecordCodec(key, { ...context, turnId, scope });
  let stored: StoredTurn | undefined;
  let expiresAt = Date.now() + retention.open;
  let openUntil = expiresAt;
  let first: unknown;
  let isNew = false;
  let hasWritten = false;
  /** Number of decisions that the application has been asked for. */
  let waiting = 0;
  let segment = 0;
  const details: TurnDetails = { rounds: 0, calls: 0, renewal: renewalOf(context.lease) };

  const toEntry = (state: TurnEntry['state'], isWaiting = false): TurnEntry => ({
    turnId,
    scope,
    state,
    details: JSON.stringify({ ...details, ...(isWaiting && { isAsking: true }) }),
  });

  async function read(step: string): Promise<{ readonly value?: unknown } | undefined> {
    const record = await access.run('read', () => store.read(key, step));
    return record === undefined ? undefined : access.run('read', () => codec.unpack(step, record));
  }

  /** Writes a record. A write that is repeated because its answer was lost finds its own record. */
  async function write(step: string, fields: RecordFields, begins = false): Promise<'written' | 'exists'> {
    const facts = { writer: claim.owner, at: Date.now(), segment };
    const record = await access.run('written', () => codec.pack(step, { ...facts, ...fields }));
    if (record === undefined) return 'written';
    if (Date.now() >= expiresAt)
      throw access.failWith(`The records of the turn ${name} have expired: set a longer \`expiresAfter\``);
    if (/^(round|compaction) \d/.test(step)) details.rounds++;
    if (step.startsWith('call ')) details.calls++;
    const entry = waiting > 0 ? toEntry('waiting', true) : toEntry('open');
    const options = { owner: claim.owner, expiresAt, entry, ...(begins && { begins }) };
    const put = () => access.run('written', () => store.write(key, step, record, options));
    let result = await put();
    if (result === 'lost' && (await access.run('claimed', claim.reclaim)) !== false) result = await put();
    if (result === 'lost') throw await claim.lose();
    hasWritten = true;
    if (result !== 'exists') return 'written';
    const existing = await access.run('read', () => store.read(key, step));
    return existing === record ? 'written' : 'exists';
  }

  return {
    read,
    write,

    /** Reads the record with which the turn began, or begins it. */
    async begin(): Promise<void> {
      const known = await read(TURN);
      if (known === undefined) {
        const value = { turnId, scope, expiresAt, ...(conversation && { first: conversation.digests }) };
        isNew = (await write(TURN, { value }, true)) === 'written';
        claim.begin();
        return;
      }
      claim.begin();
      const value = objectOf(known.value) ?? {};
      first = value.first;
      stored = await access.run('read', async () => store.turns?.get(key));
      if (stored?.state === 'cancelled') throw toEndedError(turnId, 'cancelled');
      Object.assign(details, readDetails(stored?.details), { renewal: details.renewal });
      // All records of a turn expire together: a start must not outlive the rounds, nor the rounds a start.
      if (typeof value.expiresAt === 'number') openUntil = value.expiresAt;
      expiresAt = stored?.expiresAt ?? openUntil;
    },

    /** Finds the conversation of the call in the turn, or adds it. Returns true if it has no records. */
    async openConversation(opened: Conversation): Promise<boolean> {
      if (isNew) return true;
      const found = await findConversation(opened, { ...context, first, read });
      segment = found.number;
      if (found.added === undefined) return false;
      if ((await write(toConversationStep(segment), { value: found.added })) === 'exists')
        throw access.failWith(`The turn ${name} was continued by another process in the meantime`);
      return true;
    },

    wait(change: 1 | -1): void {
      waiting = Math.max(0, waiting + change);
    },

    /** Records the calls that the host has to run, so that its next step is recognized after a compaction. */
    async end(end: TurnEnd | undefined): Promise<void> {
      if (end === undefined || end.calls === undefined || end.calls.length === 0 || !hasWritten) return;
      if (claim.lost.aborted || access.isOff) return;
      await write(`end ${segment}`, { value: end.calls });
    },

    /** Returns the entry for the end of this call. Undefined if it is a repetition that has changed nothing. */
    toEnd(turnEnd: TurnEnd) {
      if (claim.lost.aborted || (!hasWritten && stored?.state === turnEnd.state)) return undefined;
      const isFinished = turnEnd.state === 'finished';
      const end = isFinished ? Date.now() + retention.finished : Math.max(expiresAt, openUntil);
      return { entry: toEntry(turnEnd.state), expiresAt: hasWritten ? end : expiresAt };
    },
  };
}

/** Fields of a record. A start has no value. */
type RecordFields = RecordFacts & { readonly value?: unknown };
