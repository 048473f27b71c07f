import type {
  LanguageModelV2CallWarning,
  LanguageModelV2Content,
  LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { untilAborted } from '../shared/abort.js';
import type { PartSink } from '../parts/part-stream.js';
import { createPartCollector } from '../parts/collector.js';
import type { CallRunner } from './call-runner.js';
import type { Round } from './round.js';
import type { LoopCall } from './calls.js';
import { toValidJson } from './calls.js';
import type { Turn } from './turn.js';

type PartType = LanguageModelV2StreamPart['type'];
type PartOf<Type extends PartType> = Extract<LanguageModelV2StreamPart, { type: Type }>;
type Handlers = { readonly [Type in PartType]?: (part: PartOf<Type>) => void };

export interface RoundReader {
  readonly turn: Pick<Turn, 'tools' | 'surface' | 'ids' | 'signal' | 'isAborted'>;
  readonly calls: CallRunner;
  readonly sink: PartSink;
  /** Told of the round's warnings before any other part. */
  readonly onStart: (warnings: readonly LanguageModelV2CallWarning[]) => void;
  readonly toFinalError: (error: unknown) => unknown;
}

/**
 * Forwards the parts of one round as they come, starts the loop's calls on the way, and holds back what a stream has
 * once: its start and its finish.
 */
export async function readRound(
  round: Round,
  { turn, calls, sink, onStart, toFinalError }: RoundReader,
): Promise<RoundSummary> {
  const { tools, surface, signal } = turn;
  const ids = turn.ids.round();
  const folder = createPartCollector();
  /** The streamed input of the loop's own calls, by the id it is shown under. */
  const ownedInputs = new Map<string, { toolName: string; isComplete: boolean }>();
  /** What would end the blocks that are open, by block. */
  const missingEnds = new Map<string, PartOf<'text-end' | 'reasoning-end'>>();
  const hostCalls: string[] = [];
  let responseId: string | undefined;
  let finish = NO_FINISH;
  let hasFailed = false;
  let isBroken = false;

  const handlers: Handlers = {
    'stream-start': () => {},
    'response-metadata': part => {
      responseId = part.id ?? responseId;
      show(part);
    },
    'text-start': part => openBlock(part, 'text-end'),
    'text-delta': part => show(renamed(part, ids.block(part.id))),
    'text-end': closeBlock,
    'reasoning-start': part => openBlock(part, 'reasoning-end'),
    'reasoning-delta': part => show(renamed(part, ids.block(part.id))),
    'reasoning-end': closeBlock,

    'tool-input-start': part => {
      const { toolName, providerExecuted } = part;
      const id = ids.call(part.id);
      if (providerExecuted === true || !tools.has(toolName)) {
        show(renamed(part, id));
      } else {
        // Announced again: shown with its call, if that turns out to be another one.
        if (ownedInputs.has(id)) return;
        ownedInputs.set(id, { toolName, isComplete: false });
        surface.inputStart(id, toolName).forEach(sink.write);
      }
    },
    'tool-input-delta': part => {
      const id = ids.call(part.id);
      const input = ownedInputs.get(id);
      if (input === undefined) show(renamed(part, id));
      else if (!input.isComplete) surface.inputDelta(id, input.toolName, part.delta).forEach(sink.write);
    },
    'tool-input-end': part => {
      const id = ids.call(part.id);
      const input = ownedInputs.get(id);
      if (input === undefined) show(renamed(part, id));
      else if (!input.isComplete) surface.inputEnd(id, input.toolName).forEach(sink.write);
      if (input !== undefined) input.isComplete = true;
    },
    'tool-call': part => {
      if (part.providerExecuted === true) show({ ...part, toolCallId: ids.call(part.toolCallId) });
      else takeCall(part);
    },
    'tool-result': part => show({ ...part, toolCallId: ids.call(part.toolCallId) }),

    error: part => {
      hasFailed = true;
      sink.write({ type: 'error', error: toFinalError(part.error) });
    },
    finish: part => {
      finish = part;
    },
  };

  let parts = await next();
  const first = parts?.[0];
  onStart(first?.type === 'stream-start' ? first.warnings : []);
  for (; parts !== undefined; parts = await next()) {
    for (const part of parts) forward(part);
    const room = sink.ready();
    // An abort while nobody reads shows with the next part.
    if (room !== undefined) await untilAborted(room, signal).catch(() => {});
  }
  missingEnds.forEach(show);

  return {
    content: folder.result().content,
    hostCalls,
    // Whatever the model says: after an error it has not answered.
    finish: hasFailed ? { ...finish, finishReason: 'error' } : finish,
    responseId,
  };

  /** The next parts. The error of a stream that breaks is its last. */
  async function next(): Promise<readonly LanguageModelV2StreamPart[] | undefined> {
    if (isBroken) return undefined;
    try {
      return await round.next();
    } catch (error) {
      if (turn.isAborted()) throw error;
      isBroken = true;
      return [{ type: 'error', error: signal.aborted ? signal.reason : error }];
    }
  }

  function forward<Type extends PartType>(part: PartOf<Type>): void {
    const handle: ((part: PartOf<Type>) => void) | undefined = handlers[part.type as Type];
    if (handle === undefined) show(part);
    else handle(part);
  }

  function show(part: LanguageModelV2StreamPart): void {
    folder.add(part);
    sink.write(part);
  }

  function openBlock(
    part: PartOf<'text-start' | 'reasoning-start'>,
    type: 'text-end' | 'reasoning-end',
  ): void {
    const id = ids.block(part.id);
    missingEnds.set(`${type} ${id}`, { type, id });
    show(renamed(part, id));
  }

  function closeBlock(part: PartOf<'text-end' | 'reasoning-end'>): void {
    const id = ids.block(part.id);
    missingEnds.delete(`${part.type} ${id}`);
    show(renamed(part, id));
  }

  /** For models that do not stream the input of their calls: without it `ai@5` cannot place the result. */
  function showInput({ toolCallId, toolName, input }: LoopCall): void {
    surface.inputStart(toolCallId, toolName).forEach(sink.write);
    surface.inputDelta(toolCallId, toolName, input).forEach(sink.write);
    surface.inputEnd(toolCallId, toolName).forEach(sink.write);
  }

  function takeCall(part: PartOf<'tool-call'>): void {
    const { toolName, input, providerMetadata } = part;
    const toolCallId = ids.completeCall(part.toolCallId, `${toolName} ${input}`);
    if (toolCallId === undefined) return;
    const tool = tools.get(toolName);
    if (tool === undefined) {
      hostCalls.push(toolCallId);
      show({ ...part, toolCallId });
      return;
    }
    const call = { toolCallId, toolName, input, ...(providerMetadata !== undefined && { providerMetadata }) };
    folder.add({ type: 'tool-call', ...call });
    if (!ownedInputs.has(toolCallId)) showInput(call);
    surface.call({ ...call, input: toValidJson(input, { schema: tool.inputSchema }) }).forEach(sink.write);
    calls.add(call, tool);
  }
}

const NO_FINISH: PartOf<'finish'> = {
  type: 'finish',
  finishReason: 'unknown',
  usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
};

/** The part under another id; the part itself where it has the id already, as nearly all have. */
const renamed = <Part extends { id: string }>(part: Part, id: string): Part =>
  part.id === id ? part : { ...part, id };

/** What a round amounted to. */
export interface RoundSummary {
  /** The model's answer, with the ids under which it was shown. */
  readonly content: readonly LanguageModelV2Content[];
  /** The calls that belong to the host, by id. */
  readonly hostCalls: readonly string[];
  readonly finish: Extract<LanguageModelV2StreamPart, { type: 'finish' }>;
  readonly responseId: string | undefined;
}
