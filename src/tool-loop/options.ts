import type { LanguageModelV2Usage } from '@ai-sdk/provider';
import type { ToolSource } from '../tools/tool-source.js';

/** How a tool loop works. */
export interface ToolLoopOptions {
  /** The tools that the loop runs. Where two sources share a name, the earlier one owns it. */
  tools: ToolSource | readonly ToolSource[];
  /**
   * The most rounds of one turn, a round being one request to the model. The last is sent with `tool_choice: none`, so
   * that the model answers with what it has. At least 1.
   * @default 20
   */
  maxRounds?: number;
  /**
   * Which calls run together. `auto`: read-only tools run at once and together, the others one after another in the
   * order of the model. `parallel` and `sequential` treat all tools alike.
   * @default 'auto'
   */
  execution?: 'auto' | 'parallel' | 'sequential';
  /**
   * The most calls that run at a time. At least 1.
   * @default 8
   */
  maxParallel?: number;
  /**
   * Whether a call starts as soon as its arguments are complete, while the model still streams. With `false` no call
   * starts before its round has ended well.
   * @default true
   */
  startEarly?: boolean;
  /**
   * How the loop's own tool calls show in what the host receives. `auto`: complete provider-executed calls for tools
   * that the host declared (see `toolStubs()`), and for others the form that no host stumbles over – their input and
   * result in streams, nothing in generated results. `none`: only the answer shows.
   * @default 'auto'
   */
  toolActivity?: 'auto' | 'none';
  /** Time limits. Without them a tool and a turn may take as long as they like. */
  timeouts?: {
    /** For one tool call, in milliseconds. A tool that exceeds it fails, and the model reads that. */
    tool?: number;
    /** For the whole turn, in milliseconds. A turn that exceeds it ends with an error. */
    total?: number;
  };
  /** Repeating a follow-up request that failed before it answered. The first request of a turn is the host's to repeat. */
  retry?: {
    /**
     * How often a follow-up request is repeated.
     * @default 2
     */
    maxRetries?: number;
    /**
     * The wait before the first repetition in milliseconds, doubled each time; a `Retry-After` header wins.
     * @default 1000
     */
    initialDelay?: number;
  };
  /** Told of what happens in the loop as it happens, for timelines and logs. An exception it throws is ignored. */
  onEvent?: (event: ToolLoopEvent) => void;
}

/** What happened in a tool loop. `at` is the time in milliseconds since the turn began. */
export type ToolLoopEvent =
  | { type: 'round-start'; round: number; at: number }
  | { type: 'tool-start'; round: number; at: number; toolCallId: string; toolName: string; input: string }
  | {
      type: 'tool-end';
      round: number;
      at: number;
      toolCallId: string;
      toolName: string;
      /** Milliseconds between the tool's start and its end. */
      duration: number;
      isError: boolean;
    }
  | { type: 'round-end'; round: number; at: number; finishReason: string; usage: LanguageModelV2Usage };
