import { describe, expect, it } from 'vitest';
import type { Prompt, ToolCallPart, ToolPart } from '../../../src/core/prompt.js';
import { resolveApprovals, takeApprovalResponses } from '../../../src/tool-loop/approvals/asked-calls.js';
import { answer, promptOf, toCallPart } from './_approvals.js';

const first = toCallPart({ id: 'a1', server: 'bank', originalName: 'pay' });
const second = toCallPart({ id: 'a2', server: 'bank', originalName: 'pay' }, { toolCallId: 'c2' });
const plain: ToolCallPart = { type: 'tool-call', toolCallId: 'c3', toolName: 'bank_pay', input: {} };
const later: Prompt[number] = { role: 'user', content: [{ type: 'text', text: 'Never mind.' }] };

const result = (toolCallId: string, value: string): ToolPart => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'bank_pay',
  output: { type: 'text', value },
});

/** Returns the outputs of a prompt by their calls. */
const outputsOf = (prompt: Prompt) =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap(part =>
          part.type === 'tool-result'
            ? [[part.toolCallId, 'value' in part.output ? part.output.value : part.output.type]]
            : [],
        ),
  );

const resolve = (prompt: Prompt, { isActive = true } = {}) => {
  const resolved = resolveApprovals(prompt, { isActive });
  return {
    outputs: outputsOf(resolved.prompt),
    pending: resolved.pending.map(({ part, mark, isApproved }) => [part.toolCallId, mark.id, isApproved]),
    denied: resolved.denied.map(({ part, mark }) => [part.toolCallId, mark.id]),
    prompt: resolved.prompt,
  };
};

const WAITING = 'The call waits for approval.';

describe('an answer in a prompt', () => {
  it('belongs to the call with its id', () => {
    const { pending, outputs } = resolve(promptOf([first, second], answer('a2', true)));
    expect(pending).toEqual([
      ['c1', 'a1', false],
      ['c2', 'a2', true],
    ]);
    expect(outputs).toEqual([
      ['c1', WAITING],
      ['c2', WAITING],
    ]);
  });

  it('is removed from the prompt, with the message that contains nothing else', () => {
    const { prompt } = takeApprovalResponses(promptOf([first], answer('a1', true)));
    expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('with an unknown id stays in the prompt and approves nothing', () => {
    const prompt = promptOf([first], answer('unknown', true));
    expect(takeApprovalResponses(prompt)).toEqual({ prompt, responses: [] });
    expect(resolve(prompt).pending).toEqual([['c1', 'a1', false]]);
  });

  it('for a call that was not asked approves nothing', () => {
    const prompt = promptOf([plain], answer('c3', true));
    expect(takeApprovalResponses(prompt).responses).toEqual([]);
    expect(resolve(prompt)).toMatchObject({ pending: [], denied: [], outputs: [] });
  });

  it('before its call approves nothing', () => {
    const prompt: Prompt = [{ role: 'tool', content: [answer('a1', true)] }, ...promptOf([first])];
    expect(resolve(prompt).pending).toEqual([['c1', 'a1', false]]);
  });

  it.each([undefined, 'true', 1, null])('that is %j instead of true denies the call', approved => {
    const { outputs, pending } = resolve(promptOf([first], answer('a1', approved as never)));
    expect(pending).toEqual([]);
    expect(outputs).toEqual([['c1', 'The call was not approved.']]);
  });

  it('of a denial contains its reason', () => {
    const { outputs, denied, pending } = resolve(promptOf([first], answer('a1', false, 'Too much.')));
    expect(outputs).toEqual([['c1', 'The call was not approved: Too much.']]);
    expect(denied).toEqual([['c1', 'a1']]);
    expect(pending).toEqual([]);
  });

  it('may be the output of the call, as hosts send a denial', () => {
    const output: ToolPart = {
      type: 'tool-result',
      toolCallId: 'c1',
      toolName: 'bank_pay',
      output: { type: 'execution-denied', reason: 'No.' },
    };
    const { outputs, denied } = resolve(promptOf([first], output));
    expect(outputs).toEqual([['c1', 'The call was not approved: No.']]);
    expect(denied).toEqual([['c1', 'a1']]);
  });

  it.each([
    [true, false],
    [false, true],
  ])('that was given twice, first %j, then %j, denies the call', (one, other) => {
    const { pending, denied } = resolve(promptOf([first], answer('a1', one), answer('a1', other)));
    expect(pending).toEqual([]);
    expect(denied).toEqual([['c1', 'a1']]);
  });

  it('that was given twice alike counts once', () => {
    const { pending } = resolve(promptOf([first], answer('a1', true), answer('a1', true)));
    expect(pending).toEqual([['c1', 'a1', true]]);
  });
});

describe('a call that was asked', () => {
  it('keeps its output, the last one after preliminary ones, and does not run again', () => {
    const { outputs, pending, denied } = resolve(
      promptOf([first], answer('a1', true), result('c1', 'paying 10%'), result('c1', 'paid')),
    );
    expect({ outputs, pending, denied }).toEqual({ outputs: [['c1', 'paid']], pending: [], denied: [] });
  });

  it('keeps its output although a denial arrives afterwards', () => {
    const prompt = promptOf([first], result('c1', 'paid'), answer('a1', false));
    expect(resolve(prompt).outputs).toEqual([['c1', 'paid']]);
  });

  it('that was written twice has one place and one output, and the answer of either request', () => {
    const repeated = toCallPart({ id: 'a9', server: 'bank', originalName: 'pay' });
    const prompt: Prompt = [...promptOf([first]), { role: 'assistant', content: [repeated] }];
    const approved = resolve([...prompt, { role: 'tool', content: [answer('a9', true)] }]);
    expect(approved.pending).toEqual([['c1', 'a9', true]]);
    expect(approved.outputs).toEqual([['c1', WAITING]]);
    expect(resolve([...prompt, { role: 'tool', content: [answer('a1', false)] }]).denied).toEqual([
      ['c1', 'a1'],
    ]);
    expect(resolve(prompt).pending).toEqual([['c1', 'a1', false]]);
  });

  it.each([
    ['an approval', [answer('a1', true)], /approved, but the conversation went on.*not run now/],
    ['no answer', [], /^Not run: it was not approved before the conversation went on\.$/],
  ])('of an earlier turn does not run with %s', (_, answers, text) => {
    const { outputs, pending, denied } = resolve([...promptOf([first], ...answers), later]);
    expect(pending).toEqual([]);
    expect(denied).toEqual([]);
    expect(outputs).toEqual([['c1', expect.stringMatching(text)]]);
  });

  it('of an earlier turn that was denied was recorded then', () => {
    const { outputs, denied } = resolve([...promptOf([first], answer('a1', false)), later]);
    expect(outputs).toEqual([['c1', 'The call was not approved.']]);
    expect(denied).toEqual([]);
  });

  it('does not run if the host cannot be asked', () => {
    const { pending, outputs } = resolve(promptOf([first], answer('a1', true)), { isActive: false });
    expect(pending).toEqual([]);
    expect(outputs).toEqual([['c1', expect.stringMatching(/^No output: /)]]);
  });

  it('leaves other calls and their outputs alone', () => {
    const prompt = promptOf([first, plain], result('c3', 'paid'), answer('a1', true));
    expect(resolve(prompt).outputs).toEqual([
      ['c1', WAITING],
      ['c3', 'paid'],
    ]);
  });
});
