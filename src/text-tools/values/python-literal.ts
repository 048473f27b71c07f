import { isJsonNumber, isPrototypeKey } from './json-scanner.js';

/**
 * Parses a Python literal of dicts, lists, tuples, strings, numbers, True, False and None. Returns undefined for other
 * text, including numbers with underscores, and `nan` and `inf`, which JSON cannot represent.
 */
export function toPythonValue(text: string): unknown {
  const tokens = text.match(TOKEN) ?? [];
  // `match` skips characters that belong to no token.
  const length = tokens.reduce((sum, token) => sum + token.length, 0);
  if (length !== text.length) return undefined;
  const reader = createReader(tokens.filter(token => token.trim() !== ''));
  try {
    const value = reader.value(0);
    return reader.isAtEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof LiteralError) return undefined;
    throw error;
  }
}

const TOKEN = /\s+|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'|"[^"\\\n]*(?:\\[^][^"\\\n]*)*"|[-+.\w]+|[{}[\](),:]/g;
const MAX_DEPTH = 256;

class LiteralError extends Error {}

function createReader(tokens: readonly string[]) {
  let index = 0;

  function value(depth: number): unknown {
    const token = tokens[index++];
    if (token === undefined || depth > MAX_DEPTH) throw new LiteralError();
    if (token === '{') return readDict(depth);
    if (token === '[') return readItems(']', depth);
    if (token === '(') return readItems(')', depth);
    if (/^['"]/.test(token)) return toString(token.slice(1, -1));
    return toScalar(token);
  }

  function readDict(depth: number): Record<string, unknown> {
    const dict: Record<string, unknown> = {};
    while (!takes('}')) {
      const key = value(depth + 1);
      if (typeof key === 'object' || isPrototypeKey(String(key)) || !takes(':')) throw new LiteralError();
      dict[String(key)] = value(depth + 1);
      if (!takes(',') && tokens[index] !== '}') throw new LiteralError();
    }
    return dict;
  }

  function readItems(end: string, depth: number): unknown[] {
    const items: unknown[] = [];
    while (!takes(end)) {
      items.push(value(depth + 1));
      if (!takes(',') && tokens[index] !== end) throw new LiteralError();
    }
    return items;
  }

  function takes(token: string): boolean {
    if (tokens[index] !== token) return false;
    index++;
    return true;
  }

  return { value, isAtEnd: () => index === tokens.length };
}

const words: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};

function toScalar(token: string): unknown {
  if (Object.hasOwn(words, token)) return words[token];
  const number = Number(token);
  if (!isJsonNumber(token) || !Number.isFinite(number)) throw new LiteralError();
  return number;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '\n': '' };

function toString(written: string): string {
  return written.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|([^]))/gi,
    (_, x, u, long, other) => {
      const code: string | undefined = x ?? u ?? long;
      if (code === undefined) return escapes[other] ?? (/['"\\]/.test(other) ? other : `\\${other}`);
      const point = Number.parseInt(code, 16);
      if (point > 0x10ffff) throw new LiteralError();
      return String.fromCodePoint(point);
    },
  );
}
