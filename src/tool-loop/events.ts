import type { LanguageModelV2Usage } from '@ai-sdk/provider';
import type { ToolProgress } from '../tools/tool-source.js';

/** An event of a tool loop. `at` is the time in milliseconds since the turn began. */
export type ToolLoopEvent = UntimedEvent & { at: number };

type UntimedEvent =
  | { type: 'round-start'; round: number }
  /** A tool starts. Calls that are refused, unreadable or already have a stored result do not start. */
  | { type: 'tool-start'; round: number; toolCallId: string; toolName: string; input: string }
  /** A running tool reports progress, as MCP servers do. */
  | ({ type: 'tool-progress'; round: number; toolCallId: string; toolName: string } & ToolProgress)
  | {
      type: 'tool-end';
      round: number;
      toolCallId: string;
      toolName: string;
      /** Milliseconds between the tool's start and its end; 0 for a call that did not start. */
      duration: number;
      isError: boolean;
    }
  /** Something outside the conversation failed, such as the result store. The turn continues. */
  | { type: 'warning'; round: number; message: string }
  | { type: 'round-end'; round: number; finishReason: string; usage: LanguageModelV2Usage };

/** Reports an event of a turn. Never throws. */
export type EmitEvent = (event: UntimedEvent) => void;

export function createEventEmitter(onEvent: ((event: ToolLoopEvent) => void) | undefined): EmitEvent {
  if (onEvent === undefined) return () => {};
  const startedAt = performance.now();
  return event => {
    try {
      onEvent({ ...event, at: performance.now() - startedAt });
    } catch {
      // An observer must not break the turn.
    }
  };
}
