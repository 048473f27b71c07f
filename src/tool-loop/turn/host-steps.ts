import type { CoreCall } from '../../core/call.js';
import type { Part, PartOf } from '../../core/part.js';
import type { Prompt, ToolCallPart, ToolResultPart } from '../../core/prompt.js';
import {
  createPartSource,
  type CoreModel,
  type PartSink,
  type PartSource,
  sourceOf,
  type UnreadLimit,
  withOpen,
} from '../../core/source.js';
import { onceAborted, untilAborted } from '../../core/shared/abort.js';
import { createDeferred, type Deferred } from '../../core/shared/deferred.js';
import { KelivoError } from '../../core/shared/errors.js';
import { estimateSize, MEMORIES, Memory } from '../../core/shared/memory.js';
import { INTERRUPTED } from '../../core/tool-calls/call-pairing.js';
import { stepToolsOf } from '../../tools/step-tools.js';
import { readHistory } from '../context/history.js';
import type { RoundChanges, TurnFeature } from '../features/feature.js';
import { type OpenedTurn, stubsOf, type TurnSteps } from './opened-turn.js';
import type { AnsweredRound } from './partial-turn.js';
import { type StepEnd, Turn, type TurnSink } from './turn.js';

/*
 * Turns that a host of `ai` 6 or 7 takes in steps. A step ends when the calls of a round have run, and the next one begins with
 * their results: a host goes on while results are missing. The turn waits before its next request until the host has come back.
 *
 * The calls that end a step name it by an id that nobody can guess. A prompt whose last calls name no step that waits starts
 * none of them: they have no output, or a journal has it.
 */

/** The means of the loop for the steps of a call. */
export interface StepOptions {
  readonly model: CoreModel;
  /** True if a journal records the turn. */
  readonly isDurable: boolean;
  /** Opens a turn with the tools of these identities. */
  openTurn(
    call: CoreCall,
    hostSteps: TurnSteps,
    isDeclared: (identity: string) => boolean,
  ): Promise<OpenedTurn>;
  toSink(sink: PartSink, call: CoreCall): TurnSink;
  toUnreadLimit(turn: Turn): UnreadLimit | undefined;
}

const { time: WAITS } = MEMORIES['paused turns'];

/** The turns of a provider that wait for the next step of their host, or for a repetition of a step that has failed. */
export class HostSteps {
  readonly #turns = new Memory<string, SteppedTurn>('paused turns', turn =>
    turn.abandon(
      new DOMException(`The host took no further step of the turn within ${WAITS} ms.`, 'AbortError'),
    ),
  );

  keep(id: string, turn: SteppedTurn, bytes?: number): void {
    this.#turns.set(id, turn, bytes);
  }

  forget(id: string): void {
    this.#turns.delete(id);
  }

  /** Opens a step: of a turn that waits, or the first one of a turn. */
  async open(call: CoreCall, options: StepOptions): Promise<PartSource> {
    call.abortSignal?.throwIfAborted();
    const ended = findEndedStep(call.prompt);
    return (
      (ended && (await this.#goOn(call, ended, options))) ??
      (await new SteppedTurn(this, call, options).begin()) ??
      sourceOf([])
    );
  }

  /** Opens the step that follows another one. */
  async #goOn(call: CoreCall, ended: EndedStep, options: StepOptions): Promise<PartSource | undefined> {
    const { id, from, position, calls } = ended;
    const isLast = position === call.prompt.length - 1;
    const found = this.#turns.get(id);
    const known = found?.isOf(call) === true ? found : undefined;
    // Two steps cannot go on with one turn.
    if (known !== undefined) this.#turns.delete(id);
    const { hostStep } = call.own;
    // Messages after the calls are of the same turn only if the host itself has added them.
    const isOfSameCall = typeof hostStep === 'number' ? hostStep > 0 : known?.hasSameObjects(call) === true;
    const isNext = isLast || isOfSameCall;
    let source: PartSource | undefined;
    if (known !== undefined && isNext) source = await known.resume(call, ended, options);
    else if (isLast && options.isDurable) {
      const first = { ...call, prompt: call.prompt.slice(0, from) };
      source = await new SteppedTurn(this, first, options, { ended, next: call }).begin();
    }
    if (source !== undefined) return source;
    const outputs = known?.leave() ?? [];
    const results = isNext ? calls.map(toLostResult) : [];
    const prompt = withResults(call.prompt, position, outputs.map(toResultPart));
    return new SteppedTurn(this, { ...call, prompt }, options, { results }).begin();
  }
}

/** The last step of a host in a prompt, whose calls have no results. */
interface EndedStep {
  readonly id: string;
  /** Number of messages before the turn. */
  readonly from: number;
  readonly calls: readonly ToolCallPart[];
  /** The position of the message with the calls. */
  readonly position: number;
}

/** The beginning of a turn of which its host has taken steps before. */
interface Beginning {
  /** Results that precede the first response. */
  readonly results?: readonly PartOf<'tool-result'>[];
  /** The step that ended last. The parts before its results were shown. */
  readonly ended?: EndedStep;
  /** The call of the step that follows it. */
  readonly next?: CoreCall;
  /** The exchanges of the failed attempt at the turn. */
  readonly done?: readonly AnsweredRound[];
}

/** A step that a host reads. */
interface Step {
  readonly sink: TurnSink;
  /** True when nothing more is written. */
  isEnded: boolean;
  end(): void;
  fail(error: unknown): void;
}

/** The next step of the host, and the one before it. */
interface NextStep {
  readonly previous: CoreCall;
  readonly call: CoreCall;
  readonly position: number;
}

/** The end of a turn, which may have been aborted. */
interface Over {
  readonly failure?: { readonly error: unknown };
}

class SteppedTurn {
  readonly #steps: HostSteps;
  readonly #options: StepOptions;
  /** The call of the first step. */
  readonly #first: CoreCall;
  #results: readonly PartOf<'tool-result'>[];
  /** The step whose results are the first that the host has not seen. */
  #skipped: EndedStep | undefined;
  /** Resolves when the turn has come to this step. */
  readonly #found = createDeferred<void>();
  /** True if the records of the turn end before this step. */
  #isUnrecorded = false;
  readonly #done: readonly AnsweredRound[] | undefined;
  #call: CoreCall;
  #declared: ReadonlyMap<string, string>;
  #opened: OpenedTurn | undefined;
  #turn: Turn | undefined;
  #step: Step | undefined;
  /** The step that has ended and is not read to its end. */
  #ending: Step | undefined;
  /** Resolves with the next step of the host. */
  #resumed: Deferred<void> | undefined;
  #next: NextStep | undefined;
  /** Results of a round whose calls have not all ended, and its calls if the host may have missed them. */
  #early: PartOf<'tool-call' | 'tool-result'>[] = [];
  /** Parts for the next step. */
  #waiting: Part[] = [];
  #isIdle = false;
  #id = crypto.randomUUID();
  /** The id of the step that ended last. */
  #lastId: string | undefined;
  #over: Over | undefined;
  #failed: readonly AnsweredRound[] | undefined;

  constructor(
    steps: HostSteps,
    call: CoreCall,
    options: StepOptions,
    { results = [], ended, next = call, done }: Beginning = {},
  ) {
    this.#steps = steps;
    this.#options = options;
    this.#first = call;
    this.#call = next;
    this.#declared = stepToolsOf(next.tools);
    this.#results = results;
    this.#skipped = ended;
    this.#lastId = ended?.id;
    this.#done = done;
  }

  /** Begins the turn with its first step. Returns undefined if the steps before are not recorded. */
  async begin(): Promise<PartSource | undefined> {
    const hostSteps: TurnSteps = {
      feature: this.#feature,
      done: this.#done,
      onFailure: done => void (this.#failed = done),
    };
    const isDeclared = (identity: string): boolean => [...this.#declared.values()].includes(identity);
    const opened = await this.#options.openTurn(this.#first, hostSteps, isDeclared);
    this.#opened = opened;
    if (this.#skipped !== undefined) {
      const isKnown = this.#done !== undefined || opened.tools.isReplayed;
      if (!isKnown) {
        await opened.close();
        return undefined;
      }
      opened.model = this.#toUnasked(opened.model);
    }
    const turn = new Turn(opened);
    this.#turn = turn;
    const round = await turn.open().catch((error: unknown) => {
      if (!this.#isUnrecorded) throw error;
    });
    if (this.#isUnrecorded) return undefined;
    const source = this.#attach(this.#call, []);
    const ended = turn.run(this.#sink).then(
      () => this.#settle({}),
      (error: unknown) => this.#settle({ failure: { error } }),
    );
    if (this.#skipped !== undefined) await Promise.race([this.#found.promise, ended]);
    if (this.#isUnrecorded) return undefined;
    return { ...source, request: round?.request, response: round?.response };
  }

  /** Returns a model that is not asked for the rounds that the host knows. The turn ends if they are not recorded. */
  #toUnasked(model: CoreModel): CoreModel {
    return withOpen(model, async call => {
      if (this.#skipped === undefined) return model.open(call);
      const reason = new DOMException('The turn has no records.', 'AbortError');
      this.#isUnrecorded = true;
      this.#turn?.abort(reason);
      throw reason;
    });
  }

  /** True for a call of the same owner. */
  isOf({ own: { scope, context }, isStream }: CoreCall): boolean {
    const { own } = this.#call;
    return isStream === this.#call.isStream && Object.is(own.scope, scope) && Object.is(own.context, context);
  }

  /** True for a call of the same call of the host, which passes its objects to each step. */
  hasSameObjects(call: CoreCall): boolean {
    const known = this.#call;
    const isKnown = call.headers !== undefined || call.abortSignal !== undefined;
    return isKnown && known.headers === call.headers && known.abortSignal === call.abortSignal;
  }

  /** Goes on with the turn in the next step of the host. */
  async resume(call: CoreCall, ended: EndedStep, options: StepOptions): Promise<PartSource | undefined> {
    if (this.#failed !== undefined) {
      const reason: unknown = this.#opened?.lifetime.signal.reason;
      if (KelivoError.isInstance(reason) && reason.code === 'closed') throw reason;
      const first = { ...call, prompt: this.#first.prompt };
      return new SteppedTurn(this.#steps, first, options, { ended, next: call, done: this.#failed }).begin();
    }
    const previous = this.#call;
    this.#next = { previous, call, position: ended.position };
    if (this.#opened !== undefined) this.#opened.model = options.model;
    this.#declared = stepToolsOf(call.tools);
    const changed = TURN_OPTIONS.filter(name => !Object.is(previous.own[name], call.own[name]));
    const message = `The options ${changed.join(', ')} of \`providerOptions.kelivo\` are those of the turn. A later step cannot change them: set them in the first one.`;
    const warnings = changed.length === 0 ? [] : [{ type: 'other' as const, message }];
    const source = this.#attach(call, [{ type: 'stream-start', warnings }]);
    this.#resumed?.resolve();
    const { isStream } = call;
    const latest = (): PartSource | undefined => (isStream ? undefined : this.#turn?.source);
    return {
      ...source,
      get request() {
        return latest()?.request;
      },
      get response() {
        return latest()?.response;
      },
    };
  }

  /** Ends the turn, because the conversation goes on without it. Returns the results of its calls so far. */
  leave(): PartOf<'tool-result'>[] {
    const results = this.#waiting.filter(part => part.type === 'tool-result');
    this.abandon(
      new DOMException('The conversation went on without the next step of the turn.', 'AbortError'),
    );
    return results;
  }

  /** Ends the turn if its host does not come back. */
  abandon(reason: unknown): void {
    this.#waiting = [];
    this.#failed = undefined;
    this.#turn?.abort(reason);
  }

  readonly #sink: TurnSink = {
    write: part => this.#write(part),
    ready: () => this.#step?.sink.ready(),
    // The host has taken the calls that it knows.
    taken: () => (this.#skipped === undefined ? this.#step?.sink.taken() : undefined),
    setIdle: isIdle => {
      this.#isIdle = isIdle;
      this.#step?.sink.setIdle(isIdle);
    },
    endStep: round => this.#endStep(round),
  };

  /** Waits for the next step before a request, and sends what the host has changed. */
  readonly #feature: TurnFeature = {
    prepare: async (request): Promise<RoundChanges | undefined> => {
      const signal = this.#opened?.lifetime.signal;
      // Those of calls that an earlier turn has left for approval.
      if (this.#skipped === undefined) this.#release();
      else this.#early = [];
      if (this.#resumed !== undefined) await untilAborted(this.#resumed.promise, signal);
      this.#resumed = undefined;
      const next = this.#next;
      this.#next = undefined;
      return next && { request: this.#merge(request, next) };
    },
  };

  #merge(request: CoreCall, { previous, call, position }: NextStep): CoreCall {
    const { tools = [] } = call;
    if (this.#opened !== undefined && !isSame(previous.tools ?? [], tools)) {
      this.#opened.tools.declare(tools);
      for (const stub of stubsOf(tools).values()) this.#opened.approvals.stubs.set(stub.identity, stub);
    }
    const { telemetry, roundTelemetry, abortSignal, turn } = request;
    // A choice that forces a call is forced once, unless the host has changed it.
    const { toolChoice } = isSame(previous.toolChoice, call.toolChoice) ? request : call;
    const merged = {
      ...call,
      tools: request.tools,
      toolChoice,
      telemetry,
      roundTelemetry,
      abortSignal,
      turn,
    };
    if (isContinued(previous.prompt, call.prompt, position))
      return { ...merged, prompt: [...request.prompt, ...call.prompt.slice(position + 1)] };
    const results = request.prompt.flatMap(message => (message.role === 'tool' ? message.content : []));
    const given = withResults(
      call.prompt,
      position,
      results.filter(part => part.type === 'tool-result'),
    );
    const isFunctionTool = (name: string): boolean => this.#opened?.tools.get(name) !== undefined;
    const { prompt } = readHistory({ ...call, prompt: given }, { isFunctionTool, asksHost: false });
    return { ...merged, prompt };
  }

  /** Lets a host read from here on. */
  #attach(call: CoreCall, before: readonly Part[]): PartSource {
    this.#call = call;
    const ended = createDeferred<void>();
    const turn = this.#turn;
    let sink: TurnSink | undefined;
    const source = createPartSource(
      given => {
        sink = this.#options.toSink(given, call);
        return ended.promise;
      },
      {
        onCancel: reason => void (step.isEnded || turn?.abort(reason)),
        unread: turn && this.#options.toUnreadLimit(turn),
      },
    );
    const isOther = call.abortSignal !== this.#first.abortSignal;
    const release =
      isOther && call.abortSignal
        ? onceAborted(call.abortSignal, () => turn?.abort(call.abortSignal?.reason))
        : () => {};
    const step: Step = {
      sink: sink as unknown as TurnSink,
      isEnded: false,
      end() {
        step.isEnded = true;
        release();
        ended.resolve();
      },
      fail(error) {
        step.isEnded = true;
        release();
        ended.reject(error);
      },
    };
    this.#step = step;
    step.sink.setIdle(this.#isIdle);
    for (const part of [...before, ...this.#waiting]) step.sink.write(part);
    this.#waiting = [];
    if (this.#over !== undefined) this.#settle(this.#over);
    return {
      ...source,
      next: async () => {
        const parts = await source.next();
        if (this.#ending === step && parts?.some(part => part.type === 'finish') !== false) this.#take(step);
        return parts;
      },
    };
  }

  /** The host has read a step to its end. The turn waits for the next one. */
  #take(step: Step): void {
    this.#ending = undefined;
    step.end();
    if (this.#lastId !== undefined) this.#steps.keep(this.#lastId, this);
  }

  #settle(over: Over): void {
    this.#over = over;
    const { failure } = over;
    const step = this.#step;
    this.#step = undefined;
    if (this.#lastId !== undefined && this.#failed !== undefined && step !== undefined)
      this.#steps.keep(this.#lastId, this, estimateSize(this.#failed));
    if (failure === undefined) return step?.end();
    (step ?? this.#ending)?.fail(failure.error);
    // Nothing is left for another step.
    if (step === undefined && this.#lastId !== undefined) this.#steps.forget(this.#lastId);
  }

  #write(part: Part): void {
    if (part.type === 'error' || part.type === 'finish') {
      if (this.#skipped !== undefined && part.type === 'finish')
        this.#put({ type: 'error', error: toUnknownError() });
      this.#skipped = undefined;
      this.#release();
    } else if (part.type === 'tool-result' && part.ofLoop !== undefined && part.preliminary !== true) {
      return void this.#early.push(part);
    } else if (this.#skipped !== undefined && part.type !== 'stream-start') {
      if (part.type !== 'tool-call') return;
      if (this.#skipped.calls.some(call => call.toolCallId === part.toolCallId)) this.#found.resolve();
      else this.#early.push(this.#toMarked(part));
      return;
    }
    this.#put(this.#toMarked(part));
    if (part.type !== 'stream-start') return;
    this.#results.forEach(result => this.#put(result));
    this.#results = [];
  }

  #put(part: Part): void {
    if (this.#step === undefined) this.#waiting.push(part);
    else this.#step.sink.write(part);
  }

  /** Adds the id of the step to a call of the loop. */
  #toMarked<Type extends Part>(part: Type): Type {
    if (part.type !== 'tool-call' || part.ofLoop === undefined || !this.#declared.has(part.toolName))
      return part;
    const step = { id: this.#id, from: this.#first.prompt.length };
    return { ...part, own: { ...part.own, step } };
  }

  /** Writes the results of a round. */
  #release(): void {
    const early = this.#early;
    this.#early = [];
    early.forEach(part => this.#put(part));
  }

  #endStep(end: StepEnd): void {
    const calls = end.content.filter(part => part.type === 'tool-call');
    if (this.#skipped !== undefined) return this.#skip(this.#skipped, calls);
    const step = this.#step;
    const isStep = end.isFollowed && calls.every(call => this.#declared.has(call.toolName));
    if (step === undefined || !isStep) return this.#release();
    step.sink.setIdle(false);
    step.sink.write(end.toFinish());
    this.#step = undefined;
    this.#ending = step;
    this.#resumed = createDeferred();
    this.#lastId = this.#id;
    this.#id = crypto.randomUUID();
    this.#release();
  }

  /** Reads a round that the host knows. The results of the last one are those for which it waits. */
  #skip(skipped: EndedStep, calls: readonly PartOf<'tool-call'>[]): void {
    const ids = new Set(skipped.calls.map(call => call.toolCallId));
    if (calls.some(call => ids.has(call.toolCallId))) {
      this.#skipped = undefined;
      this.#next = { previous: this.#call, call: this.#call, position: skipped.position };
      return this.#release();
    }
    this.#early = [];
  }
}

const toUnknownError = (): KelivoError =>
  new KelivoError({
    code: 'turn-changed',
    message:
      'The calls at the end of the prompt are not among the records of the turn, and were not run. Repeat the turn from its ' +
      'first step.',
  });

/** The options of a call that count from the beginning of its turn. */
const TURN_OPTIONS = [
  ...(['turnId', 'step', 'toolApproval', 'steering', 'executors'] as const),
  ...(['prepareRound', 'stopWhen', 'maxCost', 'maxTokens'] as const),
];

/** Finds the calls without results in the last message of the assistant. Calls that wait for an approval are no such calls. */
function findEndedStep(prompt: Prompt): EndedStep | undefined {
  const position = prompt.findLastIndex(entry => entry.role === 'assistant');
  const message = prompt[position];
  if (message?.role !== 'assistant') return undefined;
  // Messages of tools follow the calls of a host.
  if (prompt.slice(position + 1).some(entry => entry.role === 'tool')) return undefined;
  const results = new Set(
    message.content.flatMap(part => (part.type === 'tool-result' ? [part.toolCallId] : [])),
  );
  const open = message.content.filter(
    (part): part is ToolCallPart =>
      part.type === 'tool-call' &&
      part.providerExecuted === true &&
      part.own?.approval === undefined &&
      !results.has(part.toolCallId),
  );
  const { id, from } = open.at(-1)?.own?.step ?? {};
  if (typeof id !== 'string' || typeof from !== 'number') return undefined;
  return { id, from, position, calls: open.filter(part => part.own?.step?.id === id) };
}

/** Returns true if a prompt is the one before with messages of the assistant, up to a position. */
const isContinued = (before: Prompt, prompt: Prompt, position: number): boolean =>
  before.every((message, index) => isSame(message, prompt[index])) &&
  prompt.slice(before.length, position + 1).every(message => message.role === 'assistant');

/** Adds the results of the calls of a message. */
function withResults(prompt: Prompt, position: number, results: readonly ToolResultPart[]): Prompt {
  const message = prompt[position];
  if (message?.role !== 'assistant') return prompt;
  const ids = new Set(message.content.flatMap(part => (part.type === 'tool-call' ? [part.toolCallId] : [])));
  const content = results.filter(result => ids.has(result.toolCallId));
  if (content.length === 0) return prompt;
  return [...prompt.slice(0, position + 1), { role: 'tool', content }, ...prompt.slice(position + 1)];
}

const toResultPart = ({ toolCallId, toolName, output, result }: PartOf<'tool-result'>): ToolResultPart => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: output ?? { type: 'text', value: String(result) },
});

const toLostResult = ({ toolCallId, toolName }: ToolCallPart): PartOf<'tool-result'> => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  result: INTERRUPTED,
  isError: true,
  output: { type: 'error-text', value: INTERRUPTED },
  ofLoop: 'shown',
});

/** Compares values of prompts and options. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof URL) return b instanceof URL && a.href === b.href;
  if (ArrayBuffer.isView(a))
    return (
      a instanceof Uint8Array &&
      b instanceof Uint8Array &&
      a.length === b.length &&
      a.every((byte, index) => byte === b[index])
    );
  const [left, right] = [a, b].map(value => Object.entries(value).filter(([, one]) => one !== undefined));
  const other = b as Readonly<Record<string, unknown>>;
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left?.length === right?.length &&
    left?.every(([name, value]) => isSame(value, other[name])) === true
  );
}
