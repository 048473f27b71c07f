import { subAgentOf } from '../../core/custom.js';
import { createTextBuffer } from '../../core/collector.js';
import { RESPONSE_LIMITS, ResponseLimitError } from '../../core/http/text-stream.js';
import {
  type CallIds,
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

/** A call of a function that the host or the tool loop runs. */
export interface FunctionCallItem extends OutputItem {
  writeArguments(delta: string): void;
  /** Handles `function_call_arguments.done`. LM Studio sends the arguments here, others also the name and call id. */
  completeArguments(fields: PlainObject): void;
}

export interface FunctionCallWriter extends PartWriter {
  /** The name under which the host declared the tool. */
  readonly toToolName: (wireName: string, namespace?: string) => string;
  readonly generateId: () => string;
  readonly callIds: CallIds;
  readonly declared: { readonly names: ReadonlySet<string> };
  /** Called for each complete call. */
  readonly onCall: () => void;
  /** Called for a truncated call. */
  readonly onPartialCall: () => void;
  /** Called for a call without a name, which nothing can run. */
  readonly onUnnamedCall: (call: JSONObject) => void;
}

/**
 * Streams the arguments of a call and writes the call when they are complete. No part is written before the name and
 * the call id have arrived. A call keeps the id of its first part, even if the server changes it later (vLLM).
 */
export function createFunctionCallItem(writer: FunctionCallWriter): FunctionCallItem {
  const { write, announced, toToolName, generateId, callIds } = writer;
  const { declared, onCall, onPartialCall, onUnnamedCall } = writer;
  let name: string | undefined;
  let callId: string | undefined;
  let namespace: string | undefined;
  /** Fields that the next request repeats, in the metadata of the call. */
  let openai: JSONObject = {};
  let agent: JSONObject | undefined;
  const input = createInputParts(write);
  let completed: string | undefined;

  readFields(announced);
  start();

  const item: FunctionCallItem = {
    closed: false,
    writeArguments: input.add,

    announce(wire) {
      readFields(wire);
      start();
    },

    completeArguments(fields) {
      completed = bestOf([argumentsOf(fields), completed]);
      name ??= idOf(fields.name);
      callId ??= idOf(fields.call_id);
      start();
    },

    isSameAs: wire => {
      const sameName = name === undefined || idOf(wire.name) === undefined || wire.name === name;
      return sameName && isPrefix(completed ?? input.text(), argumentsOf(wire) ?? '');
    },

    finish(wire, { broken = false } = {}) {
      readFields(wire);
      const args = bestOf([argumentsOf(wire), completed, input.text(), argumentsOf(announced)]) ?? '';
      const isChecked = wire !== undefined && wire.status !== 'incomplete';
      if (isChecked && (!isWhole(args) || name === undefined)) {
        // Some servers mark a call that the token limit truncated as `completed`: the end of the response decides.
        // A name that is missing here may follow in the terminal response.
        completed = args;
        return;
      }
      item.closed = true;
      // A truncated call must not run: the response ended inside it, or its stream broke before it was complete.
      const isPartial =
        wire?.status === 'incomplete' ||
        (broken && wire === undefined && (completed === undefined || !isWhole(completed)));
      if (name === undefined || isPartial) {
        if (isPartial) onPartialCall();
        else onUnnamedCall({ ...(callId !== undefined && { toolCallId: callId }), input: args });
        return input.end();
      }
      completed = args;
      if (!isChecked && isTooDeep(args)) {
        input.end();
        throw new ResponseLimitError('nesting', 'levels of nesting in the arguments of a call');
      }
      complete(name, args);
    },
  };
  return item;

  /** Reads the fields of the item that are still missing: servers send them in different events. */
  function readFields(wire: PlainObject | undefined): void {
    if (wire === undefined) return;
    name ??= idOf(wire.name);
    callId ??= idOf(wire.call_id);
    namespace ??= idOf(wire.namespace);
    agent ??= subAgentOf(wire);
    openai = { ...toCallMetadata(wire), ...openai };
  }

  /** Writes the start of the call when its name and id are known. A call with a used id waits: it may be a repetition. */
  function start(): void {
    if (input.id() !== undefined || name === undefined || callId === undefined || isWrapper(name)) return;
    if (callIds.claim(callId)) input.start(callId, toToolName(name, namespace));
  }

  function complete(wireName: string, args: string): void {
    const id = (callId ??= idOf(openai.itemId) ?? generateId());
    // A server announced the call twice: written twice, it would run twice.
    if (callIds.isRepetition(id, `${wireName} ${args}`)) return input.end();
    const calls = isWrapper(wireName) ? toParallelCalls(args) : undefined;
    if (calls !== undefined) {
      const { itemId: _, ...shared } = openai;
      for (const [index, call] of calls.entries()) {
        writeCall({ ...call, toolCallId: callIds.take(`${id}_${index + 1}`), openai: shared });
      }
      return;
    }
    if (input.id() === undefined) input.start(callIds.take(id), toToolName(wireName, namespace));
    input.complete(args);
    input.end();
    writeCall({ name: wireName, input: args, toolCallId: input.id() ?? id, openai });
  }

  /** Returns true for a wrapper of several calls, unless the host has a tool with that name. */
  function isWrapper(wireName: string): boolean {
    return PARALLEL_WRAPPERS.has(wireName) && !declared.names.has(toToolName(wireName, namespace));
  }

  function writeCall(call: { name: string; input: string; toolCallId: string; openai: JSONObject }): void {
    write({
      type: 'tool-call',
      toolCallId: call.toolCallId,
      toolName: toToolName(call.name, namespace),
      input: call.input.trim() === '' ? '{}' : call.input,
      isComplete: true,
      ...toCallFacts(call.openai, agent),
    });
    onCall();
  }
}

/** Writes the input parts of one call, as soon as the call has an id and a name. */
function createInputParts(write: FunctionCallWriter['write']) {
  /** The id in the parts that were written; undefined before the first. */
  let id: string | undefined;
  const streamed = createTextBuffer();
  /** The number of characters of `streamed` that were written as deltas. */
  let written = 0;

  return {
    id: () => id,
    /** Returns the arguments that were streamed. */
    text: () => streamed.toString(),

    start(startId: string, toolName: string): void {
      id = startId;
      write({ type: 'tool-input-start', id, toolName });
      writeBeginning();
    },

    add(delta: string): void {
      const isNew = streamed.length < BEGINNING;
      streamed.append(delta);
      if (written > 0) writeDelta(delta);
      else if (isNew) writeBeginning();
    },

    /** Writes the rest of the finished arguments, which are authoritative; deltas can be encrypted (GitHub Copilot). */
    complete(args: string): void {
      if (args.startsWith(streamed.toString().slice(0, written))) writeDelta(args.slice(written));
    },

    end(): void {
      if (id !== undefined) write({ type: 'tool-input-end', id });
    },
  };

  /** Writes the first arguments. Text that does not begin an object may be encrypted and waits for the final value. */
  function writeBeginning(): void {
    const beginning = streamed.toString();
    if (/^\s*\{/.test(beginning.slice(0, BEGINNING))) writeDelta(beginning);
  }

  function writeDelta(delta: string): void {
    if (delta === '' || id === undefined) return;
    written += delta.length;
    write({ type: 'tool-input-delta', id, delta });
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

const isTooDeep = (args: string): boolean => isNestedDeeper(args, RESPONSE_LIMITS.nesting);

function isWhole(args: string): boolean {
  if (args.trim() === '') return true;
  return !isTooDeep(args) && isWholeJson(args);
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
function isEmpty(args: string): boolean {
  const start = skipSpace(args, 0);
  const word = ['null', '""'].find(empty => args.startsWith(empty, start));
  if (word !== undefined) return skipSpace(args, start + word.length) >= args.length;
  if (args[start] !== '{' && args[start] !== '[') return start >= args.length;
  const end = skipSpace(args, start + 1);
  return args[end] === (args[start] === '{' ? '}' : ']') && skipSpace(args, end + 1) >= args.length;
}

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
