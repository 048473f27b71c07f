import { expect, it } from 'vitest';
import { findFiles, findSnippets, type Snippet } from './_markdown.js';

const find = (lines: readonly string[]): Snippet[] => findSnippets(lines.join('\n'));

it('finds TypeScript blocks and ignores other languages', () => {
  const lines = [
    '# First',
    '```bash',
    'npm test',
    '```',
    '## The `second`',
    '```ts',
    'a();',
    '',
    'b();',
    '```',
  ];
  expect(find(lines)).toEqual([
    {
      name: 'The second (line 6)',
      language: 'ts',
      code: 'a();\n\nb();',
      notRun: undefined,
      major: undefined,
      prints: [],
    },
  ]);
});

it('reads the comments directly above a block', () => {
  const comments = ['<!-- prints: one -->', '<!-- prints: two -->', '', '```ts', 'a();', '```'];
  const others = ['<!-- not run: needs a key -->', '', 'Text.', '```tsx', 'b();', '```'];
  expect(find([...comments, ...others])).toMatchObject([
    { prints: ['one', 'two'], notRun: undefined },
    { language: 'tsx', prints: [], notRun: undefined },
  ]);
  expect(find(['<!-- with: ai 6 -->', '```ts', 'a();', '```'])).toMatchObject([{ major: 6 }]);
  expect(find(['<!-- not run: needs a key -->', '```ts', 'a();', '```'])).toMatchObject([
    { notRun: 'needs a key' },
  ]);
});

it('rejects a block without an end', () => {
  expect(() => find(['```ts', 'a();'])).toThrow('Expected an end of the code block in line 1');
});

it('reads the content of a named file from the block below its name', () => {
  const markdown = ['<!-- file: a.json -->', '', '```json', '{', '}', '```', '', '```json', '[]', '```'].join(
    '\n',
  );
  expect(findFiles(markdown)).toEqual([{ name: 'a.json', content: '{\n}\n' }]);
});
