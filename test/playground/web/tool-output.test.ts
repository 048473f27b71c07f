import { describe, expect, it } from 'vitest';
import { toOutputPieces } from '../../../playground/web/lib/tool-output.js';

describe('the output of a tool', () => {
  it('is taken apart into texts, images and the rest', () => {
    const pieces = toOutputPieces({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'demo://1' },
      ],
      structuredContent: { ok: true },
    });

    expect(pieces).toEqual([
      { kind: 'text', text: 'Look:' },
      { kind: 'image', url: 'data:image/png;base64,AAAA' },
      { kind: 'json', value: { type: 'resource_link', uri: 'demo://1' } },
      { kind: 'json', value: { ok: true } },
    ]);
  });

  it('is no image when the picture could hold scripts', () => {
    const [piece] = toOutputPieces({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/svg+xml' }] });

    expect(piece?.kind).toBe('json');
  });

  it('may be any JSON of a local tool', () => {
    expect(toOutputPieces({ words: 9 })).toEqual([{ kind: 'json', value: { words: 9 } }]);
    expect(toOutputPieces('plain')).toEqual([{ kind: 'text', text: 'plain' }]);
  });
});
