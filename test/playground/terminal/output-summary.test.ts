import { expect, it } from 'vitest';
import { summarizeOutput } from '../../../playground/terminal/output.js';

it('writes text on one line and truncates it', () => {
  expect(summarizeOutput(' one\n  two ')).toBe('one two');
  expect(summarizeOutput('👍👍👍', { maxCharacters: 2 })).toBe('👍👍…');
});

it('describes MCP content that is not text', () => {
  const content = [
    { type: 'text', text: 'Here:' },
    { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  ];
  expect(summarizeOutput({ content })).toBe('Here: [image image/png]');
});

it('formats other values as JSON and errors as their message', () => {
  expect(summarizeOutput({ words: 9 })).toBe('{"words":9}');
  expect(summarizeOutput(undefined)).toBe('undefined');
  expect(summarizeOutput(new Error('The tool broke.'))).toBe('The tool broke.');
});
