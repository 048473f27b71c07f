import { InvalidArgumentError } from '@ai-sdk/provider';
import { generateId, type UserModelMessage } from '@ai-sdk/provider-utils';
import type { Prompt, UserMessage } from '../../../core/prompt.js';
import { toPlainJson, toStableJson } from '../../../core/shared/json.js';
import { toUserMessagePart } from '../../../core/versions/history/facts.js';
import { readMessages } from '../../../core/versions/read.js';
import { toModelMessages } from '../../../core/versions/write-call.js';
import { toArgumentError } from '../../durable/steps.js';
import type { CreateFeature } from '../feature.js';

/*
 * Messages of the user that arrive during a turn. The object is that of `ai` 7 with rounds in place of steps: its protocol
 * is the same, so that the loop accepts the steering object of `ai` 7 as well.
 */

/**
 * The reason why a message was not delivered.
 *
 * - `finished`: the turn ended before.
 * - `removed-by-prepare-round`: `prepareRound` returned messages without it.
 * - `stop-condition`: `stopWhen` ended the turn.
 * - `limit`: a limit of the loop ended the turn.
 * - `waiting-for-tool-results`: the turn waits for a call of the host or for an approval. The next turn with the same
 *   object accepts messages again.
 * - `aborted` and `error`: the turn was aborted or failed.
 */
export type SteeringNotDeliveredReason =
  | 'finished'
  | 'removed-by-prepare-round'
  | 'stop-condition'
  | 'limit'
  | 'waiting-for-tool-results'
  | 'aborted'
  | 'error';

/** The outcome of a message. */
export type SteeringOutcome = { readonly id: string; readonly message: UserModelMessage } & (
  | {
      readonly type: 'delivered';
      /** The round whose request contains the message. */
      readonly round: number;
    }
  | { readonly type: 'not-delivered'; readonly reason: SteeringNotDeliveredReason }
);

interface SteeringMessageOptions {
  /** Identifies the message. A message with an id that was sent before returns the first outcome. @default generated */
  readonly id?: string;
}

/** Sends messages of the user to a running turn. */
export interface Steering {
  /**
   * Adds a message to the next round, after the calls of the current one. If the model has finished its answer, the turn
   * goes on with the message, unless a limit or `stopWhen` ends it. Messages that are sent before the turn are in its first
   * round.
   *
   * @returns The outcome. It never rejects.
   */
  steer(message: string | UserModelMessage, options?: SteeringMessageOptions): Promise<SteeringOutcome>;
  /**
   * Adds a message when the model has finished its answer, one for each answer, in their order.
   *
   * @returns The outcome. It never rejects.
   */
  queue(message: string | UserModelMessage, options?: SteeringMessageOptions): Promise<SteeringOutcome>;
}

/** The protocol of `ai` 7 between a steering object and the loop that it steers. */
const START = Symbol.for('vercel.ai.steering.start');

interface SteeringRun {
  hasPendingMessages(): boolean;
  promoteQueuedMessage(): boolean;
  takeMessages(): UserModelMessage[];
  resolveTakenMessages(options: {
    readonly stepNumber: number;
    readonly sentMessages: readonly UserModelMessage[];
  }): unknown;
  end(reason: SteeringNotDeliveredReason): void;
  /** Ends the run until the next turn begins with `resume`. Objects of `ai` 7 end for good. */
  pause?(reason: SteeringNotDeliveredReason): void;
  resume?(): void;
}

interface WaitingMessage {
  readonly id: string;
  readonly message: UserModelMessage;
  readonly resolve: (outcome: SteeringOutcome) => void;
}

/**
 * Creates an object that sends messages of the user to one turn, in the option `steering` of the call.
 *
 * @example
 * ```ts
 * const steering = createSteering();
 * const result = streamText({ model, prompt, providerOptions: { kelivo: toolLoopCallOptions({ steering }) } });
 * const outcome = await steering.steer('Use Paris, Texas instead.');
 * ```
 */
export function createSteering(): Steering {
  const outcomes = new Map<string, Promise<SteeringOutcome>>();
  let pending: WaitingMessage[] = [];
  let queued: WaitingMessage[] = [];
  let taken: WaitingMessage[] = [];
  /** Set while no turn accepts messages. */
  let closedBy: SteeringNotDeliveredReason | undefined;

  const add = (
    given: string | UserModelMessage,
    { id = generateId() }: SteeringMessageOptions = {},
    list: () => WaitingMessage[],
  ): Promise<SteeringOutcome> => {
    const known = outcomes.get(id);
    if (known !== undefined) return known;
    const message: UserModelMessage = typeof given === 'string' ? { role: 'user', content: given } : given;
    if (closedBy !== undefined)
      return Promise.resolve({ type: 'not-delivered', id, message, reason: closedBy });
    const outcome = new Promise<SteeringOutcome>(resolve => {
      list().push({ id, message, resolve });
    });
    outcomes.set(id, outcome);
    return outcome;
  };

  const close = (reason: SteeringNotDeliveredReason, later: SteeringNotDeliveredReason): void => {
    const waiting = [...taken, ...pending, ...queued];
    [taken, pending, queued] = [[], [], []];
    closedBy = later;
    for (const { resolve, ...message } of waiting) resolve({ type: 'not-delivered', ...message, reason });
  };

  const run: SteeringRun = {
    hasPendingMessages: () => pending.length > 0,
    promoteQueuedMessage() {
      const next = queued.shift();
      if (next !== undefined) pending.push(next);
      return next !== undefined;
    },
    takeMessages() {
      taken = [...taken, ...pending];
      pending = [];
      return taken.map(waitingMessage => waitingMessage.message);
    },
    resolveTakenMessages(options) {
      const resolved = taken;
      taken = [];
      for (const { resolve, ...message } of resolved) {
        if (options.sentMessages.includes(message.message))
          resolve({ type: 'delivered', ...message, round: options.stepNumber });
        else resolve({ type: 'not-delivered', ...message, reason: 'removed-by-prepare-round' });
      }
    },
    end: reason => close(reason, 'finished'),
    pause: reason => close(reason, reason),
    resume() {
      closedBy = undefined;
    },
  };
  const steering = {
    steer: (message: string | UserModelMessage, options?: SteeringMessageOptions) =>
      add(message, options, () => pending),
    queue: (message: string | UserModelMessage, options?: SteeringMessageOptions) =>
      add(message, options, () => queued),
    [START]: () => run,
  };
  return steering;
}

interface KnownRun {
  readonly run: SteeringRun;
  /** True if another turn may use the object: the one before waits for the host, or has failed. */
  isFree: boolean;
  /** Messages that a failed turn has delivered, with their rounds. A host that repeats it starts without them. */
  again: readonly { readonly message: UserMessage; readonly round: number }[];
  /** Number of messages with which that turn began. */
  length: number;
}

const runs = new WeakMap<object, KnownRun>();

/**
 * Begins to use the steering object of a call.
 *
 * @throws InvalidArgumentError if it is none, or if another turn uses it.
 */
function startRun(steering: unknown): KnownRun {
  if (typeof steering !== 'object' || steering === null || !(START in steering))
    throw toArgumentError('steering', 'the result of createSteering()');
  const known = runs.get(steering);
  if (known?.isFree === true) {
    known.isFree = false;
    known.run.resume?.();
    return known;
  }
  if (known !== undefined)
    throw new InvalidArgumentError({
      argument: 'providerOptions.kelivo.steering',
      message: 'The steering object was already used by another turn. Create one for each turn.',
    });
  const { [START]: start } = steering as { [START]: () => SteeringRun };
  const started = { run: start.call(steering), isFree: false, again: [], length: 0 };
  runs.set(steering, started);
  return started;
}

/** A message that was taken for the next round. */
interface Taken {
  readonly message: UserMessage;
  /** The application's message. Undefined for one of a record, or of an attempt before. */
  readonly original?: UserModelMessage;
}

/** Delivers the messages of the call's steering object: during the turn with the next request, and after an answer. */
export const createTurnSteering: CreateFeature<object> = ({ call, steps, emit }) => {
  const { steering } = call.own;
  if (steering === undefined || steering === null) return undefined;
  const known = startRun(steering);
  const { run } = known;
  const delivered: KnownRun['again'][number][] = [];
  // A journal has recorded them, and the messages that continue a failed turn contain them.
  const isRecorded = steps.isDurable && !steps.isOrdered;
  const after = call.prompt.slice(known.length);
  let again = isRecorded ? [] : known.again.filter(entry => !isSent(entry.message, after));
  /** The messages for the next round. Undefined if they have not been taken. */
  let waiting: readonly Taken[] | undefined;
  /** The messages that the request of the newest round contains. */
  let sent: readonly UserMessage[] = [];
  let hasEnded = false;

  /**
   * Takes the messages for a round. A record has those of an earlier attempt.
   *
   * @param isAnswer True if the model has finished its answer.
   */
  async function take(round: number, isAnswer = false): Promise<readonly Taken[]> {
    const takeLive = async (): Promise<Taken[]> => {
      if (isAnswer && !run.hasPendingMessages()) run.promoteQueuedMessage();
      const due = again.filter(entry => entry.round <= round || isAnswer);
      const live = run
        .takeMessages()
        .map(original => ({ original, message: readMessages([original])[0] as UserMessage }));
      return [...due.map(entry => ({ message: entry.message })), ...live];
    };
    return (await steps.step(`steering ${round}`, takeLive)).value;
  }

  return {
    async prepare(request, round) {
      waiting ??= await take(round);
      return waiting.length === 0
        ? undefined
        : { prompt: [...request.prompt, ...waiting.map(taken => taken.message)] };
    },

    /** Reports the messages that the request contains. The parts keep them in the host's history. */
    sent(request, round) {
      const taken = waiting ?? [];
      waiting = undefined;
      sent = [];
      if (taken.length === 0) return [];
      const arrived = taken.map(entry => entry.message);
      again = again.filter(entry => !isSent(entry.message, arrived));
      const found = taken.filter(entry => isSent(entry.message, request.prompt));
      const sentMessages = found.flatMap(entry => entry.original ?? []);
      run.resolveTakenMessages({ stepNumber: round, sentMessages });
      sent = found.map(entry => entry.message);
      delivered.push(...sent.map(message => ({ message, round })));
      return sent.map(toUserMessagePart);
    },

    opened(round) {
      if (sent.length > 0) emit({ type: 'steering', round, messages: toModelMessages(sent) });
    },

    async after(round) {
      if (round.decision === 'next') waiting = await take(round.number + 1);
      if (!round.isAnswer || round.decision === 'next' || round.decision.end !== 'finished') return undefined;
      waiting = await take(round.number + 1, true);
      return waiting.length === 0 ? undefined : 'next';
    },

    /** Waiting messages are not delivered. Only the first call counts. */
    end(reason) {
      if (hasEnded) return;
      hasEnded = true;
      const mayGoOn = reason === 'waiting-for-tool-results' || reason === 'error';
      known.again = reason === 'error' ? [...delivered, ...again] : again;
      if (reason === 'error') known.length = call.prompt.length;
      known.isFree = mayGoOn;
      if (mayGoOn && run.pause !== undefined) run.pause(reason);
      else run.end(reason);
    },
  };
};

/** Messages may have been copied, by `prepareRound` or as JSON, and joined with others, by a summary. */
function isSent(message: UserMessage, prompt: Prompt): boolean {
  const partsOf = ({ content }: UserMessage): string[] =>
    content.map(part => toStableJson(toPlainJson(part, { keepUndefined: false })));
  const parts = partsOf(message);
  return prompt.some(other => {
    if (other === message) return true;
    const others = other.role === 'user' ? partsOf(other) : [];
    return others.some((_, start) => parts.every((part, index) => part === others[start + index]));
  });
}
