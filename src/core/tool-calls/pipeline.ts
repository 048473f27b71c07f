import type { JSONSchema7 } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { KelivoError } from '../shared/errors.js';
import { createUniqueIds } from '../shared/unique-ids.js';
import { parseToolArguments } from './tool-arguments.js';
import { normalizeToolName } from './tool-names.js';

/** A fragment of a tool call in a stream. */
export interface ToolCallFragment {
  /** Position of the call in the response. Some servers send 0 for every call, or no index. */
  readonly index?: number | null;
  /** Id of the call, in the first fragment, in every fragment, or never. An empty id counts as missing. */
  readonly id?: string | null;
  /** Name of the tool: complete, repeated in every fragment, or split into fragments. */
  readonly name?: string | null;
  /** The next chunk of the arguments' JSON, or the complete arguments as an object. */
  readonly arguments?: string | object | null;
}

/** A call as the model wrote it. */
export interface CollectedToolCall {
  /** Position of the call in the response, or undefined if the server sent none. */
  readonly index?: number;
  readonly id: string | undefined;
  readonly name: string;
  readonly arguments: string;
}

interface OpenCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  arguments: string;
}

/**
 * Assembles tool calls from the fragments of a stream. A fragment belongs to the call with its id, else with its index,
 * else to the latest call. The result depends only on the fragments, not on timing or on known tool names. @internal
 */
export class ToolCallCollector {
  /** Calls in the order in which they began. */
  readonly #calls: OpenCall[] = [];
  readonly #byId = new Map<string, OpenCall>();
  /** The latest call at each index. */
  readonly #byIndex = new Map<number, OpenCall>();

  /** Adds the next fragment. */
  add(fragment: ToolCallFragment): void {
    const id = fragment.id || undefined;
    const name = fragment.name ?? '';
    const call = this.#find(fragment) ?? this.#begin(fragment);
    if (call.id === undefined && id !== undefined) {
      call.id = id;
      this.#byId.set(id, call);
    }
    call.name = joinNames(call, name);
    call.arguments += toText(fragment.arguments);
  }

  /** Returns the calls so far, sorted by index and then by the order in which they began. */
  calls(): CollectedToolCall[] {
    return this.#calls
      .map((call, position) => ({ call, position }))
      .sort((a, b) => toRank(a.call) - toRank(b.call) || a.position - b.position)
      .map(({ call: { index, id, name, arguments: input } }) => ({
        ...(index !== undefined && { index }),
        id,
        name,
        arguments: input,
      }));
  }

  #find(fragment: ToolCallFragment): OpenCall | undefined {
    const { index, id } = fragment;
    const atIndex = isIndex(index) ? this.#byIndex.get(index) : undefined;
    const ofId = id ? this.#byId.get(id) : undefined;
    const latest = isIndex(index) || id ? undefined : this.#calls.at(-1);
    const isAtIndex = atIndex !== undefined && (!id || atIndex.id === undefined || atIndex.id === id);
    const call = isAtIndex ? atIndex : (ofId ?? atIndex ?? latest);
    return call === undefined || beginsAnother(fragment, call) ? undefined : call;
  }

  #begin(fragment: ToolCallFragment): OpenCall {
    const call: OpenCall = {
      index: isIndex(fragment.index) ? fragment.index : undefined,
      id: undefined,
      name: '',
      arguments: '',
    };
    this.#calls.push(call);
    if (call.index !== undefined) this.#byIndex.set(call.index, call);
    return call;
  }
}

/**
 * Returns true if a fragment that matches a call is the first fragment of another one. Such a fragment has a name, and
 * either another id, another index, or follows complete arguments or those of another tool.
 */
function beginsAnother({ index, id, name, arguments: input }: ToolCallFragment, call: OpenCall): boolean {
  if (!name) return false;
  if (id && call.id !== undefined && id !== call.id) return true;
  if (isIndex(index) && call.index !== undefined && index !== call.index) return true;
  if ((id && id === call.id) || call.arguments === '') return false;
  return !isSameName(name, call.name) || beginsAnew(toText(input), call.arguments);
}

/** Returns true if arguments are complete and others begin. Identical arguments are the same call, sent twice. */
function beginsAnew(next: string, before: string): boolean {
  if (!next.startsWith('{') || next === before || !before.endsWith('}')) return false;
  try {
    JSON.parse(before);
    return true;
  } catch {
    return false; // The brace is part of the arguments.
  }
}

/** Joins a name with its next fragment. A name is sent once, repeatedly, cumulatively or in fragments. */
function joinNames(call: OpenCall, name: string): string {
  if (name.startsWith(call.name)) return name;
  return call.arguments === '' && !call.name.startsWith(name) ? call.name + name : call.name;
}

const isSameName = (left: string, right: string): boolean => left.startsWith(right) || right.startsWith(left);

const isIndex = (index: number | null | undefined): index is number => typeof index === 'number';

const toRank = ({ index = Number.MAX_SAFE_INTEGER }: OpenCall): number => index;

const toText = (input: ToolCallFragment['arguments']): string =>
  typeof input === 'string' ? input : (JSON.stringify(input ?? undefined) ?? '');

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

  constructor(options: ToolCallPipelineOptions = {}) {
    this.#schemas = new Map((options.tools ?? []).map(tool => [tool.name, tool.inputSchema]));
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
