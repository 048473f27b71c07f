import { describe, expect, it } from 'vitest';
import { isFunctionCallOutput } from '../../../src/responses/wire.js';
import { build } from './_build.js';

function outputOf(output: unknown, rest: object = {}) {
  const ids = { toolCallId: 'c', toolName: 't' };
  const { body, warnings } = build({
    prompt: [
      { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...ids, output, ...rest }] },
    ] as never,
  });
  const item = body.input[1];
  return { output: item && isFunctionCallOutput(item) ? item.output : undefined, warnings };
}

describe('the output of a tool', () => {
  it.each<[unknown, string]>([
    [{ type: 'text', value: 'a' }, 'a'],
    [{ type: 'error-text', value: 'a' }, '{"error":"a"}'],
    [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
    [{ type: 'json', value: 'a' }, '"a"'],
    [
      { type: 'json', value: { at: new Date(0), list: [undefined, 1] } },
      '{"at":"1970-01-01T00:00:00.000Z","list":[null,1]}',
    ],
    [
      { type: 'json', value: { bytes: new Uint8Array(3), nested: [{ ids: new Set([1]) }] } },
      '{"bytes":"[3 bytes]","nested":[{"ids":[1]}]}',
    ],
    // Texts without surrogates are sent. Names that become equal by it are one name.
    [
      { type: 'json', value: { text: 'a\ud800', name: String.raw`\ud` } },
      '{"text":"a\ufffd","name":"\\\\ud"}',
    ],
    [{ type: 'json', value: { '\ud800': 1, '\ud801': 2 } }, '{"\ufffd":2}'],
    [{ type: 'error-json', value: [1] }, '{"error":[1]}'],
    [{ type: 'execution-denied', reason: 'Not now.' }, 'Not now.'],
    [{ type: 'execution-denied' }, 'The user did not allow this tool call.'],
    [{ type: 'content', value: [] }, ''],
  ])('%j is sent as text', (output, expected) => {
    expect(outputOf(output)).toEqual({ output: expected, warnings: [] });
  });

  const image = 'data:image/png;base64,AAEC';
  const pdf = 'data:application/pdf;base64,AAEC';
  it.each<[object, object]>([
    [
      { type: 'text', text: 'a' },
      { type: 'input_text', text: 'a' },
    ],
    [
      { type: 'media', data: 'AAEC', mediaType: 'image/png' },
      { type: 'input_image', image_url: image },
    ],
    [
      { type: 'media', data: 'AAEC', mediaType: 'application/pdf' },
      { type: 'input_file', filename: 'data', file_data: pdf },
    ],
    [
      { type: 'image-data', data: 'AAEC', mediaType: 'image/png' },
      { type: 'input_image', image_url: image },
    ],
    [
      { type: 'image-url', url: 'https://a.org/x' },
      { type: 'input_image', image_url: 'https://a.org/x' },
    ],
    [
      { type: 'file-data', data: 'AAEC', mediaType: 'image/png' },
      { type: 'input_image', image_url: image },
    ],
    [
      { type: 'file-data', data: 'AAEC', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'input_file', filename: 'a.pdf', file_data: pdf },
    ],
    [
      { type: 'file-url', url: 'https://a.org/x', mediaType: 'image/png' },
      { type: 'input_image', image_url: 'https://a.org/x' },
    ],
    [
      { type: 'file-url', url: 'https://a.org/x.PNG?y' },
      { type: 'input_image', image_url: 'https://a.org/x.PNG?y' },
    ],
    [
      { type: 'file-url', url: 'https://a.org/x' },
      { type: 'input_file', file_url: 'https://a.org/x' },
    ],
    [
      { type: 'file-id', fileId: 'file-1' },
      { type: 'input_file', file_id: 'file-1' },
    ],
    [
      { type: 'file-id', fileId: { openai: 'file-1' } },
      { type: 'input_file', file_id: 'file-1' },
    ],
    [
      { type: 'image-file-id', fileId: { any: 'file-0', azure: 'file-1' } },
      { type: 'input_image', file_id: 'file-1' },
    ],
    [
      { type: 'file', data: { type: 'text', text: 'a' }, mediaType: 'text/plain' },
      { type: 'input_text', text: 'a' },
    ],
    [
      { type: 'file', data: { type: 'data', data: 'AAEC' }, mediaType: 'image/png' },
      { type: 'input_image', image_url: image },
    ],
  ])('%j is sent as content', (item, expected) => {
    expect(outputOf({ type: 'content', value: [item] })).toEqual({ output: [expected], warnings: [] });
  });

  it('replaces unsupported content with a note for the model', () => {
    const { output, warnings } = outputOf({
      type: 'content',
      value: [
        { type: 'text', text: 'a' },
        { type: 'media', data: 'AAEC', mediaType: 'audio/wav' },
        { type: 'custom', providerOptions: {} },
      ],
    });
    expect(output).toEqual([
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: '[audio/wav content omitted: it cannot be shown to the model]' },
    ]);
    expect(warnings).toHaveLength(2);
  });

  it('has a cache breakpoint on its last item', () => {
    const rest = { providerOptions: { openai: { promptCacheBreakpoint: true } } };
    expect(outputOf({ type: 'text', value: 'a' }, rest).output).toEqual([
      { type: 'input_text', text: 'a', prompt_cache_breakpoint: true },
    ]);
    const value = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(outputOf({ type: 'content', value }, rest).output).toEqual([
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b', prompt_cache_breakpoint: true },
    ]);
  });

  it('has an image whose media type is in capitals', () => {
    const value = [{ type: 'media', mediaType: 'Image/PNG', data: 'AAAA' }];
    expect(outputOf({ type: 'content', value }).output).toEqual([
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ]);
  });

  it('has the cache breakpoints of its value and of its items', () => {
    const at = (mode: string) => ({ providerOptions: { openai: { promptCacheBreakpoint: { mode } } } });
    expect(outputOf({ type: 'text', value: 'a', ...at('explicit') }).output).toEqual([
      { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
    ]);
    const value = [
      { type: 'text', text: 'a', ...at('first') },
      { type: 'media', mediaType: 'image/png', data: 'AAAA', ...at('second') },
      { type: 'text', text: 'b' },
    ];
    expect(outputOf({ type: 'content', value }).output).toEqual([
      { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'first' } },
      {
        type: 'input_image',
        image_url: 'data:image/png;base64,AAAA',
        prompt_cache_breakpoint: { mode: 'second' },
      },
      { type: 'input_text', text: 'b' },
    ]);
  });
});
