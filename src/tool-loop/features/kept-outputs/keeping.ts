import type { OutputContent } from '../../../core/prompt.js';
import { createTimeLimit, untilAborted } from '../../../core/shared/abort.js';
import { messageOf } from '../../../core/shared/errors.js';
import { toDigest } from '../../../core/shared/hash.js';
import type { ToolOutput } from '../../../tools/tool-source.js';
import { limitMedia, textOf, truncateText } from '../../calls/outputs.js';
import type { ToolOutputOwner, ToolOutputStore } from './store.js';
import { memoryStore } from './memory-store.js';

/** Milliseconds in which a store has to answer. The call waits for it. */
const STORE_TIMEOUT = 10_000;

/** Maximum number of characters of an output in a request, if the model can read the rest. */
const PREVIEW = 8000;

interface StoreOptions {
  /** The store of the application. @default the memory of the process */
  readonly given: ToolOutputStore | undefined;
  readonly owner: ToolOutputOwner;
  readonly signal: AbortSignal;
}

/**
 * Keeps the texts of an output. Returns the output with their beginning, or undefined if the store fails.
 *
 * @param options.reader The name of the tool that reads outputs.
 */
export async function keepOutput(
  output: ToolOutput,
  {
    maxChars,
    reader,
    onFailure,
    ...options
  }: StoreOptions & {
    readonly maxChars: number;
    readonly reader: string;
    readonly onFailure: (reason: string) => void;
  },
): Promise<ToolOutput | undefined> {
  const text = toKeptText(output);
  const id = `out_${crypto.randomUUID().replaceAll('-', '')}`;
  const { given: store = memoryStore, owner, signal } = options;
  try {
    await inTime(async () => store.put(await toKey(id, owner), text, owner), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    onFailure(messageOf(error));
    return undefined;
  }
  const note =
    `[This output of ${text.length} characters in ${countLines(text)} lines is kept with the id "${id}". ` +
    `Call ${reader} with the id to read or search all of it. Its beginning and end:]\n`;
  const maximum = Math.max(Math.min(maxChars, PREVIEW) - note.length, 0);
  const preview = note + truncateText(text, { maxChars: maximum });
  return { ...withText(output, preview), kept: { id, chars: text.length } };
}

/** Returns an output by its id. Rejects if the store fails. */
export async function getOutput(
  id: string,
  { given: store = memoryStore, owner, signal }: StoreOptions,
): Promise<ToolOutput | undefined> {
  if (!/^out_[0-9a-f]{32}$/.test(id)) return undefined;
  const text: unknown = await inTime(async () => store.get(await toKey(id, owner)), signal);
  return typeof text === 'string' ? { type: 'text', value: text } : undefined;
}

/** Returns the key of an output. The id of an output of another owner has another key. */
const toKey = (id: string, owner: ToolOutputOwner): Promise<string> => toDigest([owner.scope ?? null, id]);

/** Runs an operation of a store. Rejects when it takes too long, and on abort. */
async function inTime<Result>(run: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const message = `The store of outputs has not answered in ${STORE_TIMEOUT} ms.`;
  const limit = createTimeLimit(signal, { milliseconds: STORE_TIMEOUT, message });
  try {
    return await untilAborted(run(), limit.signal);
  } finally {
    limit.release();
  }
}

/** Returns the texts of an output. JSON is indented, so that its lines can be found. */
function toKeptText(output: ToolOutput): string {
  if (output.type === 'content') return output.value.flatMap(part => textOf(part) ?? []).join('\n');
  return typeof output.value === 'string' && !output.type.endsWith('json')
    ? output.value
    : JSON.stringify(output.value, undefined, 1);
}

/** Returns an output with one text in the place of its texts, and its media as they were. */
function withText(output: ToolOutput, text: string): ToolOutput {
  const { mcp } = output;
  const details = mcp && { mcp };
  if (output.type !== 'content') {
    const type = output.type.startsWith('error') ? 'error-text' : 'text';
    return { type, value: text, ...details };
  }
  let isFirst = true;
  const value = output.value.flatMap((part): OutputContent[] => {
    if (textOf(part) === undefined) return [limitMedia(part)];
    const shown: OutputContent[] = isFirst ? [{ type: 'text', text }] : [];
    isFirst = false;
    return shown;
  });
  return { type: 'content', value, ...details };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
