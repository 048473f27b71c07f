import { isPlainObject, type PlainObject, tryParseJson } from '../../../core/shared/json.js';
import { readJson, repairJson } from '../../../core/tool-calls/json-repair.js';
import {
  itemSchema,
  propertySchema,
  resolveSchema,
  toProperties,
} from '../../../core/tool-calls/json-schema.js';
import {
  allowsAny,
  containerSchemaOf,
  mayBeWrapper,
  repairBySchema,
  toAllowedJson,
  unwrapCall,
  writeJson,
} from '../../../core/tool-calls/schema-repair.js';
import { JsonScanner, isPrototypeKey, isSafeJson } from './json-scanner.js';
import { Known, type Reading, TextCursor } from '../reading/text-cursor.js';
import type { DeclaredTool } from '../reading/text-tool-format.js';

const SPACE = String.raw`[ \t\n\r]*`;
/** A string whose characters need no decoding. */
const PLAIN = String.raw`[^"\\\u0000-\u001f]`;
const SHORT_STRING = new RegExp(`"${PLAIN}{0,255}"`, 'y');
const KEY = `${SPACE}"(${PLAIN}{0,255})"${SPACE}:${SPACE}(?=[^ \\t\\n\\r])`;
/** The first key of an object, and a later one, with their punctuation. */
export const FIRST_KEY = new RegExp(`\\{${KEY}`, 'y');
export const NEXT_KEY = new RegExp(`${SPACE},${KEY}`, 'y');

/** A key or name, and one that the missing text may continue. */
const STRING = `"${PLAIN}*"${SPACE}`;
const OPEN_STRING = `"${PLAIN}*(?:"${SPACE})?`;
const OPEN_KEY = `(?:${OPEN_STRING}|${STRING}:${SPACE})?`;
/** The start of arguments up to the first value. */
export const BEFORE_ARGUMENTS = new RegExp(`^${SPACE}(?:\\{${SPACE}${OPEN_KEY})?$`);
/** The text after a value up to the next one. */
const BEFORE_ARGUMENT = new RegExp(`^${SPACE}(?:,${SPACE}${OPEN_KEY})?$`);
/** The start of a call, or of a list of calls, up to the first value of the arguments. */
export const BEFORE_CALL = new RegExp(
  `^[ \\t\\n\\r[]*(?:\\{${SPACE}(?:${STRING}:${SPACE}${STRING},${SPACE})*` +
    `(?:${OPEN_STRING}|${STRING}:${SPACE}(?:${OPEN_STRING}|\\{${SPACE}${OPEN_KEY})?)?)?$`,
);

/** The maximum text that is awaited. */
const MAX_WAIT = 512;

/**
 * Waits while the available text matches, because nothing can be emitted before a value starts. Each chunk that resumes
 * a reading costs more than the test.
 */
export const waitWhile = (cursor: TextCursor, text: RegExp): Reading<void> =>
  cursor.takeEach(() => {
    const rest = cursor.rest();
    return rest.length > MAX_WAIT || !text.test(rest);
  });

/**
 * Reads the arguments of a call as strict JSON, and emits them as soon as they are certain. Values that the tool's schema
 * does not allow are converted at every level, when they are complete, as `parseToolArguments` does.
 *
 * @returns the end of the arguments, which must be emitted when the call is complete, or undefined if they are malformed.
 */
export function* readJsonArguments(
  cursor: TextCursor,
  emit: (json: string) => void,
  tool: DeclaredTool | undefined,
): Reading<string | undefined> {
  const schema = tool?.schema;
  for (;;) {
    const json = yield* createArgumentsReader(cursor, emit, schema).readArguments();
    // Some models start with an empty object, as Anthropic's streams do.
    const isStart = json !== undefined && /^\{\s*\}$/.test(json) && (yield* cursor.peek()) === '{';
    if (!isStart) return json;
  }
}

/** The nesting up to which values are converted while they stream. Deeper values are converted as a whole. */
const MAX_STREAMED_DEPTH = 16;

/** Reads the keys and the punctuation between values, and holds the text that is not emitted. */
function createGaps(cursor: TextCursor) {
  const gaps = {
    /** Complete text that is not certain, because its meaning depends on the text after it. */
    pending: '',
    /** The latest key. Undefined if it was malformed. */
    key: undefined as string | undefined,

    /** Takes a key and its punctuation if all of it is available. */
    takesKey(expression: RegExp): boolean {
      const found = cursor.takeMatch(expression);
      if (found === undefined) return false;
      gaps.pending += found[0];
      gaps.key = found[1];
      return true;
    },

    *readKey(): Reading<void> {
      gaps.key = undefined;
      if (!(yield* gaps.takesSpace())) return;
      const string = yield* takeJsonString(cursor);
      if (string === undefined) return;
      gaps.pending += string.json;
      if ((yield* gaps.takesSpace()) && (yield* gaps.takes(':')) && (yield* gaps.takesSpace()))
        gaps.key = string.value;
    },

    *takes(punctuation: string): Reading<boolean> {
      const isNext = yield* cursor.takes(punctuation);
      if (isNext) gaps.pending += punctuation;
      return isNext;
    },

    /** Takes white space. Returns false if JSON does not allow it. */
    *takesSpace(): Reading<boolean> {
      const space = yield* cursor.takeSpace();
      gaps.pending += space;
      return space === '' || /^[ \t\n\r]*$/.test(space);
    },
  };
  return gaps;
}

interface Value {
  readonly schema: unknown;
  readonly isStreamed: boolean;
  /** The number of containers around the value. */
  readonly depth: number;
}

function createArgumentsReader(cursor: TextCursor, emit: (json: string) => void, root: unknown) {
  const schemas = createContainerSchemas(root);
  const gaps = createGaps(cursor);

  function* readArguments(): Reading<string | undefined> {
    let isHeld = false;
    const isRead = yield* readMembers(1, (key, isFirst) => {
      if (isFirst) isHeld = mayBeWrapper(key, root);
      return { schema: schemas.property(root, key), isStreamed: !isHeld };
    });
    if (!isRead) return undefined;
    return isHeld ? unwrap(gaps.pending, root) : gaps.pending;
  }

  /** Reads an object. Each value streams if its schema allows it. */
  function* readMembers(
    depth: number,
    toMember: (key: string, isFirst: boolean) => { schema: unknown; isStreamed: boolean },
  ): Reading<boolean> {
    if (!gaps.takesKey(FIRST_KEY)) {
      if (!(yield* gaps.takes('{')) || !(yield* gaps.takesSpace())) return false;
      if (yield* gaps.takes('}')) return true;
      yield* gaps.readKey();
    }
    for (let isFirst = true; ; isFirst = false) {
      const { key } = gaps;
      if (key === undefined || (depth === 1 ? isPrototypeKey(key) : key === '__proto__')) return false;
      const { schema, isStreamed } = toMember(key, isFirst);
      if (!(yield* readValue(yield* cursor.peek(), { schema, isStreamed, depth }))) return false;
      yield* waitWhile(cursor, BEFORE_ARGUMENT);
      if (gaps.takesKey(NEXT_KEY)) continue;
      if (!(yield* gaps.takesSpace())) return false;
      if (!(yield* gaps.takes(','))) break;
      yield* gaps.readKey();
    }
    return yield* gaps.takes('}');
  }

  /** Reads an array whose items stream if their schema allows it. */
  function* readItems(schema: unknown, depth: number): Reading<boolean> {
    if (!(yield* gaps.takes('[')) || !(yield* gaps.takesSpace())) return false;
    if (yield* gaps.takes(']')) return true;
    for (let index = 0; ; index++) {
      const item = schemas.item(schema, index);
      if (!(yield* readValue(yield* cursor.peek(), { schema: item, isStreamed: true, depth }))) return false;
      if (!(yield* gaps.takesSpace())) return false;
      if (!(yield* gaps.takes(','))) break;
      if (!(yield* gaps.takesSpace())) return false;
    }
    return yield* gaps.takes(']');
  }

  function readValue(first: string | undefined, { schema, isStreamed, depth }: Value): Reading<boolean> {
    if (first === '"') {
      const streams = isStreamed && schemas.allowsAnyString(schema);
      const string = cursor.takeMatch(SHORT_STRING)?.[0];
      if (string === undefined) return scanValue({ schema, isStreamed: streams, depth });
      if (streams) emit(gaps.pending + string.slice(0, -1));
      gaps.pending = streams ? '"' : gaps.pending + toAllowed(string, schema);
      return new Known(true);
    }
    const isContainer = first === '{' || first === '[';
    if (!isContainer || !isStreamed) return scanWord({ schema, isStreamed, depth });
    const inner = schemas.container(schema, first);
    if (inner === 'any') return scanValue({ schema, isStreamed, depth });
    if (inner === 'none' || depth >= MAX_STREAMED_DEPTH)
      return scanValue({ schema, isStreamed: false, depth });
    if (first === '[') return readItems(inner.schema, depth + 1);
    return readMembers(depth + 1, key => ({ schema: schemas.property(inner.schema, key), isStreamed }));
  }

  /** Reads a number or constant. Within other values it is emitted, because a long list may consist of them. */
  function* scanWord(value: Value): Reading<boolean> {
    const isRead = yield* scanValue({ ...value, isStreamed: false });
    if (isRead && value.isStreamed && value.depth > 1) {
      emit(gaps.pending);
      gaps.pending = '';
    }
    return isRead;
  }

  function* scanValue(value: Value): Reading<boolean> {
    const scanner = new JsonScanner(value.depth);
    let emitted = 0;
    let rest = '';
    yield* cursor.takeEach(() => {
      rest += cursor.take(scanner.push(cursor.rest()));
      if (value.isStreamed && scanner.certain > emitted) {
        const count = scanner.certain - emitted;
        emit(gaps.pending + rest.slice(0, count));
        gaps.pending = '';
        rest = rest.slice(count);
        emitted = scanner.certain;
      }
      return scanner.state !== 'open';
    });
    if (scanner.state !== 'complete') return false;
    gaps.pending += value.isStreamed ? rest : toAllowed(rest, value.schema);
    return true;
  }

  const toAllowed = (json: string, schema: unknown): string => toAllowedJson(json, schema, root);

  return { readArguments };
}

/** The schema of a container whose values are read one by one, `any` if none of them is converted, or `none`. */
type Container = { readonly schema: PlainObject } | 'any' | 'none';

/** Finds the schemas of values within containers, each once. */
function createContainerSchemas(root: unknown) {
  const toObject = bySchema(schema => toContainer(schema, '{'));
  const toArray = bySchema(schema => toContainer(schema, '['));
  const propertiesOf = bySchema(schema => toProperties(schema, root));

  function toContainer(schema: unknown, first: '{' | '['): Container {
    const resolved = containerSchemaOf(first === '{' ? {} : [], schema, root);
    if (resolved === undefined) return 'none';
    const isAny =
      first === '{'
        ? toProperties(resolved, root) === undefined && propertySchema(resolved, '') === true
        : resolved.prefixItems === undefined && itemSchema(resolved, 0) === true;
    return isAny ? 'any' : { schema: resolved };
  }

  return {
    property: (schema: unknown, key: string): unknown =>
      propertiesOf(schema)?.[key] ?? propertySchema(resolveSchema(schema, root), key),
    allowsAnyString: bySchema(schema => allowsAny('', schema, root)),
    item: (schema: unknown, index: number): unknown => itemSchema(resolveSchema(schema, root), index),
    container: (schema: unknown, first: '{' | '['): Container => (first === '{' ? toObject : toArray)(schema),
  };
}

/** Remembers the result for each schema. */
function bySchema<Result>(find: (schema: unknown) => Result): (schema: unknown) => Result {
  const known = new Map<unknown, Result>();
  return schema => {
    const found = known.get(schema);
    if (found !== undefined || known.has(schema)) return found as Result;
    const result = find(schema);
    known.set(schema, result);
    return result;
  };
}

function unwrap(json: string, schema: unknown): string {
  const value: unknown = JSON.parse(json);
  if (!isPlainObject(value) || !isPlainObject(schema)) return json;
  const unwrapped = unwrapCall(value, schema);
  return unwrapped === value ? json : writeJson(repairBySchema(unwrapped, schema), json);
}

/** Converts complete arguments as `readJsonArguments` does. */
export function toArguments(json: string, tool: DeclaredTool | undefined): string | undefined {
  const cursor = TextCursor.of(json);
  let emitted = '';
  const reading = readJsonArguments(cursor, chunk => void (emitted += chunk), tool);
  const rest = reading[Symbol.iterator]().next().value;
  return typeof rest === 'string' ? emitted + rest : undefined;
}

/** Returns the object in a JSON string. Returns `{}` for null and the empty string. */
export function unwrapText(json: string): string | undefined {
  const value: unknown = JSON.parse(json);
  const inner = value === null || value === '' ? '{}' : String(value).trim();
  if (!inner.startsWith('{')) return undefined;
  if (isSafeJson(inner)) return inner;
  const reading = readJson(inner) ?? repairJson(inner);
  return typeof reading !== 'string' && !reading.isCompleted && isSafeJson(reading.json)
    ? reading.json
    : undefined;
}

/** Takes one JSON value. Returns undefined if it is incomplete or malformed. */
export function* takeJson(cursor: TextCursor): Reading<string | undefined> {
  const scanner = new JsonScanner();
  let json = '';
  yield* cursor.takeEach(() => {
    json += cursor.take(scanner.push(cursor.rest()));
    return scanner.state !== 'open';
  });
  // A number ends only before another character or at the end of the text.
  if (scanner.state === 'open') scanner.push(' ');
  return scanner.state === 'complete' ? json : undefined;
}

const MAX_STRING = 512;

/** Takes a JSON string. Returns undefined for other text, and for strings of more than `MAX_STRING` characters. */
export function takeJsonString(cursor: TextCursor): Reading<JsonString | undefined> {
  const found = cursor.takeMatch(SHORT_STRING);
  return found === undefined
    ? takeAnyString(cursor)
    : new Known({ value: found[0].slice(1, -1), json: found[0] });
}

interface JsonString {
  readonly value: string;
  readonly json: string;
}

function* takeAnyString(cursor: TextCursor): Reading<JsonString | undefined> {
  if ((yield* cursor.peek()) !== '"') return undefined;
  let length = 1;
  let isEscaped = false;
  let isOpen = true;
  yield* cursor.takeEach(() => {
    const text = cursor.rest();
    for (; isOpen && length < text.length; length++) {
      const character = text.charAt(length);
      if (character < ' ' || length === MAX_STRING) return true;
      isOpen = isEscaped || character !== '"';
      isEscaped = !isEscaped && character === '\\';
    }
    return !isOpen;
  });
  if (isOpen) return undefined;
  const json = cursor.take(length);
  const value = tryParseJson(json);
  return typeof value === 'string' ? { value, json } : undefined;
}
