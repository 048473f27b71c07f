import { describe, expect, it } from 'vitest';
import { toOutputParts } from '../../../playground/web/ui/tool-output.js';

describe('the output of a tool', () => {
  it('is split into texts, images and other parts', () => {
    const parts = toOutputParts({
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'demo://1' },
        { type: 'resource', resource: { uri: 'demo://2', mimeType: 'image/png', blob: 'BBBB' } },
        { type: 'resource', resource: { uri: 'demo://3', mimeType: 'application/zip', blob: 'CC' } },
      ],
      structuredContent: { ok: true },
    });

    expect(parts).toEqual([
      { kind: 'text', text: 'Look:' },
      { kind: 'image', url: 'data:image/png;base64,AAAA' },
      { kind: 'json', value: { type: 'resource_link', uri: 'demo://1' } },
      { kind: 'image', url: 'data:image/png;base64,BBBB' },
      {
        kind: 'json',
        value: { type: 'resource', resource: { uri: 'demo://3', mimeType: 'application/zip', blob: 'CC' } },
      },
      { kind: 'json', value: { ok: true } },
    ]);
  });

  it('is not displayed as an image if the image can contain scripts', () => {
    const [part] = toOutputParts({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/svg+xml' }] });

    expect(part?.kind).toBe('json');
  });

  it('can be any JSON of a local tool', () => {
    expect(toOutputParts({ words: 9 })).toEqual([{ kind: 'json', value: { words: 9 } }]);
    expect(toOutputParts('plain')).toEqual([{ kind: 'text', text: 'plain' }]);
  });
});
