import type { LanguageModelV2Usage } from '@ai-sdk/provider';
import type { ToolProgress } from '../tools/tool-source.js';

/** What happened in a tool loop. `at` is the time in milliseconds since the turn began. */
export type ToolLoopEvent =
  | { type: 'round-start'; round: number; at: number }
  /** A tool begins to run. Calls that are refused, that cannot be read or whose result is known have no start. */
  | { type: 'tool-start'; round: number; at: number; toolCallId: string; toolName: string; input: string }
  /** A running tool tells how far it is, as MCP servers do. */
  | ({
      type: 'tool-progress';
      round: number;
      at: number;
      toolCallId: string;
      toolName: string;
    } & ToolProgress)
  | {
      type: 'tool-end';
      round: number;
      at: number;
      toolCallId: string;
      toolName: string;
      /** Milliseconds between the tool's start and its end; 0 for a call that did not start. */
      duration: number;
      isError: boolean;
    }
  /** Something beside the conversation failed, such as the result store. The turn goes on. */
  | { type: 'warning'; round: number; at: number; message: string }
  | { type: 'round-end'; round: number; at: number; finishReason: string; usage: LanguageModelV2Usage };
