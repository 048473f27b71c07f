import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallIdFormat } from '../../src/adapters/call-ids.js';
import { createCallIds } from '../../src/adapters/call-ids.js';

/** Takes three digits, and hands out few of them, so that they run into each other. */
const threeDigits: CallIdFormat = {
  isValid: ({ toolCallId }) => /^\d{3}$/.test(toolCallId),
  toValid: ({ toolCallId }, attempt) => String(100 + ((toolCallId.length + attempt) % 900)),
};

const conversation = (...ids: string[]): LanguageModelV2Prompt => [
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
  it('stay where they have the form', () => {
    const ids = createCallIds(conversation('123', '456'), threeDigits);
    expect(ids.hasChanges).toBe(false);
    expect([ids.toModelId('123'), ids.toOriginal('123')]).toEqual(['123', '123']);
  });

  it('differ where their makers would have made the same', () => {
    const ids = createCallIds(conversation('aa', 'bb', 'cc'), threeDigits);
    expect(['aa', 'bb', 'cc'].map(ids.toModelId)).toEqual(['102', '103', '104']);
    expect(['102', '103', '104'].map(ids.toOriginal)).toEqual(['aa', 'bb', 'cc']);
  });

  it('never take a genuine one, though it comes later', () => {
    const ids = createCallIds(conversation('aa', '102', 'bb'), threeDigits);
    expect(['aa', '102', 'bb'].map(ids.toModelId)).toEqual(['103', '102', '104']);
    expect(ids.toOriginal('102')).toBe('102');
  });

  it('stay the same as the conversation goes on', () => {
    const shorter = createCallIds(conversation('aa', 'bb'), threeDigits);
    const longer = createCallIds(conversation('aa', 'bb', 'cc', 'd'), threeDigits);
    expect(['aa', 'bb'].map(longer.toModelId)).toEqual(['aa', 'bb'].map(shorter.toModelId));
  });

  it('leave ids that are new to the conversation as they are', () => {
    const ids = createCallIds(conversation('aa'), threeDigits);
    expect(ids.toOriginal('999')).toBe('999');
    expect(ids.toModelId('new')).toBe('new');
  });

  it('are given anew to calls that repeat one, where a server counts from the start again', () => {
    const ids = createCallIds(conversation('123', 'aa'), { ...threeDigits, repeated: 'new-call' });
    expect(ids.toOriginal('123')).toBe('123_2');
    expect(ids.toOriginal('123')).toBe('123_2');
    expect(ids.toOriginal('aa')).toBe('aa_2');
    expect(ids.toOriginal('123_2')).toBe('123_2_2');
    expect(ids.toOriginal('777')).toBe('777');
  });

  it('map one to one, both ways, whatever they are', () => {
    const anyId = fc.oneof(fc.stringMatching(/^\d{3}$/), fc.string(), fc.constantFrom('a', 'b', '', '102'));
    fc.assert(
      fc.property(fc.uniqueArray(anyId, { maxLength: 40 }), originals => {
        const ids = createCallIds(conversation(...originals), threeDigits);
        const shown = originals.map(ids.toModelId);
        expect(new Set(shown).size).toBe(originals.length);
        expect(shown.every(id => /^\d{3}$/.test(id))).toBe(true);
        expect(shown.map(ids.toOriginal)).toEqual(originals);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
