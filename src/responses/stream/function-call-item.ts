import { subAgentOf } from '../../core/custom.js';
import { TextBuffer } from '../../core/collector.js';
import type { PartFacts } from '../../core/prompt.js';
import { RESPONSE_LIMITS, ResponseLimitError } from '../../core/http/text-stream.js';
import {
  type CallIds,
  type ItemEnd,
  type OutputItem,
  type PartWriter,
  toCallFacts,
  toCallMetadata,
} from './output-item.js';
import {
  idOf,
  isNestedDeeper,
  isPlainObject,
  isWholeJson,
  type JSONObject,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
  tryParseJson,
} from '../../core/shared/json.js';

export interface FunctionCallWriter extends PartWriter {
  /** The name under which the host declared the tool. */
  readonly toToolName: (wireName: string, namespace?: string) => string;
  readonly generateId: () => string;
  readonly callIds: CallIds;
  readonly declared: { readonly names: ReadonlySet<string> };
}

/**
 * A call of a function that the host or the tool loop runs: streams its arguments, and writes the call when they are complete.
 * No part is written before the name and the call id have arrived. A call keeps the id of its first part, even if the server
 * changes it later (vLLM).
 */
export class FunctionCallItem implements OutputItem {
  closed = false;
  readonly #writer: FunctionCallWriter;
  #name: string | undefined;
  #callId: string | undefined;
  #namespace: string | undefined;
  /** Fields that the next request repeats, in the metadata of the call. */
  #openai: JSONObject = {};
  #agent: JSONObject | undefined;
  /** The id in the parts that were written; undefined before the first. */
  #id: string | undefined;
  /** The arguments that were streamed. */
  readonly #streamed = new TextBuffer();
  /** The number of characters of them that were written as deltas. */
  #written = 0;
  /** The arguments as an event reported them completely. */
  #completed: string | undefined;

  constructor(writer: FunctionCallWriter) {
    this.#writer = writer;
    if (writer.announced !== undefined) this.announce(writer.announced);
  }

  announce(wire: PlainObject): void {
    this.#readFields(wire);
    this.#start();
  }

  writeArguments(delta: string): void {
    const isNew = this.#streamed.length < BEGINNING;
    this.#streamed.append(delta);
    if (this.#written > 0) this.#writeDelta(delta);
    else if (isNew) this.#writeBeginning();
  }

  /** Handles `function_call_arguments.done`. LM Studio sends the arguments here, others also the name and call id. */
  completeArguments(fields: PlainObject): void {
    this.#completed = bestOf([argumentsOf(fields), this.#completed]);
    this.#name ??= idOf(fields.name);
    this.#callId ??= idOf(fields.call_id);
    this.#start();
  }

  isSameAs(wire: PlainObject): boolean {
    const sameName = this.#name === undefined || idOf(wire.name) === undefined || wire.name === this.#name;
    return sameName && isPrefix(this.#completed ?? this.#streamed.toString(), argumentsOf(wire) ?? '');
  }

  finish(wire: PlainObject | undefined, { broken = false }: ItemEnd = {}): void {
    const { announced, reports } = this.#writer;
    if (wire !== undefined) this.#readFields(wire);
    const [completed, name] = [this.#completed, this.#name];
    const args =
      bestOf([argumentsOf(wire), completed, this.#streamed.toString(), argumentsOf(announced)]) ?? '';
    const isChecked = wire !== undefined && wire.status !== 'incomplete';
    if (isChecked && (!isWhole(args) || name === undefined)) {
      // Some servers mark a call that the token limit truncated as `completed`: the end of the response decides.
      // A name that is missing here may follow in the terminal response.
      this.#completed = args;
      return;
    }
    this.closed = true;
    // A truncated call must not run: the response ended inside it, or its stream broke before it was complete.
    const isPartial =
      wire?.status === 'incomplete' ||
      (broken && wire === undefined && (completed === undefined || !isWhole(completed)));
    if (name === undefined || isPartial) {
      const toolCallId = this.#callId;
      if (isPartial) reports.hasPartialCalls = true;
      else reports.unnamedCalls.push({ ...(toolCallId !== undefined && { toolCallId }), input: args });
      return this.#end();
    }
    this.#completed = args;
    if (!isChecked && isNestedDeeper(args, RESPONSE_LIMITS.nesting)) {
      this.#end();
      throw new ResponseLimitError('nesting', 'levels of nesting in the arguments of a call');
    }
    this.#complete(name, args);
  }

  /** Reads the fields of the item that are still missing: servers send them in different events. */
  #readFields(wire: PlainObject): void {
    this.#name ??= idOf(wire.name);
    this.#callId ??= idOf(wire.call_id);
    this.#namespace ??= idOf(wire.namespace);
    this.#agent ??= subAgentOf(wire);
    this.#openai = { ...toCallMetadata(wire), ...this.#openai };
  }

  /** Writes the start of the call when its name and id are known. A call with a used id waits: it may be a repetition. */
  #start(): void {
    const [name, callId] = [this.#name, this.#callId];
    if (this.#id !== undefined || name === undefined || callId === undefined || this.#isWrapper(name)) return;
    if (this.#writer.callIds.claim(callId)) this.#begin(callId, name);
  }

  #begin(id: string, name: string): void {
    const { write, toToolName } = this.#writer;
    this.#id = id;
    write({ type: 'tool-input-start', id, toolName: toToolName(name, this.#namespace) });
    this.#writeBeginning();
  }

  #complete(name: string, args: string): void {
    const { callIds, generateId } = this.#writer;
    const id = (this.#callId ??= idOf(this.#openai.itemId) ?? generateId());
    // A server announced the call twice: written twice, it would run twice.
    if (callIds.isRepetition(id, `${name} ${args}`)) return this.#end();
    const calls = this.#isWrapper(name) ? toParallelCalls(args) : undefined;
    if (calls !== undefined) {
      const { itemId: _, ...shared } = this.#openai;
      for (const [index, call] of calls.entries()) {
        const toolCallId = callIds.take(`${id}_${index + 1}`);
        this.#writeCall({ ...call, toolCallId, openai: shared, wrapper: { id, index } });
      }
      return;
    }
    if (this.#id === undefined) this.#begin(callIds.take(id), name);
    this.#end(args);
    this.#writeCall({ name, input: args, toolCallId: this.#id ?? id, openai: this.#openai });
  }

  /** Returns true for a wrapper of several calls, unless the host has a tool with that name. */
  #isWrapper(name: string): boolean {
    const { declared, toToolName } = this.#writer;
    return PARALLEL_WRAPPERS.has(name) && !declared.names.has(toToolName(name, this.#namespace));
  }

  #writeCall(call: {
    name: string;
    input: string;
    toolCallId: string;
    openai: JSONObject;
    wrapper?: PartFacts['wrapper'];
  }): void {
    const { write, toToolName, reports } = this.#writer;
    const { wrapper } = call;
    const facts = toCallFacts(call.openai, this.#agent);
    write({
      type: 'tool-call',
      toolCallId: call.toolCallId,
      toolName: toToolName(call.name, this.#namespace),
      input: call.input.trim() === '' ? '{}' : call.input,
      isComplete: true,
      ...facts,
      ...(wrapper !== undefined && { own: { ...facts.own, wrapper } }),
    });
    reports.hasCalls = true;
  }

  /** Writes the first arguments. Text that does not begin an object may be encrypted and waits for the final value. */
  #writeBeginning(): void {
    const beginning = this.#streamed.toString();
    if (/^\s*\{/.test(beginning.slice(0, BEGINNING))) this.#writeDelta(beginning);
  }

  #writeDelta(delta: string): void {
    const id = this.#id;
    if (delta === '' || id === undefined) return;
    this.#written += delta.length;
    this.#writer.write({ type: 'tool-input-delta', id, delta });
  }

  /**
   * Ends the arguments. Of finished arguments, which are authoritative, the rest is written before, unless the deltas were
   * others: they can be encrypted (GitHub Copilot).
   */
  #end(args = ''): void {
    const written = this.#streamed.toString().slice(0, this.#written);
    if (args.startsWith(written)) this.#writeDelta(args.slice(written.length));
    if (this.#id !== undefined) this.#writer.write({ type: 'tool-input-end', id: this.#id });
  }
}

/** Returns the arguments as text. Some servers send an object instead of a string. */
function argumentsOf(fields: PlainObject | undefined): string | undefined {
  const args = fields?.arguments;
  return isPlainObject(args) ? JSON.stringify(args) : idOf(args);
}

/**
 * Returns the arguments of a call, of which servers send several versions, the last one first. An empty object never replaces
 * arguments that were sent (earendil-works/pi#917), and neither does a text that is cut off.
 */
function bestOf(versions: readonly (string | undefined)[]): string | undefined {
  const [sent, others] = [new Set<string>(), new Set<string>()];
  for (const version of versions) if (version !== undefined) (isEmpty(version) ? others : sent).add(version);
  const all = [...sent];
  // Reading long arguments costs time, and most servers send them equally.
  if (all.length < 2) return all[0] ?? [...others].find(version => version !== '') ?? [...others][0];
  return all.find(isWhole) ?? all[0];
}

/** The number of characters in which arguments must begin an object. */
const BEGINNING = 64;

function isWhole(args: string): boolean {
  if (args.trim() === '') return true;
  return !isNestedDeeper(args, RESPONSE_LIMITS.nesting) && isWholeJson(args);
}

/**
 * Returns true if the streamed arguments are a prefix of the final ones, ignoring white space, which some servers change.
 * Stops at the first difference, because a server may send thousands of calls with one id.
 */
function isPrefix(streamed: string, final: string): boolean {
  if (isEmpty(streamed) || isEmpty(final)) return true;
  for (let at = 0, finalAt = 0; ; at++, finalAt++) {
    at = skipSpace(streamed, at);
    finalAt = skipSpace(final, finalAt);
    if (at >= streamed.length) return true;
    if (streamed[at] !== final[finalAt]) return false;
  }
}

/** Returns true for no arguments: an empty text, object or list, or null. */
const isEmpty = (args: string): boolean => /^(?:null|""|\{\s*\}|\[\s*\])?\s*$/.test(args.trimStart());

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Wrapper names under which OpenAI's models sometimes combine several calls (vercel/ai#19098). */
const PARALLEL_WRAPPERS: ReadonlySet<string> = new Set(['parallel', 'multi_tool_use.parallel']);

function toParallelCalls(args: string): { name: string; input: string }[] | undefined {
  const calls = objectsOf(objectOf(tryParseJson(args))?.tool_uses).map(
    ({ recipient_name: recipient, parameters }) => ({
      name: stringOf(recipient).replace(/^functions\./, ''),
      input: JSON.stringify(parameters ?? {}),
    }),
  );
  return calls.length > 0 && calls.every(call => call.name !== '') ? calls : undefined;
}
