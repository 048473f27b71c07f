import type { CoreCall } from '../../core/call.js';
import type { FinishReason } from '../../core/part.js';
import { toDigest } from '../../core/shared/hash.js';
import { estimateSize, Memory } from '../../core/shared/memory.js';
import type { AnsweredRound } from './partial-turn.js';

/*
 * Turns that a host repeats after a failure, such as `streamText` of `ai` 7 with `streamRetries`: the loop replays what the
 * failed attempt has done. Outputs belong to one user, so a repetition must be the same call: the same prompt, tools and
 * options, the same scope, and the same context and executors by reference. In addition, one of these identifies it:
 *
 * - `turnId`, with an owner (`scope` or `context`).
 * - The same headers and the same signal, with an owner.
 * - The same headers and the same signal, of which one belongs to this call alone. Applications share signals and headers.
 *
 * A turn that finished is never replayed: its call may come again on purpose.
 */

/** Time in milliseconds in which a host repeats a turn. It does so at once, and a person takes longer. */
const HOST_REPEATS_WITHIN = 15_000;

/** The use of a signal or a headers object by a turn. It keeps nothing of the call. */
interface Use {
  state: 'running' | 'waiting' | 'failed' | 'ended';
  /** The end of a durable turn by `close()`. */
  readonly closed?: { readonly turnId: unknown; readonly at: number; readonly error: unknown };
}

interface FailedTurn {
  readonly call: CoreCall;
  readonly use: Use;
  readonly failedAt: number;
  readonly done: readonly AnsweredRound[];
  /** The error of a turn that `close()` has ended. Its repetition would open the tools again, and nobody would close them. */
  readonly closedBy: unknown;
}

/** An attempt at a turn that runs. */
export interface RunningTurn {
  /** The error with which a repetition of a closed turn must end. */
  readonly refusal: unknown;
  /** What the attempt before has done, in its order. Empty if there was none. */
  readonly done: readonly AnsweredRound[];
  /**
   * Keeps what the turn has done until the host repeats it, or for a limited time.
   *
   * @param closedBy The error of `close()`, if it has ended the turn.
   */
  fail(done: readonly AnsweredRound[], closedBy?: unknown): void;
  /** Ends the turn unless it has failed. After `tool-calls`, the host goes on with it. */
  end(finishReason: FinishReason['unified'] | undefined, closedBy?: unknown): void;
}

/** Keeps the failed turns of one model. */
export class RepeatedTurns {
  readonly #failed = new Memory<FailedTurn, true>('failed turns');
  /** The last use of each signal and headers object, or `shared` after turns that were not steps of one call of the host. */
  readonly #uses = new WeakMap<object, Use | 'shared'>();

  /** Notes the end of a durable turn by `close()`: the journal would go on with it when the host repeats it. */
  closeDurable(call: CoreCall, error: unknown): void {
    if (!call.isStream || !call.host.repeatsStreams) return;
    const closed = { turnId: call.own.turnId, at: Date.now(), error };
    for (const object of objectsOf(call)) this.#uses.set(object, { state: 'ended', closed });
  }

  /**
   * Returns the error of `close()` if the host repeats the durable turn that it has ended: at once and with the same objects.
   * The application goes on with a turn in a call of its own.
   */
  closedBefore(call: CoreCall): unknown {
    const ends = objectsOf(call).map(object => {
      const use = this.#uses.get(object);
      return typeof use === 'object' ? use.closed : undefined;
    });
    const isRepeated = ends.every(
      end => end?.turnId === call.own.turnId && Date.now() - (end?.at ?? 0) < HOST_REPEATS_WITHIN,
    );
    return isRepeated ? ends[0]?.error : undefined;
  }

  async begin(call: CoreCall): Promise<RunningTurn> {
    const found = this.#failed.keys().find(failed => this.#isRepeated(failed, call));
    // Taken before the comparison, so that it is replayed once.
    if (found !== undefined) this.#failed.delete(found);
    const isSame = found !== undefined && (await hasSameContents(found.call, call));
    if (found !== undefined && !isSame) this.#failed.set(found, true, sizeOf(found));
    const use: Use = { state: 'running' };
    for (const object of objectsOf(call)) {
      const last = this.#uses.get(object);
      const isOfSameCall = last === undefined || (isSame && last === found.use);
      const goesOn = typeof last === 'object' && last.state === 'waiting';
      this.#uses.set(object, isOfSameCall || goesOn ? use : 'shared');
    }
    // The application itself repeats a turn that it names.
    const refusal = isSame && !isNamed(call) ? found.closedBy : undefined;
    const fail = (done: readonly AnsweredRound[], closedBy: unknown = refusal): void => {
      use.state = 'failed';
      if (!mayRepeat(call)) return;
      const failed: FailedTurn = { call, use, failedAt: Date.now(), done, closedBy };
      this.#failed.set(failed, true, sizeOf(failed));
    };
    return {
      done: isSame ? found.done : [],
      refusal,
      fail,
      end(finishReason, closedBy) {
        if (use.state !== 'running') return;
        if (finishReason === 'error') fail([], closedBy);
        else use.state = finishReason === 'tool-calls' ? 'waiting' : 'ended';
      },
    };
  }

  /** Compares everything but the contents, which takes longer. */
  #isRepeated({ call, use, failedAt }: FailedTurn, next: CoreCall): boolean {
    if (!hasSameOptions(call, next)) return false;
    if (isNamed(call)) return true;
    const objects = objectsOf(call);
    return (
      Date.now() - failedAt < HOST_REPEATS_WITHIN &&
      objects.length > 0 &&
      call.headers === next.headers &&
      call.abortSignal === next.abortSignal &&
      (hasOwner(call) || objects.some(object => this.#uses.get(object) === use))
    );
  }
}

const objectsOf = (call: CoreCall): object[] =>
  [call.headers, call.abortSignal].filter(object => object !== undefined);

const hasOwner = ({ own: { scope, context } }: CoreCall): boolean =>
  (scope ?? undefined) !== undefined || (context ?? undefined) !== undefined;

/** Returns true for a turn that the application names. */
const isNamed = (call: CoreCall): boolean => call.own.turnId != null && hasOwner(call);

/** Returns true if the host, or the application by the name of the turn, may repeat a call after a tool has run. */
const mayRepeat = (call: CoreCall): boolean =>
  isNamed(call) || (call.isStream && call.host.repeatsStreams && objectsOf(call).length > 0);

/** Compares the options of this package by reference: scope, context, executors, turn id and all others. */
function hasSameOptions({ own: a, ...call }: CoreCall, { own: b, ...next }: CoreCall): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return call.isStream === next.isStream && [...names].every(name => Object.is(a[name], b[name]));
}

/** Compares what the model receives, by digest. Contents without a digest are not the same. */
async function hasSameContents(call: CoreCall, next: CoreCall): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([call, next].map(one => toDigest(contentsOf(one))));
    return a === b;
  } catch {
    return false;
  }
}

const contentsOf = (call: CoreCall): unknown[] => [
  call.prompt,
  call.tools,
  call.toolChoice,
  call.responseFormat,
  call.providerOptions,
];

const sizeOf = (turn: FailedTurn): number =>
  estimateSize([contentsOf(turn.call), turn.done.map(exchange => [exchange.content, exchange.outcomes])]);
