import { isPlainObject } from '../../../core/shared/json.js';
import { mayBecomeOther, toTypedJson } from './json-value.js';
import { toProperties } from '../../../core/tool-calls/json-schema.js';
import { allowsAny, toAllowedJson } from '../../../core/tool-calls/schema-repair.js';
import { toNamedTypes, type ValueType } from './schema-types.js';
import type { DeclaredTool, TextCalls } from '../reading/text-tool-format.js';

export { toAllowedJson };

/** Streams the arguments of a call as JSON, one parameter after the other. */
export interface ArgumentWriter {
  /** The parameters in the tool's schema. Undefined if it lists none. */
  readonly keys: readonly string[] | undefined;
  /** Returns true if the tool's schema has this parameter, or lists no parameters. */
  isDeclared(key: string): boolean;
  /** Returns true if the parameter was written before. */
  has(key: string): boolean;
  /** The number of parameters that were written. */
  readonly size: number;
  /** True if a parameter was written twice. */
  readonly hasDuplicate: boolean;
  /** Starts a parameter. The text may state if its value is JSON or a string. Its schema determines the type. */
  open(key: string, options?: { isJson?: boolean | undefined }): ValueWriter;
  end(): void;
}

/** Writes one plain-text value into the arguments of a call. */
export interface ValueWriter {
  push(text: string): void;
  end(): void;
}

/**
 * The white space around a value that belongs to its tags: none, one line break on each side, the same only if there is
 * one on both sides, or all of it.
 */
export type Trim = boolean | 'pair' | 'space';

/** The types of a value that is marked as JSON. */
const JSON_TYPES: readonly ValueType[] = ['null', 'boolean', 'number', 'object', 'array', 'quoted', 'text'];

/** The names of a parameter that may contain all arguments as an object (DeepSeek V3.2, MiniCPM5). */
const WRAPPERS: ReadonlySet<string> = new Set(['arguments', 'input', 'properties']);

/**
 * Creates a writer of the arguments of one call, which gives values their types by the schema of the tool.
 *
 * @param options `trims`: the white space around a value that belongs to its tags, by default none. `hasEntities`: values
 *   contain XML entities, by default they do not. `toText` converts the text of values, which arrives in chunks.
 */
export function createArgumentWriter(
  tool: DeclaredTool | undefined,
  write: TextCalls['input'],
  {
    trims = false,
    hasEntities = false,
    toText,
  }: { trims?: Trim; hasEntities?: boolean; toText?: ((text: string) => string) | undefined } = {},
): ArgumentWriter {
  const properties = toProperties(tool?.schema);
  const written = new Set<string>();
  let hasDuplicate = false;
  /** The first parameter, if it may contain all arguments. */
  let wrapper: { key: string; isJson: boolean | undefined; text: string } | undefined;

  const isDeclared = (key: string) => properties === undefined || Object.hasOwn(properties, key);

  function typesOf(key: string, isJson: boolean | undefined): readonly ValueType[] {
    const types = toNamedTypes(properties?.[key], tool?.schema);
    if (isJson === true) return toJsonTypes(types);
    if (isJson === false && (types.length === 0 || types.includes('text'))) return ['text'];
    if (types.length > 0) return types;
    // A schema that allows anything does not say that an object is a string.
    return properties?.[key] === undefined ? ['text'] : ['object', 'array', 'text'];
  }

  function openValue(key: string, isJson: boolean | undefined): ValueWriter {
    write(`${written.size === 0 ? '{' : ','}${JSON.stringify(key)}:`);
    hasDuplicate ||= written.has(key);
    written.add(key);
    const schema = properties?.[key];
    const value = createValueWriter(write, {
      types: typesOf(key, isJson),
      trims,
      // A member of an enum may need another spelling.
      streams: schema === undefined || allowsAny('', schema, tool?.schema),
      toAllowed: json => (schema === undefined ? json : toAllowedJson(json, schema, tool?.schema)),
    });
    return hasEntities ? createEntityDecoder(value) : value;
  }

  function openWrapper(key: string, isJson: boolean | undefined): ValueWriter {
    const opened = { key, isJson, text: '' };
    wrapper = opened;
    return { push: text => void (opened.text += text), end() {} };
  }

  /** Writes a parameter that contains no other arguments. */
  function writeWrapper(): void {
    if (wrapper === undefined) return;
    const { key, isJson, text } = wrapper;
    wrapper = undefined;
    const value = openValue(key, isJson);
    value.push(text);
    value.end();
  }

  /** Returns the arguments in the only parameter, if the tool has them all. */
  function unwrap(): string | undefined {
    if (wrapper === undefined) return undefined;
    const json = toTypedJson(hasEntities ? decodeEntities(wrapper.text) : wrapper.text, ['object']);
    const value: unknown = JSON.parse(json);
    return isPlainObject(value) && Object.keys(value).every(isDeclared) ? json : undefined;
  }

  return {
    keys: properties && Object.keys(properties),
    isDeclared,
    has: key => written.has(key) || wrapper?.key === key,
    get size() {
      return written.size + (wrapper === undefined ? 0 : 1);
    },
    get hasDuplicate() {
      return hasDuplicate;
    },
    open(key, options = {}) {
      writeWrapper();
      const mayWrap = written.size === 0 && !isDeclared(key) && WRAPPERS.has(key);
      const value = mayWrap ? openWrapper(key, options.isJson) : openValue(key, options.isJson);
      return toText === undefined ? value : { push: text => value.push(toText(text)), end: value.end };
    },
    end() {
      const unwrapped = unwrap();
      if (unwrapped !== undefined) return write(unwrapped);
      writeWrapper();
      if (written.size > 0) write('}');
    },
  };
}

/** Orders the types of a parameter for a value that is marked as JSON. JSON of another type is text for a string. */
function toJsonTypes(types: readonly ValueType[]): readonly ValueType[] {
  if (types.length === 0) return JSON_TYPES;
  const others = types.filter(type => type !== 'text');
  return [...others, 'quoted', ...(types.includes('text') ? (['text'] as const) : JSON_TYPES)];
}

/**
 * Streams a string as it arrives, except for white space that may be the last. The start of another type that the schema
 * allows is buffered until it can be distinguished from a string. A value of any other type, or with a line break that may be half of a pair, is buffered
 * until it is complete.
 */
function createValueWriter(
  write: (json: string) => void,
  {
    types,
    trims,
    streams,
    toAllowed,
  }: {
    types: readonly ValueType[];
    trims: Trim;
    /** A string may be emitted before it is complete. */
    streams: boolean;
    /** Converts a complete value as the schema requires. */
    toAllowed: (json: string) => string;
  },
): ValueWriter {
  const isText = streams && types.includes('text');
  let hasStarted = false;
  let isOpen = false;
  /** True if the value starts with a line break that belongs to the tag if another one ends the value. */
  let mayBePair = false;
  /** A value that is not a string, the start of a possible null, or the last white space. */
  let buffer = '';

  function writeText(text: string): void {
    if (!isOpen) write('"');
    isOpen = true;
    if (text !== '') write(JSON.stringify(text).slice(1, -1));
  }

  return {
    push(text) {
      buffer += text;
      if (!hasStarted) {
        if (trims === 'space') buffer = buffer.trimStart();
        // A carriage return may be the first half of a line break.
        if (buffer === '' || (trims !== false && buffer === '\r')) return;
        if (trims === true) buffer = buffer.replace(/^\r?\n/, '');
        mayBePair = trims === 'pair' && /^\r?\n/.test(buffer);
        hasStarted = true;
      }
      if (!isText || mayBePair || (!isOpen && mayBecomeOther(buffer, types))) return;
      // Scanning the white space again with each chunk would take quadratic time.
      if (trims === 'space' && text.trim() === '') return;
      const length = buffer.length - lastSpaceLength(buffer, trims);
      writeText(buffer.slice(0, length));
      buffer = buffer.slice(length);
    },
    end() {
      if (trims === true) buffer = buffer.replace(/\r?\n$/, '');
      if (trims === 'space') buffer = buffer.trimEnd();
      if (mayBePair) buffer = /^\r?\n([^]*?)\r?\n$/.exec(buffer)?.[1] ?? buffer;
      if (isOpen) {
        writeText(buffer);
        write('"');
      } else {
        write(toAllowed(toTypedJson(buffer, types)));
      }
    },
  };
}

/** Returns the length of the white space at the end of the text that may belong to the tag. */
function lastSpaceLength(text: string, trims: Trim): number {
  if (trims === 'space') return text.length - text.trimEnd().length;
  if (trims !== true) return 0;
  // A carriage return may be the first half of a line break.
  if (text.endsWith('\r\n')) return 2;
  return text.endsWith('\n') || text.endsWith('\r') ? 1 : 0;
}

/** Decodes XML entities before they reach `value`. A possible first half of an entity is buffered. */
function createEntityDecoder(value: ValueWriter): ValueWriter {
  let buffer = '';
  return {
    push(text) {
      const available = buffer + text;
      buffer = /&[#\w]{0,8}$/.exec(available)?.[0] ?? '';
      value.push(decodeEntities(available.slice(0, available.length - buffer.length)));
    },
    end() {
      value.push(buffer);
      value.end();
    },
  };
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? entity;
    const codePoint = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return codePoint > 0x10ffff ? entity : String.fromCodePoint(codePoint);
  });
