import { expect, it } from 'vitest';
import { KelivoError } from '../../src/core/shared/errors.js';
import { reasonOf } from '../../src/models/fallback-reasons.js';

const named = (name: string): Error => Object.assign(new Error('No.'), { name });

it.each<[string, unknown, string | undefined]>([
  ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'outage'],
  [
    'a socket that ended',
    Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
    'outage',
  ],
  ['a failed fetch', new TypeError('fetch failed'), 'outage'],
  ['a time limit', named('TimeoutError'), 'outage'],
  ['an answer that cannot be read', named('AI_JSONParseError'), 'outage'],
  ['an error that may be retried', Object.assign(new Error('No.'), { isRetryable: true }), 'outage'],
  // Every other model would fail in the same way.
  ['wrong settings', new KelivoError({ code: 'invalid-settings', message: 'No.' }), undefined],
  ['a code that is no connection', Object.assign(new Error('No.'), { code: 'not_found' }), undefined],
  ['a mistake in a program', new TypeError('x is not a function'), undefined],
  ['any other error', new Error('No.'), undefined],
])('the reason of %s', (_, error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});
