import { createPartCollector } from '../../core/collector.js';
import type {
  Content,
  Finish,
  FinishReason,
  Part,
  PartOf,
  ToolInputStart,
  Warning,
} from '../../core/part.js';
import type { PartSink, PartSource } from '../../core/source.js';
import { NO_FINISH } from '../../core/finish.js';
import { onceAborted, untilAborted } from '../../core/shared/abort.js';
import type { ToolDefinition } from '../../tools/tool-source.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import type { LoopCall } from '../calls/calls.js';
import { finishReasonOf, HeldParts, repairHostInput } from '../calls/host-calls.js';
import type { RoundCalls } from '../calls/round-calls.js';
import type { RoundIds } from '../context/history.js';
import type { RoundSource } from '../durable/recorded-rounds.js';
import type { RoundRetry } from './round-retry.js';
import { type BlockOutput, RoundBlocks, type ShownText, withRoundFacts, withId } from './round-text.js';
import type { TurnLifetime } from './lifetime.js';
import type { OpenedTurn } from './opened-turn.js';

/**
 * Reads a source until the signal aborts. At its end the source is let go: the turn keeps its rounds while it waits for
 * others, and what has read a response is far larger than its content.
 */
export function untilRead(
  source: PartSource,
  signal: AbortSignal | undefined,
): Pick<PartSource, 'next' | 'cancel'> {
  let rest: PartSource | undefined = source;
  const cancel = (reason: unknown): void => rest?.cancel(reason);
  // The signal may have aborted at the moment the response opened.
  const release = signal && onceAborted(signal, () => cancel(signal.reason));
  return {
    async next() {
      const parts = await rest?.next();
      signal?.throwIfAborted();
      if (parts !== undefined) return parts;
      release?.();
      rest = undefined;
      return undefined;
    },
    cancel,
  };
}

/** Content and end of a round. */
export interface RoundSummary {
  /** The response of the model, with the ids that the host received. */
  readonly content: readonly Content[];
  /** Number of calls that the host has to run or to approve. */
  readonly hostCalls: number;
  readonly finish: Finish;
  readonly isReplayed: boolean;
  /** True if the response broke and is requested again. Nothing of it belongs to the conversation but started calls. */
  readonly isRepeated: boolean;
  /** The text that a repetition continues. */
  readonly shown: ShownText;
  readonly errors: readonly unknown[];
  /** The parts that are held back until the outcomes of the round are known. */
  readonly held: HeldParts;
  readonly responseId: string | undefined;
}

type Write = (part: Part) => void;

interface RoundReaderOptions {
  readonly turn: OpenedTurn;
  readonly calls: RoundCalls;
  readonly sink: PartSink;
  /** Called when the response begins its output. */
  readonly onOutput: () => void;
  /** The first round writes the `stream-start` of the turn. */
  readonly isFirst: boolean;
  /** Parts that precede those of the round. */
  readonly before: readonly Part[];
  /** The maximum of output tokens that the loop checks. */
  readonly maxOutputTokens: number | undefined;
  /** Decides if a response that breaks is requested again. It has the text that earlier attempts have shown. */
  readonly retry: RoundRetry;
  /** True if the host parses the text of the turn, so that it must be one document. */
  readonly isJson: boolean;
}

/**
 * Forwards the parts of one round as they arrive and starts the loop's calls. Holds back the parts that occur
 * only once in a stream: `stream-start` and `finish`.
 */
export async function readRound(round: RoundSource, options: RoundReaderOptions): Promise<RoundSummary> {
  const { sink, isFirst, before, onOutput } = options;
  const { request, warnings: ofTools, lifetime, pendingCalls, warn } = options.turn;
  const reader = new RoundReader(round, options);
  const next = createBatchReader(round, lifetime);

  let parts = await next();
  const startsWithCalls = pendingCalls.length > 0;
  if (isFirst || (startsWithCalls && options.turn.round === 1 && options.retry.attempt === 1)) {
    // A response that is not streamed has all its parts in the first batch.
    const starts = request.isStream ? parts?.slice(0, 1) : parts;
    const warnings = (starts ?? []).flatMap(part => (part.type === 'stream-start' ? part.warnings : []));
    // A turn that begins with calls has written its start before them.
    if (startsWithCalls) for (const warning of warnings) warn(1, toWarningText(warning));
    else sink.write({ type: 'stream-start', warnings: [...ofTools, ...warnings] });
  }
  before.forEach(sink.write);
  let hasBegun = false;
  for (; parts !== undefined; parts = await next()) {
    for (const part of parts) {
      if (!hasBegun && part.type !== 'stream-start' && part.type !== 'response-metadata') {
        hasBegun = true;
        onOutput();
      }
      reader.forward(part);
    }
    if (reader.isOver) {
      round.cancel(new Error('The response contradicts the text that was shown.'));
      break;
    }
    const room = sink.ready();
    // An abort is reported by `next`.
    if (room !== undefined) await untilAborted(room, lifetime.signal).catch(() => {});
  }
  return reader.end();
}

/** Returns a warning as the text of an event. */
function toWarningText(warning: Warning): string {
  if (warning.type === 'other' || warning.type === 'deprecated') return warning.message;
  return warning.details ?? `The model does not support ${JSON.stringify(warning.feature)}.`;
}

/** Reads the parts of a round. A response that fails ends with an `error` part; an abort by the caller rejects. */
export function createBatchReader(
  round: RoundSource,
  lifetime: Pick<TurnLifetime, 'signal' | 'isAborted'>,
): RoundSource['next'] {
  let hasFailed = false;
  return async () => {
    if (hasFailed) return undefined;
    try {
      return await round.next();
    } catch (error) {
      if (lifetime.isAborted()) throw error;
      hasFailed = true;
      return [{ type: 'error', error: lifetime.signal.aborted ? lifetime.signal.reason : error }];
    }
  };
}

/** Forwards the parts of one response under ids that are unique in the turn. */
class RoundReader {
  /** True if the response must end, because it contradicts a text that cannot be taken back. */
  isOver = false;
  readonly #round: RoundSource;
  readonly #options: RoundReaderOptions;
  readonly #output: RoundOutput;
  readonly #blocks: RoundBlocks;
  readonly #calls: CallParts;
  readonly #errors: unknown[] = [];
  #responseId: string | undefined;
  #finish = NO_FINISH;

  constructor(round: RoundSource, options: RoundReaderOptions) {
    const { turn, retry, isJson } = options;
    this.#round = round;
    this.#options = options;
    this.#output = new RoundOutput(options.sink.write);
    this.#blocks = new RoundBlocks({
      ids: turn.ids,
      output: this.#output,
      facts: turn.facts,
      shown: retry.shown,
      onDifference: () => {
        this.isOver = isJson;
        if (isJson) this.#errors.push(retry.brokenBy);
        else retry.reportDifference();
        return !isJson;
      },
    });
    this.#calls = new CallParts(turn, options.calls, this.#output);
  }

  forward(part: Part): void {
    if (this.isOver) return;
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return this.#blocks.append(part);
      case 'text-start':
      case 'reasoning-start':
        return this.#blocks.start(part);
      case 'text-end':
      case 'reasoning-end':
        return this.#blocks.end(part);
      case 'response-metadata':
        this.#responseId = part.id ?? this.#responseId;
        return this.#output.emit(part);
      case 'raw':
        return this.#output.emit(part);
      case 'error':
        this.#errors.push(part.error);
        return;
      case 'finish':
        this.#finish = part;
        return;
    }
    // The others follow the end of a text.
    this.#blocks.flush();
    switch (part.type) {
      case 'stream-start':
        return;
      case 'tool-input-start':
        return this.#calls.startInput(part);
      case 'tool-input-delta':
      case 'tool-input-end':
        return this.#calls.appendInput(part);
      case 'tool-call':
        return this.#calls.add(part);
      case 'tool-result':
        return this.#calls.addResult(part);
      case 'tool-approval-request':
        return this.#calls.addApprovalRequest(part);
      default:
        return this.#output.emit(part);
    }
  }

  end(): RoundSummary {
    const { calls, retry, maxOutputTokens } = this.#options;
    const { hostCalls, hasCallsElsewhere } = this.#calls;
    const errors = this.#errors;
    const isRepeated = !this.isOver && retry.accepts({ errors, hasCallsElsewhere }, calls);
    const shown = isRepeated ? this.#blocks.suspend(this.#output.result().content) : [];
    if (isRepeated) this.#calls.endInputs();
    else this.#blocks.endAll({ isFailed: errors.length > 0 });
    const finish = this.#finish;
    // After an error the response is incomplete, regardless of the reported finish reason.
    const finishReason: FinishReason =
      errors.length > 0
        ? { unified: 'error', raw: finish.finishReason.raw }
        : finishReasonOf(finish, { maxOutputTokens });
    return {
      content: this.#output.result().content,
      hostCalls,
      finish: { ...finish, finishReason },
      isReplayed: this.#round.isReplayed === true,
      errors,
      isRepeated,
      shown,
      held: this.#output.held,
      responseId: this.#responseId,
    };
  }
}

/** Writes the parts of a response to the host, and collects those that the conversation keeps. */
class RoundOutput implements BlockOutput {
  /** Adds a part to the response that the conversation keeps. */
  readonly keep: Write;
  /** Writes a part of a call of the loop, which waits for nothing. */
  readonly write: Write;
  readonly held = new HeldParts();
  /** Returns the response that the conversation keeps. */
  readonly result: () => { readonly content: readonly Content[] };

  constructor(write: Write) {
    const { add, result } = createPartCollector();
    this.keep = add;
    this.write = write;
    this.result = result;
  }

  /** Writes a part after those that are held back. */
  readonly show = (part: Part): void => {
    if (this.held.isHolding) this.held.hold(() => part);
    else this.write(part);
  };

  emit(part: Part): void {
    this.keep(part);
    this.show(part);
  }
}

type InputPart = PartOf<'tool-input-start' | 'tool-input-delta' | 'tool-input-end'>;

/** The input of a call that the host or the loop runs. */
interface CallInput {
  readonly isOfHost: boolean;
  /** False after its end, and for one that was not streamed. */
  isOpen: boolean;
  /** The tool of the loop that observes it. */
  tool: ToolDefinition | undefined;
}

/** Forwards the calls of a response, and passes them to those who run them. */
class CallParts {
  /** Number of calls that the host has to run or to approve. */
  hostCalls = 0;
  /** True if the host or the servers of the model may have run a call with an effect. */
  hasCallsElsewhere = false;
  readonly #turn: OpenedTurn;
  readonly #calls: RoundCalls;
  readonly #output: RoundOutput;
  readonly #ids: RoundIds;
  readonly #inputs = new Map<string, CallInput>();

  constructor(turn: OpenedTurn, calls: RoundCalls, output: RoundOutput) {
    this.#turn = turn;
    this.#calls = calls;
    this.#output = output;
    this.#ids = turn.ids.round();
  }

  startInput(part: ToolInputStart): void {
    const { tools } = this.#turn;
    const id = this.#ids.call(part.id);
    if (part.providerExecuted === true) {
      if (!tools.isOfServer(part.toolName)) this.#output.write(withId(part, id));
      return;
    }
    // A second start may belong to another call, which is written under another id when it is complete.
    if (this.#inputs.has(id)) return;
    const found = tools.find({ toolName: part.toolName, toolCallId: part.id });
    const input: CallInput = { isOfHost: found.owner === 'host', isOpen: true, tool: undefined };
    this.#inputs.set(id, input);
    this.#writeInput({ ...part, id, toolName: found.toolName }, input);
    if (found.owner === 'loop') this.#announce(id, found.tool, input);
  }

  /** Forwards a piece of an input, or its end. */
  appendInput(part: PartOf<'tool-input-delta' | 'tool-input-end'>): void {
    const id = this.#ids.call(part.id);
    const input = this.#inputs.get(id);
    // An input without a start belongs to a call that the servers of the model run.
    if (input === undefined) return this.#output.write(withId(part, id));
    if (input.isOpen) this.#writeInput(withId(part, id), input);
    if (part.type === 'tool-input-end') input.isOpen = false;
    else if (input.tool !== undefined)
      this.#calls.announceInput(id, input.tool, { type: 'delta', delta: part.delta });
  }

  /** Ends the inputs that a broken response left open. */
  endInputs(): void {
    for (const [id, input] of this.#inputs)
      if (input.isOpen) this.#writeInput({ type: 'tool-input-end', id }, input);
  }

  add(part: PartOf<'tool-call'>): void {
    if (part.providerExecuted !== true) return this.#addCall(part);
    const toolCallId = this.#ids.call(part.toolCallId);
    this.#turn.hostedCalls.add(toolCallId);
    this.hasCallsElsewhere ||= !HARMLESS.includes(part.toolName);
    this.#emitHosted({ ...part, toolCallId });
  }

  addResult(part: PartOf<'tool-result'>): void {
    this.#emitHosted({ ...part, toolCallId: this.#ids.result(part.toolCallId) });
  }

  /** A person has to answer before the model can continue, as with a call of the host. */
  addApprovalRequest(part: PartOf<'tool-approval-request'>): void {
    this.#addHostPart({ ...part, toolCallId: this.#ids.result(part.toolCallId) }, undefined);
  }

  /** Tells a tool that the model begins a call. */
  #announce(toolCallId: string, tool: ToolDefinition, input: CallInput): void {
    input.tool = tool;
    this.#calls.announceInput(toolCallId, tool, { type: 'start' });
  }

  /** Writes a part of an input. The host does not receive what the server adds for one that runs the call. */
  #writeInput(part: InputPart, { isOfHost }: CallInput): void {
    const { show } = this.#turn;
    const { write } = this.#output;
    const { type, id } = part;
    if (isOfHost) write(part);
    else if (type === 'tool-input-start')
      show({ type, id, toolName: part.toolName, providerExecuted: true }, write);
    else show(type === 'tool-input-delta' ? { type, id, delta: part.delta } : { type, id }, write);
  }

  /** Forwards a part of a call that the servers of the model ran. Hosts have not declared the search of the loop. */
  #emitHosted(part: PartOf<'tool-call'> | PartOf<'tool-result'>): void {
    const output = this.#output;
    if (!this.#turn.tools.isOfServer(part.toolName)) return output.emit(part);
    output.keep(part);
    this.#turn.show(part, output.show);
  }

  #addCall(part: PartOf<'tool-call'>): void {
    const turn = this.#turn;
    const { input, providerMetadata, own } = withRoundFacts(part, turn.facts);
    const found = turn.tools.find(part);
    const { toolName } = found;
    const toolCallId = this.#ids.completeCall(part.toolCallId, `${toolName} ${input}`);
    if (toolCallId === undefined) return;
    const call = {
      toolCallId,
      toolName,
      input,
      ...(providerMetadata !== undefined && { providerMetadata }),
      ...(own !== undefined && { own }),
    };
    if (found.owner === 'host') {
      this.#addHostPart({ ...part, ...call }, repairHostInput(input, found.tool));
      return;
    }
    this.#output.keep({ type: 'tool-call', ...call });
    const streamed = this.#inputs.get(toolCallId) ?? this.#addInput(call);
    if (found.owner === 'nobody') return this.#calls.refuse(call, found.reason);
    if (streamed.tool === undefined) {
      this.#announce(toolCallId, found.tool, streamed);
      if (turn.request.isStream)
        this.#calls.announceInput(toolCallId, found.tool, { type: 'delta', delta: input });
    }
    this.#calls.add(call, found.tool, { isComplete: part.isComplete === true });
  }

  /** Writes the input of a call of the loop that was not streamed. Without it `ai@5` cannot place the result. */
  #addInput({ toolCallId: id, toolName, input: delta }: LoopCall): CallInput {
    const input: CallInput = { isOfHost: false, isOpen: false, tool: undefined };
    this.#inputs.set(id, input);
    this.#writeInput({ type: 'tool-input-start', id, toolName }, input);
    this.#writeInput({ type: 'tool-input-delta', id, delta }, input);
    this.#writeInput({ type: 'tool-input-end', id }, input);
    return input;
  }

  /** Writes a call of the host, or a request for its approval. A call whose arguments may be incomplete is held back. */
  #addHostPart(
    part: PartOf<'tool-call' | 'tool-approval-request'>,
    inputAfter: ReturnType<typeof repairHostInput>,
  ): void {
    this.hostCalls++;
    this.hasCallsElsewhere = true;
    const { held, keep, show } = this.#output;
    keep(part);
    // Hosts run a call as soon as they receive it, which must not happen before the round is recorded.
    if (inputAfter === undefined && !this.#turn.steps.isDurable) show(part);
    else held.hold(finishReason => ({ ...part, ...(inputAfter && { input: inputAfter(finishReason) }) }));
  }
}

const { webSearch, fileSearch, toolSearch } = hostedCallNames;
/** Hosted tools that change nothing. */
const HARMLESS = [webSearch, fileSearch, toolSearch].flatMap(entry => entry.toolNames);
