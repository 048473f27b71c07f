import { jsonrepair } from 'jsonrepair';

/** A value with the JSON that it was parsed from. */
export interface JsonReading {
  readonly value: unknown;
  readonly json: string;
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
 * Parses malformed JSON: missing closing brackets, single quotes, trailing commas, Python constants, code fences, unknown
 * escapes, double escaping, and text that occurs twice.
 *
 * Text that ends inside a string is truncated and rejected: half a path or half a command must not run.
 *
 * @returns undefined for JSON that cannot be repaired.
 */
export function repairJson(text: string): JsonReading | undefined {
  return readEscaped(text) ?? readTwice(text) ?? readMalformed(text);
}

/** Parses `{\"city\": \"Oslo\"}`: a JSON string without the surrounding quotes. */
function readEscaped(text: string): JsonReading | undefined {
  if (!/^\s*[{[]\s*\\"/.test(text)) return undefined;
  const inner = readJson(`"${text.trim()}"`)?.value;
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
  if (endsInString(escaped)) return undefined;
  try {
    return readJson(jsonrepair(escaped));
  } catch {
    return undefined;
  }
}

/** Escapes backslashes that the model forgot to escape, as in `C:\dir` or `\d+`. */
function escapeLoneBackslashes(text: string): string {
  return text.replace(/\\(?:["'\\/bfnrt]|u[\da-fA-F]{4})|\\/g, escape => (escape === '\\' ? '\\\\' : escape));
}

function endsInString(text: string): boolean {
  let quote: string | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quote === undefined) {
      if (character === '"' || character === "'") quote = character;
    } else if (character === '\\') {
      index++;
    } else if (character === quote) {
      quote = undefined;
    }
  }
  return quote !== undefined;
}
