import type { ToolOutput } from '../tools/tool-source.js';

/** Maximum size of one tool output. */
export interface OutputLimits {
  readonly maxChars: number;
  /** Maximum size of each media part in bytes. */
  readonly maxMediaBytes: number;
}

type Content = Extract<ToolOutput, { type: 'content' }>['value'];
type Media = Extract<Content[number], { type: 'media' }>;

/**
 * Truncates an output that is too long. Truncated JSON becomes text. Returns the same object if nothing is too long.
 * Text that was truncated for the model does not reach the host in another form either.
 */
export function limitOutput(output: ToolOutput, limits: OutputLimits): ToolOutput {
  const limited = limitValue(output, limits);
  const { mcp } = output;
  if (limited === output || mcp === undefined) return limited;
  const { content: _content, structuredContent: _structured, ...kept } = mcp;
  return { ...limited, mcp: kept };
}

function limitValue(output: ToolOutput, limits: OutputLimits): ToolOutput {
  const { maxChars } = limits;
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value.length <= maxChars
        ? output
        : { type: output.type, value: truncateText(output.value, { maxChars }) };
    case 'json':
    case 'error-json': {
      const text = JSON.stringify(output.value);
      if (text.length <= maxChars) return output;
      return {
        type: output.type === 'json' ? 'text' : 'error-text',
        value: truncateText(text, { maxChars }),
      };
    }
    case 'content': {
      const value = limitContent(output.value, limits);
      const isSame = value.every((part, index) => part === output.value[index]);
      return isSame && value.length === output.value.length ? output : { type: 'content', value };
    }
  }
}

/** All texts share one limit: the text that exceeds it is truncated, and later ones are omitted. */
function limitContent(content: Content, { maxChars, maxMediaBytes }: OutputLimits): Content {
  let room = maxChars;
  let omitted = 0;
  const limited = content.flatMap((part): Content => {
    if (part.type === 'media') return [limitMedia(part, { maxMediaBytes })];
    if (room <= 0) {
      omitted++;
      return [];
    }
    const text = truncateText(part.text, { maxChars: room });
    room -= part.text.length;
    return text === part.text ? [part] : [{ type: 'text', text }];
  });
  if (omitted > 0) limited.push({ type: 'text', text: `[… ${omitted} more texts omitted …]` });
  return limited;
}

function limitMedia(part: Media, { maxMediaBytes }: Pick<OutputLimits, 'maxMediaBytes'>): Content[number] {
  const bytes = Math.floor((part.data.length * 3) / 4);
  if (bytes <= maxMediaBytes) return part;
  return {
    type: 'text',
    text: `[${part.mediaType} of ${bytes} bytes omitted: the limit is ${maxMediaBytes} bytes]`,
  };
}

/** Truncates a text in the middle, with a mark that contains the number of omitted characters. @internal */
export function truncateText(text: string, { maxChars }: { maxChars: number }): string {
  if (text.length <= maxChars) return text;
  const room = Math.max(maxChars - toMark(text.length).length, 0);
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
