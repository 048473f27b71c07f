/** Finds the end of one JSON value in text that arrives in chunks. */
export interface JsonScanner {
  readonly state: 'open' | 'complete' | 'invalid';
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

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/** Accepts strict JSON (RFC 8259), except values nested too deeply and arguments with keys of the prototype. */
export function createJsonScanner(): JsonScanner {
  const containers: ('object' | 'array')[] = [];
  let expected: Expected = 'value';
  let state: JsonScanner['state'] = 'open';
  /** The unfinished token: a string, or a number or word. */
  let token: 'string' | 'word' | undefined;
  let isKey = false;
  /** The position in an escape sequence: after the backslash, or the number of missing hex digits. */
  let escape: 'start' | number = 0;
  /** The start of the key or word, which is enough to check it. */
  let written = '';

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
    return true;
  }

  function readInString(character: string): boolean {
    if (written.length < 100) written += character;
    if (escape === 'start') {
      if (!'"\\/bfnrtu'.includes(character)) return fail();
      escape = character === 'u' ? 4 : 0;
    } else if (escape > 0) {
      if (!/[0-9a-f]/i.test(character)) return fail();
      escape--;
    } else if (character === '\\') {
      escape = 'start';
    } else if (character === '"') {
      token = undefined;
      if (!isKey) return endValue();
      if (isForbidden(written)) return fail();
      expected = 'colon';
    } else if (character < ' ') {
      return fail();
    }
    return true;
  }

  function isForbidden(key: string): boolean {
    if (key.length >= 100) return false;
    const name = String(JSON.parse(key));
    return containers.length === 1 ? isPrototypeKey(name) : name === '__proto__';
  }

  function endWord(): boolean {
    token = undefined;
    return isWord(written) ? endValue() : fail();
  }

  const structure: Readonly<Record<string, () => boolean>> = {
    '{': () => (expected === 'value' || expected === 'value-or-end' ? open('object') : fail()),
    '[': () => (expected === 'value' || expected === 'value-or-end' ? open('array') : fail()),
    '}': () => close('object'),
    ']': () => close('array'),
    '"': startString,
    ':': () => {
      if (expected !== 'colon') return fail();
      expected = 'value';
      return true;
    },
    ',': () => {
      if (expected !== 'comma-or-end') return fail();
      expected = containers.at(-1) === 'object' ? 'key' : 'value';
      return true;
    },
  };

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
    const readStructure = structure[character];
    if (readStructure !== undefined) return readStructure();
    if ((expected !== 'value' && expected !== 'value-or-end') || !/[-\dtfn]/.test(character)) return fail();
    token = 'word';
    written = character;
    return true;
  }

  return {
    get state() {
      return state;
    },
    push(text) {
      let length = 0;
      while (length < text.length && state === 'open' && read(text.charAt(length))) length++;
      return length;
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
