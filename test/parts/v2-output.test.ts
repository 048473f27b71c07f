import { describe, expect, it } from 'vitest';
import { toV2Output } from '../../src/parts/v2-output.js';

const content = (...value: unknown[]) => ({ type: 'content', value });

describe('toV2Output', () => {
  it.each([
    [
      content({ type: 'image-data', data: 'AAAA', mediaType: 'image/png' }),
      content({ type: 'media', data: 'AAAA', mediaType: 'image/png' }),
    ],
    [
      content({ type: 'file-data', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' }),
      content({ type: 'media', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' }),
    ],
    [
      content({ type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' }),
      content({ type: 'media', data: 'AAAA', mediaType: 'image/png' }),
    ],
    [content({ type: 'file', data: { type: 'text', text: 'Hi' } }), content({ type: 'text', text: 'Hi' })],
    [
      { type: 'execution-denied', reason: 'Keep it.', providerOptions: { a: {} } },
      { type: 'error-text', value: 'Keep it.', providerOptions: { a: {} } },
    ],
    [{ type: 'execution-denied' }, { type: 'error-text', value: 'The user did not allow this tool call.' }],
  ])('converts %j to %j', (output, expected) => {
    expect(toV2Output(output)).toEqual(expected);
  });

  it.each([
    { type: 'text', value: 'Hi' },
    { type: 'json', value: null },
    { type: 'error-json', value: { code: 1 } },
    content({ type: 'text', text: 'Hi' }, { type: 'media', data: 'AAAA', mediaType: 'image/png' }),
    content({ type: 'image-url', url: 'https://a.test' }, { type: 'file-id', fileId: 'file-1' }),
    content({ type: 'file', data: { type: 'url', url: 'https://a.test' } }, { type: 'custom' }),
    { type: 'content', value: 'no list' },
    'no output',
    undefined,
  ])('returns %j unchanged', output => {
    expect(toV2Output(output)).toEqual(output);
  });
});
