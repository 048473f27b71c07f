import { describe, expect, it } from 'vitest';
import { limitOutput, replaceOutput, truncateText } from '../../src/tool-loop/calls/outputs.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import type { ToolOutput } from '../../src/tools/tool-source.js';
import { callRound, call, exchangeOf, ofType, textRound, scriptedModel, stream } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const limits = { maxChars: 100 };
/** Length in Base64 of the largest image that is kept. */
const LARGEST = 26_666_667;
const mark = /\[… \d+ characters omitted …\]/;
const long = 'x'.repeat(1000);
const image = (length: number) =>
  ({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'A'.repeat(length) } }) as const;

describe('limitOutput', () => {
  it.each<ToolOutput>([
    { type: 'text', value: 'x'.repeat(100) },
    { type: 'error-text', value: '' },
    { type: 'json', value: { a: [1, null] } },
    { type: 'error-json', value: null },
  ])('returns %j unchanged', output => {
    expect(limitOutput(output, limits)).toBe(output);
  });

  it.each<[ToolOutput['type'], ToolOutput]>([
    ['text', { type: 'text', value: long }],
    ['error-text', { type: 'error-text', value: long }],
    ['text', { type: 'json', value: { long } }],
    ['error-text', { type: 'error-json', value: { long } }],
  ])('converts a long output to a truncated output of type %s', (type, output) => {
    const limited = limitOutput(output, limits);
    expect(limited.type).toBe(type);
    expect(limited.value).toMatch(mark);
    expect(String(limited.value).length).toBeLessThanOrEqual(100);
  });

  it('applies the limit to all texts of an output together, and keeps its media', () => {
    const text = (value: string) => ({ type: 'text' as const, text: value });
    const value = [text('a'.repeat(40)), image(40), text(long), text('b'), text('c')];
    const limited = limitOutput({ type: 'content', value }, limits);
    expect(limited).toEqual({
      type: 'content',
      value: [
        text('a'.repeat(40)),
        image(40),
        text(expect.stringMatching(mark)),
        text('[… 2 more texts omitted …]'),
      ],
    });
  });

  it('replaces media that are too large with a short text', () => {
    const limited = limitOutput({ type: 'content', value: [image(LARGEST), image(LARGEST + 1)] }, limits);
    const note = '[image/png of 20000001 bytes omitted: the limit is 20000000 bytes]';
    expect(limited.value).toEqual([image(LARGEST), { type: 'text', text: note }]);
  });
});

describe('an output that is too long', () => {
  const run = async (output: ToolOutput, options: Pick<ToolLoopOptions, 'maxToolOutputChars'> = {}) => {
    const model = scriptedModel(callRound(call('c1', 'echo')), textRound('I see.'));
    const tools = scriptedTools({ echo: () => output });
    const parts = await stream(withToolLoop(model, { tools, ...options }));
    return {
      read: exchangeOf(model.requests[1]).outputs[0]?.[1],
      shown: ofType(parts, 'tool-result')[0]?.result,
    };
  };

  it('is truncated for the model and for the host', async () => {
    const { read, shown } = await run({ type: 'text', value: long }, { maxToolOutputChars: 200 });
    expect(read).toMatch(mark);
    expect(String(read).length).toBeLessThanOrEqual(200);
    expect(shown).toBe(read);
  });

  it('has more than 100 000 characters by default', async () => {
    expect((await run({ type: 'text', value: 'x'.repeat(100_000) }, {})).read).not.toMatch(mark);
    expect((await run({ type: 'text', value: 'x'.repeat(100_001) }, {})).read).toMatch(mark);
  });

  it.each<[ToolLoopOptions['maxToolOutputChars'], number]>([
    [{ default: 100, tools: { echo: 300 } }, 300],
    [{ default: false, tools: { other: 300 } }, 1000],
    [{ tools: { echo: false } }, 1000],
    [{ default: 100, tools: { toString: 300 } }, 100],
    [{ default: 200 }, 200],
    [{}, 1000],
  ])('has the limit of its tool, or of all tools: %j', async (maxToolOutputChars, length) => {
    const { read } = await run({ type: 'text', value: long }, { maxToolOutputChars });
    // The mark may need one digit less than its room.
    expect(String(read).length - length).toBeOneOf([0, -1]);
  });

  it('has an image that exceeds the media limit', async () => {
    const { read } = await run({ type: 'content', value: [image(LARGEST + 1)] });
    expect(read).toEqual([
      { type: 'text', text: '[image/png of 20000001 bytes omitted: the limit is 20000000 bytes]' },
    ]);
  });
});

describe('truncateText', () => {
  it('returns a short text unchanged', () => {
    expect(truncateText('x'.repeat(100), { maxChars: 100 })).toBe('x'.repeat(100));
  });

  it('keeps the beginning and the end, and marks the number of omitted characters', () => {
    const truncated = truncateText(`${'a'.repeat(500)}${'b'.repeat(500)}`, { maxChars: 100 });
    const [, head = '', count, tail = ''] =
      /^(a+)\n\[… (\d+) characters omitted …\]\n(b+)$/.exec(truncated) ?? [];
    expect(head.length).toBeGreaterThan(30);
    expect(Number(count)).toBe(1000 - head.length - tail.length);
    expect(truncated.length).toBeLessThanOrEqual(100);
  });

  it('never splits a surrogate pair', () => {
    for (const length of [500, 501]) {
      for (let maxChars = 100; maxChars < 108; maxChars++) {
        const truncated = truncateText(`${'x'.repeat(length % 2)}${'😀'.repeat(length)}`, { maxChars });
        expect(truncated).toMatch(/characters omitted/);
        expect(truncated.length).toBeLessThanOrEqual(maxChars);
        expect(encodeURIComponent(truncated)).toContain('%F0%9F%98%80'); // throws for a lone surrogate
      }
    }
  });

  it('returns only the mark if there is no room for more', () => {
    expect(truncateText('x'.repeat(50), { maxChars: 10 })).toBe('\n[… 50 characters omitted …]\n');
  });
});

describe('the parts of an MCP result for the host', () => {
  const mcp = { structuredContent: { a: 1 }, _meta: { b: 2 } };

  it('are kept if nothing is truncated', () => {
    const output = { type: 'text', value: 'short', mcp } as const;
    expect(limitOutput(output, limits)).toBe(output);
  });

  it('contain no copy of a truncated text', () => {
    const value = 'x'.repeat(200);
    const limited = limitOutput({ type: 'text', value, mcp }, limits);
    expect(limited.value).toContain('characters omitted');
    expect(limited.mcp).toEqual({ _meta: mcp._meta });
    const media = [{ type: 'text' as const, text: value }];
    expect(limitOutput({ type: 'content', value: media, mcp }, limits).mcp).toEqual({ _meta: mcp._meta });
  });
});

describe('an output that a feature has changed', () => {
  const mcp = { content: [{ type: 'text', text: 'old' }], structuredContent: { a: 1 }, _meta: { b: 2 } };
  const before = { type: 'text', value: 'old', mcp } as const;

  it('has no original blocks, which the host would receive in its place', () => {
    expect(replaceOutput(before, { ...before, value: 'new' })).toEqual({
      type: 'text',
      value: 'new',
      mcp: { _meta: mcp._meta },
    });
  });

  it('keeps details that the feature has written, and those of the same output', () => {
    const written = { ...before, value: 'new', mcp: { content: [{ type: 'text', text: 'new' }] } };
    expect(replaceOutput(before, written)).toBe(written);
    expect(replaceOutput(before, before)).toBe(before);
  });
});
