import { type CollectedToolCall, ToolCallCollector, type ToolCallFragment } from './collector.js';
import type { JSONSchema7 } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { normalizeToolName } from './tool-names.js';
import { parseToolArguments } from './tool-arguments.js';
import { createUniqueIds } from '../shared/unique-ids.js';

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

/** A tool that was declared to the model, as in the `tools` of a call's options. */
export interface DeclaredTool {
  readonly name: string;
  /** JSON Schema of the arguments. @default nothing is known of them */
  readonly inputSchema?: JSONSchema7;
}

/** What calls are judged by. */
export interface ToolCallProcessorOptions {
  /** The tools that were declared to the model. Names are made out by them alone. */
  readonly tools: readonly DeclaredTool[];
  /** Makes the id of a call that came without one. @default a random one */
  readonly generateId?: () => string;
}

/** A call in the shape of the AI SDK's `tool-call` part. */
export interface ProcessedToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as JSON; as the model wrote them where they are beyond repair, for whoever runs the tool to judge. */
  readonly input: string;
  /** Whether the tool was declared. */
  readonly isDeclared: boolean;
  /** Whether the name came decorated. */
  readonly isRenamed: boolean;
  /** Whether the arguments were repaired. */
  readonly isRepaired: boolean;
}

/** What could not be made a call. */
export interface FailedToolCall {
  readonly call: CollectedToolCall;
  /** What was expected and what came. */
  readonly reason: string;
}

/**
 * Makes calls of what was collected: names as they were declared, arguments as JSON, ids that are there and unique.
 * A call must have a name; its arguments are never a reason to hold it back.
 */
export class ToolCallProcessor {
  readonly #tools: ReadonlyMap<string, DeclaredTool>;
  readonly #names: ReadonlySet<string>;
  readonly #generateId: () => string;
  readonly #ids = createUniqueIds();

  constructor({ tools, generateId: makeId = generateId }: ToolCallProcessorOptions) {
    this.#tools = new Map(tools.map(tool => [tool.name, tool]));
    this.#names = new Set(this.#tools.keys());
    this.#generateId = makeId;
  }

  /** Makes the call, or says why it cannot. */
  process(call: CollectedToolCall): ProcessedToolCall | FailedToolCall {
    const written = call.name.trim();
    if (written === '') return { call, reason: 'Expected a tool call to have a name, got none.' };
    const toolName = normalizeToolName(call.name, this.#names);
    const tool = toolName === undefined ? undefined : this.#tools.get(toolName);
    const parsed = parseToolArguments(call.arguments, { schema: tool?.inputSchema });
    return {
      toolCallId: this.#takeId(call.id),
      toolName: toolName ?? written,
      input: parsed.success ? parsed.json : call.arguments,
      isDeclared: toolName !== undefined,
      isRenamed: toolName !== undefined && toolName !== call.name,
      isRepaired: parsed.success && parsed.isRepaired,
    };
  }

  #takeId(id: string | undefined): string {
    return this.#ids.take(id ?? this.#generateId());
  }
}
