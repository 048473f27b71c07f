import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/core/shared/names.js';

const names = ['apiKey', 'baseURL', 'headers', 'total', 'idle', 'maxRounds', 'resourceName'];

describe('nearestName', () => {
  it.each([
    ['apikey', 'apiKey'],
    ['base_url', 'baseURL'],
    ['heders', 'headers'],
    ['totl', 'total'],
    ['idel', 'idle'],
    ['maxRoundz', 'maxRounds'],
    ['resorceName', 'resourceName'],
  ])('for %s suggests %s', (name, nearest) => {
    expect(nearestName(name, names)).toBe(nearest);
  });

  it('returns undefined if no name is similar', () => {
    expect(nearestName('colour', names)).toBeUndefined();
    expect(nearestName('', names)).toBeUndefined();
    expect(nearestName('total', [])).toBeUndefined();
  });

  it('prefers the more similar of two names', () => {
    expect(nearestName('textVerbositi', ['textVerbosities', 'textVerbosity'])).toBe('textVerbosity');
  });
});
