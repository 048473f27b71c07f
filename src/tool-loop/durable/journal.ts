import { delay } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { createTimeLimit, untilAborted } from '../../shared/abort.js';
import { KelivoError } from '../../shared/errors.js';
import { toDigest } from '../../shared/hash.js';
import { isPlainObject, objectOf, tryParseJson } from '../../shared/json.js';
import { once, parseSettings } from '../../shared/settings.js';
import type { JournaledTurn, JournalOptions, OpenJournal, ToolLoopJournal } from './steps.js';
import type { JournalStore } from './store.js';

/** Settings of a journal. */
export interface JournalSettings {
  /** Keeps the records: the result of `createSqliteStore()` or `createRedisStore()`, or a store of the application. */
  store: JournalStore;
  /**
   * An attempt at a turn that another process runs, or whose process has ended less than `lease` before. `wait` continues
   * when the other one has ended, `refuse` rejects with an error of code `turn-running`.
   * @default 'wait'
   */
  onRunningTurn?: 'wait' | 'refuse';
  /**
   * A store that fails. `stop` ends the turn with an error of code `journal-failed`. `continue` goes on without records
   * after a warning, so that calls may run twice if the process ends.
   * @default 'stop'
   */
  onStoreFailure?: 'stop' | 'continue';
  /**
   * Time in milliseconds after which a turn may be taken over from a process that has ended without a notice. It is renewed
   * while the turn runs. At least 1000.
   * @default 30000
   */
  lease?: number;
  /**
   * Time in milliseconds for which the records of a turn are kept, from its start. It must be longer than any turn with its
   * approvals and repeated attempts: after it, a repeated turn is a new one.
   * @default 604800000, seven days
   */
  expiresAfter?: number;
  /**
   * Time limit in milliseconds of one operation of the store, including repeated attempts.
   * @default 5000
   */
  timeout?: number;
}

const WEEK = 604_800_000;
/** Version of the records. A record of another version is refused. */
const FORMAT = 1;
/** Delays in milliseconds before further attempts at an operation. */
const RETRY_DELAYS = [100, 300];
/** Name of the record with which a turn begins. */
const TURN = 'turn';

const METHODS = ['read', 'write', 'claim', 'release'] as const;

const isStore = (value: unknown): value is JournalStore =>
  isPlainObject(value) && METHODS.every(name => typeof value[name] === 'function');

const schema = once<z.ZodType<JournalSettings>>(() =>
  z.strictObject({
    store: z.custom<JournalStore>(
      isStore,
      'expected the result of createSqliteStore() or createRedisStore(), or an object with `read`, `write`, `claim` and `release`',
    ),
    onRunningTurn: z.enum(['wait', 'refuse']).optional(),
    onStoreFailure: z.enum(['stop', 'continue']).optional(),
    lease: z.number().min(1000).optional(),
    expiresAfter: z.number().positive().optional(),
    timeout: z.number().positive().optional(),
  }),
);

/**
 * Creates a journal for the option `journal` of a tool loop. A turn with a `providerOptions.kelivo.turnId` is then
 * recorded: its tools, each round, the start and the output of each call, and the decisions of `approve`. After a crash,
 * any process that shares the store continues a turn when it gets the same call again. The records contain prompts and
 * outputs of tools.
 *
 * @example
 * ```ts
 * const journal = createJournal({ store: createSqliteStore({ path: 'turns.db' }) });
 * const provider = createKelivoResponsesProvider({ toolLoop: { journal } });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid setting.
 */
export function createJournal(settings: JournalSettings): ToolLoopJournal {
  const validated = parseSettings(schema(), settings, 'the journal settings');
  return { open: (turn, options) => openJournal(turn, { ...validated, ...options }) };
}

async function openJournal(
  { key, turnId }: JournaledTurn,
  { store, signal, warn, ...settings }: JournalSettings & JournalOptions,
): Promise<OpenJournal> {
  const { onRunningTurn = 'wait', onStoreFailure = 'stop' } = settings;
  const { lease = 30_000, expiresAfter = WEEK, timeout = 5000 } = settings;
  const owner = crypto.randomUUID();
  const lost = new AbortController();
  const name = JSON.stringify(turnId);
  let failure: KelivoError | undefined;
  let isOff = false;
  let renewal: ReturnType<typeof setInterval> | undefined;
  let expiresAt = Date.now() + expiresAfter;
  /** True if the turn had no records when this process began, so that reading is unnecessary. */
  let isNew = false;

  try {
    await claimTurn();
    keepClaim();
    await readTurn();
  } catch (error) {
    await close();
    throw error;
  }

  return {
    lost: lost.signal,

    async step(step, run, { input, isKept }) {
      const stepKey = await toKey(step, input);
      const known = isNew ? undefined : await access('read', () => store.read(key, stepKey));
      if (known !== undefined) return parseRecord(known).value as Awaited<ReturnType<typeof run>>;
      const value = await run();
      if (!isKept(value)) return value;
      if ((await write(stepKey, { value })) === 'exists') {
        throw failWith(`The step "${step}" was recorded by another process in the meantime`);
      }
      return value;
    },

    async start(step, { input }) {
      return (await write(await toKey(step, input), {})) !== 'exists';
    },

    close,
  };

  async function claimTurn(): Promise<void> {
    const pause = Math.min(Math.max(lease / 10, 50), 1000);
    while ((await access('claimed', () => store.claim(key, owner, { lease }))) === false) {
      if (onRunningTurn === 'refuse') {
        throw new KelivoError({
          code: 'turn-running',
          message:
            `The turn ${name} is running in another process, or its process ended less than ${lease} ms ago. ` +
            "Repeat the call later, or set `onRunningTurn: 'wait'`.",
        });
      }
      await delay(pause, { abortSignal: signal });
    }
  }

  /** Renews the claim until the journal is closed. */
  function keepClaim(): void {
    let claimedAt = Date.now();
    renewal = setInterval(() => {
      const now = Date.now();
      void (async () => store.claim(key, owner, { lease }))().then(
        isClaimed => {
          if (isClaimed) claimedAt = now;
          else lose();
        },
        // The next renewal may succeed. Without it, the store refuses further records.
        () => {
          if (now - claimedAt >= lease) lose();
        },
      );
    }, lease / 3);
    if (typeof renewal === 'object') renewal.unref();
  }

  function lose(): KelivoError {
    const error = new KelivoError({
      code: 'turn-running',
      message: `The turn ${name} was taken over by another process, because its lease of ${lease} ms was not renewed in time.`,
    });
    clearInterval(renewal);
    if (!isOff) lost.abort(error);
    return error;
  }

  /** Reads the record with which the turn began, or begins it. */
  async function readTurn(): Promise<void> {
    const known = await access('read', () => store.read(key, TURN));
    if (known === undefined) {
      isNew = (await write(TURN, { value: { turnId, expiresAt } })) === 'written';
      return;
    }
    const { expiresAt: end } = objectOf(parseRecord(known).value) ?? {};
    // All records of a turn expire together: a start must not outlive the rounds, nor the rounds a start.
    if (typeof end === 'number') expiresAt = end;
  }

  /** Writes a record. A write that is repeated because its answer was lost finds its own record. */
  async function write(step: string, fields: { value?: unknown }): Promise<'written' | 'exists'> {
    const record = JSON.stringify({ format: FORMAT, writer: owner, ...fields });
    if (Date.now() >= expiresAt) {
      throw failWith(`The records of the turn ${name} have expired: set a longer \`expiresAfter\``);
    }
    const put = () => access('written', () => store.write(key, step, record, { owner, expiresAt }));
    let result = await put();
    // A claim that expired while the process was busy may still be free. Records of another process are kept anyway.
    if (result === 'lost' && (await access('claimed', () => store.claim(key, owner, { lease }))) !== false)
      result = await put();
    if (result === 'lost') throw lose();
    if (result !== 'exists') return 'written';
    const existing = await access('read', () => store.read(key, step));
    return existing === record ? 'written' : 'exists';
  }

  function parseRecord(text: string): { readonly value?: unknown } {
    const { format, value } = objectOf(tryParseJson(text)) ?? {};
    if (format === FORMAT) return { value };
    throw failWith(
      `The journal has a record of the turn ${name} in the format ${JSON.stringify(format ?? null)}, and this version of ` +
        `the package reads the format ${FORMAT}. Finish the turn with the version that began it, or use a new turn id`,
    );
  }

  /** Runs an operation of the store. A failure closes the journal. Returns undefined if the turn goes on without it. */
  async function access<Result>(
    action: 'read' | 'written' | 'claimed',
    operation: () => Promise<Result>,
  ): Promise<Result | undefined> {
    if (isOff) return undefined;
    if (failure !== undefined) throw failure;
    const limit = createTimeLimit(signal, {
      milliseconds: timeout,
      message: `the store did not respond within ${timeout} ms`,
    });
    let lastError: unknown;
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          return await untilAborted((async () => operation())(), limit.signal);
        } catch (error) {
          if (!limit.signal.aborted) lastError = error;
          const pause = RETRY_DELAYS[attempt];
          if (limit.signal.aborted || pause === undefined) throw error;
          await delay(pause, { abortSignal: limit.signal });
        }
      }
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      const error = lastError ?? cause;
      const reason = error instanceof Error ? error.message : String(error);
      const what = `The journal of the turn ${name} could not be ${action}: ${reason}`;
      if (onStoreFailure === 'stop') throw failWith(what, cause);
      isOff = true;
      clearInterval(renewal);
      warn(`${what}. The turn continues without it, and its calls may run again if it is repeated.`);
      return undefined;
    } finally {
      limit.release();
    }
  }

  /** Closes the journal with an error, so that nothing else runs in this turn. */
  function failWith(what: string, cause?: unknown): KelivoError {
    failure ??= new KelivoError({
      code: 'journal-failed',
      message: `${what}. The turn was stopped, so that no call runs twice.`,
      cause,
    });
    return failure;
  }

  async function close(): Promise<void> {
    clearInterval(renewal);
    if (isOff) return;
    const limit = createTimeLimit(undefined, {
      milliseconds: timeout,
      message: 'the claim was not released',
    });
    try {
      await untilAborted((async () => store.release(key, owner))(), limit.signal);
    } catch {
      // The claim expires by itself.
    } finally {
      limit.release();
    }
  }
}

/** Returns the key of a step. A step with another input has another key, so its record is never returned by mistake. */
const toKey = async (step: string, input: unknown): Promise<string> => `${step} ${await toDigest(input)}`;
