import { createPartCollector } from '../../core/collector.js';
import type { Content, Finish, FinishReason, Part, PartOf, ToolInputStart } from '../../core/part.js';
import type { PartSink, PartSource } from '../../core/source.js';
import { NO_FINISH } from '../../core/finish.js';
import { onceAborted, untilAborted } from '../../core/shared/abort.js';
import type { ToolDefinition } from '../../tools/tool-source.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import { type LoopCall, type ShowPart, toValidJson, withToolIdentity } from '../calls/calls.js';
import type { RoundCalls } from '../calls/round-calls.js';
import { finishReasonOf, HeldParts, repairHostInput } from '../calls/host-calls.js';
import type { Round } from '../durable/recorded-rounds.js';
import type { RoundRetry } from './round-retry.js';
import { RoundBlocks, type ShownText, withFacts, withId } from './round-text.js';
import type { TurnLifetime } from './lifetime.js';
import type { OpenedTurn } from './opened-turn.js';

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
  /** Writes the parts that are held back until the outcomes of the round are known. */
  readonly release: () => void;
  readonly responseId: string | undefined;
}

type PartType = Part['type'];
type Handlers = { readonly [Type in PartType]?: (part: PartOf<Type>) => void };
type Write = (part: Part) => void;
type RoundIds = ReturnType<OpenedTurn['ids']['round']>;

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
export async function readRound(round: Round, options: RoundReaderOptions): Promise<RoundSummary> {
  const { sink, isFirst, before, onOutput } = options;
  const { request, warnings: ofTools, lifetime } = options.turn;
  const forwarder = createForwarder(round, options);
  const next = createBatchReader(round, lifetime);

  let parts = await next();
  if (isFirst) {
    // A response that is not streamed has all its parts in the first batch.
    const starts = request.isStream ? parts?.slice(0, 1) : parts;
    const warnings = (starts ?? []).flatMap(part => (part.type === 'stream-start' ? part.warnings : []));
    sink.write({ type: 'stream-start', warnings: [...ofTools, ...warnings] });
  }
  before.forEach(sink.write);
  let hasBegun = false;
  for (; parts !== undefined; parts = await next()) {
    if (!hasBegun && parts.some(isOutput)) {
      hasBegun = true;
      onOutput();
    }
    for (const part of parts) forwarder.forward(part);
    if (forwarder.isOver()) {
      round.cancel(new Error('The response contradicts the text that was shown.'));
      break;
    }
    const room = sink.ready();
    // An abort is reported by `next`.
    if (room !== undefined) await untilAborted(room, lifetime.signal).catch(() => {});
  }
  return forwarder.end();
}

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

const isOutput = ({ type }: Part): boolean => type !== 'stream-start' && type !== 'response-metadata';

/** Forwards parts under ids that are unique in the turn, and collects what the model wrote. */
function createForwarder(
  round: Round,
  { turn, calls, sink, maxOutputTokens, retry, isJson }: RoundReaderOptions,
) {
  const ids = turn.ids.round();
  const output = createOutput(sink.write);
  let isOver = false;
  const blocks = new RoundBlocks({
    ids: turn.ids,
    output,
    facts: turn.facts,
    shown: retry.shown,
    onDifference() {
      isOver = isJson;
      if (isJson) errors.push(retry.brokenBy);
      else retry.reportDifference();
      return !isJson;
    },
  });
  const callParts = createCallParts(turn, calls, ids, output);
  let responseId: string | undefined;
  let finish = NO_FINISH;
  const errors: unknown[] = [];

  const handlers: Handlers = {
    'stream-start': () => {},
    'response-metadata': part => {
      responseId = part.id ?? responseId;
      output.emit(part);
    },
    'text-start': part => blocks.start(part),
    'text-delta': part => blocks.append(part),
    'text-end': part => blocks.end(part),
    'reasoning-start': part => blocks.start(part),
    'reasoning-delta': part => blocks.append(part),
    'reasoning-end': part => blocks.end(part),
    ...callParts.handlers,
    error: part => void errors.push(part.error),
    finish: part => {
      finish = part;
    },
  };

  return {
    forward<Type extends PartType>(part: PartOf<Type>): void {
      if (isOver) return;
      if (!KEEPS_END.has(part.type)) blocks.flush();
      const handle: ((part: PartOf<Type>) => void) | undefined = handlers[part.type as Type];
      if (handle === undefined) output.emit(part);
      else handle(part);
    },

    isOver: () => isOver,

    end(): RoundSummary {
      const { hostCalls, hasCallsElsewhere } = callParts;
      const isRepeated = !isOver && retry.accepts({ errors, hasCallsElsewhere }, calls);
      const shown = isRepeated ? blocks.suspend(output.content()) : [];
      if (isRepeated) callParts.endInputs();
      else blocks.endAll({ isFailed: errors.length > 0 });
      // After an error the response is incomplete, regardless of the reported finish reason.
      const finishReason: FinishReason =
        errors.length > 0
          ? { unified: 'error', raw: finish.finishReason.raw }
          : finishReasonOf(finish, { maxOutputTokens });
      return {
        content: output.content(),
        hostCalls,
        finish: { ...finish, finishReason },
        isReplayed: round.isReplayed === true,
        errors,
        isRepeated,
        shown,
        release: () => output.held.release(finishReason, sink.write),
        responseId,
      };
    },
  };
}

/** Parts before which the end of a text need not be written. */
const KEEPS_END: ReadonlySet<PartType> = new Set<PartType>([
  ...(['text-delta', 'text-end', 'reasoning-delta', 'reasoning-end'] as const),
  ...(['response-metadata', 'raw', 'error', 'finish'] as const),
]);

/** Writes the parts of a response to the host, and collects those that the conversation keeps. */
function createOutput(write: Write) {
  const { add, result } = createPartCollector();
  const held = new HeldParts();
  const show = (part: Part): void => {
    if (held.isHolding) held.hold(() => part);
    else write(part);
  };
  return {
    /** Writes a part of a call of the loop, which waits for nothing. */
    write,
    held,
    keep: add,
    show,
    emit(part: Part): void {
      add(part);
      show(part);
    },
    content: () => result().content,
  };
}

/** Forwards the calls of a response, and passes them to those who run them. */
function createCallParts(
  turn: OpenedTurn,
  calls: RoundCalls,
  ids: RoundIds,
  { write, held, keep, show: showPart, emit }: ReturnType<typeof createOutput>,
) {
  const { tools, show, steps } = turn;
  const inputs = createInputs(show, write);
  /** The tools of the loop's calls whose inputs have begun. */
  const announced = new Map<string, ToolDefinition>();
  let hostCalls = 0;
  let hasCallsElsewhere = false;

  const handlers: Handlers = {
    'tool-input-start': part => {
      const id = ids.call(part.id);
      if (part.providerExecuted === true)
        return tools.isOfServer(part.toolName) ? undefined : write(withId(part, id));
      const found = tools.find({ toolName: part.toolName, toolCallId: part.id });
      const { owner, toolName } = found;
      inputs.start({ ...part, id, toolName }, { isHost: owner === 'host' });
      if (owner === 'loop') announceStart(id, found.tool);
    },
    'tool-input-delta': part => {
      const id = ids.call(part.id);
      inputs.append(withId(part, id));
      const tool = announced.get(id);
      if (tool !== undefined) calls.announceInput(id, tool, { type: 'delta', delta: part.delta });
    },
    'tool-input-end': part => inputs.append(withId(part, ids.call(part.id))),
    'tool-call': part => {
      if (part.providerExecuted !== true) return addCall(part);
      const toolCallId = ids.call(part.toolCallId);
      turn.hostedCalls.add(toolCallId);
      hasCallsElsewhere ||= !HARMLESS.includes(part.toolName);
      emitHosted({ ...part, toolCallId });
    },
    'tool-result': part => emitHosted({ ...part, toolCallId: ids.result(part.toolCallId) }),
    'tool-approval-request': part => {
      // A person has to answer before the model can continue, as with a call of the host.
      addHostPart({ ...part, toolCallId: ids.result(part.toolCallId) }, undefined);
    },
  };

  return {
    handlers,
    endInputs: inputs.endAll,
    get hostCalls() {
      return hostCalls;
    },
    get hasCallsElsewhere() {
      return hasCallsElsewhere;
    },
  };

  /** Tells a tool that the model begins a call, once. */
  function announceStart(toolCallId: string, tool: ToolDefinition): boolean {
    if (announced.has(toolCallId)) return false;
    announced.set(toolCallId, tool);
    calls.announceInput(toolCallId, tool, { type: 'start' });
    return true;
  }

  /** Forwards a part of a call that the servers of the model ran. Hosts have not declared the search of the loop. */
  function emitHosted(part: PartOf<'tool-call'> | PartOf<'tool-result'>): void {
    if (!tools.isOfServer(part.toolName)) return emit(part);
    keep(part);
    show(part, showPart);
  }

  function addCall(part: PartOf<'tool-call'>): void {
    const { input, providerMetadata, own } = withFacts(part, turn.facts);
    const found = tools.find(part);
    const { toolName } = found;
    const toolCallId = ids.completeCall(part.toolCallId, `${toolName} ${input}`);
    if (toolCallId === undefined) return;
    const call = {
      toolCallId,
      toolName,
      input,
      ...(providerMetadata !== undefined && { providerMetadata }),
      ...(own !== undefined && { own }),
    };
    if (found.owner === 'host') {
      addHostPart({ ...part, ...call }, repairHostInput(input, found.tool));
      return;
    }
    keep({ type: 'tool-call', ...call });
    inputs.complete(call);
    const tool = found.owner === 'loop' ? found.tool : undefined;
    // A call that the host may have to approve is written after the decision on it.
    if (turn.hostApprovals === undefined) {
      const json = toValidJson(input, { schema: tool?.inputSchema });
      show(
        { type: 'tool-call', ...withToolIdentity(call, tool), input: json, providerExecuted: true },
        write,
      );
    }
    if (found.owner === 'loop') {
      // The input of the call was not streamed.
      if (announceStart(toolCallId, found.tool) && turn.request.isStream)
        calls.announceInput(toolCallId, found.tool, { type: 'delta', delta: input });
      calls.add(call, found.tool, { isComplete: part.isComplete === true });
    } else calls.refuse(call, found.reason);
  }

  /** Writes a call of the host, or a request for its approval. A call whose arguments may be incomplete is held back. */
  function addHostPart(
    part: PartOf<'tool-call' | 'tool-approval-request'>,
    inputAfter: ReturnType<typeof repairHostInput>,
  ): void {
    hostCalls++;
    hasCallsElsewhere = true;
    keep(part);
    // Hosts run a call as soon as they receive it, which must not happen before the round is recorded.
    if (inputAfter === undefined && !steps.isDurable) showPart(part);
    else held.hold(finishReason => ({ ...part, ...(inputAfter && { input: inputAfter(finishReason) }) }));
  }
}

const { webSearch, fileSearch, toolSearch } = hostedCallNames;
/** Hosted tools that change nothing. */
const HARMLESS = [webSearch, fileSearch, toolSearch].flatMap(({ toolNames }) => toolNames);

type InputPart = PartOf<'tool-input-start' | 'tool-input-delta' | 'tool-input-end'>;

/** Returns a part of the input of a call of the loop, without what its server adds for a host that runs it. */
function toLoopPart(part: InputPart): InputPart {
  const { type, id } = part;
  if (type === 'tool-input-start') return { type, id, toolName: part.toolName, providerExecuted: true };
  return type === 'tool-input-delta' ? { type, id, delta: part.delta } : { type, id };
}

/** Writes the input of calls as it streams. */
function createInputs(show: ShowPart, write: Write) {
  const showPart = (part: InputPart): void => show(toLoopPart(part), write);
  /** The function that writes the parts of an input, by the id of its call. */
  const inputs = new Map<string, (part: InputPart) => void>();
  return {
    start(part: ToolInputStart, { isHost }: { isHost: boolean }): void {
      // A second start may belong to another call, which is written under another id when it is complete.
      if (inputs.has(part.id)) return;
      inputs.set(part.id, isHost ? write : showPart);
      inputs.get(part.id)?.(part);
    },
    append(part: PartOf<'tool-input-delta' | 'tool-input-end'>): void {
      const put = inputs.get(part.id);
      (put ?? write)(part);
      if (put !== undefined && part.type === 'tool-input-end') inputs.set(part.id, () => {});
    },
    /** Ends the inputs that a broken response left open. */
    endAll(): void {
      for (const [id, put] of inputs) put({ type: 'tool-input-end', id });
    },
    /** Writes the complete input of a call of the loop whose input was not streamed. Without it `ai@5` cannot place the result. */
    complete({ toolCallId: id, toolName, input }: LoopCall): void {
      if (inputs.has(id)) return;
      show({ type: 'tool-input-start', id, toolName, providerExecuted: true }, write);
      show({ type: 'tool-input-delta', id, delta: input }, write);
      show({ type: 'tool-input-end', id }, write);
    },
  };
}
