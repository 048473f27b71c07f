import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/**
 * Writes streamed Markdown: breaks lines between words and renders emphasis. Renderers for terminals need the complete text.
 */
export interface MarkdownWriter {
  /** @param style Style of the complete text. */
  push(text: string, style?: Style): void;
  /** Writes what is left of the last word. */
  end(): void;
}

export interface MarkdownWriterOptions {
  readonly write: (text: string) => void;
  /** Width of a line in cells. */
  readonly columns: number;
  readonly hasColours: boolean;
}

/** The marks are removed; `*` and `_` count only at the edges of a word. */
const marks: readonly { readonly mark: string; readonly format: 'bold' | 'italic' | 'cyan' }[] = [
  { mark: '**', format: 'bold' },
  { mark: '__', format: 'bold' },
  { mark: '*', format: 'italic' },
  { mark: '_', format: 'italic' },
  { mark: '`', format: 'cyan' },
];

type Format = (typeof marks)[number]['format'];

export function createMarkdownWriter({ write, columns, hasColours }: MarkdownWriterOptions): MarkdownWriter {
  let column = 0;
  let word = '';
  let spaces = '';
  let isLineStart = true;
  let isHeading = false;
  let isInFence = false;
  let indent = '';
  let base: Style | undefined;
  const open = new Set<Format>();

  const paint = (text: string, formats: readonly Format[]): string => {
    const all = [
      ...(base === undefined ? [] : [base].flat()),
      ...formats,
      ...(isHeading ? ['bold' as const] : []),
    ];
    return hasColours && all.length > 0 && text !== ''
      ? styleText(all, text, { validateStream: false })
      : text;
  };

  /** Splits a word at its marks and opens and closes their formats. */
  function toRuns(text: string): { text: string; formats: readonly Format[] }[] {
    const runs: { text: string; formats: readonly Format[] }[] = [];
    let run = '';
    const endRun = (): void => {
      if (run !== '') runs.push({ text: run, formats: [...open] });
      run = '';
    };
    for (let at = 0; at < text.length;) {
      const found = marks.find(({ mark }) => text.startsWith(mark, at));
      const isCode = open.has('cyan');
      if (
        found === undefined ||
        (isCode && found.mark !== '`') ||
        !isMark(text, at, found.mark, open.has(found.format))
      ) {
        run += text[at++];
        continue;
      }
      endRun();
      if (open.has(found.format)) open.delete(found.format);
      else open.add(found.format);
      at += found.mark.length;
    }
    endRun();
    return runs;
  }

  function endWord(): void {
    if (word === '') return;
    if (isLineStart && !isInFence && /^(#{1,6}|[-*+]|>|\d+[.)])$/.test(word)) {
      isHeading = word.startsWith('#');
      const sign = isHeading ? '' : /^[-*+]$/.test(word) ? '•' : word;
      if (sign !== '') {
        indent = ' '.repeat(column + spaces.length + sign.length + 1);
        put([{ text: sign, formats: [] }], sign);
      }
      isLineStart = isHeading;
      word = '';
      if (isHeading) spaces = '';
      return;
    }
    const runs = isInFence ? [{ text: word, formats: [] }] : toRuns(word);
    put(runs, runs.map(({ text }) => text).join(''));
    isLineStart = false;
    word = '';
  }

  function put(runs: readonly { text: string; formats: readonly Format[] }[], visible: string): void {
    const width = toWidth(visible);
    if (column > indent.length && column + spaces.length + width > columns && !isInFence) {
      write(`\n${indent}`);
      column = indent.length;
    } else {
      write(spaces);
      column += spaces.length;
    }
    spaces = '';
    write(runs.map(({ text, formats }) => paint(text, formats)).join(''));
    column += width;
  }

  function endLine(): void {
    if (/^\s*(```|~~~)/.test(word) && isLineStart) {
      isInFence = !isInFence;
      word = '';
    }
    endWord();
    // Emphasis does not continue in the next line: an unpaired mark would colour the rest of the response.
    open.clear();
    isHeading = false;
    isLineStart = true;
    column = 0;
    indent = '';
    spaces = '';
    write('\n');
  }

  return {
    push(text, style) {
      if (style !== base) endWord();
      base = style;
      for (const character of text) {
        if (character === '\n') endLine();
        else if (character === ' ' || character === '\t') {
          endWord();
          // The space after a heading's mark is part of the mark.
          if (!isHeading || column > 0) spaces += character === '\t' ? '  ' : ' ';
        } else word += character;
      }
    },
    end() {
      endWord();
      open.clear();
      spaces = '';
      column = 0;
      indent = '';
      isLineStart = true;
      isHeading = false;
      isInFence = false;
    },
  };
}

/** Code marks count everywhere, the others before a word if they open and after one if they close: `2 * 3`, `a_b`. */
function isMark(text: string, at: number, mark: string, isOpen: boolean): boolean {
  if (mark === '`') return true;
  const before = text[at - 1] ?? '';
  const after = text[at + mark.length] ?? '';
  const isWordCharacter = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
  return isOpen
    ? before !== '' && !isWordCharacter(after)
    : after !== '' && !isWordCharacter(before) && !/[\s*_]/.test(after);
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

/** Returns the number of terminal cells of a text. */
export function toWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

const segmenter = new Intl.Segmenter();

/** Breaks a text between words. Following lines are indented. */
export function wrapWords(
  text: string,
  { columns, indent = '' }: { columns: number; indent?: string },
): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? word : `${line} ${word}`;
    if (line.trim() !== '' && toWidth(next) > columns) {
      lines.push(line);
      line = indent + word;
    } else line = next;
  }
  return [...lines, line].join('\n');
}
