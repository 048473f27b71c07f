import { expect, it } from 'vitest';
import type { Prompt } from '../../../src/core/prompt.js';
import { pairToolCalls } from '../../../src/core/tool-calls/call-pairing.js';
import { isFunctionCall, isFunctionCallOutput, isReasoning } from '../../../src/responses/wire.js';
import { once } from '../../../src/core/shared/once.js';
import { createRandom } from '../../_chunking.js';
import { isWhole } from '../../_products.js';
import { build } from './_build.js';

/** Creates an invalid history: calls and results in any place, repeated or missing, with few ids. */
function createInvalidHistory(seed: number): Prompt {
  const random = createRandom(seed);
  const pick = <ITEM>(items: readonly ITEM[]): ITEM => items[Math.floor(random() * items.length)] as ITEM;
  const ids = () => ({ toolCallId: pick(['call_0', 'call_1', 'call_2', '']), toolName: pick(['a', 'b.c']) });
  const result = () => {
    const call = ids();
    const text = `result of <${call.toolCallId}>`;
    const output = pick([
      { type: 'text', value: text },
      { type: 'json', value: { content: [{ type: 'text', text }] } },
      { type: 'content', value: [{ type: 'text', text }] },
    ]);
    return { type: 'tool-result', ...call, output };
  };
  const reasoning = () => ({
    type: 'reasoning',
    text: 'x',
    providerOptions: {
      openai: { itemId: pick(['rs_1', 'rs_2', 'rs_3']), reasoningEncryptedContent: pick(['e', null]) },
    },
  });
  const part = () =>
    pick([
      () => ({ type: 'text', text: 't' }),
      reasoning,
      result,
      () => ({ type: 'tool-call', ...ids(), input: {} }),
      () => ({ type: 'tool-call', ...ids(), input: {}, providerExecuted: true }),
      () => ({
        type: 'tool-call',
        toolCallId: 'ws_1',
        toolName: 'web_search',
        input: {},
        providerExecuted: true,
      }),
    ])();
  const some = <ITEM>(create: () => ITEM) => Array.from({ length: Math.floor(random() * 6) }, create);
  const message = () =>
    pick([
      () => ({ role: 'user', content: [{ type: 'text', text: 'u' }] }),
      () => ({ role: 'assistant', content: some(part) }),
      () => ({ role: 'assistant', content: some(part) }),
      () => ({ role: 'tool', content: some(result) }),
    ])();
  return some(message) as Prompt;
}

const COUNT = isWhole ? 3000 : 1000;
const histories = Array.from({ length: COUNT }, (_, seed) => createInvalidHistory(seed));
const inputs = once(() => histories.map(prompt => build({ prompt }).body.input));

it('sends exactly one output after every call, for any history', () => {
  let calls = 0;
  for (const [seed, input] of inputs().entries()) {
    const open = new Set<string>();
    const seen = new Set<string>();
    for (const item of input) {
      if (isFunctionCall(item)) {
        calls++;
        expect(item.call_id, `seed ${seed}`).not.toBe('');
        expect(seen.has(item.call_id), `call id used twice, seed ${seed}`).toBe(false);
        seen.add(item.call_id);
        open.add(item.call_id);
      } else if (isFunctionCallOutput(item)) {
        expect(open.delete(item.call_id), `output without an open call, seed ${seed}`).toBe(true);
      } else if (!('role' in item) || item.role !== 'assistant') {
        if (item.type !== 'reasoning')
          expect([...open], `open call before the user, seed ${seed}`).toEqual([]);
      }
    }
    expect([...open], `call without an output, seed ${seed}`).toEqual([]);
  }
  expect(calls).toBeGreaterThan(COUNT);
});

it('sends reasoning once, with its content, before an item of its turn, for any history', () => {
  let items = 0;
  for (const [seed, input] of inputs().entries()) {
    const ids = input.flatMap(item => (isReasoning(item) ? [item.id] : []));
    expect(new Set(ids).size, `seed ${seed}`).toBe(ids.length);
    input.forEach((item, index) => {
      if (!isReasoning(item)) return;
      items++;
      expect(item.encrypted_content, `seed ${seed}`).toBe('e');
      const next = input.slice(index + 1).find(other => other.type !== 'reasoning');
      const isOfModel =
        next?.type === 'function_call' || (next && 'role' in next && next.role === 'assistant');
      expect(isOfModel, `seed ${seed}`).toBe(true);
    });
  }
  expect(items).toBeGreaterThan(COUNT / 10);
});

it('does not change a paired history when it is paired again', () => {
  for (const [seed, history] of histories.entries()) {
    const paired = pairToolCalls(history);
    expect(pairToolCalls(paired), `seed ${seed}`).toBe(paired);
  }
});

it('loses no text and no first result, for any history', () => {
  for (const [seed, history] of histories.entries()) {
    const paired = pairToolCalls(history);
    const texts = (prompt: Prompt) =>
      prompt.flatMap(({ role, content }) =>
        role === 'tool'
          ? []
          : [...content].filter(
              part => typeof part === 'object' && part.type === 'text' && !part.text.includes('result of <'),
            ),
      );
    expect(texts(paired), `seed ${seed}`).toEqual(texts(history));
    // The result of a call that is not in the history is text.
    const results = (prompt: Prompt) => new Set(JSON.stringify(prompt).match(/result of <\w*>/g));
    expect(results(paired), `seed ${seed}`).toEqual(results(history));
  }
});

it('adds no call, for any history', () => {
  const callsOf = (prompt: Prompt) =>
    prompt.flatMap(({ content }) =>
      [...content].filter(part => typeof part === 'object' && part.type === 'tool-call'),
    );
  for (const [seed, history] of histories.entries()) {
    expect(callsOf(pairToolCalls(history)), `seed ${seed}`).toHaveLength(callsOf(history).length);
  }
});
