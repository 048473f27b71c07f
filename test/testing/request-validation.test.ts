import { describe, expect, it } from 'vitest';
import { refuse, tool } from './_emulator.js';

type Json = Record<string, unknown>;

const weather = tool('get_weather', { city: { type: 'string' } });

describe('validateRequest', () => {
  const base = { model: 'gpt-4o', input: 'Hi' };
  const cases: [string, Json, Json][] = [
    [
      'a missing model',
      { input: 'Hi' },
      { message: "Missing required parameter: 'model'.", code: 'missing_required_parameter' },
    ],
    [
      'a missing input',
      { model: 'gpt-4o' },
      { message: expect.stringContaining('One of "input" or "previous_response_id"') },
    ],
    [
      'an input of the wrong type',
      { ...base, input: 3 },
      { message: expect.stringContaining('but got an integer instead'), code: 'invalid_type' },
    ],
    ['an unknown parameter', { ...base, topK: 3 }, { message: "Unknown parameter: 'topK'.", param: 'topK' }],
    [
      'a parameter of Chat Completions',
      { model: 'gpt-4o', messages: [] },
      { message: expect.stringContaining("has moved to 'input'"), code: 'unsupported_parameter' },
    ],
    [
      'an unknown include value',
      { ...base, include: ['everything'] },
      {
        message: expect.stringMatching(/^Invalid value: 'everything'\. Supported values are: /),
        param: 'include[0]',
      },
    ],
    [
      'encrypted content for a model that does not reason',
      { ...base, include: ['reasoning.encrypted_content'] },
      { message: 'Encrypted content is not supported with this model.', param: 'include' },
    ],
    [
      'a temperature for a reasoning model',
      { ...base, model: 'openai/o4-mini', temperature: 0 },
      {
        message: "Unsupported parameter: 'temperature' is not supported with this model.",
        param: 'temperature',
      },
    ],
    [
      'an effort for a model that does not reason',
      { ...base, reasoning: { effort: 'low' } },
      {
        message: "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
        code: 'unsupported_parameter',
      },
    ],
    [
      'too few output tokens',
      { ...base, max_output_tokens: 5 },
      {
        message: expect.stringContaining('Expected a value >= 16, but got 5'),
        code: 'integer_below_min_value',
      },
    ],
    [
      'an empty text object',
      { ...base, text: {} },
      { message: "Missing required parameter: 'text.format'.", param: 'text.format' },
    ],
    [
      'a required tool choice without tools',
      { ...base, tool_choice: 'required' },
      { message: "Tool choice 'required' must be specified with 'tools' parameter." },
    ],
    [
      'an effort that the model does not support',
      { model: 'gpt-5', input: 'Hi', reasoning: { effort: 'xhigh' } },
      {
        message:
          "Unsupported value: 'xhigh' is not supported with the 'gpt-5' model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
        param: 'reasoning.effort',
        code: 'unsupported_value',
      },
    ],
    [
      'an allowed tool that is not declared',
      {
        ...base,
        tools: [weather],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'other' }] },
      },
      { message: "Tool choice 'other' not found in 'tools' parameter.", param: 'tool_choice.tools' },
    ],
    [
      'an allowed tool that the model has to search for',
      {
        ...base,
        tools: [{ ...weather, defer_loading: true }],
        tool_choice: {
          type: 'allowed_tools',
          mode: 'auto',
          tools: [{ type: 'function', name: 'get_weather' }],
        },
      },
      { message: "Tool choice 'get_weather' not found in 'tools' parameter." },
    ],
    [
      'a tool choice that is not a tool',
      { ...base, tools: [weather], tool_choice: { type: 'function', name: 'other' } },
      { message: "Tool choice 'function' not found in 'tools' parameter.", param: 'tool_choice' },
    ],
    [
      'a string instead of a boolean',
      { ...base, stream: 'yes' },
      { message: "Invalid type for 'stream': expected a boolean, but got a string instead." },
    ],
  ];
  it.each(cases)('rejects %s', async (_, body, error) => {
    expect(await refuse(body)).toMatchObject({ status: 400, type: 'invalid_request_error', ...error });
  });
});
