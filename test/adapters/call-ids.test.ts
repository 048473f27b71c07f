import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../src/core/prompt.js';
import { type CallIdFormat, createCallIdMap, toAlphanumericId } from '../../src/adapters/kit/calls.js';
import fc from '../_property.js';

/** Accepts three digits, and creates ids that collide often. */
const threeDigits: CallIdFormat = {
  isValid: ({ toolCallId }) => /^\d{3}$/.test(toolCallId),
  toValid: ({ toolCallId }, attempt) => String(100 + ((toolCallId.length + attempt) % 900)),
};

const conversation = (...ids: string[]): Prompt => [
  { role: 'system', content: 'Hi' },
  {
    role: 'assistant',
    content: ids.map(toolCallId => ({ type: 'tool-call', toolCallId, toolName: 'a', input: {} })),
  },
  {
    role: 'tool',
    content: ids.map(toolCallId => ({
      type: 'tool-result',
      toolCallId,
      toolName: 'a',
      output: { type: 'text', value: '' },
    })),
  },
];

describe('ids of a conversation', () => {
  it('are kept if they are valid', () => {
    const ids = createCallIdMap(conversation('123', '456'), threeDigits);
    expect(ids.hasChanges).toBe(false);
    expect([ids.toModelId('123'), ids.toOriginal('123')]).toEqual(['123', '123']);
  });

  it('differ if their replacements would collide', () => {
    const ids = createCallIdMap(conversation('aa', 'bb', 'cc'), threeDigits);
    expect(['aa', 'bb', 'cc'].map(ids.toModelId)).toEqual(['102', '103', '104']);
    expect(['102', '103', '104'].map(ids.toOriginal)).toEqual(['aa', 'bb', 'cc']);
  });

  it('never equal a valid id that occurs later', () => {
    const ids = createCallIdMap(conversation('aa', '102', 'bb'), threeDigits);
    expect(['aa', '102', 'bb'].map(ids.toModelId)).toEqual(['103', '102', '104']);
    expect(ids.toOriginal('102')).toBe('102');
  });

  it('stay the same when the conversation continues', () => {
    const shorter = createCallIdMap(conversation('aa', 'bb'), threeDigits);
    const longer = createCallIdMap(conversation('aa', 'bb', 'cc', 'd'), threeDigits);
    expect(['aa', 'bb'].map(longer.toModelId)).toEqual(['aa', 'bb'].map(shorter.toModelId));
  });

  it('leave new ids unchanged', () => {
    const ids = createCallIdMap(conversation('aa'), threeDigits);
    expect(ids.toOriginal('999')).toBe('999');
    expect(ids.toModelId('new')).toBe('new');
  });

  it('are renamed in calls that repeat one, for servers that restart their count', () => {
    const ids = createCallIdMap(conversation('123', 'aa'), { ...threeDigits, repeated: 'new-call' });
    expect(ids.toOriginal('123')).toBe('123_2');
    expect(ids.toOriginal('123')).toBe('123_2');
    expect(ids.toOriginal('aa')).toBe('aa_2');
    expect(ids.toOriginal('123_2')).toBe('123_2_2');
    expect(ids.toOriginal('777')).toBe('777');
  });

  it('map one to one in both directions', () => {
    const anyId = fc.oneof(fc.stringMatching(/^\d{3}$/), fc.string(), fc.constantFrom('a', 'b', '', '102'));
    fc.assert(
      fc.property(fc.uniqueArray(anyId, { maxLength: 40 }), originals => {
        const ids = createCallIdMap(conversation(...originals), threeDigits);
        const modelIds = originals.map(ids.toModelId);
        expect(new Set(modelIds).size).toBe(originals.length);
        expect(modelIds.every(id => /^\d{3}$/.test(id))).toBe(true);
        expect(modelIds.map(ids.toOriginal)).toEqual(originals);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe('a hash of an id', () => {
  it('has the requested number of letters and digits', () => {
    for (const text of ['', 'a', 'call_1', '🙂', 'x'.repeat(10_000)]) {
      expect(toAlphanumericId(text, { length: 9 })).toMatch(/^[a-zA-Z0-9]{9}$/);
    }
    expect(toAlphanumericId('a', { length: 23 })).toHaveLength(23);
  });

  it('is stable across versions, because cached prompts depend on it', () => {
    expect(toAlphanumericId('call_abc123', { length: 9 })).toMatchInlineSnapshot(`"Cgo8ECDtt"`);
  });

  it('differs for two hundred thousand ids that differ in one character', () => {
    const patterns = [
      (index: number) => `call_${index}`,
      (index: number) => `${index}_toolu`,
      (index: number) => `chatcmpl-tool-${index.toString(16).padStart(32, '0')}`,
      (index: number) => String.fromCharCode(index % 65_536, index >> 16),
    ];
    for (const pattern of patterns) {
      const ids = new Set<string>();
      for (let index = 0; index < 50_000; index++) ids.add(toAlphanumericId(pattern(index), { length: 9 }));
      expect(ids.size).toBe(50_000);
    }
  });

  it('uses all characters about equally often', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 20_000; index++) {
      for (const character of toAlphanumericId(`call_${index}`, { length: 9 })) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    const expected = (20_000 * 9) / 62;
    for (const count of counts.values()) expect(Math.abs(count / expected - 1)).toBeLessThan(0.15);
  });
});
