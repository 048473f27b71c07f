import { expect, it } from 'vitest';
import { createToolNames } from '../../../src/tools/mcp/tool-names.js';

it('keeps names, and adds the server as a prefix if a name is taken', () => {
  const names = createToolNames();
  expect(names.toOfferedName('web', 'search')).toBe('search');
  expect(names.toOfferedName('files', 'search')).toBe('files_search');
});

it('finds a free name', () => {
  const names = createToolNames();
  names.toOfferedName('a', 'search');
  names.toOfferedName('a', 'b_search');
  expect(names.toOfferedName('b', 'search')).toBe('b_search_2');
});

it('never reuses the name of one tool for another', () => {
  const names = createToolNames();
  names.toOfferedName('web', 'search');
  names.toOfferedName('files', 'search');
  expect(names.toOfferedName('files', 'search')).toBe('files_search');
  expect(names.toOfferedName('web', 'search')).toBe('search');
});
