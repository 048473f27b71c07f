import { APICallError } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { mendRequest } from '../../../src/responses/request/mend-request.js';
import type { ResponsesRequestBody } from '../../../src/responses/request/request-body.js';

const body: ResponsesRequestBody = {
  model: 'gpt-5',
  store: false,
  include: ['reasoning.encrypted_content'],
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'secret', summary: [] },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: '3' },
  ],
};

const refusal = (message: string, statusCode = 400) =>
  new APICallError({ message, statusCode, url: 'http://127.0.0.1/v1/responses', requestBodyValues: body });

it.each([
  ['OpenAI, another key', 'The encrypted content for item rs_1 could not be verified.', 400],
  ['OpenAI, not stored', "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", 404],
  ['OpenAI, call alone', "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.", 400],
  ['OpenAI, reasoning alone', "Item 'rs_1' of type 'reasoning' was provided without its required following item.", 400],
  ['a gateway', "Invalid 'input[1].id': 'x_1'. Expected an ID that begins with 'rs'.", 400],
])('leaves reasoning and the ids that ask for it out: %s', (_server, message, status) => {
  const mended = mendRequest(body, refusal(message, status));
  expect(mended?.input).toEqual([
    body.input[0],
    { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{}' },
    body.input[3],
  ]);
  expect(mended?.include).toEqual(body.include);
});

it.each([
  ['OpenAI', 'Encrypted content is not supported with this model.'],
  ['Volcengine', 'The parameter `include` specified in the request are not valid: unknown type: reasoning.encrypted_content.'],
])('leaves the question for encrypted reasoning out: %s', (_server, message) => {
  expect(mendRequest(body, refusal(message))).not.toHaveProperty('include');
  const asksForMore = { ...body, include: ['reasoning.encrypted_content', 'file_search_call.results'] };
  expect(mendRequest(asksForMore, refusal(message))?.include).toEqual(['file_search_call.results']);
});

it('reads the complaint in the body where the message is another', () => {
  const error = new APICallError({
    message: 'Bad request',
    statusCode: 400,
    responseBody: '{"error":{"code":"invalid_encrypted_content"}}',
    url: 'http://127.0.0.1/v1/responses',
    requestBodyValues: body,
  });
  expect(mendRequest(body, error)?.input).toHaveLength(3);
});

it('mends nothing else', () => {
  expect(mendRequest(body, refusal('The model does not exist.', 404))).toBeUndefined();
  expect(mendRequest(body, refusal('could not be verified', 401))).toBeUndefined();
  expect(mendRequest(body, new Error('The encrypted content for item rs_1 could not be verified.'))).toBeUndefined();
});
