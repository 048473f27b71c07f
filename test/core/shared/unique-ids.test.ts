import { describe, expect, it } from 'vitest';
import { createUniqueIds } from '../../../src/core/shared/unique-ids.js';

describe('createUniqueIds', () => {
  it('numbers used ids, including numbered ones', () => {
    const ids = createUniqueIds();
    expect(['a', 'a_2', 'a', 'a', 'a_2'].map(ids.take)).toEqual(['a', 'a_2', 'a_3', 'a_4', 'a_2_2']);
  });

  it('claims an id once', () => {
    const ids = createUniqueIds(['constructor']);
    expect(ids.claim('constructor')).toBe(false);
    expect(ids.claim('a')).toBe(true);
    expect(ids.claim('a')).toBe(false);
    expect(ids.take('a')).toBe('a_2');
  });

  it('assigns no reserved id but lets it be claimed', () => {
    const ids = createUniqueIds([], id => id === 'a' || id === 'a_2');
    expect(ids.take('a')).toBe('a_3');
    expect(ids.claim('a_2')).toBe(true);
  });
});
