import type { TextStreamPart, ToolSet } from 'ai';
import type { ToolLoopEvent } from 'kelivo-responses';
import { describeFailure } from '../shared/failure.js';

/** What happens in a turn, in the order it is to be shown. Plain JSON. */
export type DemoEvent =
  | { type: 'warning'; message: string }
  /** A request to the model has begun to answer. */
  | { type: 'round-start'; round: number }
  /** A piece of the model's thinking; `id` tells one block from the next. */
  | { type: 'reasoning'; id: string; text: string }
  | { type: 'text'; id: string; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }
  | ToolResultEvent
  /** `duration` in milliseconds since the answer began, the round's tools included. */
  | { type: 'round-end'; round: number; finishReason: string; usage: DemoUsage; duration: number }
  /** `duration` in milliseconds, all of the turn. */
  | {
      type: 'finish';
      finishReason: string;
      usage: DemoUsage;
      rounds: number;
      toolCalls: number;
      duration: number;
    }
  /** The last event of a turn that failed. */
  | { type: 'failure'; message: string };

export interface ToolResultEvent {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: unknown;
  readonly isError: boolean;
  /** Milliseconds that the tool ran. */
  readonly duration?: number;
}

/** Counts of tokens; a server may leave any of them out. */
export interface DemoUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
}

type Part = TextStreamPart<ToolSet>;

export interface CollectTurnOptions {
  /** Whether a tool loop reports the rounds. Without one, each step of the host is a round. */
  readonly hasLoop: boolean;
  /** Warnings that were shown before. */
  readonly knownWarnings: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Joins what the host is streamed with what the tool loop reports beside it, in one order. A turn that fails ends with
 * a `failure`; one that is aborted errors with the signal's reason, at once.
 *
 * @param start Starts the turn, with a function that takes the loop's reports.
 */
export function collectTurn(
  start: (onLoopEvent: (event: ToolLoopEvent) => void) => AsyncIterable<Part>,
  { signal, ...options }: CollectTurnOptions,
): ReadableStream<DemoEvent> {
  return new ReadableStream({
    async start(controller) {
      signal.throwIfAborted();
      const abort = () => controller.error(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      const emit = (event: DemoEvent): void => {
        if (!signal.aborted) controller.enqueue(event);
      };
      const turn = createTurn(emit, options);
      try {
        for await (const part of start(turn.onLoopEvent)) turn.onPart(part);
      } catch (error) {
        turn.onPart({ type: 'error', error });
      }
      turn.end();
      signal.removeEventListener('abort', abort);
      if (!signal.aborted) controller.close();
    },
  });
}

function createTurn(
  emit: (event: DemoEvent) => void,
  { hasLoop, knownWarnings }: Omit<CollectTurnOptions, 'signal'>,
) {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  const durations = new Map<string, number>();
  const held: DemoEvent[] = [];
  const failures: string[] = [];
  let round = 0;
  let roundStartedAt = 0;
  let toolCalls = 0;

  function startRound(): void {
    round++;
    roundStartedAt = elapsed();
    const event: DemoEvent = { type: 'round-start', round };
    // Behind the end of the round before, which waits for that round's last parts.
    if (held.length > 0) held.push(event);
    else emit(event);
  }

  type RoundEnd = Extract<DemoEvent, { type: 'round-end' }>;
  const toRoundEnd = ({ finishReason, usage }: Pick<RoundEnd, 'finishReason' | 'usage'>): RoundEnd => ({
    type: 'round-end',
    round,
    finishReason,
    usage,
    duration: elapsed() - roundStartedAt,
  });

  const release = (): void => held.splice(0).forEach(emit);

  return {
    onLoopEvent(event: ToolLoopEvent): void {
      if (event.type === 'round-start') startRound();
      if (event.type === 'tool-end') durations.set(event.toolCallId, event.duration);
      if (event.type !== 'round-end') return;
      // The loop reports at once, while the round's last parts are still on their way through the stream. They arrive
      // before the event loop turns; the parts of the next round, which need the network, do not.
      held.push(toRoundEnd(event));
      setImmediate(release);
    },

    onPart(part: Part): void {
      switch (part.type) {
        case 'start-step':
          for (const message of part.warnings.map(toMessage)) {
            if (!knownWarnings.includes(message)) emit({ type: 'warning', message });
          }
          if (!hasLoop) startRound();
          break;
        case 'text-delta':
          emit({ type: 'text', id: part.id, text: part.text });
          break;
        case 'reasoning-delta':
          emit({ type: 'reasoning', id: part.id, text: part.text });
          break;
        case 'tool-call': {
          toolCalls++;
          const { toolCallId, toolName, input } = part;
          emit({ type: 'tool-call', toolCallId, toolName, input });
          break;
        }
        case 'tool-result':
        case 'tool-error': {
          const { toolCallId, toolName } = part;
          const outcome =
            part.type === 'tool-error'
              ? { output: part.error, isError: true }
              : { output: part.output, isError: false };
          emit({
            type: 'tool-result',
            toolCallId,
            toolName,
            ...outcome,
            duration: durations.get(toolCallId),
          });
          break;
        }
        case 'finish-step':
          if (hasLoop) release();
          else emit(toRoundEnd(part));
          break;
        case 'finish': {
          const { finishReason, totalUsage: usage } = part;
          emit({ type: 'finish', finishReason, usage, rounds: round, toolCalls, duration: elapsed() });
          break;
        }
        case 'error':
          failures.push(describeFailure(part.error));
          break;
      }
    },

    end(): void {
      release();
      const [message] = failures;
      if (message !== undefined) emit({ type: 'failure', message });
    },
  };
}

type Warning = Extract<Part, { type: 'start-step' }>['warnings'][number];

function toMessage(warning: Warning): string {
  if (warning.type === 'other') return warning.message;
  const subject = warning.type === 'unsupported-setting' ? `The setting ${warning.setting}` : 'A tool';
  return `${subject} is not supported. ${warning.details ?? ''}`.trim();
}
