import { describeFailure } from '../../shared/failure.js';
/** JSON that was read from a text, or the reason why there is none, with its line and column. */
export type ReadJson =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** Reads JSON that a person has typed. */
export function readJson(text: string): ReadJson {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = describeFailure(error);
    const { line, column } = findPlace(text, reason);
    const what = reason
      .replace(/^JSON\.parse: /, '')
      .replace(/ in JSON.*|, (?:\.\.\.)?".*is not valid JSON$/s, '')
      .replace(/^"?(undefined)?"? is not valid JSON$/, '');
    return { problem: `Expected JSON. Line ${line}, column ${column}: ${what || 'unexpected text'}.` };
  }
}

/** Browsers name the place only in some messages. Without it, the shortest beginning that fails otherwise has its end there. */
function findPlace(text: string, reason: string): { line: number; column: number } {
  const named = /position (\d+)/.exec(reason)?.[1];
  const at = named === undefined ? findFirstError(text) : Number(named);
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A beginning of valid JSON fails only because it ends. Returns the length of the longest one. */
function findFirstError(text: string): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isBeginning(text.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1];
    if (at !== undefined) return Number(at) >= text.length;
    return /Unexpected end|Unterminated string|end of data/.test(String(error));
  }
}
