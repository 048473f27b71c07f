import { jsonrepair } from 'jsonrepair';

/** A value with the JSON that it was parsed from. */
export interface JsonReading {
  readonly value: unknown;
  readonly json: string;
  /** True if closing brackets were missing at the end of the text. */
  readonly isCompleted?: boolean;
}

/** Parses valid JSON. */
export function readJson(text: string): JsonReading | undefined {
  try {
    return { value: JSON.parse(text), json: text };
  } catch {
    return undefined;
  }
}

/**
 * Parses malformed JSON: single quotes, trailing commas, Python constants, code fences, unknown escapes, double escaping,
 * text that occurs twice, and missing brackets after a complete value.
 *
 * @returns undefined for JSON that cannot be repaired, and for truncated JSON: half a path or half a number must not run.
 */
export function repairJson(text: string): JsonReading | undefined {
  if (/^\s*[{[]\s*\\"/.test(text)) return readEscaped(text);
  return readTwice(text) ?? readMalformed(text);
}

/** Returns true if a value, or part of one, is missing in JSON. */
export const isTruncatedJson = (text: string): boolean => missingBrackets(text) === undefined;

/** Parses `{\"city\": \"Oslo\"}`: a JSON string without the surrounding quotes. */
function readEscaped(text: string): JsonReading | undefined {
  const escaped = text.trim().replace(/\p{Cc}/gu, control => JSON.stringify(control).slice(1, -1));
  const inner = readJson(`"${escaped}"`)?.value;
  return typeof inner === 'string' ? (readJson(inner) ?? readMalformed(inner)) : undefined;
}

/** Parses JSON that occurs twice: some servers stream the arguments and then send them again completely. */
function readTwice(text: string): JsonReading | undefined {
  const half = text.slice(0, text.length / 2);
  return half !== '' && half + half === text ? readJson(half) : undefined;
}

function readMalformed(text: string): JsonReading | undefined {
  // Without this, jsonrepair drops lone backslashes: `C:\dir` would become `C:dir`.
  const escaped = escapeLoneBackslashes(text);
  const complete = readJson(escaped);
  if (complete !== undefined) return complete;
  const brackets = missingBrackets(escaped);
  if (brackets === undefined) return undefined;
  // The line break ends a comment.
  const closed = brackets === '' ? escaped : `${escaped}\n${brackets}`;
  try {
    const reading = readJson(closed) ?? readJson(jsonrepair(closed));
    return reading && { ...reading, isCompleted: brackets !== '' };
  } catch {
    return undefined;
  }
}

/** Escapes backslashes that the model forgot to escape, as in `C:\dir` or `\d+`. */
function escapeLoneBackslashes(text: string): string {
  return text.replace(/\\(?:["'\\/bfnrt]|u[\da-fA-F]{4})|\\/g, escape => (escape === '\\' ? '\\\\' : escape));
}

/** An object or array that has not been closed. */
interface OpenContainer {
  readonly closer: string;
  expects: 'key' | 'colon' | 'value' | 'comma';
}

/**
 * Returns the closing brackets that a text lacks at its end, without other repairs: the text may have single quotes, keys
 * without quotes, and comments.
 *
 * @returns undefined if more than brackets is missing: the text ends inside a string, after a key, colon or comma, or
 *   with a number or word that may continue, or a key has no value.
 */
function missingBrackets(text: string): string | undefined {
  const open: OpenContainer[] = [];
  /** False if tokens are in an unexpected order: what the end of the text belongs to is then unknown. */
  let isClear = true;
  let endsWithValue = false;

  let end = 0;
  for (let start = 0; start < text.length; start = end) {
    const tokenEnd = findTokenEnd(text, start);
    if (tokenEnd === undefined) return undefined;
    end = tokenEnd;
    const token = text.slice(start, end);
    const container = open.at(-1);
    if (isBlank(token)) continue;
    switch (token) {
      case '{':
      case '[':
        takeValue(container);
        open.push({ closer: CLOSERS[token], expects: token === '{' ? 'key' : 'value' });
        break;
      case '}':
      case ']':
        if (isClear && container !== undefined && lacksValue(container)) return undefined;
        close(token);
        endsWithValue = true;
        break;
      case ':':
        advance(container, { from: 'colon', to: 'value' });
        break;
      case ',':
        advance(container, { from: 'comma', to: container?.closer === '}' ? 'key' : 'value' });
        break;
      default:
        if (container?.expects === 'key') container.expects = 'colon';
        else takeValue(container);
        endsWithValue = isCompleteScalar(token, { isLast: end === text.length });
    }
  }
  const last = open.at(-1);
  if (last === undefined) return '';
  if (!isClear || !endsWithValue || last.expects !== 'comma') return undefined;
  return open
    .map(({ closer }) => closer)
    .reverse()
    .join('');

  function takeValue(container: OpenContainer | undefined): void {
    advance(container, { from: 'value', to: 'comma' });
  }

  function advance(
    container: OpenContainer | undefined,
    { from, to }: { from: OpenContainer['expects']; to: OpenContainer['expects'] },
  ): void {
    if (container === undefined) return;
    if (container.expects === from) container.expects = to;
    else isClear = false;
  }

  /** Closes the innermost container, or the one around it if a bracket is missing between them. */
  function close(closer: string): void {
    if (open.at(-1)?.closer === closer) {
      open.pop();
    } else {
      isClear = false;
      if (open.at(-2)?.closer === closer) open.splice(-2);
    }
  }
}

const CLOSERS = { '{': '}', '[': ']' } as const;

/** Returns true if a key of an object has no value. */
const lacksValue = ({ closer, expects }: OpenContainer): boolean =>
  expects === 'colon' || (expects === 'value' && closer === '}');

const isBlank = (token: string): boolean => token.trim() === '' || /^\/[/*]/.test(token);

/** Returns false for a number or word that may continue after the end of the text. */
function isCompleteScalar(token: string, { isLast }: { isLast: boolean }): boolean {
  if (token.charAt(0) in CLOSING_QUOTES) return true;
  if (/^(?:true|false|null|None|True|False)$/.test(token)) return true;
  return !isLast && /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(token);
}

/** The quotes that end a string, by its opening quote. */
const CLOSING_QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '"“”',
  '”': '"“”',
  '‘': "'‘’`´",
  '’': "'‘’`´",
  '`': "'‘’`´",
  '´': "'‘’`´",
};

/** White space, a bracket, colon or comma, a code fence, a URL without quotes, or a number or word. */
const TOKEN = /\s+|[{}[\]:,]|`{3}|[a-z]+:\/\/[^\s,{}[\]]*|[^\s{}[\]:,"'“”‘’`´]+/iy;

/** Returns the end of a string, comment or other token; undefined if the text ends before it. */
function findTokenEnd(text: string, start: number): number | undefined {
  const quotes = text.startsWith('```', start) ? undefined : CLOSING_QUOTES[text.charAt(start)];
  if (quotes !== undefined) return findStringEnd(text, { start, quotes });
  if (text.startsWith('//', start)) return toEnd(text.indexOf('\n', start)) ?? text.length;
  if (text.startsWith('/*', start)) return toEnd(text.indexOf('*/', start + 2), { length: 2 });
  TOKEN.lastIndex = start;
  TOKEN.test(text);
  return TOKEN.lastIndex;
}

function findStringEnd(
  text: string,
  { start, quotes }: { start: number; quotes: string },
): number | undefined {
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '\\') index++;
    else if (quotes.includes(character)) return index + 1;
  }
  return undefined;
}

const toEnd = (index: number, { length = 0 } = {}): number | undefined =>
  index < 0 ? undefined : index + length;
