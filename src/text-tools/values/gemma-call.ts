import { isPlainObject } from '../../shared/json.js';
import { takeExcess } from './json-mending.js';
import { isJsonNumber, isPrototypeKey } from './json-scanner.js';
import { readItems, readMembers, type Write } from './literal-containers.js';
import { toProperties } from '../../tool-calls/json-schema.js';
import { toValueTypes } from './schema-types.js';
import {
  findSpaceEnd,
  MAX_NAME,
  type Reading,
  readName,
  type TextCursor,
  toStopExpression,
} from '../reading/text-cursor.js';
import type { DeclaredTool, TextCalls } from '../reading/text-tool-format.js';

/** Deeper than any argument. */
const MAX_DEPTH = 256;
const MAX_SPACE = 256;
const KEY = /[^:{}[\],"'<\n]/;

/** Reads `name{key:value, …}`, the objects of Gemma, with strings between a delimiter. */
export function* readGemmaCall(cursor: TextCursor, calls: TextCalls, delimiter: string): Reading<boolean> {
  yield* cursor.takes('call:');
  yield* cursor.takeSpace(MAX_SPACE);
  const name = yield* readName(cursor);
  yield* cursor.takeSpace(MAX_SPACE);
  if (name === '' || (yield* cursor.peek()) !== '{') return false;
  const reader = createGemmaReader(cursor, calls.begin(name), delimiter);
  if (!(yield* reader.object(calls.input, 0))) return false;
  yield* takeExcess(cursor, calls);
  calls.end();
  return true;
}

function createGemmaReader(cursor: TextCursor, tool: DeclaredTool | undefined, delimiter: string) {
  const properties = toProperties(tool?.schema);
  const delimiterStart = toStopExpression([delimiter]);

  /** The value of a parameter that accepts only text. It may contain commas if the delimiters are missing. */
  function isText(key: string): boolean {
    const property = properties?.[key];
    if (!isPlainObject(property) || !('type' in property || 'enum' in property)) return false;
    return toValueTypes(property, tool?.schema).every(type => type === 'text' || type === 'null');
  }

  const readObject = (write: Write, depth: number): Reading<boolean> => {
    cursor.take(1);
    return readMembers(cursor, write, {
      close: '}',
      isForbidden: depth === 0 ? isPrototypeKey : key => key === '__proto__',
      readKey,
      readValue: (one, key) => readValue(one, { depth: depth + 1, isText: depth === 0 && isText(key) }),
      // Nested values are converted with their parameter.
      ...(depth === 0 && { schemas: { of: properties, root: tool?.schema } }),
    });
  };

  function* readKey(): Reading<string | undefined> {
    let key = '';
    const first = yield* cursor.peek();
    if (first === '"' || first === "'" || first === delimiter[0]) {
      let json = '';
      if (!(yield* readString(text => void (json += text)))) return undefined;
      key = String(JSON.parse(json));
    } else {
      key = (yield* readName(cursor, KEY)).trim();
    }
    yield* cursor.takeSpace();
    return key !== '' && (yield* cursor.takes(':')) ? key : undefined;
  }

  function* readValue(write: Write, { depth, isText }: { depth: number; isText: boolean }): Reading<boolean> {
    if (depth > MAX_DEPTH) return false;
    const first = yield* cursor.peek();
    if (first === '{') return yield* readObject(write, depth);
    if (first === '[') {
      cursor.take(1);
      const readItem = (one: Write) => readValue(one, { depth: depth + 1, isText: false });
      return yield* readItems(cursor, write, { close: ']', readItem });
    }
    if (first === '"' || first === "'" || (yield* cursor.sees(delimiter))) return yield* readString(write);
    return yield* readBare(write, isText);
  }

  function* readString(write: Write): Reading<boolean> {
    if (!(yield* cursor.takes(delimiter))) return yield* readQuoted(cursor, write);
    write('"');
    for (;;) {
      const next = yield* cursor.passUntil(delimiterStart, text => write(JSON.stringify(text).slice(1, -1)));
      if (next === undefined) return false;
      if (yield* cursor.takes(delimiter)) break;
      write(cursor.take(1));
    }
    write('"');
    return true;
  }

  /** Reads a value without delimiters: a number, a word, or text that lost its delimiters. */
  function* readBare(write: Write, isText: boolean): Reading<boolean> {
    let text = '';
    for (;;) {
      const end = yield* cursor.passUntil(BARE_END, plain => void (text += plain));
      if (end === undefined || end === '<') {
        if (end === undefined || isMarker(yield* cursor.look(/[^]/, { most: 2 }))) return false;
      } else if (end !== ',' || !isText || (yield* seesKey(cursor, properties))) {
        if (end === '}' || end === ',' || end === ']') break;
      }
      text += cursor.take(1);
    }
    const bare = text.trim();
    if (bare === '') return false;
    const isNull = bare === 'null' || bare === 'None';
    const isLiteral = bare === 'true' || bare === 'false' || isFiniteNumber(bare);
    if (isNull) write('null');
    else write(isLiteral && !isText ? bare : JSON.stringify(bare));
    return true;
  }

  return { object: readObject };
}

/** Reads a string in quotation marks instead of delimiters. It ends before the structure continues. */
function* readQuoted(cursor: TextCursor, write: Write): Reading<boolean> {
  const quote = (yield* cursor.peek()) ?? '';
  if (quote !== '"' && quote !== "'") return false;
  cursor.take(1);
  const stop = toStopExpression([quote]);
  let text = '';
  for (;;) {
    if ((yield* cursor.passUntil(stop, plain => void (text += plain))) === undefined) return false;
    const next = yield* findSpaceEnd(cursor, { start: 1, most: MAX_SPACE });
    const character = yield* cursor.peek(next);
    const isEscaped = /(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(-MAX_NAME));
    cursor.take(1);
    if (!isEscaped && character !== undefined && /[,:}\]]/.test(character)) break;
    text += quote;
  }
  // Escapes are read only where the whole string is valid, because paths contain backslashes too.
  write(toJsonString(text, quote));
  return true;
}

/** Returns true if a comma and another parameter of the tool come next. */
function* seesKey(
  cursor: TextCursor,
  properties: Readonly<Record<string, unknown>> | undefined,
): Reading<boolean> {
  const start = yield* findSpaceEnd(cursor, { start: 1, most: MAX_SPACE });
  const key = yield* cursor.look(KEY, { start });
  const isKey = (yield* cursor.peek(start + key.length)) === ':';
  return isKey && properties !== undefined && Object.hasOwn(properties, key.trim());
}

const BARE_END = /[,}\]<]/g;

/** Returns true for the start of a special token or tag, which no bare value contains. */
const isMarker = (text: string): boolean => /^<[|\w/]/.test(text);

const isFiniteNumber = (text: string): boolean => isJsonNumber(text) && Number.isFinite(Number(text));

function toJsonString(text: string, quote: string): string {
  const escaped = quote === '"' ? text : text.replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"');
  const json = `"${escaped.replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r')}"`;
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return JSON.stringify(text);
  }
}
