import { describe, expect, it } from 'vitest';
import { toResponsesEvent } from '../../../src/responses/stream/read-response.js';

const typeOf = (data: unknown, event?: string) =>
  toResponsesEvent({ event, data: typeof data === 'string' ? data : JSON.stringify(data) })?.type;

describe('toResponsesEvent', () => {
  it('prefers the type in the data to the event line', () => {
    expect(typeOf({ type: 'response.created' }, 'response.completed')).toBe('response.created');
  });

  it('uses the event line if the data has no type', () => {
    expect(typeOf({ delta: 'Hi' }, 'response.output_text.delta')).toBe('response.output_text.delta');
  });

  it.each([
    ['a response object', { object: 'response', status: 'incomplete' }, 'response.incomplete'],
    ['a response object without a status', { output: [] }, 'response.completed'],
    ['an error', { error: { message: 'No' } }, 'error'],
    ['an error as a string', { error: 'No', code: 'x' }, 'error'],
    ['a chunk of a chat completion', { object: 'chat.completion.chunk', choices: [] }, 'chat.completion'],
    ['a chat completion without `object`', { choices: [{ index: 0 }] }, 'chat.completion'],
  ])('infers the type of %s from its shape', (_, data, type) => {
    expect(typeOf(data)).toBe(type);
    expect(typeOf(data, 'message')).toBe(type);
  });

  it('moves a response object to the field that events use', () => {
    const response = { object: 'response', status: 'completed', id: 'resp_1' };
    expect(toResponsesEvent({ event: undefined, data: JSON.stringify(response) })?.fields).toEqual({
      response,
    });
  });

  it.each(['[DONE]', ' [DONE] '])('recognizes the end marker %j', data => {
    expect(typeOf(data)).toBe('[DONE]');
  });

  it.each(['', 'hello', '{"type":', '1', 'null', '[1]', '{"hello":1}', '{"error":null}', '{"type":7}'])(
    'returns undefined for %j',
    data => {
      expect(typeOf(data)).toBeUndefined();
    },
  );
});
