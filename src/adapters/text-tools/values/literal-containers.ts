import { allowsAny, toAllowedJson } from '../../../core/tool-calls/schema-repair.js';
import type { Reading, TextCursor } from '../reading/text-cursor.js';

/*
 * The containers of literals that are no JSON: lists and dicts of Python, objects of Gemma, and the arguments of their
 * calls. A dialect reads its keys and the values in them.
 */

/** Receives JSON as it becomes certain. */
export type Write = (json: string) => void;

/** Writes `start` with the first part of a value, so that an invalid value writes nothing. */
function after(start: string, write: Write): Write {
  let rest = start;
  return json => {
    write(rest + json);
    rest = '';
  };
}

/** Takes the comma between two values. Returns false for other text before the end of the container. */
function* takesSeparator(cursor: TextCursor, close: string): Reading<boolean> {
  yield* cursor.takeSpace();
  return (yield* cursor.takes(',')) || (yield* cursor.peek()) === close;
}

interface Items {
  readonly close: string;
  /** The bracket and the first item were written. */
  readonly isOpen?: boolean;
  readItem(write: Write): Reading<boolean>;
}

/** Reads the items of a list up to its closing bracket, and writes them as JSON. */
export function* readItems(cursor: TextCursor, write: Write, items: Items): Reading<boolean> {
  let separator = items.isOpen ? ',' : '[';
  for (;;) {
    yield* cursor.takeSpace();
    if (yield* cursor.takes(items.close)) break;
    if (!(yield* items.readItem(after(separator, write)))) return false;
    separator = ',';
    if (!(yield* takesSeparator(cursor, items.close))) return false;
  }
  write(separator === '[' ? '[]' : ']');
  return true;
}

interface Members {
  readonly close: string;
  /** The first key, if it was taken. */
  readonly first?: string;
  /** A later value replaces an earlier one. @default false */
  readonly mayRepeat?: boolean;
  isForbidden(key: string): boolean;
  /** Takes a key and what separates it from its value. */
  readKey(): Reading<string | undefined>;
  readValue(write: Write, key: string): Reading<boolean>;
  /** The schemas of arguments, as which the values are written. */
  readonly schemas?: { readonly of: Readonly<Record<string, unknown>> | undefined; readonly root: unknown };
}

/** Reads the members of an object up to its closing bracket, and writes them as JSON. */
export function* readMembers(cursor: TextCursor, write: Write, members: Members): Reading<boolean> {
  const keys = new Set<string>();
  for (let known = members.first; ; known = undefined) {
    yield* cursor.takeSpace();
    if (known === undefined && (yield* cursor.takes(members.close))) break;
    const key = known ?? (yield* members.readKey());
    if (key === undefined || members.isForbidden(key) || (!members.mayRepeat && keys.has(key))) return false;
    const start = `${keys.size === 0 ? '{' : ','}${JSON.stringify(key)}:`;
    const value = createAllowedValue(after(start, write), members.schemas?.of?.[key], members.schemas?.root);
    keys.add(key);
    yield* cursor.takeSpace();
    if (!(yield* members.readValue(value.write, key))) return false;
    value.end();
    if (!(yield* takesSeparator(cursor, members.close))) return false;
  }
  write(keys.size === 0 ? '{}' : '}');
  return true;
}

/** Writes the JSON of one value as its schema requires. */
interface AllowedValue {
  write(json: string): void;
  end(): void;
}

/** Streams a string if the schema allows any. Buffers other values, and converts them when they are complete. */
function createAllowedValue(write: (json: string) => void, schema: unknown, root: unknown): AllowedValue {
  let buffer = '';
  let streams: boolean | undefined = schema === undefined ? true : undefined;
  return {
    write(json) {
      if (json === '') return;
      streams ??= json.startsWith('"') && allowsAny('', schema, root);
      if (streams) write(json);
      else buffer += json;
    },
    end() {
      if (buffer !== '') write(toAllowedJson(buffer, schema, root));
    },
  };
}
