import { RESPONSE_LIMITS, ResponseLimitError } from '../../http/limits.js';
import { createTextBuffer } from '../../parts/text-buffer.js';
import type { CallIds } from './call-ids.js';
import { isNestedDeeper } from '../../http/limits.js';
import type { OutputItem, PartWriter } from './output-item.js';
import { isParallelWrapper, toParallelCalls } from './to-parallel-calls.js';
import { idOf, isPlainObject, type PlainObject } from '../../shared/json.js';

/** A call of one of the host's or the loop's functions. */
export interface FunctionCallItem extends OutputItem {
  readonly kind: 'function_call';
  writeArguments(delta: string): void;
  /** `function_call_arguments.done`, where LM Studio sends the arguments and others the name and call id, too. */
  completeArguments(fields: PlainObject): void;
}

export interface FunctionCallWriter extends PartWriter {
  /** The name under which the host declared the tool. */
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  readonly callIds: CallIds;
  readonly declared: { readonly names: ReadonlySet<string> };
  /** Told of each call that came out whole. */
  readonly onCall: () => void;
  /** Told of a call that was cut short. */
  readonly onPartialCall: () => void;
}

/**
 * Streams a call's arguments as they come and writes the call when they are complete. Nothing is shown before name
 * and call id are known, and a call keeps the id under which it was first shown (vLLM changes it later).
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
}: FunctionCallWriter): FunctionCallItem {
  let name = idOf(announced?.name);
  let callId = idOf(announced?.call_id);
  /** The id under which the call is shown, once it is. */
  let shownId: string | undefined;
  const itemId = idOf(announced?.id);
  const streamed = createTextBuffer();
  /** How much of `streamed` the host has been shown. */
  let written = 0;
  let completed: string | undefined;

  start();

  const item: FunctionCallItem = {
    kind: 'function_call',
    closed: false,

    announce(wire) {
      name ??= idOf(wire.name);
      callId ??= idOf(wire.call_id);
      start();
    },

    writeArguments(delta) {
      const isNew = streamed.length < BEGINNING;
      streamed.append(delta);
      if (written > 0) writeDelta(delta);
      else if (isNew) flush();
    },

    completeArguments(fields) {
      completed = argumentsOf(fields) ?? completed;
      name ??= idOf(fields.name);
      callId ??= idOf(fields.call_id);
      start();
    },

    isSameAs: wire => {
      const sameName = name === undefined || idOf(wire.name) === undefined || wire.name === name;
      return sameName && isBeginning(completed ?? streamed.toString(), argumentsOf(wire) ?? '');
    },

    finish(wire, { broken = false } = {}) {
      name ??= idOf(wire?.name);
      const input = argumentsOf(wire) ?? completed ?? (streamed.toString() || argumentsOf(announced)) ?? '';
      if (wire !== undefined && wire.status !== 'incomplete' && !isWhole(input)) {
        // Finished, or cut by the token limit? Some servers call both `completed`: only the end of the response tells.
        completed = input;
        return;
      }
      item.closed = true;
      // Half a call must not run: one that the response stopped in, or whose stream broke before it was whole.
      const isPartial =
        wire?.status === 'incomplete' ||
        (broken && wire === undefined && (completed === undefined || !isWhole(completed)));
      if (name === undefined || isPartial) {
        if (isPartial) onPartialCall();
        return end();
      }
      completed = input;
      if (isTooDeep(input)) {
        end();
        throw new ResponseLimitError(
          'nesting',
          'arrays and objects in each other in the arguments of a call',
        );
      }

      callId ??= idOf(wire?.call_id) ?? idOf(wire?.id) ?? itemId ?? generateId();
      // Announced again: shown a second time, it would run a second time.
      if (callIds.isRepetition(callId, `${name} ${input}`)) return end();

      const calls = isWrapper() ? toParallelCalls(input) : undefined;
      for (const [index, call] of calls?.entries() ?? []) {
        writeCall({ ...call, toolCallId: callIds.take(`${callId}_${index + 1}`) });
      }
      if (calls !== undefined) return;

      if (shownId === undefined) show(callIds.take(callId), name);
      // The arguments of the finished item count; deltas can be ciphertext (GitHub Copilot).
      if (input.startsWith(streamed.toString().slice(0, written))) writeDelta(input.slice(written));
      end();
      const toolCallId = shownId ?? callId;
      writeCall({ name, input, toolCallId, itemId: itemId ?? idOf(wire?.id), isAsync: wire?.async });
    },
  };
  return item;

  /** Shows the call as soon as it can be named. One whose id is taken waits: it may be a repetition. */
  function start(): void {
    if (shownId !== undefined || name === undefined || callId === undefined || isWrapper()) return;
    if (callIds.claim(callId)) show(callId, name);
  }

  function show(id: string, wireName: string): void {
    shownId = id;
    write({ type: 'tool-input-start', id, toolName: toToolName(wireName) });
    flush();
  }

  /** Shows the first arguments. What does not begin an object is ciphertext or worse, and waits for the final value. */
  function flush(): void {
    const beginning = streamed.toString();
    if (/^\s*\{/.test(beginning.slice(0, BEGINNING))) writeDelta(beginning);
  }

  function writeDelta(delta: string): void {
    if (delta === '' || shownId === undefined) return;
    written += delta.length;
    write({ type: 'tool-input-delta', id: shownId, delta });
  }

  function end(): void {
    if (shownId !== undefined) write({ type: 'tool-input-end', id: shownId });
  }

  /** A wrapper around several calls, unless the host has a tool of that name. */
  function isWrapper(): boolean {
    return name !== undefined && isParallelWrapper(name) && !declared.names.has(toToolName(name));
  }

  function writeCall(call: {
    name: string;
    input: string;
    toolCallId: string;
    itemId?: string;
    isAsync?: unknown;
  }): void {
    const { input, toolCallId, isAsync } = call;
    const metadata = {
      ...(call.itemId !== undefined && { itemId: call.itemId }),
      ...(typeof isAsync === 'boolean' && { async: isAsync }),
    };
    write({
      type: 'tool-call',
      toolCallId,
      toolName: toToolName(call.name),
      input: input.trim() === '' ? '{}' : input,
      ...(Object.keys(metadata).length > 0 && { providerMetadata: { openai: metadata } }),
    });
    onCall();
  }
}

/** The arguments as text, which they are on the wire; an object is what a careless server makes of them. */
function argumentsOf(fields: PlainObject | undefined): string | undefined {
  const args = fields?.arguments;
  return isPlainObject(args) ? JSON.stringify(args) : idOf(args);
}

/** How much of the arguments tells whether they begin an object, in characters. */
const BEGINNING = 64;

const isTooDeep = (args: string): boolean => isNestedDeeper(args, RESPONSE_LIMITS.nesting);

function isWhole(args: string): boolean {
  if (args.trim() === '') return true;
  if (isTooDeep(args)) return false;
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether what is known of arguments can be the beginning of what is told of them at the end, where some servers write
 * other white space. Ends at the first difference, for a server may have thousands of calls under one id.
 */
function isBeginning(known: string, told: string): boolean {
  if (isEmpty(known) || isEmpty(told)) return true;
  for (let at = 0, toldAt = 0; ; at++, toldAt++) {
    at = skipSpace(known, at);
    toldAt = skipSpace(told, toldAt);
    if (at >= known.length) return true;
    if (known[at] !== told[toldAt]) return false;
  }
}

/** Nothing, or an object of nothing. */
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
