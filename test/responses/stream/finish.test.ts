import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { toSse } from '../../_sse.js';
import { readParts } from '../_read-parts.js';
import { functionCall, type ItemScript, message, toResponse, toStream } from './_fixtures/wire-events.js';
import { VERSIONS } from '../../../src/core/versions/versions.js';
import { toFinishReason, toUsage } from '../../../src/responses/stream/event-handlers.js';

const { writeUsage } = VERSIONS.v2;

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
    const raw = {
      input_tokens: 10,
      output_tokens: 20,
      total_tokens: 35,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
      output_tokens_details: { reasoning_tokens: 5 },
    };
    expect(toUsage(raw)).toEqual({
      inputTokens: { total: 10, noCache: 3, cacheRead: 4, cacheWrite: 3 },
      outputTokens: { total: 20, text: 15, reasoning: 5 },
      total: 35,
      raw,
    });
  });

  it('adds up a missing total and leaves missing details undefined', () => {
    expect(writeUsage(toUsage({ input_tokens: 10, output_tokens: 0 }))).toEqual({
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
      expect(Object.values(writeUsage(toUsage(value)) as object).every(count => count === undefined)).toBe(
        true,
      );
    },
  );
});

describe('the finish part', () => {
  const finishOf = async (terminal: Record<string, unknown>, scripts = [message(['Hi'])]) => {
    const bodies = [toSse(toStream(scripts, terminal)), JSON.stringify(toResponse(scripts, terminal))];
    const finishes = await Promise.all(
      bodies.map(async body => (await readParts([new TextEncoder().encode(body)])).at(-1)),
    );
    expect(finishes[1]).toEqual(finishes[0]);
    return finishes[0];
  };

  it('contains further fields of the response, in camel case', async () => {
    const finish = await finishOf({
      prompt_cache_diagnostics: { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 9 },
      moderation: { input: { type: 'moderation_result', category_scores: { 'harassment/threat': 0.1 } } },
      tool_usage: { image_gen: { input_tokens: 5 }, web_search: { num_requests: 2 } },
      input_transformations: [{ id: 'rs_9', type: 'reasoning', action: 'removed', reason: 'turn_boundary' }],
      conversation: { id: 'conv_1' },
      access_programs: { cyber: 'standard' },
      completed_at: 1_750_000_009,
    });
    expect(finish).toMatchObject({
      providerMetadata: {
        openai: {
          // The official provider does not rename its fields.
          promptCacheDiagnostics: { type: 'cache_miss', reason: 'tools_changed', cache_missed_tokens: 9 },
          moderation: { input: { type: 'moderation_result', categoryScores: { 'harassment/threat': 0.1 } } },
          toolUsage: { imageGen: { inputTokens: 5 }, webSearch: { numRequests: 2 } },
          inputTransformations: [
            { id: 'rs_9', type: 'reasoning', action: 'removed', reason: 'turn_boundary' },
          ],
          conversation: { id: 'conv_1' },
          accessPrograms: { cyber: 'standard' },
          completedAt: 1_750_000_009,
        },
      },
    });
  });

  it('does not contain fields that are null', async () => {
    const finish = await finishOf({ conversation: null, moderation: null, access_programs: null });
    expect(finish).toMatchObject({ providerMetadata: { openai: { responseId: 'resp_1' } } });
    expect(Object.keys(finish?.type === 'finish' ? (finish.providerMetadata?.openai ?? {}) : {})).toEqual([
      'responseId',
    ]);
  });

  it.each([
    ['response.completed', 'incomplete', undefined, 'other'],
    ['response.completed', 'incomplete', 'max_messages', 'other'],
    ['response.completed', 'incomplete', 'max_output_tokens', 'length'],
    ['response.incomplete', 'completed', undefined, 'stop'],
    ['response.incomplete', 'queued', undefined, 'other'],
    ['response.done', 'incomplete', undefined, 'other'],
  ])('after %s with the status %s has a reason of the status', async (type, status, reason, expected) => {
    const details = reason === undefined ? null : { reason };
    const events = toStream([message(['Hi'])]).slice(0, -1);
    const response = toResponse([message(['Hi'])], { status, incomplete_details: details });
    const parts = await readParts([new TextEncoder().encode(toSse([...events, { type, response }]))]);
    expect(parts.at(-1)).toMatchObject({ finishReason: expected });
  });

  it('ends the empty answer of a prewarmed prompt without an error', async () => {
    expect(await finishOf({}, [])).toMatchObject({ type: 'finish', finishReason: 'stop' });
  });

  const refusal = message([{ refusal: 'I cannot help.' }], { id: 'msg_r' });
  it.each<[string, Record<string, unknown>, ItemScript[], string]>([
    ['a refusal', {}, [refusal], 'content-filter'],
    ['text and a refusal', {}, [message(['Well.', { refusal: 'No.' }])], 'content-filter'],
    ['an empty refusal', {}, [message(['Well.', { refusal: '' }])], 'stop'],
    ['a refusal and a call', {}, [refusal, functionCall('weather', '{}')], 'tool-calls'],
    [
      'a refusal at the limit of tokens',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      [refusal],
      'length',
    ],
    ['a refusal at another limit', { status: 'incomplete' }, [refusal], 'content-filter'],
  ])('has the reason of %s', async (_, terminal, scripts, expected) => {
    expect(await finishOf(terminal, scripts)).toMatchObject({ finishReason: expected });
  });
});

describe('reasoning that the API removed', () => {
  const removal = {
    input_transformations: [
      { id: 'rs_1', type: 'reasoning', action: 'removed', reason: 'model_mismatch' },
      { id: 'x', type: 'message', action: 'shortened' },
    ],
  };
  const marksIn = (parts: readonly LanguageModelV2StreamPart[]) =>
    parts.flatMap(part =>
      'providerMetadata' in part && part.providerMetadata?.kelivo?.removedReasoning !== undefined
        ? [[part.type, part.providerMetadata.kelivo.removedReasoning]]
        : [],
    );

  it('is named by the first part that a history keeps', async () => {
    const scripts = [message(['Hi']), functionCall('weather', '{}')];
    const events = toStream(scripts, removal).map(event =>
      event.type === 'response.created'
        ? { ...event, response: { ...(event.response as object), ...removal } }
        : event,
    );
    for (const body of [toSse(events), JSON.stringify(toResponse(scripts, removal))]) {
      const parts = await readParts([new TextEncoder().encode(body)]);
      expect(marksIn(parts)).toEqual([['text-end', ['rs_1']]]);
    }
  });
});
