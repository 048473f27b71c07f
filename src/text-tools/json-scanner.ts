/** Reads one JSON value out of text that arrives in pieces, character by character. */
export interface JsonScanner {
  /** What the value is found to be so far. */
  readonly state: 'open' | 'whole' | 'wrong';
  /**
   * Reads on, and stops behind the value or before what cannot be part of it. A number is whole only when something
   * else follows.
   *
   * @returns how many characters of `text` belong to the value.
   */
  push(text: string): number;
}

/** Deeper than any argument, and shallow enough for every reader of JSON. */
const MAX_DEPTH = 256;
/** Keys that reach into the prototype of an object instead of the object. */
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

export const isPrototypeKey = (key: string): boolean => PROTOTYPE_KEYS.has(key);

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

/** Strict JSON (RFC 8259). Wrong are also an object that is to become arguments and has a key of its prototype. */
export function createJsonScanner(): JsonScanner {
  const containers: ('object' | 'array')[] = [];
  let expected: Expected = 'value';
  let state: JsonScanner['state'] = 'open';
  /** The token that has begun: a string with its quote, or a number or word. */
  let token: 'string' | 'word' | undefined;
  let isKey = false;
  /** Where in an escape sequence a string is: behind the backslash, or how many hex digits are due. */
  let escape: 'start' | number = 0;
  /** The key or word as it is written. Long ones are cut: none that matters is long. */
  let written = '';

  function fail(): false {
    state = 'wrong';
    return false;
  }

  function endValue(): true {
    if (containers.length === 0) state = 'whole';
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

  /** @returns whether the character belongs to the value. */
  function read(character: string): boolean {
    if (token === 'string') return readInString(character);
    if (token === 'word') {
      if (/[-+.\w]/.test(character) && written.length < 400) {
        written += character;
        return true;
      }
      if (!endWord() || state === 'whole') return false;
    }
    if (' \t\n\r'.includes(character)) return true;
    const act = structure[character];
    if (act !== undefined) return act();
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

/** Whether the text is one JSON value, but for a number or word, which end only with what follows. */
export function isWholeJson(text: string): boolean {
  const scanner = createJsonScanner();
  return scanner.push(text) === text.length && scanner.state === 'whole';
}

const isWord = (word: string): boolean =>
  word === 'true' || word === 'false' || word === 'null' || isJsonNumber(word);

export const isJsonNumber = (text: string): boolean =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
