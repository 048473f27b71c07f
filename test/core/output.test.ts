import { describe, expect, it } from 'vitest';
import { isToolOutput, toCoreOutput, toFileData } from '../../src/core/prompt.js';

const content = (...value: unknown[]) => ({ type: 'content', value });
const file = (data: object, mediaType: string, more: object = {}) => ({
  type: 'file',
  data,
  mediaType,
  ...more,
});
const png = { type: 'data', data: 'AAAA' };

describe('toCoreOutput', () => {
  it.each([
    [
      content({ type: 'text', text: 'Hi' }, { type: 'media', data: 'AAAA', mediaType: 'image/png' }),
      content({ type: 'text', text: 'Hi' }, file(png, 'image/png')),
    ],
    [content({ type: 'image-data', data: 'AAAA', mediaType: 'image/png' }), content(file(png, 'image/png'))],
    [
      content({ type: 'file-data', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' }),
      content(file(png, 'application/pdf', { filename: 'a.pdf' })),
    ],
    [
      content({ type: 'image-url', url: 'https://a.test/' }, { type: 'file-url', url: 'https://b.test/' }),
      content(
        file({ type: 'url', url: new URL('https://a.test/') }, 'image/*'),
        file({ type: 'url', url: new URL('https://b.test/') }, ''),
      ),
    ],
    [
      content(
        { type: 'file-id', fileId: 'file-1', providerOptions: { a: {} } },
        { type: 'image-file-id', fileId: { xai: 'file-2' } },
      ),
      content(
        file({ type: 'reference', reference: { openai: 'file-1' } }, '', {
          providerOptions: { a: {} },
        }),
        file({ type: 'reference', reference: { xai: 'file-2' } }, 'image/*'),
      ),
    ],
    [
      content(
        file({ type: 'url', url: 'https://a.test/' }, 'image/png'),
        { type: 'file', data: 'AAAA', mediaType: 'image/png' },
        { type: 'file', data: new URL('https://b.test/'), mediaType: 'image/png' },
      ),
      content(
        file({ type: 'url', url: new URL('https://a.test/') }, 'image/png'),
        file(png, 'image/png'),
        file({ type: 'url', url: new URL('https://b.test/') }, 'image/png'),
      ),
    ],
  ])('converts %j to %j', (output, expected) => {
    expect(toCoreOutput(output)).toEqual(expected);
    expect(isToolOutput(expected)).toBe(true);
  });

  it.each([
    { type: 'text', value: 'Hi' },
    { type: 'json', value: null },
    { type: 'error-json', value: { code: 1 } },
    { type: 'execution-denied', reason: 'Keep it.' },
    content(file(png, 'image/png'), file({ type: 'text', text: 'Hi' }, 'text/plain'), { type: 'custom' }),
  ])('returns %j unchanged', output => {
    expect(toCoreOutput(output)).toEqual(output);
    expect(isToolOutput(output)).toBe(true);
  });

  it.each([
    content({ type: 'image-url', url: 'no url' }),
    content({ type: 'hologram' }),
    content(file({ type: 'url', url: 'no url' }, 'image/png')),
    content({ type: 'file', mediaType: 'image/png' }),
    { type: 'content', value: 'no list' },
    { type: 'text' },
    'no output',
    undefined,
  ])('returns %j, which is no output, unchanged', output => {
    expect(toCoreOutput(output)).toEqual(output);
    expect(isToolOutput(output)).toBe(false);
  });
});

describe('toFileData', () => {
  const url = new URL('https://a.test/');
  it.each<[unknown, object]>([
    ['AAAA', png],
    [url, { type: 'url', url }],
    [
      { type: 'url', url: url.href },
      { type: 'url', url },
    ],
    [
      { type: 'text', text: 'Hi' },
      { type: 'text', text: 'Hi' },
    ],
    [
      { type: 'url', url: 'no url' },
      { type: 'url', url: 'no url' },
    ],
  ])('converts %j to %j', (data, expected) => {
    expect(toFileData(data)).toEqual(expected);
  });
});
