import { expect, it } from 'vitest';
import { createToolNames } from '../../../src/tools/mcp/tool-names.js';

it('keeps names as they are, and prefixes the server where one is taken', () => {
  const names = createToolNames();
  expect(names.toOfferedName('web', 'search')).toBe('search');
  expect(names.toOfferedName('files', 'search')).toBe('files_search');
});

it('finds a name that is free', () => {
  const names = createToolNames();
  names.toOfferedName('a', 'search');
  names.toOfferedName('a', 'b_search');
  expect(names.toOfferedName('b', 'search')).toBe('b_search_2');
});

it('never gives the name of one tool to another', () => {
  const names = createToolNames();
  names.toOfferedName('web', 'search');
  names.toOfferedName('files', 'search');
  expect(names.toOfferedName('files', 'search')).toBe('files_search');
  expect(names.toOfferedName('web', 'search')).toBe('search');
});
