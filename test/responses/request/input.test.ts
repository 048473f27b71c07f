import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { build, inputOf, user } from './_build.js';

const base64 = 'AAEC';
const bytes = new Uint8Array([0, 1, 2]);

const file = (data: unknown, mediaType: string | undefined, rest: object = {}) => ({
  role: 'user',
  content: [{ type: 'file', data, mediaType, ...rest }],
});
const sentFile = (data: unknown, mediaType: string | undefined, rest: object = {}) =>
  (inputOf([file(data, mediaType, rest)]) as Array<{ content: unknown[] }>)[0]?.content[0];
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const warningsOf = (prompt: unknown[], context = {}) =>
  build({ prompt: prompt as never }, context).warnings.map(
    warning => 'message' in warning && warning.message,
  );

describe('system messages', () => {
  const system = { role: 'system', content: 'Be kind.' };

  it.each([
    ['gpt-5', 'auto', 'developer'],
    ['openai/gpt-5', 'auto', 'developer'],
    ['gpt-4o', 'auto', 'system'],
    ['llama', 'auto', 'system'],
    ['gpt-5', 'system', 'system'],
    ['llama', 'developer', 'developer'],
  ] as const)('for %s in mode %s have the role %s', (modelId, systemMessageMode, role) => {
    expect(inputOf([system], { modelId, systemMessageMode })).toEqual([
      { type: 'message', role, content: 'Be kind.' },
    ]);
  });

  it('can be removed, with a warning', () => {
    const context = { systemMessageMode: 'remove' as const };
    expect(inputOf([system, user('a')], context)).toHaveLength(1);
    expect(warningsOf([system], context)).toEqual(['system messages are removed for this model']);
  });

  it('carry a cache breakpoint', () => {
    const providerOptions = { openai: { promptCacheBreakpoint: { mode: 'explicit' } } };
    expect(inputOf([{ ...system, providerOptions }])).toEqual([
      {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: 'Be kind.', prompt_cache_breakpoint: { mode: 'explicit' } }],
      },
    ]);
  });
});

describe('files of the user', () => {
  const png = `data:image/png;base64,${base64}`;
  it.each<[string, unknown, string | undefined, object]>([
    ['base64 image', base64, 'image/png', { type: 'input_image', image_url: png }],
    ['bytes of an image', bytes, 'image/png', { type: 'input_image', image_url: png }],
    [
      'image of unknown format',
      base64,
      'image/*',
      { type: 'input_image', image_url: `data:image/jpeg;base64,${base64}` },
    ],
    [
      'media type of `ai` 7 without a subtype',
      base64,
      'image',
      { type: 'input_image', image_url: `data:image/jpeg;base64,${base64}` },
    ],
    [
      'image URL',
      new URL('https://a.org/x'),
      'image/*',
      { type: 'input_image', image_url: 'https://a.org/x' },
    ],
    [
      'image URL as text',
      'https://a.org/x',
      'image/png',
      { type: 'input_image', image_url: 'https://a.org/x' },
    ],
    ['uploaded image', 'file-1', 'image/png', { type: 'input_image', file_id: 'file-1' }],
    [
      'PDF',
      base64,
      'application/pdf',
      { type: 'input_file', filename: 'part-0.pdf', file_data: `data:application/pdf;base64,${base64}` },
    ],
    [
      'PDF URL',
      new URL('https://a.org/x.pdf'),
      'application/pdf',
      { type: 'input_file', file_url: 'https://a.org/x.pdf' },
    ],
    ['uploaded PDF', 'file-1', 'application/pdf', { type: 'input_file', file_id: 'file-1' }],
    [
      'file uploaded at Azure',
      'assistant-1',
      'application/pdf',
      { type: 'input_file', file_id: 'assistant-1' },
    ],
    [
      'text file',
      base64,
      'text/plain',
      { type: 'input_file', filename: 'part-0.txt', file_data: `data:text/plain;base64,${base64}` },
    ],
    [
      'table',
      bytes,
      'text/csv',
      { type: 'input_file', filename: 'part-0.csv', file_data: `data:text/csv;base64,${base64}` },
    ],
    [
      'file of a vendor',
      base64,
      'application/vnd.acme.thing',
      {
        type: 'input_file',
        filename: 'part-0.bin',
        file_data: `data:application/vnd.acme.thing;base64,${base64}`,
      },
    ],
    ['tagged data', { type: 'data', data: base64 }, 'image/png', { type: 'input_image', image_url: png }],
    [
      'tagged URL',
      { type: 'url', url: new URL('https://a.org/x') },
      'image/png',
      { type: 'input_image', image_url: 'https://a.org/x' },
    ],
    [
      'tagged reference',
      { type: 'reference', reference: { other: 'x', openai: 'file-1' } },
      'application/pdf',
      { type: 'input_file', file_id: 'file-1' },
    ],
    ['tagged text', { type: 'text', text: 'words' }, 'text/plain', { type: 'input_text', text: 'words' }],
    [
      'data URL',
      `data:text/plain;base64,${base64}`,
      'text/plain',
      { type: 'input_file', filename: 'part-0.txt', file_data: `data:text/plain;base64,${base64}` },
    ],
    ['image with capitals', base64, 'IMAGE/PNG', { type: 'input_image', image_url: png }],
    [
      'image of an address without a type',
      new URL('https://a.org/photo.png'),
      '',
      { type: 'input_image', image_url: 'https://a.org/photo.png' },
    ],
    [
      'data without a type',
      bytes,
      '',
      {
        type: 'input_file',
        filename: 'part-0.bin',
        file_data: `data:application/octet-stream;base64,${base64}`,
      },
    ],
  ])('are sent: %s', (_, data, mediaType, expected) => {
    expect(sentFile(data, mediaType)).toEqual(expected);
  });

  it('keep their name and level of detail', () => {
    expect(sentFile(base64, 'application/pdf', { filename: 'a.pdf' })).toMatchObject({ filename: 'a.pdf' });
    const providerOptions = { openai: { imageDetail: 'low', promptCacheBreakpoint: true } };
    expect(sentFile(base64, 'image/png', { providerOptions })).toMatchObject({
      detail: 'low',
      prompt_cache_breakpoint: true,
    });
  });

  it.each(['audio/wav', 'audio', 'video/mp4'])('of type %s are rejected', mediaType => {
    expect(() => sentFile(base64, mediaType)).toThrow(UnsupportedFunctionalityError);
    expect(() => sentFile(base64, mediaType)).toThrow(`got a file of media type ${mediaType}`);
    expect(() => sentFile(base64, mediaType.toUpperCase())).toThrow(UnsupportedFunctionalityError);
  });
});

it('omits unknown content, with a warning', () => {
  const prompt = [
    { role: 'user', content: [{ type: 'hologram' }, { type: 'text', text: 'a' }] },
    assistant(
      { type: 'custom', kind: 'vendor.thing' },
      { type: 'reasoning-file', data: {} },
      { type: 'file', data: base64, mediaType: 'audio/wav' },
      { type: 'text', text: 'b' },
    ),
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
  ];
  expect(inputOf(prompt)).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
  ]);
  expect(warningsOf(prompt)).toEqual([
    'Prompt content of type "reasoning-file" is not supported and was not sent.',
    'Prompt content of type "tool-approval-response" is not supported and was not sent.',
    'User content of type "hologram" is not supported and not sent.',
    'Assistant content of type "vendor.thing" is not supported and not sent.',
    'Files of assistant messages are not sent because the API does not accept them (audio/wav).',
  ]);
});

describe('assistant messages', () => {
  const withOpenai = (openai: object) => ({ providerOptions: { openai } });
  const prompt = [
    user('a'),
    assistant(
      { type: 'text', text: 'b', ...withOpenai({ itemId: 'msg_1', phase: 'commentary' }) },
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 't',
        input: { x: 1 },
        ...withOpenai({ itemId: 'fc_1' }),
      },
    ),
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: 'r' } },
      ],
    },
  ];

  it('are sent in full without ids, even if the server stores them', () => {
    for (const store of [true, false]) {
      expect(inputOf(prompt, { store }).slice(1)).toEqual([
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'b' }],
          phase: 'commentary',
        },
        { type: 'function_call', call_id: 'c', name: 't', arguments: '{"x":1}' },
        { type: 'function_call_output', call_id: 'c', output: 'r' },
      ]);
    }
  });

  it('keep each id once and get empty items for missing reasoning with `synthesize`', () => {
    const items = inputOf([...prompt, ...prompt.slice(1)], { missingReasoning: 'synthesize' });
    expect(items.slice(1)).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'b' }],
        id: 'msg_1',
        phase: 'commentary',
      },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: 'c', name: 't', arguments: '{"x":1}', id: 'fc_1' },
      { type: 'function_call_output', call_id: 'c', output: 'r' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'b' }],
        phase: 'commentary',
      },
      { type: 'function_call', call_id: 'c_2', name: 't', arguments: '{"x":1}' },
      { type: 'function_call_output', call_id: 'c_2', output: 'r' },
    ]);
  });

  it('get no empty items if their reasoning is present', () => {
    const withReasoning = [
      assistant(
        { type: 'reasoning', text: 'hm', ...withOpenai({ itemId: 'rs_real' }) },
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {}, ...withOpenai({ itemId: 'fc_1' }) },
        { type: 'tool-call', toolCallId: 'd', toolName: 't', input: {}, ...withOpenai({ itemId: 'fc_2' }) },
      ),
    ];
    const items = inputOf(withReasoning, { missingReasoning: 'synthesize' });
    expect(items.filter(item => (item as { type?: string }).type === 'reasoning')).toEqual([
      { type: 'reasoning', id: 'rs_real', summary: [{ type: 'summary_text', text: 'hm' }] },
    ]);
  });

  it.each<[unknown, string]>([
    [undefined, '{}'],
    [null, '{}'],
    ['', '{}'],
    [' \n', '{}'],
    [{}, '{}'],
    [{ a: [1] }, '{"a":[1]}'],
    ['{"a": 1}', '{"a": 1}'],
    ['{"a":', '"{\\"a\\":"'],
  ])('send the arguments %j as JSON', (input, expected) => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 't', input };
    expect(inputOf([assistant(call)])[0]).toMatchObject({ arguments: expected });
  });

  it('omit hosted calls with the warning of the official provider', () => {
    const hosted = { toolCallId: 'ws_1', toolName: 'web_search' };
    const searched = [
      assistant(
        { type: 'tool-call', ...hosted, input: {}, providerExecuted: true },
        { type: 'tool-result', ...hosted, output: { type: 'json', value: {} } },
        { type: 'text', text: 'found' },
      ),
    ];
    expect(inputOf(searched)).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'found' }] },
    ]);
    expect(warningsOf(searched)).toEqual([
      'Results for OpenAI tool web_search are not sent to the API when store is false',
    ]);
  });

  it('send calls that another provider executed as function calls', () => {
    const ids = { toolCallId: 'call_1', toolName: 'mcp_look' };
    const prompt = [
      assistant(
        { type: 'tool-call', ...ids, input: { a: 1 }, providerExecuted: true },
        { type: 'tool-result', ...ids, output: { type: 'json', value: { b: 2 } } },
        { type: 'text', text: 'done' },
      ),
    ];
    expect(inputOf(prompt)).toEqual([
      { type: 'function_call', call_id: 'call_1', name: 'mcp_look', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: '{"b":2}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    ]);
  });
});

it('sends a result without its call if the server has the call, and as text otherwise', () => {
  const prompt = [
    {
      role: 'tool' as const,
      content: [
        {
          type: 'tool-result' as const,
          toolCallId: 'c',
          toolName: 't',
          output: { type: 'text' as const, value: 'r' },
        },
      ],
    },
  ];
  const providerOptions = { openai: { previousResponseId: 'resp_1' } };
  const output = { type: 'function_call_output', call_id: 'c', output: 'r' };
  expect(build({ prompt, providerOptions }).body.input).toEqual([output]);
  const text = 'Output of the tool "t", whose call is missing in this conversation:\nr';
  expect(build({ prompt }).body.input).toMatchObject([
    { role: 'assistant', content: [{ type: 'output_text', text }] },
  ]);
});

describe('calls of local_shell', () => {
  const localShell = { type: 'provider-defined', id: 'openai.local_shell', name: 'local_shell', args: {} };
  const ids = { toolCallId: 'call_1', toolName: 'local_shell' };
  const action = { type: 'exec', command: ['ls'], timeoutMs: 5, workingDirectory: '/tmp' };
  const prompt = [
    assistant({
      type: 'tool-call',
      ...ids,
      input: { action },
      providerOptions: { openai: { itemId: 'lsh_1' } },
    }),
    {
      role: 'tool',
      content: [{ type: 'tool-result', ...ids, output: { type: 'json', value: { output: 'a.txt' } } }],
    },
  ];

  it('are sent as hosted items if the tool is declared', () => {
    expect(build({ prompt: prompt as never, tools: [localShell as never] }).body.input).toEqual([
      {
        type: 'local_shell_call',
        call_id: 'call_1',
        id: 'lsh_1',
        action: { type: 'exec', command: ['ls'], timeout_ms: 5, working_directory: '/tmp' },
      },
      { type: 'local_shell_call_output', call_id: 'call_1', output: 'a.txt' },
    ]);
  });

  it('are sent as function calls if the tool is not declared', () => {
    expect(inputOf(prompt)).toMatchObject([{ type: 'function_call' }, { type: 'function_call_output' }]);
  });
});
