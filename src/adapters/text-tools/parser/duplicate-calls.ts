import type { CoreCall } from '../../../core/call.js';
import type { Part, ToolCall } from '../../../core/part.js';
import type { Tool } from '../../../core/prompt.js';
import { toStableJson } from '../../../core/shared/json.js';
import { parseToolArguments } from '../../../core/tool-calls/tool-arguments.js';
import { normalizeToolName } from '../../../core/tool-calls/tool-names.js';
import { MIN_STREAMED } from './call-reader.js';

type Emit = (part: Part) => void;

/**
 * Drops the second form of a call that a response contains both natively and as text. Each call of one form drops one
 * call of the other form with the same tool and equal arguments; calls of the same form are never compared.
 *
 * The native call is kept, because the server knows its id. A short call from text therefore waits, with what follows it,
 * until its native form takes its place, or the response ends. A long one has started to stream, so that it is kept.
 *
 * Input streams at once, unless the call may be the second form of an earlier one: it is then held back until its
 * arguments are complete, so that no input of a dropped call is emitted.
 */
export interface DuplicateCalls {
  /** Emits a part of the model. */
  native(part: Part, emit: Emit): void;
  /** Emits a part that was read from text. */
  fromText(part: Part, emit: Emit): void;
  /** Emits what is held back at the end of the response. */
  end(emit: Emit): void;
}

type Form = 'native' | 'text';
const OTHER = { native: 'text', text: 'native' } as const;

/** The most characters that wait behind a call from text. */
const MAX_WAITING = 512;

interface HeldCall {
  readonly form: Form;
  readonly name: string;
  readonly parts: Part[];
  /** It may be the second form of a call, so its input does not stream. */
  readonly isSecond?: boolean;
  call?: CompleteCall;
}

/** A call whose arguments are compared only if the response contains a call of the same tool in the other form. */
interface CompleteCall {
  readonly name: string;
  readonly input: string;
  /** The tool and the normalized arguments, once they were compared. */
  contents?: string;
}

/** @param minStreamed Calls from text with less input are complete when they start. */
export function createDuplicateCalls(
  { tools = [] }: Pick<CoreCall, 'tools'>,
  minStreamed = MIN_STREAMED,
): DuplicateCalls {
  const names = new Set(tools.map(tool => tool.name));
  const isSame = createComparison(tools);
  /** The emitted calls that have dropped no call of the other form. */
  const emitted = { native: createEmittedCalls(isSame), text: createEmittedCalls(isSame) };
  /** The names of native calls whose input is being emitted, by id. */
  const open = new Map<string, string>();
  /** The ids of calls from text whose input is being emitted. */
  const streamed = new Set<string>();
  /** Calls that are held back, by form and id. */
  const held = new Map<string, HeldCall>();

  const waiting = createWaitingCalls({ isSame, onRelease: call => emitted.text.add(call) });

  const toName = (name: string): string => normalizeToolName(name, names) ?? name;

  function add(form: Form, part: Part, emit: Emit): void {
    switch (part.type) {
      case 'tool-input-start': {
        const name = toName(part.toolName);
        const isSecond = part.providerExecuted !== true && mayBeDuplicate(form, name);
        if (isSecond || form === 'text') {
          held.set(`${form} ${part.id}`, { form, name, parts: [part], isSecond });
          return;
        }
        if (form === 'native') open.set(part.id, name);
        break;
      }
      case 'tool-input-delta':
      case 'tool-input-end': {
        const call = held.size === 0 ? undefined : held.get(`${form} ${part.id}`);
        if (call === undefined) break;
        call.parts.push(part);
        if (!call.isSecond && part.type === 'tool-input-delta' && part.delta.length >= minStreamed) {
          held.delete(`${form} ${part.id}`);
          streamed.add(part.id);
          for (const one of call.parts) waiting.pass(one, emit);
        }
        return;
      }
      case 'tool-call':
        if (part.providerExecuted !== true) return complete(form, part, emit);
        open.delete(part.toolCallId);
        break;
    }
    waiting.pass(part, emit);
  }

  /** Returns true if a call may be the second form of one that was emitted, or whose input is being emitted. */
  const mayBeDuplicate = (form: Form, name: string): boolean =>
    emitted[OTHER[form]].has(name) || isOpen(form, name) || (form === 'native' && waiting.has(name));

  const isOpen = (form: Form, name: string): boolean =>
    form === 'text' && open.size > 0 && [...open.values()].includes(name);

  function complete(form: Form, part: ToolCall, emit: Emit): void {
    const id = `${form} ${part.toolCallId}`;
    const { name, parts } = held.get(id) ?? { name: toName(part.toolName), parts: [] };
    const call: CompleteCall = { name, input: part.input };
    held.delete(id);
    const hasStarted = open.delete(part.toolCallId) || streamed.delete(part.toolCallId);
    if (hasStarted) {
      if (form === 'text' || !dropHeld(call)) emitted[form].add(call);
      waiting.pass(part, emit);
      releaseHeld(emit);
      return;
    }
    if (emitted[OTHER[form]].delete(call)) return;
    if (form === 'native' && waiting.replace(call, [...parts, part], emit)) return;
    const complete = { form, name, call, parts: [...parts, part] };
    if (isOpen(form, name)) held.set(id, complete);
    else emitCall(complete, emit);
  }

  /** Drops a held call from text that equals this one, if there is one. */
  function dropHeld(native: CompleteCall): boolean {
    const [id] = [...held].find(([, { call }]) => isSame(call, native)) ?? [];
    return id !== undefined && held.delete(id);
  }

  /** Emits the complete calls from text that no native call can duplicate any more. */
  function releaseHeld(emit: Emit): void {
    for (const [id, call] of held) {
      if (call.call === undefined || isOpen(call.form, call.name)) continue;
      held.delete(id);
      emitCall(call, emit);
    }
  }

  function emitCall({ form, call, parts }: HeldCall, emit: Emit): void {
    if (call !== undefined && form === 'text') return waiting.add(call, parts);
    if (call !== undefined) emitted[form].add(call);
    for (const part of parts) waiting.pass(part, emit);
  }

  return {
    native: (part, emit) => add('native', part, emit),
    fromText: (part, emit) => add('text', part, emit),
    end(emit) {
      open.clear();
      for (const call of held.values()) emitCall(call, emit);
      held.clear();
      waiting.release(emit);
    },
  };
}

/** Returns a function that compares the tools and the normalized arguments of calls. */
function createComparison(tools: readonly Tool[]) {
  const schemas = new Map(
    tools.map(tool => [tool.name, tool.type === 'function' ? tool.inputSchema : undefined]),
  );

  function contentsOf(call: CompleteCall): string {
    if (call.contents === undefined) {
      const parsed = parseToolArguments(call.input, { schema: schemas.get(call.name) });
      call.contents = `${call.name} ${parsed.success ? toStableJson(parsed.input) : call.input}`;
    }
    return call.contents;
  }

  return (call: CompleteCall | undefined, other: CompleteCall): boolean =>
    call?.name === other.name && contentsOf(call) === contentsOf(other);
}

/** What waits in its order: a call from text that may have a native form, or other parts. */
interface Waiting {
  parts: Part[];
  call?: CompleteCall | undefined;
}

/** Calls from text that may have a native form, and the parts after them, in their order. */
function createWaitingCalls(options: {
  isSame: ReturnType<typeof createComparison>;
  /** Receives each call that is emitted in its form from text. */
  onRelease: (call: CompleteCall) => void;
}) {
  let waiting: Waiting[] = [];
  let size = 0;

  function release(emit: Emit): void {
    const released = waiting;
    waiting = [];
    size = 0;
    for (const { call, parts } of released) {
      if (call !== undefined) options.onRelease(call);
      parts.forEach(emit);
    }
  }

  return {
    release,
    has: (name: string): boolean => waiting.some(entry => entry.call?.name === name),
    add: (call: CompleteCall, parts: Part[]): void => void waiting.push({ parts, call }),
    /** Emits a part, behind the calls that wait. */
    pass(part: Part, emit: Emit): void {
      const last = waiting.at(-1);
      if (last === undefined) return emit(part);
      if (last.call === undefined) last.parts.push(part);
      else waiting.push({ parts: [part] });
      if ('delta' in part) size += part.delta.length;
      if (size > MAX_WAITING) release(emit);
    },
    /** Puts a native call in the place of its form from text, if that waits. */
    replace(native: CompleteCall, parts: Part[], emit: Emit): boolean {
      const same = waiting.find(entry => options.isSame(entry.call, native));
      if (same === undefined) return false;
      same.parts = parts;
      same.call = undefined;
      if (waiting.every(entry => entry.call === undefined)) release(emit);
      return true;
    },
  };
}

/** Emitted calls by the name of their tool. */
function createEmittedCalls(isSame: ReturnType<typeof createComparison>) {
  const byName = new Map<string, CompleteCall[]>();
  return {
    has: (name: string): boolean => (byName.get(name)?.length ?? 0) > 0,
    add(call: CompleteCall): void {
      const calls = byName.get(call.name) ?? [];
      calls.push(call);
      byName.set(call.name, calls);
    },
    /** Removes one equal call. Returns false if there is none. */
    delete(call: CompleteCall): boolean {
      const calls = byName.get(call.name) ?? [];
      const found = calls.findIndex(other => isSame(other, call));
      if (found >= 0) calls.splice(found, 1);
      return found >= 0;
    },
  };
}
