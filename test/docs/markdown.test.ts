import { expect, it } from 'vitest';
import { findFiles, findSnippets, type Snippet } from './_markdown.js';

const find = (lines: readonly string[]): Snippet[] => findSnippets(lines.join('\n'));

it('takes blocks of TypeScript and leaves those of other languages', () => {
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

it('takes the comments right above a block for remarks about it', () => {
  const remarks = ['<!-- prints: one -->', '<!-- prints: two -->', '', '```ts', 'a();', '```'];
  const others = ['<!-- not run: needs a key -->', '', 'Text.', '```tsx', 'b();', '```'];
  expect(find([...remarks, ...others])).toMatchObject([
    { prints: ['one', 'two'], notRun: undefined },
    { language: 'tsx', prints: [], notRun: undefined },
  ]);
  expect(find(['<!-- with: ai 6 -->', '```ts', 'a();', '```'])).toMatchObject([{ major: '6' }]);
  expect(find(['<!-- not run: needs a key -->', '```ts', 'a();', '```'])).toMatchObject([
    { notRun: 'needs a key' },
  ]);
});

it('takes a block that does not end for a mistake', () => {
  expect(() => find(['```ts', 'a();'])).toThrow('Expected an end of the block in line 1');
});

it('takes a block below the name of a file for that file', () => {
  const markdown = ['<!-- file: a.json -->', '', '```json', '{', '}', '```', '', '```json', '[]', '```'].join(
    '\n',
  );
  expect(findFiles(markdown)).toEqual([{ name: 'a.json', content: '{\n}\n' }]);
});
