import { parseMarkdownIntoBlocks } from 'streamdown';

/** A part of a Markdown text that is rendered on its own. */
export interface MarkdownBlock {
  readonly text: string;
  /** True if the block continues the last line of the previous one. */
  readonly isContinued: boolean;
}

/**
 * Characters of a block. The parser needs about 10 microseconds for a character, so a longer block would delay a frame each
 * time it grows.
 */
const MAX_BLOCK = 1500;

/**
 * Blocks at the end of a growing text that its next characters may change: an item continues a list after an empty line, and
 * a line of dashes turns a paragraph into a heading.
 */
const UNSETTLED = 3;

/**
 * Splits a text that grows into blocks. Only its end is parsed again, and earlier blocks are the same objects as before. A
 * long block is split: a list at its items, a table at its rows, with the header repeated, a paragraph between two words.
 */
export function createBlockSplitter(): (text: string) => readonly MarkdownBlock[] {
  let settled: readonly MarkdownBlock[] = [];
  let settledText = '';
  let last: readonly MarkdownBlock[] = [];

  return text => {
    if (!text.startsWith(settledText)) {
      settled = [];
      settledText = '';
    }
    const blocks = parseMarkdownIntoBlocks(text.slice(settledText.length));
    const open = blocks.slice(-UNSETTLED);
    const finished = blocks.slice(0, -UNSETTLED);
    if (finished.length > 0) {
      settled = reuse([...settled, ...finished.flatMap(splitBlock)], last);
      settledText += finished.join('');
    }
    last = reuse([...settled, ...open.flatMap(splitBlock)], last);
    return last;
  };
}

/** Replaces blocks by equal ones that are known, so that they are not rendered again. */
const reuse = (blocks: readonly MarkdownBlock[], known: readonly MarkdownBlock[]): readonly MarkdownBlock[] =>
  blocks.map((block, index) => {
    const before = known[index];
    return before?.text === block.text && before.isContinued === block.isContinued ? before : block;
  });

function splitBlock(block: string): readonly MarkdownBlock[] {
  // Code has no syntax to parse.
  if (block.length <= MAX_BLOCK || readCode(block) !== undefined)
    return [{ text: block, isContinued: false }];
  const header = /^ *\|?.*\|.*\n[ |:-]+\n/.exec(block)?.[0] ?? '';
  const parts: MarkdownBlock[] = [];
  let isContinued = false;
  for (let from = header.length; from < block.length;) {
    const rest = block.slice(from, from + MAX_BLOCK);
    const isLast = from + MAX_BLOCK >= block.length;
    const end = isLast ? rest.length : findEnd(rest);
    const text = rest.slice(0, end);
    parts.push({ text: header + text, isContinued });
    isContinued = !text.endsWith('\n');
    from += end;
  }
  return parts;
}

/** Returns the place to split a block: before its last item, after its last line, or between two words. */
function findEnd(text: string): number {
  const item = text.slice(1).search(/\n(?:[-*+]|\d+[.)]) (?![^]*\n(?:[-*+]|\d+[.)]) )/);
  if (item >= 0) return item + 2;
  const line = text.lastIndexOf('\n') + 1;
  if (line > 0) return line;
  return text.lastIndexOf(' ') + 1 || text.length;
}

/** A block of code between fences. */
export interface CodeText {
  readonly language: string;
  readonly code: string;
}

/** Returns the content of a block that is fenced code. The end fence is missing while the code grows. */
export function readCode(block: string): CodeText | undefined {
  const fence = /^(`{3,}|~{3,})([^`\n]*)\n/.exec(block);
  if (fence === null) return undefined;
  const [start, marks = '', info = ''] = fence;
  const body = block.slice(start.length).trimEnd();
  const hasEnd = body === marks || body.endsWith(`\n${marks}`);
  const code = hasEnd ? body.slice(0, -marks.length).replace(/\n$/, '') : body;
  return { language: info.trim().split(/\s/)[0] ?? '', code };
}
