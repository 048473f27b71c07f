/** Finds the end of one JSON value in text that arrives in chunks. */
export interface JsonScanner {
  readonly state: 'open' | 'complete' | 'invalid';
  /**
   * The number of scanned characters that keep their meaning, even if the text after them turns out to be malformed and
   * is mended. They end inside or after a string or word, never after punctuation.
   */
  readonly certain: number;
  /**
   * Scans the next text, up to the end of the value or the first character that cannot belong to it. A number or word
   * is complete only when another character follows.
   *
   * @returns the number of characters of `text` that belong to the value.
   */
  push(text: string): number;
}

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
 * Accepts strict JSON (RFC 8259), except values nested too deeply and arguments with keys of the prototype.
 *
 * @param depth The number of containers around the value.
 */
export function createJsonScanner({ depth = 0 }: { depth?: number } = {}): JsonScanner {
  const containers: ('object' | 'array')[] = [];
  const doubt = createPathDoubt();
  let expected: Expected = 'value';
  let state: JsonScanner['state'] = 'open';
  /** The unfinished token: a string, or a number or word. */
  let token: 'string' | 'word' | undefined;
  let isKey = false;
  /** The position in an escape sequence: after the backslash, or the number of missing hex digits. */
  let escape: 'start' | number = 0;
  /** The start of the key or word, which is enough to check it. */
  let written = '';
  /** The number of characters scanned before the current chunk, and in it. */
  let before = 0;
  let position = 0;
  let certain = 0;

  function fail(): false {
    state = 'invalid';
    return false;
  }

  function endValue(): true {
    if (containers.length === 0) state = 'complete';
    else expected = 'comma-or-end';
    return true;
  }

  function open(container: 'object' | 'array'): boolean {
    if (containers.length >= MAX_DEPTH) return fail();
    containers.push(container);
    expected = container === 'object' ? 'key-or-end' : 'value-or-end';
    return true;
  }

  function close(container: 'object' | 'array'): boolean {
    const canEnd = expected === 'comma-or-end' || expected === 'key-or-end' || expected === 'value-or-end';
    if (!canEnd || containers.at(-1) !== container) return fail();
    containers.pop();
    return endValue();
  }

  function startString(): boolean {
    isKey = expected === 'key' || expected === 'key-or-end';
    if (!isKey && expected !== 'value' && expected !== 'value-or-end') return fail();
    token = 'string';
    written = '"';
    doubt.start();
    return true;
  }

  /** Marks the text up to `end` as certain, if it is the text of a value. */
  function settle(end: number): void {
    if (!isKey && !doubt.isOpen) certain = before + end;
  }

  function readInString(character: string): boolean {
    if (isKey && written.length < 100) written += character;
    if (escape === 'start') {
      if (!'"\\/bfnrtu'.includes(character)) return fail();
      escape = character === 'u' ? 4 : 0;
      doubt.escape(character);
      if (escape === 0) settle(position + 1);
    } else if (escape > 0) {
      if (!/[0-9a-f]/i.test(character)) return fail();
      doubt.text(character);
      escape--;
      if (escape === 0) settle(position + 1);
    } else if (character === '\\') {
      escape = 'start';
    } else if (character === '"') {
      token = undefined;
      if (!isKey) {
        doubt.start();
        settle(position);
        return endValue();
      }
      if (isForbidden(written)) return fail();
      expected = 'colon';
    } else {
      return fail();
    }
    return true;
  }

  /** Reads the characters of a string that need no attention. */
  function readPlain(text: string): void {
    PLAIN.lastIndex = position;
    if (!PLAIN.test(text)) return;
    const end = PLAIN.lastIndex;
    if (isKey) {
      if (written.length < 100) written += text.slice(position, end);
    } else {
      doubt.text(text.slice(position, end));
      settle(end);
    }
    position = end;
  }

  function isForbidden(key: string): boolean {
    if (key.length >= 100) return false;
    const name = String(JSON.parse(key));
    return containers.length + depth === 1 ? isPrototypeKey(name) : name === '__proto__';
  }

  function endWord(): boolean {
    token = undefined;
    if (!isWord(written)) return fail();
    certain = before + position;
    return endValue();
  }

  /** Reads punctuation. Returns undefined for another character. */
  function readStructure(character: string): boolean | undefined {
    switch (character) {
      case '{':
      case '[':
        if (expected !== 'value' && expected !== 'value-or-end') return fail();
        return open(character === '{' ? 'object' : 'array');
      case '}':
        return close('object');
      case ']':
        return close('array');
      case '"':
        return startString();
      case ':':
        if (expected !== 'colon') return fail();
        expected = 'value';
        return true;
      case ',':
        if (expected !== 'comma-or-end') return fail();
        expected = containers.at(-1) === 'object' ? 'key' : 'value';
        return true;
    }
    return undefined;
  }

  /** Returns true if the character belongs to the value. */
  function read(character: string): boolean {
    if (token === 'string') return readInString(character);
    if (token === 'word') {
      if (/[-+.\w]/.test(character) && written.length < 400) {
        written += character;
        return true;
      }
      if (!endWord() || state === 'complete') return false;
    }
    if (' \t\n\r'.includes(character)) return true;
    const isRead = readStructure(character);
    if (isRead !== undefined) return isRead;
    if ((expected !== 'value' && expected !== 'value-or-end') || !/[-\dtfn]/.test(character)) return fail();
    token = 'word';
    written = character;
    return true;
  }

  return {
    get state() {
      return state;
    },
    get certain() {
      return certain;
    },
    push(text) {
      position = 0;
      while (position < text.length && state === 'open') {
        if (token === 'string' && escape === 0) readPlain(text);
        if (position >= text.length || !read(text.charAt(position))) break;
        position++;
      }
      before += position;
      return position;
    },
  };
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
  const scanner = createJsonScanner();
  return scanner.push(text) === text.length && scanner.state === 'complete';
}

const isWord = (word: string): boolean =>
  word === 'true' || word === 'false' || word === 'null' || isJsonNumber(word);

export const isJsonNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
