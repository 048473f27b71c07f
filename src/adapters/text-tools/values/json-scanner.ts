/** Deeper than any argument, and shallow enough for every JSON parser. */
const MAX_DEPTH = 256;
/** Keys that refer to the prototype of an object. */
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

export const isPrototypeKey = (key: string): boolean => PROTOTYPE_KEYS.has(key);

/** Characters of a string without a special meaning. */
// eslint-disable-next-line no-control-regex -- JSON strings cannot contain control characters
const PLAIN = /[^"\\\u0000-\u001f]+/y;

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/**
 * Finds the end of one JSON value in text that arrives in chunks. Accepts strict JSON (RFC 8259), except values nested
 * too deeply and arguments with keys of the prototype.
 */
export class JsonScanner {
  state: 'open' | 'complete' | 'invalid' = 'open';
  /**
   * The number of scanned characters that keep their meaning, even if the text after them turns out to be malformed and
   * is mended. They end inside or after a string or word, never after punctuation.
   */
  certain = 0;
  private readonly containers: ('object' | 'array')[] = [];
  private readonly doubt = createPathDoubt();
  private expected: Expected = 'value';
  /** The unfinished token: a string, or a number or word. */
  private token: 'string' | 'word' | undefined;
  private isKey = false;
  /** The position in an escape sequence: after the backslash, or the number of missing hex digits. */
  private escape: 'start' | number = 0;
  /** The start of the key or word, which is enough to check it. */
  private written = '';
  /** The number of characters scanned before the current chunk, and in it. */
  private before = 0;
  private position = 0;

  /** @param depth The number of containers around the value. */
  constructor(private readonly depth = 0) {}

  /**
   * Scans the next text, up to the end of the value or the first character that cannot belong to it. A number or word
   * is complete only when another character follows.
   *
   * @returns the number of characters of `text` that belong to the value.
   */
  push(text: string): number {
    this.position = 0;
    while (this.position < text.length && this.state === 'open') {
      if (this.token === 'string' && this.escape === 0) this.readPlain(text);
      if (this.position >= text.length || !this.read(text.charAt(this.position))) break;
      this.position++;
    }
    this.before += this.position;
    return this.position;
  }

  private fail(): false {
    this.state = 'invalid';
    return false;
  }

  private endValue(): true {
    if (this.containers.length === 0) this.state = 'complete';
    else this.expected = 'comma-or-end';
    return true;
  }

  private open(container: 'object' | 'array'): boolean {
    if (this.containers.length >= MAX_DEPTH) return this.fail();
    this.containers.push(container);
    this.expected = container === 'object' ? 'key-or-end' : 'value-or-end';
    return true;
  }

  private close(container: 'object' | 'array'): boolean {
    const canEnd =
      this.expected === 'comma-or-end' || this.expected === 'key-or-end' || this.expected === 'value-or-end';
    if (!canEnd || this.containers.at(-1) !== container) return this.fail();
    this.containers.pop();
    return this.endValue();
  }

  private startString(): boolean {
    this.isKey = this.expected === 'key' || this.expected === 'key-or-end';
    if (!this.isKey && this.expected !== 'value' && this.expected !== 'value-or-end') return this.fail();
    this.token = 'string';
    this.written = '"';
    this.doubt.start();
    return true;
  }

  /** Marks the text up to `end` as certain, if it is the text of a value. */
  private settle(end: number): void {
    if (!this.isKey && !this.doubt.isOpen) this.certain = this.before + end;
  }

  private readInString(character: string): boolean {
    if (this.isKey && this.written.length < 100) this.written += character;
    if (this.escape === 'start') {
      if (!'"\\/bfnrtu'.includes(character)) return this.fail();
      this.escape = character === 'u' ? 4 : 0;
      this.doubt.escape(character);
      if (this.escape === 0) this.settle(this.position + 1);
    } else if (this.escape > 0) {
      if (!/[0-9a-f]/i.test(character)) return this.fail();
      this.doubt.text(character);
      this.escape--;
      if (this.escape === 0) this.settle(this.position + 1);
    } else if (character === '\\') {
      this.escape = 'start';
    } else if (character === '"') {
      this.token = undefined;
      if (!this.isKey) {
        this.doubt.start();
        this.settle(this.position);
        return this.endValue();
      }
      if (this.isForbidden(this.written)) return this.fail();
      this.expected = 'colon';
    } else {
      return this.fail();
    }
    return true;
  }

  /** Reads the characters of a string that need no attention. */
  private readPlain(text: string): void {
    PLAIN.lastIndex = this.position;
    if (!PLAIN.test(text)) return;
    const end = PLAIN.lastIndex;
    if (this.isKey) {
      if (this.written.length < 100) this.written += text.slice(this.position, end);
    } else {
      this.doubt.text(text.slice(this.position, end));
      this.settle(end);
    }
    this.position = end;
  }

  private isForbidden(key: string): boolean {
    if (key.length >= 100) return false;
    const name = String(JSON.parse(key));
    return this.containers.length + this.depth === 1 ? isPrototypeKey(name) : name === '__proto__';
  }

  private endWord(): boolean {
    this.token = undefined;
    if (!isWord(this.written)) return this.fail();
    this.certain = this.before + this.position;
    return this.endValue();
  }

  /** Reads punctuation. Returns undefined for another character. */
  private readStructure(character: string): boolean | undefined {
    switch (character) {
      case '{':
      case '[':
        if (this.expected !== 'value' && this.expected !== 'value-or-end') return this.fail();
        return this.open(character === '{' ? 'object' : 'array');
      case '}':
        return this.close('object');
      case ']':
        return this.close('array');
      case '"':
        return this.startString();
      case ':':
        if (this.expected !== 'colon') return this.fail();
        this.expected = 'value';
        return true;
      case ',':
        if (this.expected !== 'comma-or-end') return this.fail();
        this.expected = this.containers.at(-1) === 'object' ? 'key' : 'value';
        return true;
    }
    return undefined;
  }

  /** Returns true if the character belongs to the value. */
  private read(character: string): boolean {
    if (this.token === 'string') return this.readInString(character);
    if (this.token === 'word') {
      if (/[-+.\w]/.test(character) && this.written.length < 400) {
        this.written += character;
        return true;
      }
      if (!this.endWord() || this.state === 'complete') return false;
    }
    if (' \t\n\r'.includes(character)) return true;
    const isRead = this.readStructure(character);
    if (isRead !== undefined) return isRead;
    if ((this.expected !== 'value' && this.expected !== 'value-or-end') || !/[-\dtfn]/.test(character))
      return this.fail();
    this.token = 'word';
    this.written = character;
    return true;
  }
}

/**
 * Finds escapes that may turn out to be none, because the model forgot to escape the backslashes of a path or a regular
 * expression: `toJsonString` of `tool-calls` decides when the string is complete.
 */
function createPathDoubt() {
  /** The last characters, and the number of all characters of the string. */
  let recent = '';
  let length = 0;
  /** True in a path that starts with a drive letter. */
  let isInPath = false;
  /** The range of the doubt. */
  let open: 'none' | 'path' | 'string' = 'none';

  function text(added: string): void {
    if (isInPath && /[\s"'`<>|*?]/.test(added)) {
      isInPath = false;
      if (open === 'path') open = 'none';
    }
    recent = added.length < 3 ? (recent + added).slice(-3) : added.slice(-3);
    length += added.length;
  }

  return {
    get isOpen() {
      return open !== 'none';
    },
    start() {
      recent = '';
      length = 0;
      isInPath = false;
      open = 'none';
    },
    text,
    escape(character: string) {
      const isDrive = /(?:^|[^\p{L}\p{N}])[a-z]:$/iu.test(recent);
      const isWholePath = length === (character === '\\' ? 0 : 2) && (isDrive || length === 0);
      if (isDrive) isInPath = true;
      if (character === 'b' || character === 'f' || isWholePath) open = 'string';
      else if (isInPath && open === 'none' && 'nrtu'.includes(character)) open = 'path';
      text(`\\${character}`);
    },
  };
}

/** Returns true for one complete JSON object, array or string that is safe to use in arguments. */
export function isSafeJson(text: string): boolean {
  const scanner = new JsonScanner();
  return scanner.push(text) === text.length && scanner.state === 'complete';
}

const isWord = (word: string): boolean =>
  word === 'true' || word === 'false' || word === 'null' || isJsonNumber(word);

export const isJsonNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
