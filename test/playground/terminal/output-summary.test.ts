import { expect, it } from 'vitest';
import { summarizeOutput } from '../../../playground/terminal/output.js';

it('puts a text on one line and cuts it', () => {
  expect(summarizeOutput(' one\n  two ')).toBe('one two');
  expect(summarizeOutput('👍👍👍', { maxCharacters: 2 })).toBe('👍👍…');
});

it('names what MCP content cannot show', () => {
  const content = [
    { type: 'text', text: 'Here:' },
    { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  ];
  expect(summarizeOutput({ content })).toBe('Here: [image image/png]');
});

it('shows all else as JSON, and an error by its message', () => {
  expect(summarizeOutput({ words: 9 })).toBe('{"words":9}');
  expect(summarizeOutput(undefined)).toBe('undefined');
  expect(summarizeOutput(new Error('The tool broke.'))).toBe('The tool broke.');
});
