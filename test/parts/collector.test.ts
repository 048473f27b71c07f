import type { LanguageModelV2Content, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createPartCollector, type CollectedParts } from '../../src/parts/collector.js';
import { resultToParts } from '../../src/parts/collector.js';
import { checkParts } from '../_parts.js';

function collect(parts: Iterable<LanguageModelV2StreamPart>): CollectedParts {
  const collector = createPartCollector();
  for (const part of parts) collector.add(part);
  return collector.result();
}

const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
const finish = { type: 'finish', finishReason: 'stop', usage } as const;
const openai = (itemId: string) => ({ openai: { itemId } });

describe('createPartCollector', () => {
  it('joins the deltas of concurrently open blocks', () => {
    const { content } = collect([
      { type: 'text-start', id: '1' },
      { type: 'reasoning-start', id: '1' },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '1', delta: 'a' },
      { type: 'text-delta', id: '2', delta: 'x' },
      { type: 'reasoning-delta', id: '1', delta: 'why' },
      { type: 'text-delta', id: '1', delta: 'b' },
      { type: 'text-end', id: '2' },
      { type: 'text-end', id: '1' },
      { type: 'reasoning-end', id: '1' },
      finish,
    ]);
    expect(content).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'reasoning', text: 'why' },
      { type: 'text', text: 'x' },
    ]);
  });

  it('keeps the metadata of the end of a block, or else of its start', () => {
    const { content } = collect([
      { type: 'text-start', id: '1', providerMetadata: openai('begun') },
      { type: 'text-end', id: '1', providerMetadata: openai('ended') },
      { type: 'text-start', id: '2', providerMetadata: openai('begun') },
      { type: 'text-end', id: '2' },
      finish,
    ]);
    expect(content).toEqual([
      { type: 'text', text: '', providerMetadata: openai('ended') },
      { type: 'text', text: '', providerMetadata: openai('begun') },
    ]);
  });

  it('starts a new block when an id is reused', () => {
    const block = (text: string): LanguageModelV2StreamPart[] => [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: text },
      { type: 'text-end', id: '1' },
    ];
    expect(collect([...block('a'), ...block('b'), finish]).content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });

  it('keeps the order of calls, results, sources and files, and omits tool input and raw parts', () => {
    const kept: LanguageModelV2Content[] = [
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' },
      { type: 'tool-result', toolCallId: 'c', toolName: 't', result: 'ok', providerExecuted: true },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
    ];
    const parts = kept as LanguageModelV2StreamPart[];
    const { content } = collect([
      { type: 'tool-input-start', id: 'c', toolName: 't' },
      { type: 'tool-input-delta', id: 'c', delta: '{}' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'raw', rawValue: {} },
      ...parts,
      finish,
    ]);
    expect(content).toEqual(kept);
  });

  it('merges the response metadata, with precedence for later parts', () => {
    const { response, warnings } = collect([
      { type: 'stream-start', warnings: [{ type: 'other', message: 'w' }] },
      { type: 'response-metadata', id: 'r', modelId: 'm' },
      { type: 'response-metadata', modelId: 'n' },
      finish,
    ]);
    expect(response).toEqual({ id: 'r', modelId: 'n' });
    expect(warnings).toEqual([{ type: 'other', message: 'w' }]);
  });

  it('throws the first error', () => {
    const first = new Error('first');
    const broken = () =>
      collect([{ type: 'error', error: first }, { type: 'error', error: new Error('second') }, finish]);
    expect(broken).toThrow(first);
  });

  it('returns the finish reason "unknown" without a finish part', () => {
    expect(collect([])).toEqual({
      content: [],
      finishReason: 'unknown',
      usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
      warnings: [],
    });
  });
});

describe('resultToParts', () => {
  it('returns parts that are collected to the same result', () => {
    const result = {
      content: [
        { type: 'reasoning', text: 'why', providerMetadata: openai('rs_1') },
        { type: 'text', text: 'a', providerMetadata: openai('msg_1') },
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{"a":1}' },
        { type: 'tool-result', toolCallId: 'c', toolName: 't', result: { ok: true }, providerExecuted: true },
        { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/' },
        { type: 'text', text: 'b' },
      ] satisfies LanguageModelV2Content[],
      finishReason: 'stop' as const,
      usage,
      providerMetadata: { openai: { responseId: 'resp_1' } },
      warnings: [{ type: 'other' as const, message: 'w' }],
      response: { id: 'resp_1', modelId: 'm', timestamp: new Date(0) },
    };
    const parts = [...resultToParts(result)];
    checkParts(parts);
    expect(parts[0]).toEqual({ type: 'stream-start', warnings: result.warnings });
    expect(collect(parts)).toEqual(result);
  });

  it('returns no response metadata if none is known', () => {
    const parts = [...resultToParts({ content: [], finishReason: 'stop', usage, warnings: [] })];
    expect(parts.map(({ type }) => type)).toEqual(['stream-start', 'finish']);
  });
});
