import type { Prompt, ToolResultOutput } from '../../core/prompt.js';
import { messageOf } from '../../core/shared/errors.js';
import type { ToolOutput } from '../../tools/tool-source.js';
import { toText } from '../calls/outputs.js';

/** Outputs that the model reads by ids, with a tool of the loop. */
export interface ReadableOutputs {
  /** Returns undefined for an unknown id, which a model may have invented. */
  get(id: string, signal: AbortSignal): ToolResultOutput | undefined | Promise<ToolResultOutput | undefined>;
  /**
   * Returns true if a request has to offer the tool. It stays in the conversation then.
   * @default all requests offer it
   */
  isNeeded?(prompt: Prompt): boolean;
}

/** Finds an output by the id that a model has named. Rejects on abort. */
export async function findOutput(
  sources: readonly ReadableOutputs[],
  id: string,
  signal: AbortSignal,
): Promise<{ readonly output: ToolResultOutput } | { readonly failure: string }> {
  const failures: string[] = [];
  for (const source of sources) {
    try {
      const output = await source.get(id, signal);
      if (output !== undefined) return { output };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      failures.push(`The output could not be read: ${messageOf(error)}`);
    }
  }
  return { failure: failures.join(' ') || NOT_FOUND };
}

const NOT_FOUND =
  'There is no output with this id, or it is not kept any more. Call the tool again if you need its output.';

/** Maximum number of characters in one output of the reader. */
const MAX_CHARS = 20_000;
const MAX_PASSAGES = 5;
/** Characters before and after a match. */
const CONTEXT = 500;

/** The passage that a model asks for. Its arguments may be of any type. */
interface Passage {
  readonly find?: unknown;
  readonly offset?: unknown;
  readonly limit?: unknown;
  readonly maxFind: number;
  readonly maxChars: number;
}

/** Returns a page of an output, or the passages that contain a text. */
export function readOutput(output: ToolResultOutput, { find, maxFind, ...passage }: Passage): ToolOutput {
  const wanted = typeof find === 'string' ? find : '';
  const offset = Math.max(Math.trunc(Number(passage.offset)) || 0, 0);
  const room = Math.min(MAX_CHARS, passage.maxChars);
  const limit = Math.min(Math.trunc(Number(passage.limit)) || room, room);
  if (wanted.length > maxFind)
    return fail(`Expected \`find\` to have at most ${maxFind} characters, got ${wanted.length}.`);
  if (limit < 1) return fail(`Expected \`limit\` to be at least 1, got ${limit}.`);
  if (output.type === 'content' && wanted === '' && offset === 0) return output;
  const text = toText(output);
  if (offset > 0 && offset >= text.length)
    return fail(
      `Expected \`offset\` to be less than ${text.length}, the length of the output, got ${offset}.`,
    );
  const read =
    wanted === '' ? readPage(text, { offset, limit }) : findPassages(text, { wanted, offset, limit });
  return { type: 'text', value: read };
}

const fail = (value: string): ToolOutput => ({ type: 'error-text', value });

interface Range {
  readonly offset: number;
  readonly limit: number;
}

function readPage(text: string, range: Range): string {
  const start = toBoundary(text, range.offset);
  // A page with less than one character would never end.
  const end = Math.max(toBoundary(text, start + range.limit), Math.min(start + 1, text.length));
  const rest = text.length - end;
  const head = start > 0 ? `[From character ${start} in line ${createLineCounter(text)(start)}]\n` : '';
  return (
    head +
    text.slice(start, end) +
    (rest > 0 ? `\n[${rest} more characters. Read on with the offset ${end}.]` : '')
  );
}

function findPassages(text: string, range: Range & { readonly wanted: string }): string {
  const [folded, needle] = [fold(text), fold(range.wanted)];
  const context = Math.min(CONTEXT, Math.floor(range.limit / (2 * MAX_PASSAGES)));
  const lineOf = createLineCounter(text);
  const passages: string[] = [];
  let at = folded.indexOf(needle, range.offset);
  while (at >= 0 && passages.length < MAX_PASSAGES) {
    const end = at + needle.length + context;
    const passage = text.slice(toBoundary(text, Math.max(0, at - context)), toBoundary(text, end));
    passages.push(`At character ${at} in line ${lineOf(at)}: ${passage}`);
    at = folded.indexOf(needle, end);
  }
  if (passages.length === 0)
    return range.offset > 0
      ? `The output does not contain this text from character ${range.offset} on.`
      : 'The output does not contain this text.';
  if (at >= 0) passages.push(`[More passages follow. Search on with the offset ${at}.]`);
  return passages.join('\n…\n');
}

/** Returns a text of the same length in lower case. Only one character becomes two in lower case. */
const fold = (text: string): string => text.replaceAll('İ', 'i').toLowerCase();

/** Returns a function that returns the number of the line of a position, from 1. Positions must not decrease. */
function createLineCounter(text: string): (position: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return position => {
    while (next >= 0 && next < position) {
      line++;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}

/** Returns a position that does not split a surrogate pair: servers reject half of one. */
const toBoundary = (text: string, position: number): number =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(position - 1, 0), position + 1))
    ? position - 1
    : position;
