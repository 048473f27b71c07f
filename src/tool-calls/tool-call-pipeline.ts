import { ToolCallCollector, type ToolCallFragment } from './tool-call-collector.js';
import {
  type FailedToolCall,
  type ProcessedToolCall,
  ToolCallProcessor,
  type ToolCallProcessorOptions,
} from './tool-call-processor.js';

/** What became of the fragments of one answer. */
export interface ToolCallPipelineResult {
  /** The calls, in the order of their index. */
  readonly calls: readonly ProcessedToolCall[];
  /** What could not be made a call. */
  readonly failed: readonly FailedToolCall[];
  readonly stats: ToolCallStats;
}

/** Counts of one answer. */
export interface ToolCallStats {
  /** Fragments taken. */
  readonly fragments: number;
  /** Calls made. */
  readonly calls: number;
  /** What could not be made a call. */
  readonly failed: number;
  /** Calls of tools that were not declared. */
  readonly undeclared: number;
  /** Calls whose name came decorated. */
  readonly renamed: number;
  /** Calls whose arguments were repaired. */
  readonly repaired: number;
}

/**
 * Makes the tool calls of one answer from the fragments of its stream, whatever server they come from.
 *
 * @example
 * ```ts
 * const pipeline = new ToolCallPipeline({ tools: [{ name: 'get_weather' }] });
 * pipeline.add({ index: 0, id: 'call_1', name: 'functions.get_weather' });
 * pipeline.add({ index: 0, arguments: '{"city":' });
 * pipeline.add({ index: 0, arguments: '"Oslo"' });
 * const { calls } = pipeline.finish(); // get_weather with {"city":"Oslo"}
 * ```
 */
export class ToolCallPipeline {
  readonly #collector = new ToolCallCollector();
  readonly #processor: ToolCallProcessor;
  #fragments = 0;

  constructor(options: ToolCallProcessorOptions) {
    this.#processor = new ToolCallProcessor(options);
  }

  /** Takes the next fragment. */
  add(fragment: ToolCallFragment): void {
    this.#fragments++;
    this.#collector.add(fragment);
  }

  /** Makes the calls. To be called once, when the answer has ended. */
  finish(): ToolCallPipelineResult {
    const calls: ProcessedToolCall[] = [];
    const failed: FailedToolCall[] = [];
    for (const collected of this.#collector.calls()) {
      const made = this.#processor.process(collected);
      if ('reason' in made) failed.push(made);
      else calls.push(made);
    }
    const count = (is: (call: ProcessedToolCall) => boolean): number => calls.filter(is).length;
    const stats = {
      fragments: this.#fragments,
      calls: calls.length,
      failed: failed.length,
      undeclared: count(call => !call.isDeclared),
      renamed: count(call => call.isRenamed),
      repaired: count(call => call.isRepaired),
    };
    return { calls, failed, stats };
  }
}
