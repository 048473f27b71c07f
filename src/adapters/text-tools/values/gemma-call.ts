import { isPlainObject } from '../../../core/shared/json.js';
import { takeExcess } from './json-mending.js';
import { isJsonNumber, isPrototypeKey } from './json-scanner.js';
import { readItems, readMembers, type Write } from './literal-containers.js';
import { toProperties } from '../../../core/tool-calls/json-schema.js';
import { toValueTypes } from './schema-types.js';
import { endsInMarkup } from '../reading/markup.js';
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
const KEY = /[^:={}[\](),"'<\n]/;

/** The characters of the name of a tool. */
const NAME = /[^\s{}<>[\]"'`|()]/;

/** The texts around strings and calls. */
interface GemmaMarkers {
  readonly delimiter: string;
  readonly closer: string;
  /** Text that may follow the closer. */
  readonly followers: readonly string[];
}

/**
 * Reads `name{key:value, …}`, the objects of Gemma, with strings between a delimiter. For a declared tool with these keys,
 * the brackets may be round, an equals sign may follow a key, and the first delimiter of a string may be missing
 * (https://github.com/vllm-project/vllm/issues/53642, https://github.com/jundot/omlx/issues/1886), or the second one of the
 * last string.
 */
export function* readGemmaCall(
  cursor: TextCursor,
  calls: TextCalls,
  markers: GemmaMarkers,
): Reading<boolean> {
  yield* cursor.takes('call:');
  yield* cursor.takeSpace(MAX_SPACE);
  const name = yield* readName(cursor, NAME);
  yield* cursor.takeSpace(MAX_SPACE);
  const bracket = yield* cursor.peek();
  const isRound = bracket === '(';
  if (name === '' || !(bracket === '{' || isRound)) return false;
  const tool = calls.begin(name);
  if (isRound && tool === undefined) return false;
  const reader = createGemmaReader(cursor, tool, markers, isRound);
  if (!(yield* reader.object(calls.input, 0))) return false;
  yield* takeExcess(cursor, calls);
  calls.end();
  return true;
}

function createGemmaReader(
  cursor: TextCursor,
  tool: DeclaredTool | undefined,
  markers: GemmaMarkers,
  isRound: boolean,
) {
  const { delimiter } = markers;
  const properties = toProperties(tool?.schema);
  /** Returns true if a key belongs to the tool, which a call with mistakes requires. */
  const isKnown = (key: string): boolean => properties !== undefined && Object.hasOwn(properties, key);

  /** The value of a parameter that accepts only text. It may contain commas if the delimiters are missing. */
  function isText(key: string): boolean {
    const property = properties?.[key];
    if (!isPlainObject(property) || !('type' in property || 'enum' in property)) return false;
    return toValueTypes(property, tool?.schema).every(type => type === 'text' || type === 'null');
  }

  const readObject = (write: Write, depth: number): Reading<boolean> => {
    cursor.take(1);
    return readMembers(cursor, write, {
      close: depth === 0 && isRound ? ')' : '}',
      isForbidden:
        depth === 0 ? key => isPrototypeKey(key) || (isRound && !isKnown(key)) : key => key === '__proto__',
      readKey,
      readValue: (one, key) => readValue(one, { depth: depth + 1, isText: depth === 0 && isText(key) }),
      // Nested values are converted with their parameter.
      ...(depth === 0 && { schemas: { of: properties, root: tool?.schema } }),
    });
  };

  function* readKey(): Reading<string | undefined> {
    let key: string;
    const first = yield* cursor.peek();
    if (first === '"' || first === "'" || first === delimiter[0]) {
      let json = '';
      if (!(yield* readString(text => void (json += text)))) return undefined;
      key = String(JSON.parse(json));
    } else {
      key = (yield* readName(cursor, KEY)).trim();
    }
    yield* cursor.takeSpace();
    if (key === '') return undefined;
    const isRead = (yield* cursor.takes(':')) || (isKnown(key) && (yield* cursor.takes('=')));
    return isRead ? key : undefined;
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
    if (first === '"' || first === "'" || (yield* cursor.sees(delimiter)))
      return yield* readString(write, { mayBeLast: depth === 1 && isText && !isRound });
    return yield* readBare(write, isText);
  }

  function* readString(write: Write, { mayBeLast = false } = {}): Reading<boolean> {
    if (!(yield* cursor.takes(delimiter))) return yield* readQuoted(cursor, write);
    write('"');
    const ends = toStopExpression(mayBeLast ? [delimiter, '}'] : [delimiter]);
    let value = '';
    for (;;) {
      const next = yield* cursor.passUntil(ends, text => {
        write(JSON.stringify(text).slice(1, -1));
        if (mayBeLast) value += text;
      });
      if (next === undefined) return false;
      if (yield* cursor.takes(delimiter)) break;
      if (next === '}' && (yield* endsCall(cursor, markers))) {
        if (!isWhole(value)) return false;
        break;
      }
      const character = cursor.take(1);
      write(character);
      value += character;
    }
    write('"');
    return true;
  }

  /** Reads a value without delimiters: a number, a word, or text that lost its delimiters. */
  function* readBare(write: Write, isText: boolean): Reading<boolean> {
    let text = '';
    for (;;) {
      const end = yield* cursor.passUntil(BARE_END, plain => void (text += plain));
      if (end === '<' && isText && text !== '' && (yield* endsString())) {
        write(JSON.stringify(text));
        return true;
      }
      if (end === undefined || end === '<') {
        if (end === undefined || isMarker(yield* cursor.look(/[^]/, { most: 2 }))) return false;
      } else if (end !== ',' || !isText || (yield* seesKey(cursor, properties))) {
        if (end === '}' || end === ',' || end === ']' || (isRound && (yield* endsRound(cursor)))) break;
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

  /** Takes the delimiter that ends a string whose first one is missing. */
  function* endsString(): Reading<boolean> {
    if (!(yield* cursor.sees(delimiter))) return false;
    const next = yield* findSpaceEnd(cursor, { start: delimiter.length, most: MAX_SPACE });
    if (!/[,})\]]/.test((yield* cursor.peek(next)) ?? '')) return false;
    return yield* cursor.takes(delimiter);
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
  const isKey = /[:=]/.test((yield* cursor.peek(start + key.length)) ?? '');
  return isKey && properties !== undefined && Object.hasOwn(properties, key.trim());
}

const BARE_END = /[,}\])<]/g;

/**
 * Returns true if the bracket that comes next and the closer end the call, and not only a string about calls: nothing or
 * another token follows.
 */
function* endsCall(cursor: TextCursor, markers: GemmaMarkers): Reading<boolean> {
  const start = yield* findSpaceEnd(cursor, { start: 1, most: MAX_SPACE });
  if (!(yield* cursor.sees(markers.closer, start))) return false;
  const next = yield* findSpaceEnd(cursor, { start: start + markers.closer.length, most: MAX_SPACE });
  if ((yield* cursor.peek(next)) === undefined) return true;
  for (const token of markers.followers) if (yield* cursor.sees(token, next)) return true;
  return false;
}

/** Returns true if the round bracket that comes next ends the call. */
function* endsRound(cursor: TextCursor): Reading<boolean> {
  const next = yield* findSpaceEnd(cursor, { start: 1, most: MAX_SPACE });
  const character = yield* cursor.peek(next);
  return character === undefined || character === '<';
}

/**
 * Returns true if a string without its second delimiter ends before a bracket: its own brackets are complete, so that the
 * bracket is not one of them, and it contains no further parameter and no wrong end.
 */
const isWhole = (value: string): boolean =>
  value.split('{').length === value.split('}').length &&
  !endsInMarkup(value) &&
  !/,\s*["']?[\w.-]+["']?\s*[:=]/.test(value);

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
