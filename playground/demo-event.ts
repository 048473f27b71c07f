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
