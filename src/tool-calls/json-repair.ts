import { type JsonFault, mendJson, type MendedJson } from './lenient-json.js';
import { skipBlank } from './lenient-string.js';

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
 * Parses malformed JSON as `mendJson` does, and ignores what servers and models put around it: code fences with prose,
 * markers, prose after it, an empty object before it, and copies of it.
 *
 * @returns a fault for JSON that cannot be repaired, and for truncated JSON: half a path or half a number must not run.
 */
export function repairJson(text: string): JsonReading | JsonFault {
  if (/^\s*[{[]\s*\\"/.test(text)) return readEscaped(text);
  return readDocument(text);
}

/** Parses `{\"city\": \"Oslo\"}`: a JSON string without the surrounding quotes. */
function readEscaped(text: string): JsonReading | JsonFault {
  const escaped = text.trim().replace(/\p{Cc}/gu, control => JSON.stringify(control).slice(1, -1));
  const inner = readJson(`"${escaped}"`)?.value;
  if (typeof inner !== 'string') return 'truncated';
  return readJson(inner) ?? readDocument(inner);
}

/** Markers at the end of a text, such as `</tool_call>` or `<|call|>`. They prove that nothing is missing before them. */
const END_MARKERS = /(?:\s*<(?:\/[\w:.-]+|\|[^<>|\s]+\|)>)+\s*$/;
/** Markers before the JSON. */
const START_MARKERS = /^(?:\s*<(?:[\w:.-]+|\|[^<>|\s]+\|)>)+/;
/** Prose without brackets, and the start of fenced code. */
const FENCE = /^[^{[]*?```[a-z\d]*\s*(?=[{["'])/i;

/** The maximum number of copies. */
const MAX_COPIES = 8;

function readDocument(text: string): JsonReading | JsonFault {
  const markersStart = text.length - (END_MARKERS.exec(text)?.[0].length ?? 0);
  const isClosed = markersStart < text.length;
  const contents = text.slice(0, markersStart);
  const start = (FENCE.exec(contents) ?? START_MARKERS.exec(contents))?.[0].length ?? 0;
  const readings: MendedJson[] = [];
  let at = start;
  do {
    const mended = mendJson(contents, { start: at, isClosed });
    if (typeof mended === 'string') return mended;
    readings.push(mended);
    at = skipBlank(contents, mended.end) ?? contents.length;
  } while (contents[at] === '{' && readings.length < MAX_COPIES);
  if (!isIgnorable(contents.slice(at))) return 'malformed';
  return onlyReading(readings);
}

/** Returns true for the end of a fence, excess brackets and semicolons, and prose. */
const isIgnorable = (rest: string): boolean =>
  /^[\s}\];]*(?:```[^{}[\]"]*)?$/.test(rest) || /^\s*[\p{L}.!*(-][^{}[\]":]*$/u.test(rest);

/** Some servers stream an empty object before the arguments, or send the arguments again at the end. */
function onlyReading(readings: readonly MendedJson[]): JsonReading | JsonFault {
  const parsed = readings.map(({ json, isCompleted }) => ({
    value: JSON.parse(json) as unknown,
    json,
    isCompleted,
  }));
  const filled = parsed.length > 1 ? parsed.filter(({ json }) => !/^\{\s*\}$/.test(json)) : parsed;
  const [first = parsed[0], ...others] = filled;
  // Two backticks are the start of a code fence.
  if (first === undefined || first.value === '') return 'malformed';
  if (parsed.length > 1 && parsed.at(-1)?.isCompleted) return 'truncated';
  const json = JSON.stringify(first.value);
  return others.every(other => JSON.stringify(other.value) === json) ? first : 'malformed';
}
