import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/prompt.js';
import { INTERRUPTED } from '../../../src/core/tool-calls/call-pairing.js';
import { toNewMessages } from '../../../src/responses/request/input.js';
import { joinWrappedOutputs } from '../../../src/responses/request/wrapped-calls.js';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const withResponseId = (responseId?: string) => (responseId === undefined ? {} : { own: { responseId } });
const textMessage = (text: string, responseId?: string): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text, ...withResponseId(responseId) }],
});
const callMessage = (toolCallId: string, responseId?: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'add', input: {}, ...withResponseId(responseId) }],
});
const resultMessage = (toolCallId: string): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, toolName: 'add', output: { type: 'text', value: '3' } }],
});
const system: Message = { role: 'system', content: 'Be brief.' };

it('sends all messages if the request continues nothing', () => {
  const prompt = [system, user('a'), textMessage('b', 'resp_1'), user('c')];
  expect(toNewMessages(prompt, {})).toBe(prompt);
});

describe('with `previousResponseId`', () => {
  const options = { previousResponseId: 'resp_1' };

  it('sends the messages after that response', () => {
    const prompt = [system, user('a'), textMessage('b', 'resp_1'), user('c')];
    expect(toNewMessages(prompt, options)).toEqual(prompt.slice(3));
  });

  it('sends messages that an older response does not contain', () => {
    const prompt = [user('a'), textMessage('b', 'resp_1'), user('c'), textMessage('d', 'resp_2'), user('e')];
    expect(toNewMessages(prompt, options)).toEqual(prompt.slice(2));
    const partial = [user('a'), textMessage('b', 'resp_1'), user('c'), textMessage('d'), user('e')];
    expect(toNewMessages(partial, options)).toEqual(partial.slice(2));
  });

  it('sends the results of calls that the server has', () => {
    const prompt = [user('a'), callMessage('call_1', 'resp_1'), resultMessage('call_1')];
    expect(toNewMessages(prompt, options)).toEqual([prompt[2]]);
  });

  it('sends calls of later rounds together with their results', () => {
    const rounds = [user('c'), callMessage('call_1', 'resp_2'), resultMessage('call_1')];
    expect(toNewMessages([user('a'), textMessage('b', 'resp_1'), ...rounds], options)).toEqual(rounds);
    expect(toNewMessages([user('a'), textMessage('b'), ...rounds], options)).toEqual(rounds);
    expect(toNewMessages(rounds, options)).toEqual(rounds);
  });

  it('treats the last assistant message as the response if no message contains the id', () => {
    const prompt = [user('a'), textMessage('b'), user('c'), textMessage('d'), user('e')];
    expect(toNewMessages(prompt, options)).toEqual([prompt[4]]);
  });

  it('identifies a response of several rounds by its last part', () => {
    const mixed: Message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'one', ...withResponseId('resp_0') },
        { type: 'text', text: 'two', ...withResponseId('resp_1') },
      ],
    };
    expect(toNewMessages([user('a'), mixed, user('c')], options)).toEqual([user('c')]);
  });
});

describe('with `conversation`', () => {
  const options = { conversation: 'conv_1' };

  it('sends the messages after the last assistant message', () => {
    const prompt = [system, user('a'), textMessage('b', 'resp_1'), user('c')];
    expect(toNewMessages(prompt, options)).toEqual([prompt[3]]);
    const rounds = [user('a'), callMessage('call_1', 'resp_2'), resultMessage('call_1')];
    expect(toNewMessages(rounds, options)).toEqual([rounds[2]]);
  });

  it('sends all messages before the first response', () => {
    expect(toNewMessages([system, user('a')], options)).toEqual([system, user('a')]);
  });

  it('sends the messages before a response that did not end, and its text and calls without ids of the server', () => {
    const marked = (completed: boolean) => ({ own: { completed } });
    const done: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'r', ...marked(false) },
        { type: 'text', text: 'b', ...marked(true) },
      ],
    };
    const call = { type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'add', input: {} };
    const cut: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'r', ...marked(false) },
        { type: 'text', text: 'd', ...marked(false) },
        { ...call, ...marked(false) },
      ],
    };
    const kept: Message = { role: 'assistant', content: cut.content.slice(1) };
    const prompt = [user('a'), done, user('c'), cut, resultMessage('call_1'), user('e')];
    expect(toNewMessages(prompt, options)).toEqual([user('c'), kept, resultMessage('call_1'), user('e')]);
    const onlyReasoning: Message = { role: 'assistant', content: cut.content.slice(0, 1) };
    expect(toNewMessages([user('a'), done, user('c'), onlyReasoning], options)).toEqual([user('c')]);
    expect(toNewMessages([user('a'), textMessage('b'), user('c'), done], options)).toEqual([]);
  });
});

describe('outputs of calls within one call of the server', () => {
  const call = (toolCallId: string, index: number) => ({
    ...{ type: 'tool-call' as const, toolCallId, toolName: 'add', input: {} },
    own: { wrapper: { id: 'call_w', index } },
  });
  const prompt: Message[] = [user('a'), { role: 'assistant', content: [call('w_1', 0), call('w_2', 1)] }];
  const output = (call_id: string, value: string | [{ type: 'input_text'; text: string }]) => ({
    ...{ type: 'function_call_output' as const, call_id, output: value },
  });

  it('become one, in the order of the calls', () => {
    const items = [output('w_2', 'two'), output('other', 'x'), output('w_1', 'one')];
    expect(joinWrappedOutputs(items, prompt)).toEqual([output('call_w', 'one\ntwo'), output('other', 'x')]);
    const content: [{ type: 'input_text'; text: string }] = [{ type: 'input_text', text: 'two' }];
    expect(joinWrappedOutputs([output('w_1', 'one'), output('w_2', content)], prompt)).toMatchObject([
      { call_id: 'call_w', output: [{ text: 'one' }, { text: 'two' }] },
    ]);
  });

  it('contain a note in place of a missing one', () => {
    expect(joinWrappedOutputs([output('w_2', 'two')], prompt)).toEqual([
      output('call_w', `${INTERRUPTED}\ntwo`),
    ]);
  });

  it('stay apart if the request contains their calls', () => {
    const calls = ['w_1', 'w_2'].map(id => ({
      ...{ type: 'function_call' as const, call_id: id, name: 'add', arguments: '{}' },
    }));
    const items = [...calls, output('w_1', 'one'), output('w_2', 'two')];
    expect(joinWrappedOutputs(items, prompt)).toEqual(items);
  });
});
