import { jsonrepair } from 'jsonrepair';

/** A value, with the JSON it was read from. */
export interface JsonReading {
  readonly value: unknown;
  readonly json: string;
}

/** Reads JSON as it stands. */
export function readJson(text: string): JsonReading | undefined {
  try {
    return { value: JSON.parse(text), json: text };
  } catch {
    return undefined;
  }
}

/**
 * Reads JSON with slips: brackets that are missing at the end, single quotes, trailing commas, Python's constants, code
 * fences, escapes that JSON does not know, escapes of a whole text that was escaped twice, a text that was told twice.
 *
 * What ends within a text is cut, not mangled: half a path or half a command must not run.
 *
 * @returns undefined for what is beyond repair.
 */
export function repairJson(text: string): JsonReading | undefined {
  return readEscaped(text) ?? readTwice(text) ?? readSlips(text);
}

/** `{\"city\": \"Oslo\"}`: the JSON of a text, without the quotes around it. */
function readEscaped(text: string): JsonReading | undefined {
  if (!/^\s*[{[]\s*\\"/.test(text)) return undefined;
  const inner = readJson(`"${text.trim()}"`)?.value;
  return typeof inner === 'string' ? (readJson(inner) ?? readSlips(inner)) : undefined;
}

/** Some servers send the arguments in pieces, and then again as a whole. */
function readTwice(text: string): JsonReading | undefined {
  const half = text.slice(0, text.length / 2);
  return half !== '' && half + half === text ? readJson(half) : undefined;
}

function readSlips(text: string): JsonReading | undefined {
  // Else lone backslashes would be dropped: `C:\dir` is no `C:dir`.
  const escaped = escapeLoneBackslashes(text);
  const whole = readJson(escaped);
  if (whole !== undefined) return whole;
  if (endsInText(escaped)) return undefined;
  try {
    return readJson(jsonrepair(escaped));
  } catch {
    return undefined;
  }
}

/** A backslash that begins no escape, as in `C:\dir` or `\d+`: the model forgot to escape it. */
function escapeLoneBackslashes(text: string): string {
  return text.replace(/\\(?:["'\\/bfnrt]|u[\da-fA-F]{4})|\\/g, escape => (escape === '\\' ? '\\\\' : escape));
}

function endsInText(text: string): boolean {
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
