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
 * else to the latest call. The result depends only on the fragments, not on timing or on known tool names.
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
        ...{ id, name, arguments: input },
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
