import { isNestedDeeper, RESPONSE_LIMITS, ResponseLimitError } from '../../http/limits.js';
import { createTextBuffer } from '../../parts/text-buffer.js';
import type { JSONObject, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { subAgentOf } from '../../parts/commentary.js';
import type { CallIds } from './call-ids.js';
import type { OutputItem, PartWriter } from './output-item.js';
import {
  asJson,
  idOf,
  isPlainObject,
  isWholeJson,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
  tryParseJson,
} from '../../shared/json.js';

/** A call of a function that the host or the tool loop runs. */
export interface FunctionCallItem extends OutputItem {
  readonly kind: 'function_call';
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
export function createFunctionCallItem({
  write,
  announced,
  toToolName,
  generateId,
  callIds,
  declared,
  onCall,
  onPartialCall,
  onUnnamedCall,
}: FunctionCallWriter): FunctionCallItem {
  let name: string | undefined;
  let callId: string | undefined;
  let namespace: string | undefined;
  /** Fields that the next request repeats, in the metadata of the call. */
  let openai: SharedV2ProviderMetadata[string] = {};
  let agent: JSONObject | undefined;
  /** The id in the parts that were written; undefined before the first. */
  let partId: string | undefined;
  const streamed = createTextBuffer();
  /** The number of characters of `streamed` that were written as deltas. */
  let written = 0;
  let completed: string | undefined;

  readFields(announced);
  start();

  const item: FunctionCallItem = {
    kind: 'function_call',
    closed: false,

    announce(wire) {
      readFields(wire);
      start();
    },

    writeArguments(delta) {
      const isNew = streamed.length < BEGINNING;
      streamed.append(delta);
      if (written > 0) writeDelta(delta);
      else if (isNew) writeBeginning();
    },

    completeArguments(fields) {
      completed = argumentsOf(fields) ?? completed;
      name ??= idOf(fields.name);
      callId ??= idOf(fields.call_id);
      start();
    },

    isSameAs: wire => {
      const sameName = name === undefined || idOf(wire.name) === undefined || wire.name === name;
      return sameName && isPrefix(completed ?? streamed.toString(), argumentsOf(wire) ?? '');
    },

    finish(wire, { broken = false } = {}) {
      readFields(wire);
      const input = argumentsOf(wire) ?? completed ?? (streamed.toString() || argumentsOf(announced)) ?? '';
      if (wire !== undefined && wire.status !== 'incomplete' && (!isWhole(input) || name === undefined)) {
        // Some servers mark a call that the token limit truncated as `completed`: the end of the response decides.
        // A name that is missing here may follow in the terminal response.
        completed = input;
        return;
      }
      item.closed = true;
      // A truncated call must not run: the response ended inside it, or its stream broke before it was complete.
      const isPartial =
        wire?.status === 'incomplete' ||
        (broken && wire === undefined && (completed === undefined || !isWhole(completed)));
      if (name === undefined || isPartial) {
        if (isPartial) onPartialCall();
        else onUnnamedCall({ ...(callId !== undefined && { toolCallId: callId }), input });
        return end();
      }
      completed = input;
      if (isTooDeep(input)) {
        end();
        throw new ResponseLimitError('nesting', 'levels of nesting in the arguments of a call');
      }

      callId ??= idOf(openai.itemId) ?? generateId();
      // A server announced the call twice: written twice, it would run twice.
      if (callIds.isRepetition(callId, `${name} ${input}`)) return end();

      const calls = isWrapper() ? toParallelCalls(input) : undefined;
      const { itemId: _, ...shared } = openai;
      for (const [index, call] of calls?.entries() ?? []) {
        writeCall({ ...call, toolCallId: callIds.take(`${callId}_${index + 1}`), openai: shared });
      }
      if (calls !== undefined) return;

      if (partId === undefined) writeStart(callIds.take(callId), name);
      // The arguments of the finished item are authoritative; deltas can be encrypted (GitHub Copilot).
      if (input.startsWith(streamed.toString().slice(0, written))) writeDelta(input.slice(written));
      end();
      const toolCallId = partId ?? callId;
      writeCall({ name, input, toolCallId, openai });
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
    if (partId !== undefined || name === undefined || callId === undefined || isWrapper()) return;
    if (callIds.claim(callId)) writeStart(callId, name);
  }

  function writeStart(id: string, wireName: string): void {
    partId = id;
    write({ type: 'tool-input-start', id, toolName: toToolName(wireName, namespace) });
    writeBeginning();
  }

  /** Writes the first arguments. Text that does not begin an object may be encrypted and waits for the final value. */
  function writeBeginning(): void {
    const beginning = streamed.toString();
    if (/^\s*\{/.test(beginning.slice(0, BEGINNING))) writeDelta(beginning);
  }

  function writeDelta(delta: string): void {
    if (delta === '' || partId === undefined) return;
    written += delta.length;
    write({ type: 'tool-input-delta', id: partId, delta });
  }

  function end(): void {
    if (partId !== undefined) write({ type: 'tool-input-end', id: partId });
  }

  /** Returns true for a wrapper of several calls, unless the host has a tool with that name. */
  function isWrapper(): boolean {
    return (
      name !== undefined && PARALLEL_WRAPPERS.has(name) && !declared.names.has(toToolName(name, namespace))
    );
  }

  function writeCall(call: {
    name: string;
    input: string;
    toolCallId: string;
    openai: SharedV2ProviderMetadata[string];
  }): void {
    const { input, toolCallId } = call;
    const providerMetadata = {
      ...(Object.keys(call.openai).length > 0 && { openai: call.openai }),
      ...(agent !== undefined && { kelivo: { agent } }),
    };
    write({
      type: 'tool-call',
      toolCallId,
      toolName: toToolName(call.name, namespace),
      input: input.trim() === '' ? '{}' : input,
      ...(Object.keys(providerMetadata).length > 0 && { providerMetadata }),
    });
    onCall();
  }
}

/** Returns the fields of a call that the next request repeats, as the official provider for `ai@7` names them. */
export function toCallMetadata({
  id,
  async,
  namespace,
  caller,
}: PlainObject): SharedV2ProviderMetadata[string] {
  const itemId = idOf(id);
  const ownNamespace = idOf(namespace);
  const callerId = objectOf(caller)?.caller_id;
  return {
    ...(itemId !== undefined && { itemId }),
    ...(typeof async === 'boolean' && { async }),
    ...(ownNamespace !== undefined && { namespace: ownNamespace }),
    ...(isPlainObject(caller) && {
      caller: callerId === undefined ? asJson(caller) : { type: 'program', callerId: asJson(callerId) },
    }),
  };
}

/** Returns the arguments as text. Some servers send an object instead of a string. */
function argumentsOf(fields: PlainObject | undefined): string | undefined {
  const args = fields?.arguments;
  return isPlainObject(args) ? JSON.stringify(args) : idOf(args);
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

/** Returns true for empty text and for an empty object. */
function isEmpty(args: string): boolean {
  const start = skipSpace(args, 0);
  if (args[start] !== '{') return start >= args.length;
  const end = skipSpace(args, start + 1);
  return args[end] === '}' && skipSpace(args, end + 1) >= args.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Wrapper names under which OpenAI's models sometimes combine several calls (vercel/ai#19098). */
const PARALLEL_WRAPPERS: ReadonlySet<string> = new Set(['parallel', 'multi_tool_use.parallel']);

/** Returns the calls in the arguments of a wrapper, or undefined if there are none. */
function toParallelCalls(args: string): { name: string; input: string }[] | undefined {
  const calls = objectsOf(objectOf(tryParseJson(args))?.tool_uses).map(
    ({ recipient_name: recipient, parameters }) => ({
      name: stringOf(recipient).replace(/^functions\./, ''),
      input: JSON.stringify(parameters ?? {}),
    }),
  );
  return calls.length > 0 && calls.every(({ name }) => name !== '') ? calls : undefined;
}
