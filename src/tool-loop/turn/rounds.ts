import type { CoreCall, RoundResponse, TurnLink } from '../../core/call.js';
import type { Part } from '../../core/part.js';
import { type CoreModel, sourceOf } from '../../core/source.js';
import { retry } from '../../http/retry.js';
import { onceAborted, untilAborted } from '../../shared/abort.js';
import type { ToolListing } from '../../tools/tool-source.js';
import { openDurableRound, type Round } from '../durable/recorded-rounds.js';
import type { Steps } from '../durable/steps.js';
import type { TurnLifetime } from './turn-limits.js';
import type { TurnTools } from './turn-tools.js';

/** Opens a round. `number` is that of the following round for a request that compacts the conversation. */
export type OpenRound = (
  request: CoreCall,
  number: number,
  options?: Pick<TurnLink, 'isCompaction'> & {
    /** Number of the attempt at a round that is repeated. @default the first one */
    readonly attempt?: number;
  },
) => Promise<Round>;

/** Retries of requests. */
export interface Retries {
  /** Maximum number of retries of a follow-up request that fails before it responds. */
  readonly maxRetries: number;
  /** Maximum number of repetitions of a round whose response breaks. */
  readonly streamRetries: number;
  /** Delay before the first retry in milliseconds. */
  readonly initialDelay: number;
}

interface RoundOpenerOptions extends Required<Pick<TurnLink, 'hostedCalls'>> {
  readonly model: CoreModel;
  /** True if the model reads `TurnLink.response`. */
  readonly resumesResponses: boolean;
  readonly retries: Retries;
  readonly lifetime: TurnLifetime;
  readonly steps: Steps;
  readonly tools: TurnTools;
  /** True if the host cannot retry the first request. */
  readonly isOpen: boolean;
}

/** Returns the function that sends the rounds of a turn, live or from their records. */
export function createRoundOpener({
  model,
  resumesResponses,
  retries,
  lifetime,
  steps,
  tools,
  hostedCalls,
  isOpen,
}: RoundOpenerOptions): OpenRound {
  const { signal } = lifetime;
  const stateOf = createStates();

  return async (options, number, { isCompaction = false, attempt } = {}) => {
    const toRequest = (request: CoreCall, response?: RoundResponse) => ({
      ...request,
      turn: { id: steps.turnId, round: number, stateOf, isCompaction, response, hostedCalls },
    });
    const isFirst = number === 1 && !isOpen;
    let listing: ToolListing | undefined;
    const open = async (response?: RoundResponse): Promise<Round> => {
      // The tools of a response that exists are those with which it was created.
      if (!isFirst && (response === undefined || response === 'submit')) listing = await tools.refresh();
      const send = () => openRound(model, toRequest(isFirst ? options : tools.applyTo(options), response));
      // A host retries the first request, but not inside of a step of a workflow.
      if ((isFirst && attempt === undefined && !steps.isOrdered) || typeof response === 'object')
        return send();
      return retry(send, { ...retries, signal });
    };
    if (!steps.isDurable) return open();
    const openReadable = async (response?: RoundResponse): Promise<Round> => {
      const round = await open(response);
      return { ...round, next: createBatchReader(round, lifetime) };
    };
    return openDurableRound(openReadable, {
      model,
      call: toRequest(options),
      steps,
      attempt,
      isAborted: lifetime.isAborted,
      resumesResponses,
      listing: () => listing,
      onListing: tools.restore,
    });
  };
}

/** Creates the states that layers keep between the requests of a turn. */
function createStates(): TurnLink['stateOf'] {
  const states = new Map<object, unknown>();
  return <State>(owner: object, create: () => State): State => {
    if (!states.has(owner)) states.set(owner, create());
    return states.get(owner) as State;
  };
}

/** Sends one request to the model. A response that is not streamed is read to its end, so that its failure is one of the request. */
async function openRound(model: CoreModel, call: CoreCall): Promise<Round> {
  const { abortSignal: signal } = call;
  const opening = model.open(call);
  const source = await untilAborted(opening, signal).catch(error => {
    // Cancel a response that opens after the abort.
    opening.then(late => late.cancel(error)).catch(() => {});
    throw error;
  });
  // The signal may have aborted at the moment the response opened.
  const release = signal && onceAborted(signal, () => source.cancel(signal.reason));
  const next = async (): Promise<readonly Part[] | undefined> => {
    const parts = await source.next();
    signal?.throwIfAborted();
    if (parts === undefined) release?.();
    return parts;
  };
  if (!call.isStream) {
    const parts = await untilAborted(readAll(next), signal);
    return { ...sourceOf(parts), request: source.request, response: source.response };
  }
  return { next, cancel: source.cancel, request: source.request, response: source.response };
}

/** @throws the error of the first `error` part. */
async function readAll(next: Round['next']): Promise<Part[]> {
  const all: Part[] = [];
  for (let parts = await next(); parts !== undefined; parts = await next()) {
    for (const part of parts) {
      if (part.type === 'error') throw part.error;
      all.push(part);
    }
  }
  return all;
}

/** Reads the parts of a round. A response that fails ends with an `error` part; an abort by the caller rejects. */
export function createBatchReader(
  round: Round,
  { signal, isAborted }: Pick<TurnLifetime, 'signal' | 'isAborted'>,
): Round['next'] {
  let hasFailed = false;
  return async () => {
    if (hasFailed) return undefined;
    try {
      return await round.next();
    } catch (error) {
      if (isAborted()) throw error;
      hasFailed = true;
      return [{ type: 'error', error: signal.aborted ? signal.reason : error }];
    }
  };
}
