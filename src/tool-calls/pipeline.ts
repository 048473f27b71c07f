import type { JSONSchema7 } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';
import { createUniqueIds } from '../shared/unique-ids.js';
import { type CollectedToolCall, ToolCallCollector, type ToolCallFragment } from './collector.js';
import { parseToolArguments } from './tool-arguments.js';
import { normalizeToolName } from './tool-names.js';

/** Options of `ToolCallPipeline`. */
export interface ToolCallPipelineOptions {
  /** Tools that were declared to the model. Names are matched with these only. @default none */
  readonly tools?: readonly {
    readonly name: string;
    /** JSON Schema of the arguments. @default arguments are not checked */
    readonly inputSchema?: JSONSchema7;
  }[];
}

/** The tool calls of one response. */
export interface ToolCallPipelineResult {
  /** Calls in the order of their index. */
  readonly calls: readonly ProcessedToolCall[];
  /** Calls that could not be processed. */
  readonly failed: readonly FailedToolCall[];
  /** Counts of the response. */
  readonly stats: {
    /** Fragments received. */
    readonly fragments: number;
    /** Processed calls. */
    readonly calls: number;
    /** Calls that could not be processed. */
    readonly failed: number;
    /** Calls of tools that were not declared. */
    readonly undeclared: number;
    /** Calls whose name was changed to that of a declared tool. */
    readonly renamed: number;
    /** Calls whose arguments were repaired. */
    readonly repaired: number;
    /** Calls whose arguments are truncated or cannot be read. */
    readonly incomplete: number;
  };
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
  readonly changes: readonly ('id' | 'name' | 'arguments')[];
  /** True if the tool was declared. */
  readonly isDeclared: boolean;
}

/** A call that could not be processed: it has no name, or one that no tool can have. */
export interface FailedToolCall {
  /** Position among the processed and failed calls of the response, from 0. */
  readonly index: number;
  readonly call: CollectedToolCall;
  /** The expected and the received value. */
  readonly reason: string;
}

/**
 * Builds the tool calls of one response from the fragments of its stream, with declared names, arguments as JSON and unique
 * ids.
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
  readonly #schemas: ReadonlyMap<string, JSONSchema7 | undefined>;
  readonly #names: ReadonlySet<string>;
  readonly #ids = createUniqueIds();
  #fragments = 0;
  #isFinished = false;

  constructor({ tools = [] }: ToolCallPipelineOptions = {}) {
    this.#schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
    this.#names = new Set(this.#schemas.keys());
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
    for (const [index, collected] of this.#collector.calls().entries()) {
      const made = this.#process(collected, index);
      if ('reason' in made) failed.push(made);
      else calls.push(made);
    }
    const count = (is: (call: ProcessedToolCall) => boolean): number => calls.filter(is).length;
    const stats = {
      fragments: this.#fragments,
      calls: calls.length,
      failed: failed.length,
      undeclared: count(call => !call.isDeclared),
      renamed: count(call => call.isDeclared && call.changes.includes('name')),
      repaired: count(call => call.changes.includes('arguments')),
      incomplete: count(call => !call.isComplete),
    };
    return { calls, failed, stats };
  }

  #process(call: CollectedToolCall, index: number): ProcessedToolCall | FailedToolCall {
    const written = call.name.trim();
    if (written === '') return { call, index, reason: 'Expected a tool call to have a name, got none.' };
    const declared = normalizeToolName(call.name, this.#names);
    if (declared === undefined && !LEGAL_NAME.test(written))
      return { call, index, reason: toNameReason(written) };
    const toolName = declared ?? written;
    const parsed = parseToolArguments(call.arguments, { schema: this.#schemas.get(toolName) });
    const toolCallId = this.#ids.take(call.id ?? generateId());
    return {
      toolCallId,
      toolName,
      input: parsed.success ? parsed.json : call.arguments,
      args: parsed.success ? parsed.input : undefined,
      index,
      isComplete: parsed.success,
      written: call,
      changes: [
        ...(toolCallId === call.id ? [] : ['id' as const]),
        ...(toolName === call.name ? [] : ['name' as const]),
        ...(parsed.success && parsed.isRepaired ? ['arguments' as const] : []),
      ],
      isDeclared: declared !== undefined,
    };
  }

  #assertOpen(method: string): void {
    if (!this.#isFinished) return;
    throw new KelivoError({
      code: 'closed',
      message: `Expected no call of \`${method}\` after \`finish\`. Create a ToolCallPipeline for each response.`,
    });
  }
}

/** The names that APIs and MCP servers allow, and letters of all alphabets. A declared name can be any text. */
const LEGAL_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]{0,127}$/u;

const toNameReason = (name: string): string =>
  `Expected the name of a tool call to have letters, digits, "_", "-", ".", ":" and "/", got ` +
  `${JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)}.`;
