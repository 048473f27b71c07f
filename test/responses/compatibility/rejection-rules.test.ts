import { APICallError } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import type { Compatibility } from '../../../src/responses/compatibility/compatibility.js';
import { findFallback, findKeptField } from '../../../src/responses/compatibility/rejection-rules.js';
import {
  type ResponsesRequestBody,
  createItemRelations,
  toItemReference,
} from '../../../src/responses/wire.js';

const body: ResponsesRequestBody & Record<string, unknown> = {
  model: 'gpt-5',
  store: false,
  include: ['reasoning.encrypted_content'],
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'secret', summary: [] },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: '3' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is 3.' }] },
  ],
  temperature: 0,
  max_output_tokens: 100,
  reasoning: { effort: 'low', summary: 'auto' },
  text: { verbosity: 'low' },
  parallel_tool_calls: true,
  tool_choice: 'auto',
  instructions: 'Be brief.',
  previous_response_id: 'resp_1',
  tools: [
    {
      type: 'function',
      name: 'add',
      strict: false,
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
  ],
};

const rejection = (
  message: string,
  { status = 400, responseBody }: { status?: number; responseBody?: string } = {},
) =>
  new APICallError({
    message,
    statusCode: status,
    responseBody,
    url: 'http://127.0.0.1/v1/responses',
    requestBodyValues: body,
  });

it.each([
  ['OpenAI, another key', 'The encrypted content for item rs_1 could not be verified.', 400],
  [
    'OpenAI, not stored',
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    404,
  ],
  [
    'OpenAI, call alone',
    "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    400,
  ],
  [
    'OpenAI, reasoning alone',
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    400,
  ],
  ['a gateway', "Invalid 'input[1].id': 'x_1'. Expected an ID that begins with 'rs'.", 400],
])('removes reasoning and the ids that require it from this request only: %s', (_server, message, status) => {
  const fallback = findFallback(body, rejection(message, { status }));
  const [user, , , output, answer] = body.input;
  const call = { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{}' };
  expect(fallback?.body).toEqual({ ...body, input: [user, call, output, answer] });
  expect(fallback?.isLasting).toBe(false);
});

const chatOutputs: Compatibility = { toolOutput: 'string', toolImages: 'user-message' };
const completeItems: Compatibility = {
  itemIds: 'required',
  messageType: true,
  status: true,
  annotations: true,
};

it.each<[server: string, message: string, status: number, compatibility: Compatibility]>([
  ['Ollama', 'input[1]: unknown input item type: "reasoning"', 400, { reasoning: false }],
  [
    'OpenAI',
    'Encrypted content is not supported with this model.',
    400,
    { without: ['include.reasoning.encrypted_content'] },
  ],
  [
    'Volcengine',
    'The parameter `include` specified in the request are not valid: unknown type: reasoning.encrypted_content.',
    400,
    { without: ['include.reasoning.encrypted_content'] },
  ],
  [
    'OpenAI',
    "Unsupported parameter: 'temperature' is not supported with this model.",
    400,
    { without: ['temperature'] },
  ],
  [
    'OpenAI',
    "Unsupported parameter: 'text.verbosity' is not supported with this model.",
    400,
    { without: ['text.verbosity'] },
  ],
  [
    'OpenAI',
    "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    400,
    { without: ['parallel_tool_calls'] },
  ],
  [
    'OpenAI',
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    400,
    { without: ['temperature'] },
  ],
  [
    'OpenAI, for organizations that are not verified',
    'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com',
    400,
    { without: ['reasoning.summary'] },
  ],
  ['a gateway', "Unknown parameter: 'include'.", 400, { without: ['include'] }],
  ['Azure', 'Unrecognized request argument supplied: reasoning', 400, { without: ['reasoning'] }],
  [
    'Codex backend',
    '{"detail":"Unsupported parameter: max_output_tokens"}',
    400,
    { without: ['max_output_tokens'] },
  ],
  ['xAI', 'Model grok-4 does not support parameter reasoningEffort.', 400, { without: ['reasoning.effort'] }],
  [
    'xAI',
    'Argument not supported: instructions and previous_response_id together',
    400,
    { instructionsWithPreviousResponse: false },
  ],
  [
    'xAI',
    "Schema validation failed: /properties/properties/additionalProperties: property schema 'false' is not supported",
    400,
    { additionalProperties: false },
  ],
  ['xAI', 'data did not match any variant of untagged enum ModelInput', 422, chatOutputs],
  ['Doubao', 'The request failed because it is missing `input.status` parameter.', 400, { status: true }],
  ['Azure', "Required property 'annotations' is missing", 400, { annotations: true }],
  ['llama.cpp', "Output of tool call should be 'Input text'", 400, chatOutputs],
  ['a gateway', 'Upstream request failed: Input should be a valid string', 422, chatOutputs],
  ['OpenRouter', 'Invalid Responses API request', 400, completeItems],
  [
    'vLLM',
    "1 validation error: 'loc': ('body', 'input', 'status'), Field required: status",
    400,
    completeItems,
  ],
])('changes the request after %s reports: %s', (_server, message, status, compatibility) => {
  const fallback = findFallback(body, rejection(message, { status }));
  const isProtected = /max_output_tokens|parallel_tool_calls/.test(message);
  expect(fallback).toMatchObject({ compatibility, isLasting: !isProtected });
  expect(fallback?.body).not.toEqual(body);
});

it('reads the rejection in the response body if the message differs', () => {
  const responseBody = JSON.stringify({ error: { message: 'Bad', code: 'invalid_union', param: 'input' } });
  expect(findFallback(body, rejection('Bad', { responseBody }))?.compatibility).toEqual(chatOutputs);
});

it('reads a rejection that a gateway has wrapped in strings', () => {
  const issues = JSON.stringify([{ code: 'invalid_type', path: ['input', 1, 'id'] }], undefined, 2);
  const responseBody = JSON.stringify({ error: { metadata: { raw: JSON.stringify({ issues }) } } });
  expect(findFallback(body, rejection('Provider error', { responseBody }))?.compatibility).toEqual(
    completeItems,
  );
});

it('applies an ambiguous rejection to items if no tool output is a list', () => {
  const error = rejection(
    'list[union[EasyInputMessageParam,ResponseOutputMessageParam]]: Input should be a valid string',
  );
  const first = findFallback(body, error);
  expect(first?.compatibility).toEqual(chatOutputs);
  expect(findFallback(first?.body ?? body, error)?.compatibility).toEqual(completeItems);
});

it('removes `tool_choice` only from requests without tools', () => {
  const error = rejection('A tool_choice was set on the request but no tools were specified.');
  const fallback = findFallback({ ...body, tools: undefined }, error);
  expect(fallback?.body).not.toHaveProperty('tool_choice');
  expect(findFallback(body, error)).toBeUndefined();
  expect(fallback?.isLasting).toBe(false);
});

it('still generates the ids that the endpoint requires when it removes reasoning', () => {
  const error = rejection('The encrypted content for item rs_1 could not be verified.');
  const fallback = findFallback(body, error, { compatibility: { itemIds: 'required' } });
  expect(fallback?.body.input[1]).toMatchObject({ type: 'function_call', id: 'fc_input_1' });

  const compatibility: Compatibility = { itemIds: 'required', reasoning: false };
  expect(findFallback(fallback?.body ?? body, error, { compatibility })).toBeUndefined();
});

it.each([
  ['an unknown rejection', rejection('The model does not exist.', { status: 404 })],
  ['a known text with another status', rejection('could not be verified', { status: 401 })],
  ['an error without a status', new Error('The encrypted content for item rs_1 could not be verified.')],
  ['a field that the request requires', rejection("Unsupported parameter: 'store'")],
  ['a field that is not in the request', rejection("Unsupported parameter: 'top_p'")],
  ['a part of the input', rejection("Unknown parameter: 'input[1].status'.")],
])('returns undefined for %s', (_what, error) => {
  expect(findFallback(body, error)).toBeUndefined();
});

it.each([
  ['llama.cpp', "Cannot determine type of 'item'", 400, { messageType: true }],
  ['a strict server', "Unknown parameter: 'input[4].type'.", 400, { messageType: false }],
  ['vLLM', 'Encrypted content is not supported.', 400, { reasoning: 'text' }],
  [
    'the AI Gateway',
    "Unsupported value: 'low' is not supported with the 'gpt-5.2-codex' model. Supported values are: 'medium'. reasoning.effort",
    400,
    { efforts: ['medium'] },
  ],
  ['a gateway', 'reasoning_effort must be one of `medium`, `high`', 422, { efforts: ['medium', 'high'] }],
  [
    'a server without encrypted reasoning',
    `Invalid value: 'reasoning.encrypted_content'. Supported values are: 'x'. "param": "include[0]"`,
    400,
    { without: ['include.reasoning.encrypted_content'] },
  ],
] as const)('learns from %s: %s', (_server, message, status, compatibility) => {
  const fallback = findFallback(body, rejection(message, { status }));
  expect(fallback).toMatchObject({ compatibility, isLasting: true });
});

const withImage: ResponsesRequestBody = {
  ...body,
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] }],
};

it.each([
  ['image input is not supported - hint: if this is unexpected, you may need to provide the mmproj', 500],
  ['qwen3 is not a multimodal model', 400],
  ['At most 0 image(s) may be provided in one prompt.', 400],
  ['Model does not support images. Please use a model that does.', 400],
  ['this model does not support image input (ref: 1)', 400],
  ['this model is missing data required for image input', 500],
  ['No endpoints found that support image input', 404],
])('replaces images after "%s"', (message, status) => {
  const error = rejection(message, { status });
  expect(findFallback(withImage, error)).toMatchObject({
    compatibility: { images: false },
    isLasting: true,
    body: { input: [{ content: [{ type: 'input_text' }] }] },
  });
  expect(findFallback(body, error)).toBeUndefined();
});

it.each([
  "Unknown parameter: 'tools[0].allowed_callers'.",
  "Unknown parameter: 'tools[0].container.network_policy'.",
  "Unknown parameter: 'tools[0].require_approval'.",
  "Unknown parameter: 'tool_choice'.",
  "Unknown parameter: 'max_tool_calls'.",
  "Unknown parameter: 'moderation'.",
  "Unknown parameter: 'prompt_cache_options'.",
])('never omits a field that restricts the model or costs money: %s', message => {
  const restricted: ResponsesRequestBody & Record<string, unknown> = {
    ...body,
    max_tool_calls: 1,
    prompt_cache_options: { mode: 'explicit', ...{ prewarm: true } },
    tools: [
      {
        type: 'mcp',
        require_approval: 'always',
        allowed_callers: ['direct'],
        container: { network_policy: {} },
      },
    ],
    ...{ moderation: { model: 'omni' } },
  };
  expect(findFallback(restricted, rejection(message))).toBeUndefined();
});

it('removes or rebuilds a reference that the server does not have', () => {
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
  const relations = createItemRelations();
  const references = [toItemReference('ig_1', [], relations), toItemReference('ws_1', [search], relations)];
  const referring = { ...body, input: [...body.input.slice(0, 1), ...references] };
  const notFound = (id: string) => rejection(`Item with id '${id}' not found.`, { status: 404 });
  expect(findFallback(referring, notFound('ig_1'), { relations })?.body.input).toEqual([
    body.input[0],
    references[1],
  ]);
  expect(findFallback(referring, notFound('ws_1'), { relations })?.body.input).toEqual([
    body.input[0],
    references[0],
    search,
  ]);
  expect(findFallback(referring, notFound('ws_2'), { relations })).toBeUndefined();
});

it.each([
  'reasoning `encrypted_content` was not issued to this caller', // can1357/oh-my-pi#11928
  'The encrypted content was created by another organization.',
  'Could not decrypt the encrypted reasoning of rs_1.',
  'Reasoning item rs_1 could not be decrypted: the encryption key is unknown.',
])('sends the request once without reasoning after: %s', message => {
  const fallback = findFallback(body, rejection(message));
  expect(fallback).toMatchObject({ compatibility: { reasoning: false }, isLasting: false });
  const sent = fallback?.body ?? body;
  expect(findFallback(sent, rejection(message), { compatibility: { reasoning: false } })).toBeUndefined();
});

it.each([
  'Reasoning is mandatory for this endpoint and cannot be disabled.', // earendil-works/pi#4316
  'Thinking cannot be turned off for this model.',
])('omits an effort of none after: %s', message => {
  const none = { ...body, reasoning: { effort: 'none' } };
  expect(findFallback(none, rejection(message))).toMatchObject({
    compatibility: { without: ['reasoning.effort'] },
    isLasting: false,
  });
  expect(findFallback(body, rejection(message))).toBeUndefined();
});

it.each([
  `Invalid schema for function 'add': no`,
  'Invalid schema for function "add": no',
  'Invalid schema for function `add`: no',
  'Invalid schema for function \u201cadd\u201d: no',
  'Invalid schema for function add: no',
  'Invalid parameters of the tool "add"',
])('omits the tool that a server names: %s', message => {
  expect(findFallback(body, rejection(message))).toMatchObject({ compatibility: { without: ['tools.add'] } });
});

it.each([
  ['Unknown parameter: "store".', 'store'],
  ["Unsupported parameter: 'store'", 'store'],
  ['The field `store` is not supported by this server.', 'store'],
  ['store is not supported', 'store'],
  ['This endpoint does not support store', 'store'],
  ['Unrecognized key: "store"', 'store'],
  ["Unsupported parameter: 'tool_choice'", 'tool_choice'],
  ["Unknown parameter: 'temperature'", undefined],
  ['Unknown parameter: "max_tool_calls"', undefined], // the request has none
  ['No.', undefined],
])('names a field that must not be left out silently after: %s', (message, field) => {
  expect(findKeptField(body, rejection(message))).toBe(field);
});
