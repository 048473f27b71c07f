import type { OutputItem, PartWriter } from './output-item.js';
import { idOf, textOf, type WireRecord } from './wire-values.js';

/** A call of one of the host's or the loop's functions. */
export interface FunctionCallItem extends OutputItem {
  readonly kind: 'function_call';
  /** The call id under which the call is, or will be, shown. */
  readonly callId: string | undefined;
  writeArguments(delta: string): void;
  /** `function_call_arguments.done`, where LM Studio sends the arguments and others the name and call id, too. */
  completeArguments(fields: WireRecord): void;
}

export interface FunctionCallWriter extends PartWriter {
  /** The name under which the host declared the tool. */
  readonly toToolName: (wireName: string) => string;
  readonly generateId: () => string;
  /** Told of each call that came out whole. */
  readonly onCall: () => void;
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
  onCall,
}: FunctionCallWriter): FunctionCallItem {
  let name = idOf(announced?.name);
  let callId = idOf(announced?.call_id);
  const itemId = idOf(announced?.id);
  let streamed = '';
  /** How much of `streamed` the host has been shown. */
  let written = 0;
  let started = false;
  let completed: string | undefined;

  start();

  const item: FunctionCallItem = {
    kind: 'function_call',
    closed: false,
    get callId() {
      return callId;
    },

    writeArguments(delta) {
      streamed += delta;
      if (written > 0) writeDelta(delta);
      else flush();
    },

    completeArguments(fields) {
      completed = idOf(fields.arguments) ?? completed;
      name ??= idOf(fields.name);
      callId ??= idOf(fields.call_id);
      start();
    },

    isSameAs: wire => {
      const sameName = name === undefined || idOf(wire.name) === undefined || wire.name === name;
      const known = completed ?? streamed;
      return sameName && (known.trim() === '' || textOf(wire.arguments).startsWith(known));
    },

    finish(wire, { broken = false } = {}) {
      item.closed = true;
      name ??= idOf(wire?.name);
      const input =
        idOf(wire?.arguments) ?? completed ?? (streamed !== '' ? streamed : textOf(announced?.arguments));
      // Half a call must not run: one that the response stopped in, or whose stream broke before it was whole.
      const isPartial =
        wire?.status === 'incomplete' || (broken && wire === undefined && completed === undefined);
      if (name === undefined || isPartial) return end();

      callId ??= idOf(wire?.call_id) ?? idOf(wire?.id) ?? itemId ?? generateId();
      start();
      // The arguments of the finished item count; deltas can be ciphertext (GitHub Copilot).
      if (input.startsWith(streamed.slice(0, written))) writeDelta(input.slice(written));
      end();
      const finalItemId = itemId ?? idOf(wire?.id);
      write({
        type: 'tool-call',
        toolCallId: callId,
        toolName: toToolName(name),
        input: input.trim() === '' ? '{}' : input,
        ...(finalItemId !== undefined && { providerMetadata: { openai: { itemId: finalItemId } } }),
      });
      onCall();
    },
  };
  return item;

  function start(): void {
    if (started || name === undefined || callId === undefined) return;
    started = true;
    write({ type: 'tool-input-start', id: callId, toolName: toToolName(name) });
    flush();
  }

  /** Shows the first arguments. What does not begin an object is ciphertext or worse, and waits for the final value. */
  function flush(): void {
    if (started && /^\s*\{/.test(streamed.slice(0, 64))) writeDelta(streamed);
  }

  function writeDelta(delta: string): void {
    if (delta === '' || callId === undefined) return;
    written += delta.length;
    write({ type: 'tool-input-delta', id: callId, delta });
  }

  function end(): void {
    if (started && callId !== undefined) write({ type: 'tool-input-end', id: callId });
  }
}
