import { expect, it } from 'vitest';
import { createMarkdownWriter, toWidth, wrapWords } from '../../../playground/terminal/markdown-writer.js';
import { forEachChunking } from '../../_chunking.js';

function render(chunks: readonly string[], { columns = 40, hasColours = false } = {}): string {
  let written = '';
  const writer = createMarkdownWriter({ write: text => (written += text), columns, hasColours });
  for (const chunk of chunks) writer.push(chunk);
  writer.end();
  return written;
}

const decode = (chunks: readonly Uint8Array[]): string[] => {
  const decoder = new TextDecoder();
  return chunks.map(chunk => decoder.decode(chunk, { stream: true }));
};

const source =
  '# A heading\n\nThe **tool get-sum** returned *exactly* `4 2` and 2 * 3 is a_b_c, which is not emphasis at all.\n' +
  '- An item that is long enough to be wrapped over two lines\n\n```js\nconst a = "**kept** as it is, and never wrapped at all";\n```\nEnd';

const rendered = [
  'A heading',
  '',
  'The tool get-sum returned exactly 4 2',
  'and 2 * 3 is a_b_c, which is not',
  'emphasis at all.',
  '• An item that is long enough to be',
  '  wrapped over two lines',
  '',
  '',
  'const a = "**kept** as it is, and never wrapped at all";',
  '',
  'End',
].join('\n');

forEachChunking('breaks lines between words and removes marks', source, chunks => {
  expect(render(decode(chunks))).toBe(rendered);
});

it('renders emphasis over several words, and ends it with the line', () => {
  const text = render(['**two words** *it* `x`\n**open\nplain'], { hasColours: true });

  expect(text).toBe(
    '\u001b[1mtwo\u001b[22m \u001b[1mwords\u001b[22m \u001b[3mit\u001b[23m \u001b[36mx\u001b[39m\n\u001b[1mopen\u001b[22m\nplain',
  );
});

it('measures wide characters as two cells', () => {
  expect(toWidth('日本 👍')).toBe(7);
  expect(render(['日本語 日本語 日本語'], { columns: 14 })).toBe('日本語 日本語\n日本語');
});

it('writes a word that is longer than a line in one piece', () => {
  expect(render(['a https://example.com/a/long/path b'], { columns: 10 })).toBe(
    'a\nhttps://example.com/a/long/path\nb',
  );
  expect(wrapWords('→ tool {"a": 1, "b": 2}', { columns: 12, indent: '  ' })).toBe(
    '→ tool {"a":\n  1, "b": 2}',
  );
});
