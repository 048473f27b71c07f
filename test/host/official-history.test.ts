import { expect, it } from 'vitest';
import type { AssistantPart, Prompt } from '../../src/core/prompt.js';
import { toOfficialHistory } from '../../src/host/switch/official-history.js';
import { v4 } from '../../src/core/versions/v4.js';
import { coreCall } from '../_core.js';

const part = (type: 'reasoning' | 'text', itemId?: string): AssistantPart => ({
  type,
  text: 'x',
  ...(itemId !== undefined && { providerOptions: { openai: { itemId } } }),
});

const send = (content: readonly AssistantPart[], store: boolean) => {
  const question: Prompt[number] = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
  const prompt: Prompt = [question, { role: 'assistant', content }, question];
  const options = { traits: v4.official, store, warn: () => {} };
  const [, answer] = toOfficialHistory(coreCall({ prompt }), options);
  return answer?.content;
};

it('contains no stored reasoning in front of a text that lost its id', () => {
  const [reasoning, text, named] = [part('reasoning', 'rs_1'), part('text'), part('text', 'msg_1')];
  expect(send([reasoning, text], true)).toEqual([text]);
  expect(send([reasoning, named], true)).toEqual([reasoning, named]);
  expect(send([reasoning, text], false)).toEqual([reasoning, text]);
  // A reference to another item, which the official provider writes for a reasoning part.
  const reference = part('reasoning', 'ws_1');
  expect(send([reference, text], true)).toEqual([reference, text]);
});
