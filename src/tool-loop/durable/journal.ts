import { InvalidArgumentError } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { isPlainObject } from '../../core/shared/json.js';
import { once } from '../../core/shared/once.js';
import { functionSetting, parseSettings } from '../../core/shared/settings.js';
import type { JournalPolicy } from './claim.js';
import { type ChangedTurnPolicy, createConversationReader, type VolatileParts } from './conversation.js';
import { type JournalToolsOptions, wrapHostTools } from './host-tools.js';
import { openRecordedTurn } from './open-turn.js';
import type { RecordEncoding } from './records.js';
import type { JournalOptions, ToolLoopJournal } from './steps.js';
import type { JournalStore } from './store.js';
import { createTurns, type JournalTurns } from './turns.js';

export interface JournalSettings extends RecordEncoding {
  /** Keeps the records: the result of `createSqliteStore()`, `createPostgresStore()` or `createRedisStore()`, or a store of the application. */
  store: JournalStore;
  /**
   * Returns the owner of a turn, a tenant or a user, from the `context` of its call. It is part of every key, so that turns
   * of two owners never meet. A call for which it throws or returns no text is refused. Without it, a call may name its
   * `scope` itself.
   * @default turns have no owner, so that whoever knows a turn id can read the turn
   */
  scope?: (context: unknown) => string;
  /**
   * A call whose conversation is not the recorded one of its turn. `refuse` rejects with an error of code `turn-changed`,
   * which names the message that differs. `restart` begins a new turn under the same id, with a warning: everything runs
   * again. A function decides; anything but `restart` refuses.
   * @default 'refuse'
   */
  onChangedTurn?: ChangedTurnPolicy;
  /**
   * Parts of system texts and of URLs of files that vary by design and do not count for the conversation, such as the time
   * or a signature: patterns, or a function that returns a text without them. A message with
   * `providerOptions: { kelivo: { volatile: true } }` does not count at all.
   * @default everything counts
   */
  volatile?: VolatileParts;
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
   * Time in milliseconds for which the records of a turn are kept: `finished` from its end on, `open` from its start if it
   * has not finished. A number is both. It must be longer than any turn with its approvals and repeated attempts: after
   * it, a repeated turn is a new one.
   * @default 604800000, seven days
   */
  expiresAfter?: number | { finished?: number; open?: number };
  /**
   * Time limit in milliseconds of one operation of the store, including repeated attempts.
   * @default 5000
   */
  timeout?: number;
}

/** A journal for the option `journal` of a tool loop. */
export interface Journal extends ToolLoopJournal {
  /** Lists, inspects, resumes, cancels and deletes turns. */
  readonly turns: JournalTurns;
  /**
   * Returns tools of the host that are recorded as part of a turn, for `tools` of `generateText` and `streamText`: a run of
   * several steps is then once-only as a whole. A call is identified by its position in the run, its tool and its
   * arguments. `execute` also receives an `idempotencyKey`. It waits until the round of the call is recorded. Without a
   * turn id, the tools are returned as they are.
   *
   * @throws InvalidArgumentError if the journal has a `scope` function and the options have no `scope`.
   */
  tools<Tools extends object>(tools: Tools, options: JournalToolsOptions): Tools;
}

const WEEK = 604_800_000;

const METHODS = ['read', 'write', 'claim', 'release'] as const;

const isStore = (value: unknown): value is JournalStore =>
  isPlainObject(value) && METHODS.every(name => typeof value[name] === 'function');

const isVolatile = (value: unknown): value is VolatileParts =>
  typeof value === 'function' || [value].flat().every(pattern => pattern instanceof RegExp);

const schema = once<z.ZodType<JournalSettings>>(() => {
  const milliseconds = z.number().positive().optional();
  return z
    .strictObject({
      store: z.custom<JournalStore>(
        isStore,
        'expected the result of createSqliteStore() or createRedisStore(), or an object with `read`, `write`, `claim` and `release`',
      ),
      scope: functionSetting<NonNullable<JournalSettings['scope']>>().optional(),
      onChangedTurn: z
        .union(
          [z.enum(['refuse', 'restart']), functionSetting<Exclude<ChangedTurnPolicy, string>>()],
          'expected "refuse", "restart" or a function',
        )
        .optional(),
      volatile: z
        .custom<VolatileParts>(isVolatile, 'expected a pattern, an array of patterns or a function')
        .optional(),
      onRunningTurn: z.enum(['wait', 'refuse']).optional(),
      onStoreFailure: z.enum(['stop', 'continue']).optional(),
      lease: z.number().min(1000).optional(),
      expiresAfter: z
        .union([z.number().positive(), z.strictObject({ finished: milliseconds, open: milliseconds })])
        .optional(),
      timeout: milliseconds,
      encode: functionSetting<NonNullable<RecordEncoding['encode']>>().optional(),
      decode: functionSetting<NonNullable<RecordEncoding['decode']>>().optional(),
      readsPlainRecords: z.boolean().optional(),
    })
    .refine(
      ({ encode, decode }) => (encode === undefined) === (decode === undefined),
      'expected `encode` and `decode` together',
    );
});

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
export function createJournal(settings: JournalSettings): Journal {
  const {
    scope: scopeOf,
    volatile: volatileParts,
    expiresAfter = WEEK,
    ...given
  } = parseSettings(schema(), settings, 'the journal settings');
  const policy: JournalPolicy = {
    onRunningTurn: 'wait',
    onStoreFailure: 'stop',
    onChangedTurn: 'refuse',
    lease: 30_000,
    timeout: 5000,
    ...given,
    retention:
      typeof expiresAfter === 'number'
        ? { open: expiresAfter, finished: expiresAfter }
        : { open: expiresAfter.open ?? WEEK, finished: expiresAfter.finished ?? WEEK },
    running: new Map(),
  };

  return {
    async open({ turnId, scope, context, prompt }, options) {
      const owner = scopeOf === undefined ? (scope ?? '') : ownerOf(scopeOf, { scope, context });
      const readConversation = createConversationReader(volatileParts);
      return openRecordedTurn(
        {
          turnId,
          scope: owner,
          conversation: await readConversation(prompt),
          readConversation,
        },
        { ...policy, ...options },
      );
    },

    turns: createTurns(policy.store, policy.running, policy),

    tools(tools, { turnId, scope, onUnknownOutcome = 'refuse' }) {
      if (turnId === undefined) return tools;
      if (scopeOf !== undefined && scope === undefined)
        throw new InvalidArgumentError({
          argument: 'scope',
          message:
            'Expected `journal.tools` to receive a `scope`, because the journal has a `scope` function.',
        });
      const open = (options: JournalOptions) =>
        openRecordedTurn({ turnId, scope: scope ?? '' }, { ...policy, ...options });
      return wrapHostTools(tools, { onUnknownOutcome, open });
    },
  };
}

/** Returns the owner of a turn. A call without one would share the turns of all others. */
function ownerOf(
  scopeOf: NonNullable<JournalSettings['scope']>,
  options: { scope: string | undefined; context: unknown },
): string {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new InvalidArgumentError({
      argument: 'providerOptions.kelivo.context',
      message: `The call was refused, because ${reason}. A turn of this journal needs an owner.`,
      cause,
    });
  };
  let owner: unknown;
  try {
    owner = scopeOf(options.context);
  } catch (cause) {
    return refuse('the `scope` function of the journal failed for its context', cause);
  }
  if (typeof owner !== 'string' || owner === '')
    return refuse('the `scope` function of the journal returned no text for its context');
  if (options.scope !== undefined && options.scope !== owner)
    return refuse('its `scope` is not that of its context');
  return owner;
}
