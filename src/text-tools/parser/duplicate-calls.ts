import type { CoreCall } from '../../core/call.js';
import type { Part, ToolCall } from '../../core/part.js';
import { toStableJson } from '../../shared/json.js';
import { parseToolArguments } from '../../tool-calls/tool-arguments.js';
import { normalizeToolName } from '../../tool-calls/tool-names.js';

type Emit = (part: Part) => void;

/**
 * Drops the second form of a call that a response contains both natively and as text. Each call of one form drops one
 * call of the other form with the same tool and equal arguments; calls of the same form are never compared.
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

interface HeldCall {
  readonly form: Form;
  readonly name: string;
  readonly parts: Part[];
  /** The complete call. */
  call?: CompleteCall;
}

/** A call whose arguments are compared only if the response contains a call of the same tool in the other form. */
interface CompleteCall {
  readonly name: string;
  readonly input: string;
  /** The tool and the normalized arguments, once they were compared. */
  contents?: string;
}

export function createDuplicateCalls({ tools = [] }: Pick<CoreCall, 'tools'>): DuplicateCalls {
  const schemas = new Map(
    tools.map(tool => [tool.name, tool.type === 'function' ? tool.inputSchema : undefined]),
  );
  const names = new Set(schemas.keys());
  /** The emitted calls that have dropped no call of the other form. */
  const emitted = { native: createEmittedCalls(contentsOf), text: createEmittedCalls(contentsOf) };
  /** The names of native calls whose input is being emitted, by id. */
  const open = new Map<string, string>();
  /** Calls that are held back, by form and id. */
  const held = new Map<string, HeldCall>();

  const toName = (name: string): string => normalizeToolName(name, names) ?? name;

  function contentsOf(call: CompleteCall): string {
    if (call.contents === undefined) {
      const parsed = parseToolArguments(call.input, { schema: schemas.get(call.name) });
      call.contents = `${call.name} ${parsed.success ? toStableJson(parsed.input) : call.input}`;
    }
    return call.contents;
  }

  function add(form: Form, part: Part, emit: Emit): void {
    switch (part.type) {
      case 'tool-input-start': {
        const name = toName(part.toolName);
        if (part.providerExecuted !== true && mayBeDuplicate(form, name)) {
          held.set(`${form} ${part.id}`, { form, name, parts: [part] });
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
        return;
      }
      case 'tool-call':
        if (part.providerExecuted !== true) return complete(form, part, emit);
        open.delete(part.toolCallId);
        break;
    }
    emit(part);
  }

  /** Returns true if a call may be the second form of one that was emitted, or whose input is being emitted. */
  const mayBeDuplicate = (form: Form, name: string): boolean =>
    emitted[OTHER[form]].has(name) || isOpen(form, name);

  const isOpen = (form: Form, name: string): boolean =>
    form === 'text' && open.size > 0 && [...open.values()].includes(name);

  function complete(form: Form, part: ToolCall, emit: Emit): void {
    const id = `${form} ${part.toolCallId}`;
    const { name, parts } = held.get(id) ?? { name: toName(part.toolName), parts: [] };
    const call: CompleteCall = { name, input: part.input };
    held.delete(id);
    const hasStarted = open.delete(part.toolCallId);
    if (hasStarted) {
      if (!dropHeld(call)) emitted[form].add(call);
      emit(part);
      releaseHeld(emit);
      return;
    }
    if (emitted[OTHER[form]].delete(call)) return;
    const complete = { form, name, call, parts: [...parts, part] };
    if (isOpen(form, name)) held.set(id, complete);
    else emitCall(complete, emit);
  }

  /** Drops a held call from text that equals this one, if there is one. */
  function dropHeld(native: CompleteCall): boolean {
    const isEqual = (call: CompleteCall | undefined) =>
      call?.name === native.name && contentsOf(call) === contentsOf(native);
    const [id] = [...held].find(([, { call }]) => isEqual(call)) ?? [];
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
    if (call !== undefined) emitted[form].add(call);
    parts.forEach(emit);
  }

  return {
    native: (part, emit) => add('native', part, emit),
    fromText: (part, emit) => add('text', part, emit),
    end(emit) {
      open.clear();
      for (const call of held.values()) emitCall(call, emit);
      held.clear();
    },
  };
}

/** Counts emitted calls. */
interface EmittedCalls {
  has(name: string): boolean;
  add(call: CompleteCall): void;
  /** Removes one call with these contents. Returns false if there is none. */
  delete(call: CompleteCall): boolean;
}

function createEmittedCalls(contentsOf: (call: CompleteCall) => string): EmittedCalls {
  /** The calls that were not compared yet, by name. */
  const added = new Map<string, CompleteCall[]>();
  const byName = new Map<string, number>();
  const byContents = new Map<string, number>();
  const change = (counts: Map<string, number>, key: string, by: 1 | -1) =>
    void counts.set(key, (counts.get(key) ?? 0) + by);

  function count(name: string): void {
    for (const call of added.get(name) ?? []) change(byContents, contentsOf(call), 1);
    added.delete(name);
  }

  return {
    has: name => (byName.get(name) ?? 0) > 0,
    add(call) {
      change(byName, call.name, 1);
      const calls = added.get(call.name);
      if (calls === undefined) added.set(call.name, [call]);
      else calls.push(call);
    },
    delete(call) {
      if ((byName.get(call.name) ?? 0) === 0) return false;
      count(call.name);
      const contents = contentsOf(call);
      if ((byContents.get(contents) ?? 0) === 0) return false;
      change(byName, call.name, -1);
      change(byContents, contents, -1);
      return true;
    },
  };
}
