import type { TextStreamPart, ToolSet } from 'ai';
import type { ToolLoopEvent } from 'kelivo-responses';
import { describeFailure } from '../shared/failure.js';

/** An event of a turn, as plain JSON. Events are in display order. */
export type DemoEvent =
  | { type: 'warning'; message: string }
  /** The response to a request has started. */
  | { type: 'round-start'; round: number }
  /** A chunk of the reasoning; `id` identifies its block. */
  | { type: 'reasoning'; id: string; text: string }
  | { type: 'text'; id: string; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }
  | ToolResultEvent
  /** `duration` in milliseconds since the response started, including the tools of the round. */
  | { type: 'round-end'; round: number; finishReason: string; usage: DemoUsage; duration: number }
  /** `duration` of the turn in milliseconds. */
  | {
      type: 'finish';
      finishReason: string;
      usage: DemoUsage;
      rounds: number;
      toolCalls: number;
      /** Calls that have no result, because nothing runs them. */
      unansweredCalls: number;
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
  /** Run time of the tool in milliseconds. */
  readonly duration?: number;
}

/** Token counts. Servers may omit any of them. */
export interface DemoUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly reasoningTokens?: number;
}

type Part = TextStreamPart<ToolSet>;

export interface CollectTurnOptions {
  /** True if the tool loop reports the rounds. Otherwise each step of the host is a round. */
  readonly hasLoop: boolean;
  /** Warnings that have already been shown. */
  readonly knownWarnings: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Merges the stream parts of the host and the events of the tool loop into one stream. A failed turn ends with a
 * `failure`. An aborted turn errors with the signal's reason immediately.
 *
 * @param start Starts the turn. Its parameter receives the events of the tool loop.
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
  let results = 0;

  function startRound(): void {
    round++;
    roundStartedAt = elapsed();
    const event: DemoEvent = { type: 'round-start', round };
    // After the end of the previous round, which is held until that round's last parts have arrived.
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
      // The event arrives before the last parts of the round, which are still in the stream. They arrive in the same
      // turn of the event loop; the parts of the next round, which need the network, arrive later.
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
          results++;
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
          const unansweredCalls = toolCalls - results;
          emit({
            type: 'finish',
            finishReason,
            usage,
            rounds: round,
            toolCalls,
            unansweredCalls,
            duration: elapsed(),
          });
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
