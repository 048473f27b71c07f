import type {
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV2ToolCall,
} from '@ai-sdk/provider';
import { toStableJson } from '../shared/json.js';
import { parseToolArguments } from '../tool-calls/tool-arguments.js';
import { normalizeToolName } from '../tool-calls/tool-names.js';

type Part = LanguageModelV2StreamPart;
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
  /** The tool and the arguments, once they are complete. */
  contents?: string;
}

export function createDuplicateCalls({
  tools = [],
}: Pick<LanguageModelV2CallOptions, 'tools'>): DuplicateCalls {
  const schemas = new Map(
    tools.map(tool => [tool.name, tool.type === 'function' ? tool.inputSchema : undefined]),
  );
  const names = new Set(schemas.keys());
  /** The emitted calls that have dropped no call of the other form. */
  const emitted = { native: createEmittedCalls(), text: createEmittedCalls() };
  /** The names of native calls whose input is being emitted, by id. */
  const open = new Map<string, string>();
  /** Calls that are held back, by form and id. */
  const held = new Map<string, HeldCall>();

  const toName = (name: string): string => normalizeToolName(name, names) ?? name;

  function toContents({ toolName, input }: LanguageModelV2ToolCall): string {
    const name = toName(toolName);
    const parsed = parseToolArguments(input, { schema: schemas.get(name) });
    return `${name} ${parsed.success ? toStableJson(parsed.input) : input}`;
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
        const call = held.get(`${form} ${part.id}`);
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

  const isOpen = (form: Form, name: string): boolean => form === 'text' && [...open.values()].includes(name);

  function complete(form: Form, part: LanguageModelV2ToolCall, emit: Emit): void {
    const id = `${form} ${part.toolCallId}`;
    const { name, parts } = held.get(id) ?? { name: toName(part.toolName), parts: [] };
    const contents = toContents(part);
    held.delete(id);
    const hasStarted = open.delete(part.toolCallId);
    if (hasStarted) {
      if (!dropHeld(contents)) emitted[form].add({ name, contents });
      emit(part);
      releaseHeld(emit);
      return;
    }
    if (emitted[OTHER[form]].delete({ name, contents })) return;
    const call = { form, name, contents, parts: [...parts, part] };
    if (isOpen(form, name)) held.set(id, call);
    else emitCall(call, emit);
  }

  /** Drops a held call from text with these contents, if there is one. */
  function dropHeld(contents: string): boolean {
    const [id] = [...held].find(([, call]) => call.contents === contents) ?? [];
    return id !== undefined && held.delete(id);
  }

  /** Emits the complete calls from text that no native call can duplicate any more. */
  function releaseHeld(emit: Emit): void {
    for (const [id, call] of held) {
      if (call.contents === undefined || isOpen(call.form, call.name)) continue;
      held.delete(id);
      emitCall(call, emit);
    }
  }

  function emitCall({ form, name, contents, parts }: HeldCall, emit: Emit): void {
    if (contents !== undefined) emitted[form].add({ name, contents });
    parts.forEach(emit);
  }

  return {
    native: (part, emit) => add('native', part, emit),
    fromText: (part, emit) => add('text', part, emit),
    end(emit) {
      open.clear();
      // The text of an incomplete call from text was emitted as text.
      for (const call of held.values())
        if (call.form === 'native' || call.contents !== undefined) emitCall(call, emit);
      held.clear();
    },
  };
}

/** Counts emitted calls. */
interface EmittedCalls {
  has(name: string): boolean;
  add(call: EmittedCall): void;
  /** Removes one call with these contents. Returns false if there is none. */
  delete(call: EmittedCall): boolean;
}

interface EmittedCall {
  readonly name: string;
  readonly contents: string;
}

function createEmittedCalls(): EmittedCalls {
  const byName = new Map<string, number>();
  const byContents = new Map<string, number>();
  const change = (counts: Map<string, number>, key: string, by: 1 | -1) =>
    void counts.set(key, (counts.get(key) ?? 0) + by);
  return {
    has: name => (byName.get(name) ?? 0) > 0,
    add({ name, contents }) {
      change(byName, name, 1);
      change(byContents, contents, 1);
    },
    delete({ name, contents }) {
      if ((byContents.get(contents) ?? 0) === 0) return false;
      change(byName, name, -1);
      change(byContents, contents, -1);
      return true;
    },
  };
}
