import { expect, it } from 'vitest';
import { readError } from '../../../src/core/shared/reported-error.js';

const error = { message: 'No.', code: 'insufficient_quota', type: 'quota' };
const known = { message: 'No.', code: 'insufficient_quota', type: 'quota' };
const failed = {
  type: 'response.failed',
  response: { id: 'resp_1', status: 'failed', error: null, output: [] },
};

it.each([
  // openai/codex#24973
  ['an error beside the response', { ...failed, error }, known],
  ['an error in the response', { ...failed, response: { ...failed.response, error } }, known],
  [
    'an error in the response before one beside it',
    { response: { error }, error: { message: 'Other.' } },
    known,
  ],
  ['a text beside the response', { ...failed, error: 'No.' }, { message: 'No.' }],
  ['a message beside the response', { ...failed, message: 'No.', code: 'x' }, { message: 'No.', code: 'x' }],
  ['a detail beside the response', { ...failed, detail: 'No.' }, { message: 'No.' }],
  ['a detail with members', { ...failed, detail: error }, known],
  ['the last error of the response', { ...failed, response: { last_error: error } }, known],
  ['status details', { ...failed, response: { status_details: { type: 'failed', error } } }, known],
  [
    'incomplete details',
    { ...failed, response: { incomplete_details: { reason: 'No.' } } },
    { message: 'No.' },
  ],
  ['an empty error and a message', { ...failed, error: {}, message: 'No.' }, { message: 'No.' }],
  ['an error nested twice', { type: 'error', error: { error } }, known],
  [
    'an error nested twice with a code outside',
    { error: { code: 7, error: { message: 'No.' } } },
    { message: 'No.', code: '7' },
  ],
  ['a list of errors', { type: 'error', errors: [{}, error] }, known],
  ['a list as the error', { error: [error] }, known],
  ['an object of the kind error', { object: 'error', ...error }, known],
  ['a message with members', { type: 'error', message: error }, known],
  ['a message of another type', { type: 'error', message: 5, detail: 'No.' }, { message: 'No.' }],
  ['null in all members', { type: 'error', error: null, message: null, code: null }, undefined],
])('reads %s', (_, value, expected) => {
  expect(readError(value)).toEqual(expected);
});

it('ends at a depth that no server has', () => {
  let value: unknown = error;
  for (let level = 0; level < 10_000; level++) value = { error: value };
  expect(readError(value)).toBeUndefined();
});
