import { isNull, toJsonValue } from './json-value.js';
import { toProperties, toValueTypes, type ValueType } from './schema-types.js';
import type { DeclaredTool, TextCalls } from './text-tool-format.js';

/** Streams the arguments of a call as JSON, one parameter after the other. */
export interface ArgumentWriter {
  /** Returns true if the tool's schema has this parameter, or lists no parameters. */
  isDeclared(key: string): boolean;
  /** Returns true if the parameter was written before. */
  has(key: string): boolean;
  /** Starts a parameter. Its value is JSON if the text says so, otherwise one of the types in its schema. */
  open(key: string, options?: { isJson?: boolean | undefined }): ValueWriter;
  end(): void;
}

/** Writes one plain-text value into the arguments of a call. */
export interface ValueWriter {
  push(text: string): void;
  end(): void;
}

export interface ArgumentWriterOptions {
  readonly write: TextCalls['input'];
  /** One line break on each side of a value belongs to the tags. */
  readonly trims: boolean;
  /** Values contain XML entities. */
  readonly hasEntities: boolean;
}

/** The types of a value that is marked as JSON. */
const JSON_TYPES: readonly ValueType[] = ['null', 'boolean', 'number', 'object', 'array', 'quoted', 'text'];

export function createArgumentWriter(
  tool: DeclaredTool | undefined,
  { write, trims, hasEntities }: ArgumentWriterOptions,
): ArgumentWriter {
  const properties = toProperties(tool?.schema);
  const written = new Set<string>();

  function typesOf(key: string, isJson: boolean | undefined): readonly ValueType[] {
    if (isJson === true) return JSON_TYPES;
    if (isJson === false || properties === undefined) return ['text'];
    return toValueTypes(properties[key], tool?.schema);
  }

  return {
    isDeclared: key => properties === undefined || Object.hasOwn(properties, key),
    has: key => written.has(key),
    open(key, { isJson } = {}) {
      write(`${written.size === 0 ? '{' : ','}${JSON.stringify(key)}:`);
      written.add(key);
      const value = createValueWriter(write, { types: typesOf(key, isJson), trims });
      return hasEntities ? createEntityDecoder(value) : value;
    },
    end() {
      if (written.size > 0) write('}');
    },
  };
}

/**
 * Streams a string as it arrives, except for a line break that may be the last one. A possible null is buffered until it
 * can be distinguished from a string. A value of any other type is buffered until it is complete.
 */
function createValueWriter(
  write: (json: string) => void,
  { types, trims }: { types: readonly ValueType[]; trims: boolean },
): ValueWriter {
  const isText = types.find(type => type !== 'null') === 'text';
  const mayBeNull = types.includes('null');
  let hasStarted = false;
  let isOpen = false;
  /** A value that is not a string, the start of a possible null, or a last line break. */
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
        // A carriage return may be the first half of a line break.
        if (buffer === '' || (trims && buffer === '\r')) return;
        if (trims) buffer = buffer.replace(/^\r?\n/, '');
        hasStarted = true;
      }
      if (!isText || (mayBeNull && !isOpen && mayBecomeNull(buffer))) return;
      const length = buffer.length - (trims ? lastBreakLength(buffer) : 0);
      writeText(buffer.slice(0, length));
      buffer = buffer.slice(length);
    },
    end() {
      if (trims) buffer = buffer.replace(/\r?\n$/, '');
      if (isOpen) {
        writeText(buffer);
        write('"');
      } else {
        write(toJsonValue(buffer, types));
      }
    },
  };
}

const mayBecomeNull = (text: string): boolean =>
  text.length < 16 && (/^\s*(?:n(?:u(?:ll?)?)?|N(?:o(?:ne?)?)?)?$/.test(text) || isNull(text.trim()));

/** Returns the length of the line break, or of its first half, at the end of the text. */
function lastBreakLength(text: string): number {
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
