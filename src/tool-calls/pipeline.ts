import { type CollectedToolCall, ToolCallCollector, type ToolCallFragment } from './collector.js';
import type { JSONSchema7 } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { normalizeToolName } from './tool-names.js';
import { parseToolArguments } from './tool-arguments.js';
import { KelivoError } from '../shared/errors.js';
import { createUniqueIds } from '../shared/unique-ids.js';

/** The tool calls of one response. */
export interface ToolCallPipelineResult {
  /** Calls in the order of their index. */
  readonly calls: readonly ProcessedToolCall[];
  /** Calls that could not be processed. */
  readonly failed: readonly FailedToolCall[];
  readonly stats: ToolCallStats;
}

/** Counts of one response. */
export interface ToolCallStats {
  /** Fragments received. */
  readonly fragments: number;
  /** Processed calls. */
  readonly calls: number;
  /** Calls that could not be processed. */
  readonly failed: number;
  /** Calls of tools that were not declared. */
  readonly undeclared: number;
  /** Calls whose name had a decoration removed. */
  readonly renamed: number;
  /** Calls whose arguments were repaired. */
  readonly repaired: number;
  /** Calls whose arguments are truncated or cannot be read. */
  readonly incomplete: number;
}

/**
 * Builds the tool calls of one response from the fragments of its stream.
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
  #isFinished = false;

  constructor(options: ToolCallProcessorOptions = {}) {
    this.#processor = new ToolCallProcessor(options);
  }

  /**
   * Adds the next fragment.
   *
   * @throws KelivoError with code `closed` after `finish`.
   */
  add(fragment: ToolCallFragment): void {
    this.#assertOpen('add');
    this.#fragments++;
    this.#collector.add(fragment);
  }

  /**
   * Returns the calls. Call it once, when the response has ended.
   *
   * @throws KelivoError with code `closed` when it is called again, because the calls would get other ids.
   */
  finish(): ToolCallPipelineResult {
    this.#assertOpen('finish');
    this.#isFinished = true;
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
      incomplete: count(call => !call.isComplete),
    };
    return { calls, failed, stats };
  }

  #assertOpen(method: string): void {
    if (!this.#isFinished) return;
    throw new KelivoError({
      code: 'closed',
      message: `Expected no call of \`${method}\` after \`finish\`. Create a ToolCallPipeline for each response.`,
    });
  }
}

/** A tool that was declared to the model in the `tools` of a call. */
export interface DeclaredTool {
  readonly name: string;
  /** JSON Schema of the arguments. @default arguments are not checked */
  readonly inputSchema?: JSONSchema7;
}

/** Options of `ToolCallProcessor` and `ToolCallPipeline`. */
export interface ToolCallProcessorOptions {
  /** Tools that were declared to the model. Names are matched with these only. @default none */
  readonly tools?: readonly DeclaredTool[];
  /** Creates the id of a call without one. @default a random id */
  readonly generateId?: () => string;
}

/** A call with the fields of the AI SDK's `tool-call` part. */
export interface ProcessedToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as JSON, or as the model wrote them if they cannot be repaired. */
  readonly input: string;
  /** Arguments as an object. Undefined if they are truncated or cannot be read, so that the call must not run. */
  readonly args: Record<string, unknown> | undefined;
  /** Position among the processed and failed calls of the response, from 0. */
  readonly index: number;
  /** False if the arguments are truncated or cannot be read. */
  readonly isComplete: boolean;
  /** The call as the model wrote it. */
  readonly written: CollectedToolCall;
  /** The differences from what the model wrote. An id differs if it was missing or repeated. */
  readonly changes: readonly ToolCallChange[];
  /** True if the tool was declared. */
  readonly isDeclared: boolean;
  /** True if a decoration was removed from the name. */
  readonly isRenamed: boolean;
  /** True if the arguments were repaired. */
  readonly isRepaired: boolean;
}

/** A part of a call that differs from what the model wrote. */
export type ToolCallChange = 'id' | 'name' | 'arguments';

/** A call that could not be processed. */
export interface FailedToolCall {
  /** Position among the processed and failed calls of the response, from 0. */
  readonly index: number;
  readonly call: CollectedToolCall;
  /** The expected and the received value. */
  readonly reason: string;
}

/**
 * Normalizes collected calls: declared names, arguments as JSON, unique ids. A call fails if it has no name, or one that
 * no tool can have. Arguments that cannot be repaired do not make a call fail.
 */
export class ToolCallProcessor {
  readonly #tools: ReadonlyMap<string, DeclaredTool>;
  readonly #names: ReadonlySet<string>;
  readonly #generateId: () => string;
  readonly #ids = createUniqueIds();
  #processed = 0;

  constructor({ tools = [], generateId: makeId = generateId }: ToolCallProcessorOptions = {}) {
    this.#tools = new Map(tools.map(tool => [tool.name, tool]));
    this.#names = new Set(this.#tools.keys());
    this.#generateId = makeId;
  }

  /** Returns the processed call, or the reason why it failed. */
  process(call: CollectedToolCall): ProcessedToolCall | FailedToolCall {
    const index = this.#processed++;
    const written = call.name.trim();
    if (written === '') return { call, index, reason: 'Expected a tool call to have a name, got none.' };
    const toolName = normalizeToolName(call.name, this.#names);
    if (toolName === undefined && !LEGAL_NAME.test(written))
      return { call, index, reason: toNameReason(written) };
    const tool = toolName === undefined ? undefined : this.#tools.get(toolName);
    const parsed = parseToolArguments(call.arguments, { schema: tool?.inputSchema });
    const toolCallId = this.#takeId(call.id);
    const isRenamed = toolName !== undefined && toolName !== call.name;
    const isRepaired = parsed.success && parsed.isRepaired;
    return {
      toolCallId,
      toolName: toolName ?? written,
      input: parsed.success ? parsed.json : call.arguments,
      args: parsed.success ? parsed.input : undefined,
      index,
      isComplete: parsed.success,
      written: call,
      changes: [
        ...(toolCallId === call.id ? [] : ['id' as const]),
        ...((toolName ?? written) === call.name ? [] : ['name' as const]),
        ...(isRepaired ? ['arguments' as const] : []),
      ],
      isDeclared: toolName !== undefined,
      isRenamed,
      isRepaired,
    };
  }

  #takeId(id: string | undefined): string {
    return this.#ids.take(id ?? this.#generateId());
  }
}

/** The names that APIs and MCP servers allow, and letters of all alphabets. A declared name can be any text. */
const LEGAL_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]{0,127}$/u;

const toNameReason = (name: string): string =>
  `Expected the name of a tool call to have letters, digits, "_", "-", ".", ":" and "/", got ` +
  `${JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)}.`;
