import { APICallError } from '@ai-sdk/provider';
import type { CoreCall, RoundResponse, TurnLink } from '../../core/call.js';
import { contentToParts } from '../../core/collector.js';
import { NO_FINISH } from '../../core/finish.js';
import type { Part, Usage } from '../../core/part.js';
import type { ToolChoice } from '../../core/prompt.js';
import { type CoreModel, sourceOf } from '../../core/source.js';
import { retryDelay } from '../../core/http/retry.js';
import { untilAborted } from '../../core/shared/abort.js';
import { messageOf } from '../../core/shared/errors.js';
import { repeat } from '../../core/shared/repeat.js';
import type { ToolListing } from '../../tools/tool-source.js';
import { openDurableRound, type RoundSource } from '../durable/recorded-rounds.js';
import type { RequestPurpose, RoundChanges, RoundSettings } from '../features/feature.js';
import type { OpenedTurn } from './opened-turn.js';
import type { AnsweredRound } from './partial-turn.js';
import { createBatchReader, untilRead } from './round-reader.js';

interface OpenOptions {
  /** Set for the request of a feature. */
  readonly purpose?: RequestPurpose | undefined;
  /** Number of the attempt at a round that is repeated. @default the first one */
  readonly attempt?: number;
  /** The usage of the attempts before. */
  readonly usageBefore?: Usage | undefined;
}

/**
 * Sends the rounds of a turn to the model, or reads them from their records. A follow-up round offers the tools of its time. It
 * is retried here, the first one by the host.
 */
export class Rounds {
  readonly #turn: OpenedTurn;
  readonly #stateOf = createStates();
  /** Rounds of an earlier attempt at the turn, which are not requested again. */
  readonly #replayed: AnsweredRound[];

  constructor(turn: OpenedTurn) {
    this.#turn = turn;
    this.#replayed = turn.done.filter(exchange =>
      exchange.content.some(entry => entry.own?.userMessage === undefined),
    );
  }

  /** Opens a round. For the request of a feature, `number` is that of the following round. */
  async open(request: CoreCall, number: number, options: OpenOptions = {}): Promise<RoundSource> {
    const { emit, steps, model, resumesResponses, lifetime, tools } = this.#turn;
    const { purpose, attempt, usageBefore } = options;
    this.#turn.round = number;
    if (attempt === undefined) emit({ type: 'round-start', round: number });
    const earlier = this.#replayed.shift();
    if (earlier !== undefined) return { ...sourceOf(toParts(earlier)), isReplayed: true };
    if (!steps.isDurable) return (await this.#request(request, options)).source;
    let listing: ToolListing | undefined;
    const openReadable = async (response?: RoundResponse): Promise<RoundSource> => {
      const { source, listing: newest } = await this.#request(request, { ...options, response });
      listing = newest;
      return { ...source, next: createBatchReader(source, lifetime) };
    };
    return openDurableRound(openReadable, {
      model,
      call: this.#link(request, purpose),
      steps,
      attempt,
      usageBefore,
      isAborted: () => lifetime.isAborted(),
      resumesResponses,
      listing: () => listing,
      onListing: tools.restore,
    });
  }

  /** Sends a request with the tools of its time, again if it fails. Returns their listing if it is to be recorded. */
  async #request(
    given: CoreCall,
    { attempt, purpose, response }: OpenOptions & { readonly response?: RoundResponse | undefined },
  ): Promise<{ source: RoundSource; listing?: ToolListing | undefined }> {
    const { model, tools, features, steps, retries, lifetime, pendingCalls, round, emit } = this.#turn;
    // A turn that begins with calls has opened its stream, so that the host cannot retry it.
    const isFirst = round === 1 && pendingCalls.length === 0;
    // The tools of a response that exists are those with which it was created.
    const isListed = !isFirst && (response === undefined || response === 'submit');
    const listing = isListed ? await tools.refresh() : undefined;
    const send = () => openRound(model, this.#link(tools.applyTo(given), purpose, response));
    // A host retries the first request, but not inside of a step of a workflow.
    const isOfHost = (isFirst && attempt === undefined && !steps.isOrdered) || typeof response === 'object';
    const { maxRetries, streamRetries, initialDelay } = retries;
    const ofRequests = isOfHost ? 0 : maxRetries;
    // A stream has no output yet, so its failure is also one of the request.
    const ofBroken = given.isStream ? Math.max(ofRequests, streamRetries) : streamRetries;
    /** Number of responses that broke. A request that the server refused has used no tokens. */
    let broken = 0;
    const source = await repeat(
      async () => {
        const opened = await send().catch((error: unknown) => {
          if (features.some(feature => feature.recover?.(error, round) === true)) return send();
          throw error;
        });
        return broken === 0 ? opened : { ...opened, attempts: broken + 1 };
      },
      (error, failed) => {
        const isBroken = hasBegun(error);
        const limits = { attempt: failed, maxRetries: isBroken ? ofBroken : ofRequests, initialDelay };
        const pause = retryDelay(error, limits);
        if (!isRefused(error)) broken++;
        if (isBroken && pause !== undefined)
          emit({ type: 'round-retry', round, attempt: failed + 2, cause: messageOf(error) });
        return pause;
      },
      lifetime.signal,
    );
    return { source, listing };
  }

  /** Adds to a request which one of the turn it is. */
  #link(
    request: CoreCall,
    purpose: RequestPurpose | undefined,
    response?: RoundResponse,
  ): CoreCall & { readonly turn: TurnLink } {
    const { steps, round, hostedCalls } = this.#turn;
    const stateOf = this.#stateOf;
    return { ...request, turn: { id: steps.turnId, round, stateOf, ...purpose, response, hostedCalls } };
  }
}

/** Returns the parts of a response that an earlier attempt received. */
const toParts = ({ content, responseId, finish = NO_FINISH }: AnsweredRound): Part[] => [
  ...(responseId === undefined ? [] : [{ type: 'response-metadata' as const, id: responseId }]),
  ...contentToParts(content),
  { ...finish, finishReason: { unified: 'tool-calls', raw: finish.finishReason.raw } },
];

/** Returns true for the error of a response that the server began with a status of success. */
const hasBegun = (error: unknown): boolean =>
  APICallError.isInstance(error) && error.responseHeaders !== undefined && (error.statusCode ?? 200) < 300;

/** Returns true if the server refused the request with an error status and a body. Errors within a response have no body. */
const isRefused = (error: unknown): boolean =>
  APICallError.isInstance(error) && (error.statusCode ?? 200) >= 300 && error.responseBody !== undefined;

/** Creates the states that layers keep between the requests of a turn. */
function createStates(): TurnLink['stateOf'] {
  const states = new Map<object, unknown>();
  return <State>(owner: object, create: () => State): State => {
    if (!states.has(owner)) states.set(owner, create());
    return states.get(owner) as State;
  };
}

/** Sends one request to the model. A response that is not streamed is read to its end, so that its failure is one of the request. */
async function openRound(model: CoreModel, call: CoreCall): Promise<RoundSource> {
  const opening = model.open(call);
  const source = await untilAborted(opening, call.abortSignal).catch((error: unknown) => {
    // One that opens after the abort is cancelled.
    opening.then(late => late.cancel(error)).catch(() => {});
    throw error;
  });
  const round = { ...untilRead(source, call.abortSignal), request: source.request };
  if (call.isStream) return { ...round, response: source.response };
  const parts = await untilAborted(readAll(round.next), call.abortSignal);
  return { ...sourceOf(parts), request: source.request, response: source.response };
}

/** @throws the error of the first `error` part. */
async function readAll(next: RoundSource['next']): Promise<Part[]> {
  const all: Part[] = [];
  for (let parts = await next(); parts !== undefined; parts = await next()) {
    for (const part of parts) {
      if (part.type === 'error') throw part.error;
      all.push(part);
    }
  }
  return all;
}

/** Returns the request that is sent: with the settings of the round. */
export function withSettings(request: CoreCall, settings: RoundChanges['settings']): CoreCall {
  if (settings === undefined) return request;
  const { toolChoice, activeTools: _, providerOptions = {}, system, ...model } = settings;
  const { kelivo, ...others } = providerOptions;
  const joined = Object.entries(others).map(([name, values]) => [
    name,
    { ...request.providerOptions?.[name], ...values },
  ]);
  const defined = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
  return {
    ...request,
    ...defined,
    ...(joined.length > 0 && {
      providerOptions: { ...request.providerOptions, ...Object.fromEntries(joined) },
    }),
    ...(kelivo !== undefined && { own: { ...request.own, ...kelivo } }),
    // A limit, or the host, forbids calls.
    ...(toolChoice !== undefined &&
      request.toolChoice?.type !== 'none' && { toolChoice: toToolChoice(toolChoice) }),
    ...(system !== undefined && {
      prompt: [
        { role: 'system' as const, content: system },
        ...request.prompt.filter(message => message.role !== 'system'),
      ],
    }),
  };
}

const toToolChoice = (choice: NonNullable<RoundSettings['toolChoice']>): ToolChoice =>
  typeof choice === 'string' ? { type: choice } : choice;
