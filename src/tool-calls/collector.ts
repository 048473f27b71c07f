/** A piece of a tool call, as a stream brings it. */
export interface ToolCallFragment {
  /** The place of the call in the answer. Some servers send 0 for every call, or none at all. */
  readonly index?: number | null;
  /** The id of the call; with the first piece alone, with every piece, or never. An empty one counts as none. */
  readonly id?: string | null;
  /** The tool's name: whole, again with every piece, or itself in pieces. */
  readonly name?: string | null;
  /** The next piece of the arguments' JSON, or the arguments themselves. */
  readonly arguments?: string | object | null;
}

/** A call put together, as the model wrote it. */
export interface CollectedToolCall {
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
 * Puts tool calls together from the fragments of a stream. A fragment belongs to the call of its id, else of its
 * index, else to the latest call. Nothing but the fragments decides: no clock, and no list of names.
 */
export class ToolCallCollector {
  /** In the order in which the calls began. */
  readonly #calls: OpenCall[] = [];
  readonly #byId = new Map<string, OpenCall>();
  /** The latest call at each index. */
  readonly #byIndex = new Map<number, OpenCall>();

  /** Takes the next fragment. */
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

  /** The calls so far, by their index and then in the order in which they began. */
  calls(): CollectedToolCall[] {
    return this.#calls
      .map((call, position) => ({ call, position }))
      .sort((a, b) => toRank(a.call) - toRank(b.call) || a.position - b.position)
      .map(({ call: { id, name, arguments: input } }) => ({ id, name, arguments: input }));
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

  #begin({ index }: ToolCallFragment): OpenCall {
    const call: OpenCall = {
      index: isIndex(index) ? index : undefined,
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
 * Whether a fragment that points at a call is nevertheless the first of another one. Only a first fragment has to have
 * a name: with an id of its own, at an index of its own, or after the arguments of a call that is of another tool or
 * has all of them.
 */
function beginsAnother({ index, id, name, arguments: input }: ToolCallFragment, call: OpenCall): boolean {
  if (!name) return false;
  if (id && call.id !== undefined && id !== call.id) return true;
  if (isIndex(index) && call.index !== undefined && index !== call.index) return true;
  if ((id && id === call.id) || call.arguments === '') return false;
  return !isSameName(name, call.name) || beginsAnew(toText(input), call.arguments);
}

/** Whether arguments are complete and others begin. The same once more is the same call, told twice. */
function beginsAnew(next: string, before: string): boolean {
  if (!next.startsWith('{') || next === before || !before.endsWith('}')) return false;
  try {
    JSON.parse(before);
    return true;
  } catch {
    return false; // The brace is one within the arguments.
  }
}

/** The name with one more piece of it. A name comes once, with every fragment, growing, or in pieces. */
function joinNames(call: OpenCall, name: string): string {
  if (name.startsWith(call.name)) return name;
  return call.arguments === '' && !call.name.startsWith(name) ? call.name + name : call.name;
}

const isSameName = (left: string, right: string): boolean => left.startsWith(right) || right.startsWith(left);

const isIndex = (index: number | null | undefined): index is number => typeof index === 'number';

const toRank = ({ index = Number.MAX_SAFE_INTEGER }: OpenCall): number => index;

const toText = (input: ToolCallFragment['arguments']): string =>
  typeof input === 'string' ? input : (JSON.stringify(input ?? undefined) ?? '');
