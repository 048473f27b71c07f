import { describe, expect, it } from 'vitest';
import { post, refuse, startEmulator, user } from './_emulator.js';

type Json = Record<string, unknown>;

describe('validateItems', () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'echo', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'ok' };
  const refuseItems = (...input: Json[]) => refuse({ model: 'gpt-4o', input: [user('Hi'), ...input] });
  const cases: [string, Json[], Json][] = [
    [
      'a call without an output',
      [call],
      { message: 'No tool output found for function call call_1.', param: 'input' },
    ],
    [
      'an output without a call',
      [output],
      { message: 'No tool call found for function call output with call_id call_1.' },
    ],
    [
      'an output before its call',
      [output, call],
      { message: 'No tool call found for function call output with call_id call_1.' },
    ],
    [
      'two outputs of one call',
      [call, output, output],
      { message: 'No tool call found for function call output with call_id call_1.' },
    ],
    [
      'an id of the wrong kind',
      [{ ...call, id: 'call_1' }, output],
      { message: "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'." },
    ],
    [
      'an id with odd characters',
      [{ ...call, id: 'fc:1' }, output],
      { message: expect.stringContaining('letters, numbers, underscores, or dashes') },
    ],
    [
      'an invented reasoning id',
      [{ type: 'reasoning', id: 'reasoning_1', summary: [] }],
      { message: "Invalid 'input[1].id': 'reasoning_1'. Expected an ID that begins with 'rs'." },
    ],
    [
      'an unknown item type',
      [{ type: 'tool_result' }],
      { message: expect.stringMatching(/^Invalid value: 'tool_result'/), param: 'input[1]' },
    ],
    [
      'an unknown field',
      [{ ...call, providerExecuted: true }, output],
      { message: "Unknown parameter: 'input[1].providerExecuted'." },
    ],
    [
      'arguments that are an object',
      [{ ...call, arguments: {} }, output],
      { message: "Invalid type for 'input[1].arguments': expected a string, but got an object instead." },
    ],
    [
      'a missing output',
      [call, { ...output, output: undefined }],
      { message: "Missing required parameter: 'input[2].output'." },
    ],
    [
      'a call id that is too long',
      [{ ...call, call_id: 'x'.repeat(65) }],
      { code: 'string_above_max_length' },
    ],
    [
      'user text in an assistant message',
      [{ role: 'assistant', content: [{ type: 'input_text', text: 'Hi' }] }],
      { message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'." },
    ],
    [
      'an image without a URL',
      [call, { ...output, output: [{ type: 'input_image', image_url: 'iVBORw0' }] }],
      { message: expect.stringContaining("Invalid 'input[2].output[0].image_url'") },
    ],
    [
      'a duplicate id',
      [
        { ...call, id: 'fc_2' },
        output,
        { ...call, id: 'fc_2', call_id: 'call_2' },
        { ...output, call_id: 'call_2' },
      ],
      { message: 'Duplicate item found with id fc_2. Remove duplicate items from your input and try again.' },
    ],
    ...(
      [
        ['computer_call', { pending_safety_checks: [], status: 'completed' }, 'computer call'],
        ['custom_tool_call', { name: 'sql', input: '' }, 'custom tool call'],
        ['shell_call', { action: {} }, 'shell call'],
        ['apply_patch_call', { operation: {}, status: 'completed' }, 'apply patch call'],
      ] as const
    ).map(([type, fields, noun]): [string, Json[], Json] => [
      `a ${type} without an output`,
      [{ type, call_id: 'call_1', ...fields }],
      { message: `No tool output found for ${noun} call_1.` },
    ]),
    [
      'a safety check that is not acknowledged',
      [
        {
          type: 'computer_call',
          call_id: 'call_1',
          pending_safety_checks: [{ id: 'sc_1' }],
          status: 'completed',
        },
        { type: 'computer_call_output', call_id: 'call_1', output: { type: 'computer_screenshot' } },
      ],
      { message: expect.stringContaining('must be acknowledged: sc_1') },
    ],
    [
      'a search without the URL that it opened',
      [{ type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'open_page' } }],
      { message: "Missing required parameter: 'input[1].action.url'." },
    ],
    [
      'a field of the output that is not one of the input',
      [{ type: 'web_search_call', status: 'completed', action: { type: 'search' }, created_by: 'x' }],
      { message: "Unknown parameter: 'input[1].created_by'." },
    ],
    [
      'a program output without its program',
      [{ type: 'program_output', call_id: 'call_1', result: '', status: 'completed' }],
      { message: 'No tool call found for program output with call_id call_1.' },
    ],
  ];
  it.each(cases)('rejects %s', async (_, input, error) => {
    expect(await refuseItems(...input)).toMatchObject({ status: 400, ...error });
  });

  it('rejects a reference to an item that is not stored', async () => {
    expect(await refuseItems({ type: 'item_reference', id: 'msg_1' })).toMatchObject({
      status: 404,
      message:
        "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    });
  });

  it('accepts nearly anything without rules', async () => {
    const emulator = await startEmulator({ rules: 'none' });
    const { status } = await post(emulator, {
      body: { model: 'gpt-4o', input: [user('Hi'), call], top_k: 1 },
    });
    expect(status).toBe(200);
  });
});
