import { describe, expect, it } from 'vitest';
import { summarizeEvent } from '../../../playground/web/traces/event-summary.js';

describe('an event summary', () => {
  it.each([
    { data: { delta: ' Rome\n' }, expected: '" Rome\\n"' },
    {
      data: { item: { type: 'function_call', name: 'get-sum', arguments: '{"a":1}' } },
      expected: 'function_call · get-sum {"a":1}',
    },
    { data: { item: { type: 'message', status: 'in_progress' } }, expected: 'message · in_progress' },
    {
      data: { response: { status: 'completed', usage: { input_tokens: 3, output_tokens: 4 } } },
      expected: 'completed · 3 in, 4 out',
    },
    { data: { response: { status: 'failed', error: { message: 'No.' } } }, expected: 'No.' },
    { data: { error: { message: 'Too many.' } }, expected: 'Too many.' },
    { data: { type: 'tool-call', toolName: 'add', input: '{"a":1}' }, expected: 'add {"a":1}' },
    { data: { type: 'tool-result', toolName: 'add', result: { sum: 3 } }, expected: 'add {"sum":3}' },
    { data: { type: 'response-metadata', id: 'resp_1', modelId: 'gpt-5' }, expected: 'gpt-5 · resp_1' },
    {
      data: {
        type: 'finish',
        finishReason: { unified: 'stop' },
        usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } },
      },
      expected: 'stop · 3 in, 4 out',
    },
    {
      data: { type: 'finish', finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 4 } },
      expected: 'stop · 3 in, 4 out',
    },
    { data: { type: 'finish', finishReason: 'length', usage: {} }, expected: 'length' },
    { data: '[DONE]', expected: '[DONE]' },
    { data: { type: 'unknown' }, expected: '' },
    { data: null, expected: '' },
  ])('is $expected', ({ data, expected }) => {
    expect(summarizeEvent(data)).toBe(expected);
  });
});
