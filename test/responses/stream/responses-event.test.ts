import { describe, expect, it } from 'vitest';
import { toResponsesEvent } from '../../../src/responses/stream/responses-event.js';

const typeOf = (data: unknown, event?: string) =>
  toResponsesEvent({ event, data: typeof data === 'string' ? data : JSON.stringify(data) })?.type;

describe('toResponsesEvent', () => {
  it('goes by the type in the data, whatever the event line says', () => {
    expect(typeOf({ type: 'response.created' }, 'response.completed')).toBe('response.created');
  });

  it('goes by the event line where the data has no type', () => {
    expect(typeOf({ delta: 'Hi' }, 'response.output_text.delta')).toBe('response.output_text.delta');
  });

  it.each([
    ['a response object', { object: 'response', status: 'incomplete' }, 'response.incomplete'],
    ['a response object without a status', { output: [] }, 'response.completed'],
    ['an error', { error: { message: 'No' } }, 'error'],
    ['an error in words', { error: 'No', code: 'x' }, 'error'],
    ['a chunk of a chat completion', { object: 'chat.completion.chunk', choices: [] }, 'chat.completion'],
    ['a chat completion without its object', { choices: [{ index: 0 }] }, 'chat.completion'],
  ])('knows %s by its shape', (_, data, type) => {
    expect(typeOf(data)).toBe(type);
    expect(typeOf(data, 'message')).toBe(type);
  });

  it('puts a response object where events have it', () => {
    const response = { object: 'response', status: 'completed', id: 'resp_1' };
    expect(toResponsesEvent({ event: undefined, data: JSON.stringify(response) })?.fields).toEqual({
      response,
    });
  });

  it.each(['[DONE]', ' [DONE] '])('knows the end marker %j', data => {
    expect(typeOf(data)).toBe('[DONE]');
  });

  it.each(['', 'hello', '{"type":', '1', 'null', '[1]', '{"hello":1}', '{"error":null}', '{"type":7}'])(
    'finds no event in %j',
    data => {
      expect(typeOf(data)).toBeUndefined();
    },
  );
});
