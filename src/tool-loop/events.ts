import type { LanguageModelV2Usage } from '@ai-sdk/provider';
import type { ToolCallContext, ToolDefinition, ToolProgress } from '../tools/tool-source.js';

/** An event of a tool loop. */
export type ToolLoopEvent = TurnEvent & TurnFacts;

/** Facts of the turn that every event contains. */
interface TurnFacts extends Pick<ToolCallContext, 'turnId' | 'context'> {
  /** Time in milliseconds since the turn began. */
  readonly at: number;
}

/** The call of an event, and the tool by its server and original name. */
interface CallFacts extends Pick<ToolDefinition, 'server' | 'originalName'> {
  readonly round: number;
  readonly toolCallId: string;
  readonly toolName: string;
}

type TurnEvent =
  | { type: 'round-start'; round: number }
  /** A tool starts. Calls that are refused, unreadable or already recorded do not start. */
  | ({ type: 'tool-start'; input: string } & CallFacts)
  /** A running tool reports progress, as MCP servers do. */
  | ({ type: 'tool-progress' } & CallFacts & ToolProgress)
  | ({
      type: 'tool-end';
      /** Milliseconds between the tool's start and its end; 0 for a call that did not start. */
      duration: number;
      isError: boolean;
      /** True if the output was read from a record, so that the tool did not start. @default false */
      isReplayed?: boolean;
    } & CallFacts)
  /** A limit ended the calling of tools, a repeated call was not run, or something such as the journal failed. */
  | { type: 'warning'; round: number; message: string }
  | {
      type: 'round-end';
      round: number;
      finishReason: string;
      usage: LanguageModelV2Usage;
      /** True if the round was read from a record, without a request. @default false */
      isReplayed?: boolean;
      /**
       * True for a response that only compacts the conversation. The round with the same number follows.
       * @default false
       */
      isCompaction?: boolean;
      /** The names of the adapters that were applied to the model. @default none was */
      adapters?: readonly string[];
    };

/** Reports an event of a turn. Never throws. */
export type EmitEvent = (event: TurnEvent) => void;

/** Reports a warning after the stream has started: as an event, and at the end of the turn. */
export type Warn = (round: number, message: string) => void;

export function createEventEmitter(
  onEvent: ((event: ToolLoopEvent) => void) | undefined,
  turn: Pick<ToolCallContext, 'turnId' | 'context'>,
): EmitEvent {
  if (onEvent === undefined) return () => {};
  const startedAt = performance.now();
  return event => {
    try {
      onEvent({ ...event, ...turn, at: performance.now() - startedAt });
    } catch {
      // An observer must not break the turn.
    }
  };
}
