import type {
  LanguageModelV2CallWarning,
  LanguageModelV2StreamPart,
  SharedV2ProviderMetadata,
} from '@ai-sdk/provider';
import { createPartCollector } from '../parts/collector.js';
import type { PartSink } from '../parts/part-stream.js';
import type { ProviderToolParts } from '../parts/provider-executed-parts.js';
import { untilAborted } from '../shared/abort.js';
import type { CallRunner } from './call-runner.js';
import { type LoopCall, toValidJson, withToolIdentity } from './calls.js';
import { createHeldParts, finishReasonOf, repairHostInput } from './host-calls.js';
import { createBatchReader, type Round, type RoundSummary } from './round.js';
import type { Turn } from './turn.js';

type PartType = LanguageModelV2StreamPart['type'];
type PartOf<Type extends PartType> = Extract<LanguageModelV2StreamPart, { type: Type }>;
type Handlers = { readonly [Type in PartType]?: (part: PartOf<Type>) => void };
type Write = (part: LanguageModelV2StreamPart) => void;

export interface RoundReaderOptions {
  readonly turn: Turn;
  readonly calls: CallRunner;
  readonly sink: PartSink;
  /** The first round writes the `stream-start` of the turn. */
  readonly isFirst: boolean;
}

/**
 * Forwards the parts of one round as they arrive and starts the loop's calls. Holds back the parts that occur
 * only once in a stream: `stream-start` and `finish`.
 */
export async function readRound(
  round: Round,
  { turn, calls, sink, isFirst }: RoundReaderOptions,
): Promise<RoundSummary> {
  const { signal } = turn.lifetime;
  const forwarder = createForwarder(turn, { round, calls, write: sink.write });
  const next = createBatchReader(round, turn.lifetime);

  let parts = await next();
  if (isFirst) {
    const warnings = [...turn.warnings, ...warningsOf(parts?.[0])];
    sink.write({ type: 'stream-start', warnings });
  }
  for (; parts !== undefined; parts = await next()) {
    for (const part of parts) forwarder.forward(part);
    const room = sink.ready();
    // An abort is reported by `next`.
    if (room !== undefined) await untilAborted(room, signal).catch(() => {});
  }
  return forwarder.end();
}

const warningsOf = (part: LanguageModelV2StreamPart | undefined): LanguageModelV2CallWarning[] =>
  part?.type === 'stream-start' ? part.warnings : [];

/** A text or reasoning block that has not ended. */
interface OpenBlock {
  readonly type: 'text-end' | 'reasoning-end';
  readonly id: string;
  /** The last metadata of the block. */
  providerMetadata: SharedV2ProviderMetadata | undefined;
  /** Number of hidden calls before the block. */
  readonly before: number;
  hasText: boolean;
}

/** Forwards parts under ids that are unique in the turn, and collects what the model wrote. */
function createForwarder(
  turn: Turn,
  { round, calls, write }: { round: Round; calls: CallRunner; write: Write },
) {
  const { tools, hiddenCalls, toolParts, record } = turn;
  const ids = turn.ids.round();
  const collector = createPartCollector();
  const inputs = createInputs(toolParts, write);
  const blocks = new Map<string, OpenBlock>();
  const hostCalls: string[] = [];
  const held = createHeldParts(write);
  let responseId: string | undefined;
  let finish = NO_FINISH;
  let hasFailed = false;

  const handlers: Handlers = {
    'stream-start': () => {},
    'response-metadata': part => {
      responseId = part.id ?? responseId;
      emit(part);
    },
    'text-start': part => openBlock(part, 'text-end'),
    'text-delta': part => addDelta(part, 'text-end'),
    'text-end': closeBlock,
    'reasoning-start': part => openBlock(part, 'reasoning-end'),
    'reasoning-delta': part => addDelta(part, 'reasoning-end'),
    'reasoning-end': closeBlock,

    'tool-input-start': part => {
      const id = ids.call(part.id);
      if (part.providerExecuted === true) return write(withId(part, id));
      const { owner, toolName } = tools.find({ toolName: part.toolName, toolCallId: part.id });
      inputs.start({ ...part, id, toolName }, { isHost: owner === 'host' });
    },
    'tool-input-delta': part => inputs.append(withId(part, ids.call(part.id))),
    'tool-input-end': part => inputs.end(withId(part, ids.call(part.id))),
    'tool-call': part => {
      if (part.providerExecuted !== true) return addCall(part);
      const call = { ...part, toolCallId: ids.call(part.toolCallId) };
      collector.add(call);
      held.write(hiddenCalls.mark(call));
    },
    'tool-result': part => emit({ ...part, toolCallId: ids.result(part.toolCallId) }),

    error: part => {
      hasFailed = true;
      write({ type: 'error', error: record.toFinalError(part.error) });
    },
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
      for (const { type, id } of [...blocks.values()]) endBlock({ type, id });
      // After an error the response is incomplete, regardless of the reported finish reason.
      const finishReason = hasFailed ? 'error' : finishReasonOf(finish, turn.outputLimit);
      return {
        content: collector.result().content,
        hostCalls,
        finish: { ...finish, finishReason },
        isReplayed: round.isReplayed === true,
        release: () => held.release(finishReason),
        responseId,
      };
    },
  };

  function emit(part: LanguageModelV2StreamPart): void {
    collector.add(part);
    held.write(part);
  }

  function openBlock(
    part: PartOf<'text-start' | 'reasoning-start'>,
    type: 'text-end' | 'reasoning-end',
  ): void {
    const id = ids.block(part.id);
    const { providerMetadata } = part;
    blocks.set(`${type} ${id}`, { type, id, providerMetadata, before: hiddenCalls.count, hasText: false });
    emit(withId(part, id));
  }

  function addDelta(
    part: PartOf<'text-delta' | 'reasoning-delta'>,
    type: 'text-end' | 'reasoning-end',
  ): void {
    const id = ids.block(part.id);
    const block = blocks.get(`${type} ${id}`);
    if (block !== undefined) {
      block.hasText ||= part.delta !== '';
      block.providerMetadata = part.providerMetadata ?? block.providerMetadata;
    }
    emit(withId(part, id));
  }

  function closeBlock(part: PartOf<'text-end' | 'reasoning-end'>): void {
    endBlock(withId(part, ids.block(part.id)));
  }

  /** Ends a block, which carries hidden calls if it has text. */
  function endBlock(end: PartOf<'text-end' | 'reasoning-end'>): void {
    const block = blocks.get(`${end.type} ${end.id}`);
    blocks.delete(`${end.type} ${end.id}`);
    collector.add(end);
    // Hosts use the metadata of the end instead of earlier metadata of the block.
    const complete = { ...end, providerMetadata: end.providerMetadata ?? block?.providerMetadata };
    const isCarrier = end.type === 'text-end' && block?.hasText === true;
    const marked = hiddenCalls.mark(complete, { before: block?.before, isCarrier });
    held.write(marked === complete ? end : marked);
  }

  function addCall(part: PartOf<'tool-call'>): void {
    const { input, providerMetadata } = part;
    const found = tools.find(part);
    const { toolName } = found;
    const toolCallId = ids.completeCall(part.toolCallId, `${toolName} ${input}`);
    if (toolCallId === undefined) return;
    const call = { toolCallId, toolName, input, ...(providerMetadata !== undefined && { providerMetadata }) };
    if (found.owner === 'host') {
      addHostCall({ ...part, ...call }, repairHostInput(input, found.tool));
      return;
    }
    collector.add({ type: 'tool-call', ...call });
    inputs.complete(call);
    const tool = found.owner === 'loop' ? found.tool : undefined;
    const marked = hiddenCalls.mark({
      type: 'tool-call',
      ...withToolIdentity(call, tool),
      input: toValidJson(input, { schema: tool?.inputSchema }),
    });
    // A call that the host may have to approve is written after the decision on it.
    if (!turn.hostApprovals.isActive) toolParts.call(marked).forEach(write);
    hiddenCalls.announce(toolName);
    if (found.owner === 'loop') calls.add(call, found.tool);
    else calls.refuse(call, found.reason);
  }

  /** Holds back a call that has to carry the hidden calls of its round, or whose arguments may be incomplete. */
  function addHostCall(part: PartOf<'tool-call'>, inputAfter: ReturnType<typeof repairHostInput>): void {
    hostCalls.push(part.toolCallId);
    collector.add(part);
    // Hosts run a call as soon as they receive it, which must not happen before the round is recorded.
    if (!turn.hasHiddenTools && inputAfter === undefined && !turn.steps.isDurable) {
      held.write(part);
      return;
    }
    const before = hiddenCalls.count;
    held.hold(finishReason => {
      const input = inputAfter?.(finishReason) ?? part.input;
      return hiddenCalls.mark({ ...part, input }, { before, isCarrier: true });
    });
  }
}

/** Writes the input of calls as it streams. */
function createInputs(toolParts: ProviderToolParts, write: Write) {
  const inputs = new Map<
    string,
    { readonly toolName: string; readonly isHost: boolean; hasEnded: boolean }
  >();
  return {
    start(part: PartOf<'tool-input-start'>, { isHost }: { isHost: boolean }): void {
      const { id, toolName } = part;
      // A second start may belong to another call, which is written under another id when it is complete.
      if (inputs.has(id)) return;
      inputs.set(id, { toolName, isHost, hasEnded: false });
      if (isHost) write(part);
      else toolParts.inputStart(id, toolName).forEach(write);
    },
    append(part: PartOf<'tool-input-delta'>): void {
      const { toolName = '', isHost = true, hasEnded = false } = inputs.get(part.id) ?? {};
      if (hasEnded) return;
      if (isHost) write(part);
      else toolParts.inputDelta(part.id, toolName, part.delta).forEach(write);
    },
    end(part: PartOf<'tool-input-end'>): void {
      const input = inputs.get(part.id);
      if (input?.hasEnded) return;
      if (input === undefined || input.isHost) write(part);
      else toolParts.inputEnd(part.id, input.toolName).forEach(write);
      if (input !== undefined) input.hasEnded = true;
    },
    /** Writes the complete input of a call of the loop whose input was not streamed. Without it `ai@5` cannot place the result. */
    complete({ toolCallId, toolName, input }: LoopCall): void {
      if (inputs.has(toolCallId)) return;
      toolParts.inputStart(toolCallId, toolName).forEach(write);
      toolParts.inputDelta(toolCallId, toolName, input).forEach(write);
      toolParts.inputEnd(toolCallId, toolName).forEach(write);
    },
  };
}

const NO_FINISH: PartOf<'finish'> = {
  type: 'finish',
  finishReason: 'unknown',
  usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
};

/** Returns the part with another id, or the same part if it already has that id, as most parts do. */
const withId = <Part extends { id: string }>(part: Part, id: string): Part =>
  part.id === id ? part : { ...part, id };
