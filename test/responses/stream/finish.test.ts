import { describe, expect, it } from 'vitest';
import { toFinishReason, toUsage } from '../../../src/responses/stream/finish.js';

describe('toFinishReason', () => {
  it.each([
    [{ reason: undefined, incomplete: false, hasCalls: false }, 'stop'],
    [{ reason: undefined, incomplete: false, hasCalls: true }, 'tool-calls'],
    [{ reason: 'max_output_tokens', incomplete: true, hasCalls: false }, 'length'],
    [{ reason: 'max_output_tokens', incomplete: true, hasCalls: true }, 'length'],
    [{ reason: 'max_tokens', incomplete: true, hasCalls: false }, 'length'],
    [{ reason: 'content_filter', incomplete: true, hasCalls: true }, 'content-filter'],
    [{ reason: 'server_timeout', incomplete: true, hasCalls: false }, 'other'],
    [{ reason: 'server_timeout', incomplete: true, hasCalls: true }, 'tool-calls'],
    [{ reason: undefined, incomplete: true, hasCalls: false }, 'other'],
  ])('maps %o to "%s"', ({ reason, ...context }, expected) => {
    expect(toFinishReason(reason, context)).toBe(expected);
  });
});

describe('toUsage', () => {
  it('reads all counts', () => {
    const usage = toUsage({
      input_tokens: 10,
      output_tokens: 20,
      total_tokens: 35,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens_details: { reasoning_tokens: 5 },
    });
    expect(usage).toEqual({
      inputTokens: 10,
      outputTokens: 20,
      totalTokens: 35,
      cachedInputTokens: 4,
      reasoningTokens: 5,
    });
  });

  it('adds up a missing total and leaves missing details undefined', () => {
    expect(toUsage({ input_tokens: 10, output_tokens: 0 })).toEqual({
      inputTokens: 10,
      outputTokens: 0,
      totalTokens: 10,
      cachedInputTokens: undefined,
      reasoningTokens: undefined,
    });
  });

  it.each([undefined, null, 'none', {}, { input_tokens: '10', output_tokens: null }])(
    'leaves counts undefined that %j does not contain',
    value => {
      expect(Object.values(toUsage(value)).every(count => count === undefined)).toBe(true);
    },
  );
});
