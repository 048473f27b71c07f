import { describe, expect, it } from 'vitest';
import {
  type CollectedParts,
  contentToParts,
  createPartCollector,
  TextBuffer,
} from '../../src/core/collector.js';
import { NO_USAGE, toUsage } from '../../src/core/finish.js';
import type { Content, Part } from '../../src/core/part.js';

function collect(parts: Iterable<Part>): CollectedParts {
  const collector = createPartCollector();
  for (const part of parts) collector.add(part);
  return collector.result();
}

const usage = toUsage({ input: 1, output: 2 });
const finish = { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage } as const;
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
    const block = (text: string): Part[] => [
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
    const kept: Content[] = [
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' },
      { type: 'tool-result', toolCallId: 'c', toolName: 't', result: 'ok' },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      { type: 'custom', kind: 'openai.compaction' },
    ];
    const { content } = collect([
      { type: 'tool-input-start', id: 'c', toolName: 't' },
      { type: 'tool-input-delta', id: 'c', delta: '{}' },
      { type: 'tool-input-end', id: 'c' },
      { type: 'raw', rawValue: {} },
      ...contentToParts(kept),
      finish,
    ]);
    expect(content).toEqual(kept);
  });

  it('merges the response metadata, with precedence for later parts, and adds up the warnings', () => {
    const { response, warnings } = collect([
      { type: 'stream-start', warnings: [{ type: 'other', message: 'w' }] },
      { type: 'stream-start', warnings: [{ type: 'other', message: 'later' }] },
      { type: 'response-metadata', id: 'r', modelId: 'm' },
      { type: 'response-metadata', modelId: 'n' },
      finish,
    ]);
    expect(response).toEqual({ id: 'r', modelId: 'n' });
    expect(warnings).toEqual([
      { type: 'other', message: 'w' },
      { type: 'other', message: 'later' },
    ]);
  });

  it('throws the first error', () => {
    const first = new Error('first');
    const broken = () =>
      collect([{ type: 'error', error: first }, { type: 'error', error: new Error('second') }, finish]);
    expect(broken).toThrow(first);
  });

  it('returns the finish reason "interrupted" without a finish part', () => {
    expect(collect([])).toEqual({
      content: [],
      finishReason: { unified: 'interrupted', raw: undefined },
      usage: NO_USAGE,
      warnings: [],
    });
  });
});

describe('contentToParts', () => {
  it('returns parts that are collected to the same content', () => {
    const citation = {
      source: { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/' },
    } as const;
    const content: Content[] = [
      { type: 'reasoning', text: 'why', providerMetadata: openai('rs_1'), own: { responseId: 'resp_1' } },
      { type: 'text', text: 'a', providerMetadata: openai('msg_1'), citations: [citation] },
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{"a":1}' },
      { type: 'tool-result', toolCallId: 'c', toolName: 't', result: { ok: true } },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test/' },
      { type: 'text', text: 'b' },
    ];
    expect(collect(contentToParts(content)).content).toEqual(content);
  });
});

describe('TextBuffer', () => {
  it.each([0, 1, 511, 512, 513, 3000])('joins %i chunks', count => {
    const chunks = Array.from({ length: count }, (_, index) => `${index} `);
    const text = new TextBuffer();
    for (const chunk of chunks) text.append(chunk);
    expect(text.toString()).toBe(chunks.join(''));
    expect(text.length).toBe(chunks.join('').length);
  });

  it('accepts more text after it was read', () => {
    const text = new TextBuffer();
    text.append('one');
    expect(text.toString()).toBe('one');
    text.append(' two');
    expect(text.toString()).toBe('one two');
  });
});
