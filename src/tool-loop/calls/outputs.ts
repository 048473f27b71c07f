import type { OutputContent, ToolResultOutput } from '../../core/prompt.js';
import { isToolOutput, toCoreOutput } from '../../core/prompt.js';
import { objectOf } from '../../core/shared/json.js';
import type { ToolOutput } from '../../tools/tool-source.js';

/*
 * The outputs of tools, as the model may read them.
 */

export const isErrorOutput = (output: ToolOutput): boolean =>
  output.type === 'error-text' || output.type === 'error-json' || output.mcp?.isError === true;

/** Returns an output that every model accepts. Tool sources of an application may return other values. */
export function toValidOutput(given: ToolOutput | undefined, toolName: string): ToolOutput {
  const output = toCoreOutput(given);
  if (!isToolOutput(output) || output.type === 'execution-denied')
    return {
      type: 'error-text',
      value: `The tool "${toolName}" returned an output of an unknown type: ${String(objectOf(output)?.type)}.`,
    };
  // A tool must not mark its output as one that the loop has kept, because these are not cut.
  const { kept, ...own }: ToolOutput = output;
  return kept === undefined ? output : own;
}

/** Maximum size in bytes of an image or another media part of an output. A larger one is replaced by a text. */
const MAX_MEDIA_BYTES = 20_000_000;

/** Limits as the application gives them. */
type GivenLimits =
  | number
  | false
  | { readonly default?: number | false; readonly tools?: Readonly<Record<string, number | false>> };

/** Returns the maximum length of the texts in an output, by the name of the tool that the model calls. */
export function toOutputLimits(given: GivenLimits = {}): (toolName: string) => number {
  const limits = typeof given === 'object' ? given : { default: given };
  const { default: common = 100_000, tools = {} } = limits;
  return toolName => (Object.hasOwn(tools, toolName) ? tools[toolName] : common) || Infinity;
}

interface OutputLimit {
  /** Maximum length of the texts of an output. */
  readonly maxChars: number;
}

/**
 * Truncates an output that is too long. Truncated JSON becomes text. Returns the same object if nothing is too long.
 * Text that was truncated for the model does not reach the host in another form either.
 */
export function limitOutput(output: ToolOutput, limit: OutputLimit): ToolOutput {
  const limited = limitValue(output, limit);
  const { mcp } = output;
  return mcp === undefined || limited === output ? limited : replaceOutput(output, { ...limited, mcp });
}

/**
 * Returns an output that takes the place of another one. Details of the result that both have are about the old one, so
 * its texts in another form, which the host would receive in place of the new one, are left out.
 */
export function replaceOutput(before: ToolOutput, after: ToolOutput): ToolOutput {
  if (after === before || after.mcp === undefined || after.mcp !== before.mcp) return after;
  const { content: _, structuredContent: __, ...mcp } = after.mcp;
  return { ...after, mcp };
}

function limitValue(output: ToolOutput, limit: OutputLimit): ToolOutput {
  if (output.type === 'content') {
    const value = limitContent(output.value, limit);
    const isSame = value.every((part, index) => part === output.value[index]);
    return isSame && value.length === output.value.length ? output : { type: 'content', value };
  }
  const text = toPlainText(output);
  if (text.length <= limit.maxChars) return output;
  const type = output.type === 'text' || output.type === 'json' ? 'text' : 'error-text';
  return { type, value: truncateText(text, limit) };
}

const toPlainText = (output: Exclude<ToolOutput, { type: 'content' }>): string =>
  output.type === 'text' || output.type === 'error-text' ? output.value : JSON.stringify(output.value);

/** Returns true if the texts of an output are too long. The limit of media is another one. */
export const isTooLong = (output: ToolOutput, limit: OutputLimit): boolean =>
  (output.type === 'content'
    ? output.value.reduce((sum, part) => sum + (textOf(part)?.length ?? 0), 0)
    : toPlainText(output).length) > limit.maxChars;

/** All texts share one limit: the text that exceeds it is truncated, and later ones are omitted. */
function limitContent(content: readonly OutputContent[], limit: OutputLimit): OutputContent[] {
  let room = limit.maxChars;
  let omitted = 0;
  const limited = content.flatMap((part): OutputContent[] => {
    const text = textOf(part);
    if (text === undefined) return [limitMedia(part)];
    if (room <= 0) {
      omitted++;
      return [];
    }
    const shown = truncateText(text, { maxChars: room });
    room -= text.length;
    return shown === text ? [part] : [{ type: 'text', text: shown }];
  });
  if (omitted > 0) limited.push({ type: 'text', text: `[… ${omitted} more texts omitted …]` });
  return limited;
}

/** Returns the text of a part. Undefined for media. */
export function textOf(part: OutputContent): string | undefined {
  if (part.type === 'text') return part.text;
  return part.type === 'file' && part.data.type === 'text' ? part.data.text : undefined;
}

/** Replaces media that are too large. */
export function limitMedia(part: OutputContent): OutputContent {
  if (part.type !== 'file' || part.data.type !== 'data') return part;
  const { data } = part.data;
  const bytes = typeof data === 'string' ? Math.floor((data.length * 3) / 4) : data.byteLength;
  if (bytes <= MAX_MEDIA_BYTES) return part;
  return {
    type: 'text',
    text: `[${part.mediaType} of ${bytes} bytes omitted: the limit is ${MAX_MEDIA_BYTES} bytes]`,
  };
}

/** Truncates a text in the middle, with a mark that contains the number of omitted characters. @internal */
export function truncateText(text: string, limit: OutputLimit): string {
  if (text.length <= limit.maxChars) return text;
  const room = Math.max(limit.maxChars - toMark(text.length).length, 0);
  const headEnd = Math.ceil(room / 2);
  const tailStart = text.length - Math.floor(room / 2);
  // Servers reject half a surrogate pair with status 400.
  const head = text.slice(0, isInsidePair(text, headEnd) ? headEnd - 1 : headEnd);
  const tail = text.slice(isInsidePair(text, tailStart) ? tailStart + 1 : tailStart);
  return head + toMark(text.length - head.length - tail.length) + tail;
}

const toMark = (count: number): string => `\n[… ${count} characters omitted …]\n`;

const isInsidePair = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(index - 1, 0), index + 1));

/** Returns an output as text, without the data of images and files. */
export function toText(output: ToolResultOutput): string {
  if (!('value' in output)) return '';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value, withoutData);
}

/** A function for `JSON.stringify`. */
export const withoutData = (key: string, value: unknown): unknown =>
  value instanceof Uint8Array || (key === 'data' && typeof value === 'string') ? '' : value;
