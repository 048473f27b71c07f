/** Which provider answers: this package's, or the official one of the AI SDK. */
export type Flag = 'kelivo' | 'official';

/** Counts of tokens; a server may leave any of them out. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
}

/** How one HTTP exchange ended: read to its end, given up by us, or broken by the other side. */
export type ExchangeEnd = 'complete' | 'aborted' | 'broken';

/** How a turn ended. */
export type TurnEnd = 'finished' | 'stopped' | 'failed';

/**
 * What happened behind an answer, in order: plain JSON that streams to the page as it happens and is kept beside the
 * message. `at` is the time in milliseconds since the turn began.
 */
export type TraceEvent = { readonly at: number } & (
  | {
      type: 'turn-start';
      startedAt: string;
      flag: Flag;
      modelId: string;
      endpoint: string;
      adapters: readonly string[];
      fault?: string;
    }
  | { type: 'warning'; message: string }
  | {
      type: 'request';
      exchange: number;
      round: number;
      method: string;
      url: string;
      headers: Readonly<Record<string, string>>;
      body: unknown;
    }
  | { type: 'response'; exchange: number; status: number; headers: Readonly<Record<string, string>> }
  /** One event of a streamed answer; `data` is the parsed JSON, or the text where it is none. */
  | { type: 'wire'; exchange: number; name: string; data: unknown }
  /** The body of an answer that is no stream of events. */
  | { type: 'body'; exchange: number; text: string }
  | { type: 'exchange-end'; exchange: number; end: ExchangeEnd; message?: string }
  /** The endpoint saw that the connection was closed before it had said everything. Only the emulator can tell. */
  | { type: 'hung-up'; exchange: number }
  | { type: 'round-start'; round: number }
  | { type: 'first-token' }
  | { type: 'tool-start'; round: number; toolCallId: string; toolName: string; input: string }
  | {
      type: 'tool-progress';
      toolCallId: string;
      progress: number;
      total?: number;
      message?: string;
    }
  | {
      type: 'tool-end';
      round: number;
      toolCallId: string;
      toolName: string;
      duration: number;
      isError: boolean;
    }
  | { type: 'approval-wanted'; approvalId: string; toolCallId: string; toolName: string; input: unknown }
  | { type: 'approval-settled'; approvalId: string; approved: boolean }
  | { type: 'round-end'; round: number; finishReason: string; usage: Usage }
  | { type: 'turn-end'; end: TurnEnd; message?: string; finishReason?: string; usage?: Usage }
);

/** What happened, without the time: the recorder adds it. */
export type TraceFact = TraceEvent extends infer Event
  ? Event extends TraceEvent
    ? Omit<Event, 'at'>
    : never
  : never;
