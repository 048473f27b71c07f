import { describe, expect, it } from 'vitest';
import {
  createBlockSplitter,
  type MarkdownBlock,
  readCode,
} from '../../../playground/web/ui/markdown-split.js';

const split = (text: string): readonly MarkdownBlock[] => createBlockSplitter()(text);
const join = (blocks: readonly MarkdownBlock[]): string => blocks.map(({ text }) => text).join('');

const document = [
  '# Title',
  'A paragraph with **bold** text.',
  Array.from({ length: 100 }, (_, index) => `${index + 1}. item ${index + 1} with some text`).join('\n'),
  'prose '.repeat(2000),
  `\`\`\`js\n${'const a = 1;\n'.repeat(300)}\`\`\``,
  'The end.',
].join('\n\n');

describe('the blocks of a Markdown text', () => {
  it('contain the whole text, and none of them is long except code', () => {
    const blocks = split(document);
    expect(join(blocks)).toBe(document);
    expect(
      Math.max(...blocks.map(({ text }) => (readCode(text) === undefined ? text.length : 0))),
    ).toBeLessThan(1501);
  });

  it('are the same for a text that grows, and finished ones are the same objects', () => {
    const grow = createBlockSplitter();
    let before: readonly MarkdownBlock[] = [];
    let repeated = 0;
    for (let end = 0; end <= document.length + 99; end += 100) {
      const blocks = grow(document.slice(0, end));
      repeated += blocks.filter((block, index) => block !== before[index]).length;
      before = blocks;
    }
    expect(before).toEqual(split(document));
    // About three blocks change per step; without reuse, all of them would.
    expect(repeated).toBeLessThan((document.length / 100) * 4);
  });

  it('start anew for another text', () => {
    const grow = createBlockSplitter();
    grow(document);
    expect(join(grow('Another text.'))).toBe('Another text.');
  });

  it('divide a list before an item, a table between rows with its header, and a paragraph between words', () => {
    const items = '- an item of the list\n'.repeat(200);
    expect(split(items).every(({ text, isContinued }) => text.startsWith('- an item') && !isContinued)).toBe(
      true,
    );
    const table = `| a | b |\n| --- | --- |\n${'| one | two |\n'.repeat(300)}`;
    const parts = split(table);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.every(({ text }) => text.startsWith('| a | b |\n| --- | --- |\n| one'))).toBe(true);
    const words = split('word '.repeat(1000));
    expect(words.map(({ isContinued }) => isContinued)).toEqual([false, true, true, true]);
    expect(words.every(({ text }) => text.startsWith('word'))).toBe(true);
  });

  it('reads fenced code, also while its end is missing', () => {
    expect(readCode('```ts\nconst a = 1;\n```\n')).toEqual({ language: 'ts', code: 'const a = 1;' });
    expect(readCode('~~~\nline\n')).toEqual({ language: '', code: 'line' });
    expect(readCode('````md title\n```\ninner\n```\n````')).toEqual({
      language: 'md',
      code: '```\ninner\n```',
    });
    expect(readCode('text')).toBeUndefined();
  });
});
