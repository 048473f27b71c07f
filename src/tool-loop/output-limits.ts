import type { ToolOutput } from '../tools/tool-source.js';

/** How much of an output the model gets. */
export interface OutputLimits {
  readonly maxChars: number;
  /** For each media part, in bytes. */
  readonly maxMediaBytes: number;
}

type Content = Extract<ToolOutput, { type: 'content' }>['value'];
type Media = Extract<Content[number], { type: 'media' }>;

/** The output, shortened where it is too long; the output itself where it is not. JSON that is cut becomes text. */
export function limitOutput(output: ToolOutput, limits: OutputLimits): ToolOutput {
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
    case 'content':
      return { type: 'content', value: limitContent(output.value, limits) };
  }
}

/** All texts share the limit: the one that exceeds it is cut, those after it are left out. */
function limitContent(content: Content, { maxChars, maxMediaBytes }: OutputLimits): Content {
  let room = maxChars;
  let leftOut = 0;
  const limited = content.flatMap((part): Content => {
    if (part.type === 'media') return [limitMedia(part, { maxMediaBytes })];
    if (room <= 0) {
      leftOut++;
      return [];
    }
    const text = truncateText(part.text, { maxChars: room });
    room -= part.text.length;
    return [{ type: 'text', text }];
  });
  if (leftOut > 0) limited.push({ type: 'text', text: `[… ${leftOut} more texts left out …]` });
  return limited;
}

function limitMedia(part: Media, { maxMediaBytes }: Pick<OutputLimits, 'maxMediaBytes'>): Content[number] {
  const bytes = Math.floor((part.data.length * 3) / 4);
  if (bytes <= maxMediaBytes) return part;
  return {
    type: 'text',
    text: `[${part.mediaType} of ${bytes} bytes left out: the limit is ${maxMediaBytes} bytes]`,
  };
}

/** Shortens a text to its beginning and its end, with a mark between them that says how much is missing. */
export function truncateText(text: string, { maxChars }: { maxChars: number }): string {
  if (text.length <= maxChars) return text;
  const room = Math.max(maxChars - toMark(text.length).length, 0);
  const headEnd = Math.ceil(room / 2);
  const tailStart = text.length - Math.floor(room / 2);
  // Half of a surrogate pair is no text: servers answer it with 400.
  const head = text.slice(0, isInsidePair(text, headEnd) ? headEnd - 1 : headEnd);
  const tail = text.slice(isInsidePair(text, tailStart) ? tailStart + 1 : tailStart);
  return head + toMark(text.length - head.length - tail.length) + tail;
}

const toMark = (count: number): string => `\n[… ${count} characters left out …]\n`;

const isInsidePair = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(index - 1, 0), index + 1));
