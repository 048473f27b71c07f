import { describe, expect, it } from 'vitest';
import { hasSameSettings, isWaiting, type Link, toNewItems } from '../../../src/responses/websocket/chain.js';

const user = (text: string) => ({ role: 'user', content: [{ type: 'input_text', text }] });
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' };
const answer = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }],
};
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'count',
  arguments: '{"a":1, "b":2}',
  status: 'completed',
};
const link = (output: Link['output']): Link => ({
  id: 'resp_1',
  input: [user('Hi')],
  settings: { model: 'gpt-5', tools: [{ name: 'count' }] },
  output,
});
const replayedCall = { type: 'function_call', call_id: 'call_1', name: 'count', arguments: '{"b":2,"a":1}' };
const replayedAnswer = { role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] };
const result = { type: 'function_call_output', call_id: 'call_1', output: '3' };
const body = (...items: unknown[]) => ({ model: 'gpt-5', stream: true, input: items });

describe('toNewItems', () => {
  it.each([
    { what: 'a message', output: [answer], replay: [replayedAnswer], added: [user('Go on.')] },
    {
      what: 'a message as a string',
      output: [answer],
      replay: [{ role: 'assistant', content: 'Hello' }],
      added: [user('Go on.')],
    },
    {
      what: 'a call with arguments in another order',
      output: [reasoning, call],
      replay: [reasoning, replayedCall],
      added: [result],
    },
    {
      what: 'a reference',
      output: [answer],
      replay: [{ type: 'item_reference', id: 'msg_1' }],
      added: [user('Go on.')],
    },
    {
      what: 'reasoning without content',
      output: [{ ...reasoning, encrypted_content: null }, answer],
      replay: [replayedAnswer],
      added: [user('Go on.')],
    },
    {
      what: 'an unknown item',
      output: [{ type: 'acme_item', id: 'x_1', value: { a: 1 } }],
      replay: [{ type: 'acme_item', value: { a: 1 } }],
      added: [user('Go on.')],
    },
  ])('returns the items after $what', ({ output, replay, added }) => {
    expect(toNewItems(body(user('Hi'), ...replay, ...added), link(output))).toEqual(added);
  });

  it('returns outputs in front of other calls of the response', () => {
    const second = { ...call, call_id: 'call_2' };
    const items = [
      replayedCall,
      result,
      { ...replayedCall, call_id: 'call_2' },
      { ...result, call_id: 'call_2' },
    ];
    expect(toNewItems(body(user('Hi'), ...items), link([call, second]))).toEqual([items[1], items[3]]);
  });

  it.each([
    {
      what: 'the history was edited',
      items: [user('Hello'), replayedAnswer, user('Go on.')],
      output: [answer],
    },
    {
      what: 'the answer was edited',
      items: [
        user('Hi'),
        { ...replayedAnswer, content: [{ type: 'output_text', text: 'Bye' }] },
        user('Go on.'),
      ],
      output: [answer],
    },
    { what: 'an item is missing', items: [user('Hi'), user('Go on.')], output: [answer] },
    { what: 'reasoning was removed', items: [user('Hi'), replayedCall, result], output: [reasoning, call] },
    {
      what: 'encrypted content differs',
      items: [user('Hi'), { ...reasoning, encrypted_content: 'other' }, replayedCall, result],
      output: [reasoning, call],
    },
    {
      what: 'arguments differ',
      items: [user('Hi'), { ...replayedCall, arguments: '{"a":2,"b":2}' }, result],
      output: [call],
    },
    {
      what: 'a user message is between calls',
      items: [user('Hi'), user('Wait.'), replayedCall, result],
      output: [call],
    },
    { what: 'nothing is new', items: [user('Hi'), replayedAnswer], output: [answer] },
    { what: 'the history is shorter', items: [user('Hi')], output: [] },
  ])('returns nothing if $what', ({ items, output }) => {
    expect(toNewItems(body(...items), link(output))).toBeUndefined();
  });

  it('returns nothing if the caller continues another response', () => {
    const items = body(user('Hi'), replayedAnswer, user('Go on.'));
    expect(toNewItems({ ...items, previous_response_id: 'resp_0' }, link([answer]))).toBeUndefined();
    expect(toNewItems({ ...items, conversation: 'conv_0' }, link([answer]))).toBeUndefined();
  });
});

describe('hasSameSettings', () => {
  it('compares all fields but the input and the form of the response', () => {
    const same = { ...body(), tools: [{ name: 'count', strict: undefined }] };
    expect(hasSameSettings(same, link([]))).toBe(true);
    expect(hasSameSettings({ ...same, stream: undefined }, link([]))).toBe(true);
    expect(hasSameSettings({ ...same, tool_choice: 'none' }, link([]))).toBe(false);
    expect(hasSameSettings({ ...same, tools: [] }, link([]))).toBe(false);
  });
});

describe('isWaiting', () => {
  it('is true if a response ends with a call or a request for approval', () => {
    expect(isWaiting(link([answer, call]))).toBe(true);
    expect(isWaiting(link([{ type: 'mcp_approval_request' }]))).toBe(true);
    expect(isWaiting(link([call, answer]))).toBe(false);
    expect(isWaiting(link([]))).toBe(false);
  });
});
