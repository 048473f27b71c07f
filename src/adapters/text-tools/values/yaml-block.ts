import { tryParseJson } from '../../../core/shared/json.js';
import { isPrototypeKey } from './json-scanner.js';
import { toItemSchema, toNamedTypes, toPropertySchema } from './schema-types.js';
import { toTextJson } from './text-json.js';

const MAX_DEPTH = 64;

/** The start of an entry: a key, plain or in quotes, and its value. */
const ENTRY = /^([A-Za-z_][\w.-]*|"[^"\\]*"|'[^']*'):(?:[ ]+(\S.*))?[ ]*$/;

/** Characters with which no plain text begins, and marks within it that other readers read differently. */
const AMBIGUOUS = /^[&*!%@`#{}[\],>|"']|^[-?:](?: |$)|: | #|:$/;

/** The numbers of YAML 1.2 in decimal digits, and the others. */
const NUMBER = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const OTHER_NUMBER = /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const CONSTANT = /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE)$/;

class Unreadable extends Error {}

/**
 * Converts a YAML mapping into the JSON of an object whose values have the types of a schema. Reads what models write: block
 * mappings and lists, texts in quotes or as blocks, and JSON. Anchors, tags, comments behind values, and texts that readers of
 * YAML understand differently make it unreadable.
 *
 * @returns undefined if it is unreadable.
 */
export function yamlToJson(
  text: string,
  schema: unknown,
): { json: string; keys: ReadonlySet<string> } | undefined {
  try {
    return new BlockReader(text, schema).readAll();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class BlockReader {
  readonly #lines: string[];
  readonly #root: unknown;
  #at = 0;

  constructor(text: string, root: unknown) {
    this.#lines = text.split(/\r?\n/);
    this.#root = root;
  }

  readAll(): { json: string; keys: ReadonlySet<string> } {
    const first = this.#peek();
    if (first === undefined) return { json: '{}', keys: new Set() };
    const keys = new Set<string>();
    const json = this.#readMapping(first.indent, this.#root, 0, keys);
    if (this.#peek() !== undefined) throw new Unreadable();
    return { json, keys };
  }

  /** Returns the next line that is neither blank nor a comment. */
  #peek(): { indent: number; content: string } | undefined {
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? '';
      const content = line.trim();
      if (content === '' || content.startsWith('#')) continue;
      const indent = line.length - line.trimStart().length;
      if (line.slice(0, indent).includes('\t')) throw new Unreadable();
      return { indent, content };
    }
    return undefined;
  }

  #readMapping(indent: number, schema: unknown, depth: number, keys = new Set<string>()): string {
    if (depth > MAX_DEPTH) throw new Unreadable();
    const members: string[] = [];
    for (let line = this.#peek(); line !== undefined && line.indent >= indent; line = this.#peek()) {
      const [, written, value = ''] = ENTRY.exec(line.content) ?? [];
      const key = written?.replaceAll(/^["']|["']$/g, '');
      if (line.indent > indent || key === undefined || isPrototypeKey(key) || keys.has(key))
        throw new Unreadable();
      keys.add(key);
      this.#at++;
      const own = toPropertySchema(schema, this.#root, key);
      members.push(`${JSON.stringify(key)}:${this.#readValue(value, indent, own, depth + 1)}`);
    }
    return `{${members.join(',')}}`;
  }

  #readList(indent: number, schema: unknown, depth: number): string {
    if (depth > MAX_DEPTH) throw new Unreadable();
    const items: string[] = [];
    for (let line = this.#peek(); line !== undefined && line.indent >= indent; line = this.#peek()) {
      if (!isItem(line.content)) break;
      if (line.indent > indent) throw new Unreadable();
      const content = line.content.slice(1).trimStart();
      const own = toItemSchema(schema, this.#root, items.length);
      if (ENTRY.test(content)) {
        // The mapping begins behind the hyphen.
        const start = indent + line.content.length - content.length;
        this.#lines[this.#at] = ' '.repeat(start) + content;
        items.push(this.#readMapping(start, own, depth + 1));
      } else {
        this.#at++;
        items.push(this.#readValue(content, indent, own, depth + 1, true));
      }
    }
    return `[${items.join(',')}]`;
  }

  #readValue(written: string, indent: number, schema: unknown, depth: number, isInList = false): string {
    if (written === '') return this.#readNested(indent, schema, depth, isInList);
    const [, style, chomp = ''] = /^([|>])([+-]?)$/.exec(written) ?? [];
    if (style !== undefined) return this.#toJson(this.#readBlock(style, chomp, indent), schema);
    const quoted = readQuoted(written);
    if (quoted !== undefined) return this.#toJson(quoted, schema);
    if (/^[[{]/.test(written)) {
      if (tryParseJson(written) === undefined) throw new Unreadable();
      return written;
    }
    if (AMBIGUOUS.test(written)) throw new Unreadable();
    return toNamedTypes(schema, this.#root).length === 0
      ? toPlainJson(written)
      : this.#toJson(written, schema);
  }

  /** Reads the block below a key or a hyphen. A list may have the indentation of its key. */
  #readNested(indent: number, schema: unknown, depth: number, isInList: boolean): string {
    const line = this.#peek();
    // Below a hyphen, a hyphen with the same indentation is the next item.
    const least = isInList ? indent + 1 : indent;
    if (line !== undefined && line.indent >= least && isItem(line.content))
      return this.#readList(line.indent, schema, depth);
    if (line !== undefined && line.indent > indent) return this.#readMapping(line.indent, schema, depth);
    return toNamedTypes(schema, this.#root).length === 0 ? 'null' : this.#toJson('', schema);
  }

  /** Reads the lines of a text block: those with more indentation than its key. */
  #readBlock(style: string, chomp: string, indent: number): string {
    const lines: string[] = [];
    let own: number | undefined;
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at] ?? '';
      const start = line.length - line.trimStart().length;
      const isBlank = line.trim() === '';
      if (!isBlank && start <= indent) break;
      if (!isBlank) own ??= start;
      if (!isBlank && (start < (own ?? 0) || line.slice(0, own).includes('\t'))) throw new Unreadable();
      // Spaces before the text, and at an end that is kept, may be part of it.
      if (isBlank && line !== '' && (own === undefined || chomp === '+')) throw new Unreadable();
      // Readers fold lines with more indentation differently.
      if (!isBlank && style === '>' && start > (own ?? 0)) throw new Unreadable();
      lines.push(isBlank && own === undefined ? '' : line.slice(own));
    }
    let end = lines.length;
    while (end > 0 && lines[end - 1]?.trim() === '') end--;
    const kept = lines.slice(0, end);
    const text = style === '|' ? kept.join('\n') : fold(kept);
    if (chomp === '-' || (end === 0 && chomp === '')) return text;
    if (chomp !== '+') return `${text}\n`;
    // The last line ends with the arguments, not with a line break of its own.
    const isLast = this.#at >= this.#lines.length;
    const blank = lines.length - end;
    if (end === 0) return '\n'.repeat(isLast ? Math.max(0, blank - 1) : blank);
    return text + '\n'.repeat(isLast ? Math.max(1, blank) : blank + 1);
  }

  #toJson(text: string, schema: unknown): string {
    return toTextJson(text, { schema, root: this.#root });
  }
}

const isItem = (content: string): boolean => content === '-' || content.startsWith('- ');

/** Returns the text of a value in quotes. Undefined for another value. */
function readQuoted(written: string): string | undefined {
  if (written.startsWith('"')) {
    const text = tryParseJson(written);
    if (typeof text !== 'string') throw new Unreadable();
    return text;
  }
  if (!written.startsWith("'")) return undefined;
  const inner = written.slice(1, -1);
  if (written.length < 2 || !written.endsWith("'") || inner.replaceAll("''", '').includes("'"))
    throw new Unreadable();
  return inner.replaceAll("''", "'");
}

/** Returns a value without a schema as YAML 1.2 types it. */
function toPlainJson(text: string): string {
  if (CONSTANT.test(text)) return text === '~' ? 'null' : text.toLowerCase();
  if (NUMBER.test(text) && Number.isFinite(Number(text))) return JSON.stringify(Number(text));
  if (NUMBER.test(text) || OTHER_NUMBER.test(text)) throw new Unreadable();
  return JSON.stringify(text);
}

/** Joins lines by spaces, and paragraphs by line breaks. */
function fold(lines: readonly string[]): string {
  let text = '';
  let breaks = 0;
  for (const line of lines) {
    if (line.trim() === '') breaks++;
    else {
      text += text === '' ? '\n'.repeat(breaks) : breaks > 0 ? '\n'.repeat(breaks) : ' ';
      text += line;
      breaks = 0;
    }
  }
  return text;
}
