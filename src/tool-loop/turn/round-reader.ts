import { createPartCollector } from '../../core/collector.js';
import type { Content, Finish, FinishReason, Part, PartOf, ToolInputStart } from '../../core/part.js';
import type { PartSink } from '../../core/source.js';
import { NO_FINISH } from '../../core/finish.js';
import { untilAborted } from '../../shared/abort.js';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import {
  type CallRunner,
  type LoopCall,
  type ShowPart,
  toValidJson,
  withToolIdentity,
} from '../calls/calls.js';
import { createHeldParts, finishReasonOf, repairHostInput } from '../calls/host-calls.js';
import type { Round } from '../durable/recorded-rounds.js';
import { createBatchReader } from './rounds.js';
import type { TurnOutside, TurnPlan, TurnState } from './turn.js';

/** Content and end of a round. */
export interface RoundSummary {
  /** The response of the model, with the ids that the host received. */
  readonly content: readonly Content[];
  /** Ids of the calls that the host has to run or to approve. */
  readonly hostCalls: readonly string[];
  readonly finish: Finish;
  readonly isReplayed: boolean;
  /** True if the response broke and is requested again. Nothing of it belongs to the conversation but started calls. */
  readonly isRepeated: boolean;
  readonly errors: readonly unknown[];
  /** Writes the parts that are held back until the outcomes of the round are known. */
  readonly release: () => void;
  readonly responseId: string | undefined;
}

type PartType = Part['type'];
type Handlers = { readonly [Type in PartType]?: (part: PartOf<Type>) => void };
type Write = (part: Part) => void;

/** The parts of a turn that reading a round uses. */
interface ReadingTurn {
  readonly plan: Pick<TurnPlan, 'request' | 'warnings'>;
  readonly state: Pick<TurnState, 'tools' | 'ids' | 'hostedCalls' | 'hostApprovals' | 'control'>;
  readonly outside: Pick<TurnOutside, 'lifetime' | 'steps' | 'show'>;
}

/** Receives the parts of a turn. */
export interface TurnSink extends PartSink {
  /** Tells if the turn waits for something else than a response that has begun its output. */
  setIdle(isIdle: boolean): void;
}

interface RoundReaderOptions {
  readonly turn: ReadingTurn;
  readonly calls: CallRunner;
  readonly sink: TurnSink;
  /** The first round writes the `stream-start` of the turn. */
  readonly isFirst: boolean;
  /** Parts that precede those of the round. */
  readonly before: readonly Part[];
  /** The maximum of output tokens that the loop checks. */
  readonly maxOutputTokens: number | undefined;
  /** Returns true if a response that ended with these errors is requested again. */
  readonly isRepeatable: (response: BrokenResponse, calls: CallRunner) => boolean;
}

/** What decides if a response is requested again. */
export interface BrokenResponse {
  /** The errors of the response. Empty if it ended regularly. */
  readonly errors: readonly unknown[];
  /** True if the host or the servers of the model may have run a call with an effect. */
  readonly hasCallsElsewhere: boolean;
}

/**
 * Forwards the parts of one round as they arrive and starts the loop's calls. Holds back the parts that occur
 * only once in a stream: `stream-start` and `finish`.
 */
export async function readRound(
  round: Round,
  { turn, calls, sink, isFirst, before, maxOutputTokens, isRepeatable }: RoundReaderOptions,
): Promise<RoundSummary> {
  const { plan, outside } = turn;
  const forwarder = createForwarder(turn, { round, calls, write: sink.write, maxOutputTokens, isRepeatable });
  const next = createBatchReader(round, outside.lifetime);

  let parts = await next();
  if (isFirst) {
    // A response that is not streamed has all its parts in the first batch.
    const starts = plan.request.isStream ? parts?.slice(0, 1) : parts;
    const warnings = (starts ?? []).flatMap(part => (part.type === 'stream-start' ? part.warnings : []));
    sink.write({ type: 'stream-start', warnings: [...plan.warnings, ...warnings] });
  }
  before.forEach(sink.write);
  for (; parts !== undefined; parts = await next()) {
    if (parts.some(isOutput)) sink.setIdle(false);
    for (const part of parts) forwarder.forward(part);
    const room = sink.ready();
    // An abort is reported by `next`.
    if (room !== undefined) await untilAborted(room, outside.lifetime.signal).catch(() => {});
  }
  sink.setIdle(true);
  return forwarder.end();
}

const isOutput = ({ type }: Part): boolean => type !== 'stream-start' && type !== 'response-metadata';

/** Forwards parts under ids that are unique in the turn, and collects what the model wrote. */
function createForwarder(
  { state, outside }: ReadingTurn,
  {
    round,
    calls,
    write,
    maxOutputTokens,
    isRepeatable,
  }: { round: Round; write: Write } & Pick<RoundReaderOptions, 'calls' | 'maxOutputTokens' | 'isRepeatable'>,
) {
  const { tools } = state;
  const { show, steps } = outside;
  const ids = state.ids.round();
  const collector = createPartCollector();
  const inputs = createInputs(show, write);
  const blocks = createBlocks({ ids, emit, mark: state.control.mark });
  const hostCalls: string[] = [];
  const held = createHeldParts(write);
  let responseId: string | undefined;
  let finish = NO_FINISH;
  let hasCallsElsewhere = false;
  const errors: unknown[] = [];

  const handlers: Handlers = {
    'stream-start': () => {},
    'response-metadata': part => {
      responseId = part.id ?? responseId;
      emit(part);
    },
    'text-start': blocks.start,
    'text-delta': blocks.append,
    'text-end': blocks.end,
    'reasoning-start': blocks.start,
    'reasoning-delta': blocks.append,
    'reasoning-end': blocks.end,

    'tool-input-start': part => {
      const id = ids.call(part.id);
      if (part.providerExecuted === true)
        return tools.isServerSearch(part.toolName) ? undefined : write(withId(part, id));
      const { owner, toolName } = tools.find({ toolName: part.toolName, toolCallId: part.id });
      inputs.start({ ...part, id, toolName }, { isHost: owner === 'host' });
    },
    'tool-input-delta': part => inputs.append(withId(part, ids.call(part.id))),
    'tool-input-end': part => inputs.end(withId(part, ids.call(part.id))),
    'tool-call': part => {
      if (part.providerExecuted !== true) return addCall(part);
      const toolCallId = ids.call(part.toolCallId);
      state.hostedCalls.add(toolCallId);
      hasCallsElsewhere ||= !isHarmless(part.toolName);
      emitHosted({ ...part, toolCallId });
    },
    'tool-result': part => emitHosted({ ...part, toolCallId: ids.result(part.toolCallId) }),
    'tool-approval-request': part => {
      // A person has to answer before the model can continue, as with a call of the host.
      addHostPart({ ...part, toolCallId: ids.result(part.toolCallId) }, undefined);
    },

    error: part => void errors.push(part.error),
    finish: part => {
      finish = part;
    },
  };

  return {
    forward<Type extends PartType>(part: PartOf<Type>): void {
      const handle: ((part: PartOf<Type>) => void) | undefined = handlers[part.type as Type];
      if (handle === undefined) emit(part);
      else handle(part);
    },

    end(): RoundSummary {
      const isRepeated = isRepeatable({ errors, hasCallsElsewhere }, calls);
      blocks.endAll({ isBroken: isRepeated });
      if (isRepeated) inputs.endAll();
      // After an error the response is incomplete, regardless of the reported finish reason.
      const finishReason: FinishReason =
        errors.length > 0
          ? { unified: 'error', raw: finish.finishReason.raw }
          : finishReasonOf(finish, { maxOutputTokens });
      return {
        content: collector.result().content,
        hostCalls,
        finish: { ...finish, finishReason },
        isReplayed: round.isReplayed === true,
        errors,
        isRepeated,
        release: () => held.release(finishReason),
        responseId,
      };
    },
  };

  function emit(part: Part): void {
    collector.add(part);
    held.write(part);
  }

  /** Forwards a part of a call that the servers of the model ran. Hosts have not declared the search of the loop. */
  function emitHosted(part: PartOf<'tool-call'> | PartOf<'tool-result'>): void {
    if (!tools.isServerSearch(part.toolName)) return emit(part);
    collector.add(part);
    show(part, part => held.write(part));
  }

  function addCall(part: PartOf<'tool-call'>): void {
    const { input, providerMetadata, own } = state.control.mark(part);
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
    collector.add({ type: 'tool-call', ...call });
    inputs.complete(call);
    const tool = found.owner === 'loop' ? found.tool : undefined;
    // A call that the host may have to approve is written after the decision on it.
    if (state.hostApprovals === undefined) {
      const json = toValidJson(input, { schema: tool?.inputSchema });
      show(
        { type: 'tool-call', ...withToolIdentity(call, tool), input: json, providerExecuted: true },
        write,
      );
    }
    if (found.owner === 'loop') calls.add(call, found.tool, { isComplete: part.isComplete === true });
    else calls.refuse(call, found.reason);
  }

  /** Writes a call of the host, or a request for its approval. A call whose arguments may be incomplete is held back. */
  function addHostPart(
    part: PartOf<'tool-call' | 'tool-approval-request'>,
    inputAfter: ReturnType<typeof repairHostInput>,
  ): void {
    hostCalls.push(part.toolCallId);
    hasCallsElsewhere = true;
    collector.add(part);
    // Hosts run a call as soon as they receive it, which must not happen before the round is recorded.
    if (inputAfter === undefined && !steps.isDurable) held.write(part);
    else held.hold(finishReason => ({ ...part, ...(inputAfter && { input: inputAfter(finishReason) }) }));
  }
}

const { webSearch, fileSearch, toolSearch } = hostedCallNames;
const HARMLESS = [webSearch, fileSearch, toolSearch].flatMap(({ toolNames }) => toolNames);

/** Returns true for a hosted tool that changes nothing. */
const isHarmless = (toolName: string): boolean => HARMLESS.includes(toolName);

/** Forwards text and reasoning blocks under ids that are unique in the turn. */
function createBlocks({
  ids,
  emit,
  mark,
}: {
  ids: ReturnType<TurnState['ids']['round']>;
  emit: Write;
  mark: TurnState['control']['mark'];
}) {
  const open = new Map<string, PartOf<'text-end' | 'reasoning-end'>>();
  return {
    start(part: PartOf<'text-start' | 'reasoning-start'>): void {
      const id = ids.block(part.id);
      const type = part.type === 'text-start' ? 'text-end' : 'reasoning-end';
      open.set(`${type} ${id}`, { type, id });
      emit(withId(part, id));
    },
    append: (part: PartOf<'text-delta' | 'reasoning-delta'>): void => emit(withId(part, ids.block(part.id))),
    end(part: PartOf<'text-end' | 'reasoning-end'>): void {
      const id = ids.block(part.id);
      open.delete(`${part.type} ${id}`);
      emit(mark(withId(part, id)));
    },
    /** Ends the blocks that a response left open. */
    endAll({ isBroken }: { isBroken: boolean }): void {
      for (const block of [...open.values()]) emit(isBroken ? { ...block, own: { broken: true } } : block);
    },
  };
}

/** Writes the input of calls as it streams. */
function createInputs(show: ShowPart, write: Write) {
  const inputs = new Map<string, { readonly isHost: boolean; hasEnded: boolean }>();
  return {
    start(part: ToolInputStart, { isHost }: { isHost: boolean }): void {
      const { id, toolName } = part;
      // A second start may belong to another call, which is written under another id when it is complete.
      if (inputs.has(id)) return;
      inputs.set(id, { isHost, hasEnded: false });
      if (isHost) write(part);
      else show({ type: 'tool-input-start', id, toolName, providerExecuted: true }, write);
    },
    append(part: PartOf<'tool-input-delta'>): void {
      const { isHost = true, hasEnded = false } = inputs.get(part.id) ?? {};
      if (hasEnded) return;
      if (isHost) write(part);
      else show({ type: 'tool-input-delta', id: part.id, delta: part.delta }, write);
    },
    end(part: PartOf<'tool-input-end'>): void {
      const input = inputs.get(part.id);
      if (input?.hasEnded) return;
      if (input === undefined || input.isHost) write(part);
      else show({ type: 'tool-input-end', id: part.id }, write);
      if (input !== undefined) input.hasEnded = true;
    },
    /** Ends the inputs that a broken response left open. */
    endAll(): void {
      for (const [id, { isHost, hasEnded }] of inputs) {
        if (hasEnded) continue;
        if (isHost) write({ type: 'tool-input-end', id });
        else show({ type: 'tool-input-end', id }, write);
      }
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

/** Returns the part with another id, or the same part if it already has that id, as most parts do. */
const withId = <Part extends { id: string }>(part: Part, id: string): Part =>
  part.id === id ? part : { ...part, id };
