import { describe, expect, it } from 'vitest';
import { callMemoryOf } from '../../src/tool-loop/call-memory.js';
import type { Outcome } from '../../src/tool-loop/owned-call.js';
import { withToolLoop } from '../../src/tool-loop/with-tool-loop.js';
import { ask, call, exchangeOf, say, scriptedModel, stream, user } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const ran = (toolCallId: string, { input = '{"a":1}', value = 'ran' } = {}): Outcome => ({
  call: { toolCallId, toolName: 'echo', input },
  output: { type: 'text', value },
  duration: 1,
});
const resultOf = (toolCallId: string, value = 'ran') => ({
  type: 'tool-result' as const,
  toolCallId,
  toolName: 'echo',
  output: { type: 'text' as const, value },
});

describe('the arguments of calls', () => {
  it('are remembered from one model to the next that has the same tools', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    await stream(withToolLoop(scriptedModel(ask(call('c1', 'echo', { a: 1 })), say('Done.')), { tools }));

    const next = scriptedModel(say('Again.'));
    await stream(withToolLoop(next, { tools }), {
      prompt: [
        ...user('Go.'),
        {
          role: 'assistant',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              toolName: 'echo',
              output: { type: 'text', value: 'ran' },
            },
          ],
        },
        ...user('Again.'),
      ],
    });
    expect(exchangeOf(next.requests[0])).toEqual({
      calls: ['c1'],
      inputs: [{ a: 1 }],
      outputs: [['c1', 'ran']],
    });
  });

  it('are not remembered for other tools', () => {
    callMemoryOf(scriptedTools({})).remember(ran('c1'));
    expect(callMemoryOf(scriptedTools({})).recall(resultOf('c1'))).toBeUndefined();
  });

  it('are not remembered for the same id in another conversation, whose result is another', () => {
    const memory = callMemoryOf(scriptedTools({}));
    memory.remember(ran('call_0', { input: '{"secret":"of A"}', value: 'for A' }));
    expect(memory.recall(resultOf('call_0', 'for B'))).toBeUndefined();
    expect(memory.recall(resultOf('call_0', 'for A'))).toEqual({ secret: 'of A' });
  });

  it('are remembered where the same tools come in another list', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const other = scriptedTools({});
    const first = scriptedModel(ask(call('c1', 'echo', { a: 1 })), say('Done.'));
    await stream(withToolLoop(first, { tools: [tools, other] }));
    const next = scriptedModel(say('Again.'));
    const prompt = [...user('Go.'), { role: 'assistant' as const, content: [resultOf('c1')] }];
    await stream(withToolLoop(next, { tools: [tools, other] }), { prompt });
    expect(exchangeOf(next.requests[0]).inputs).toEqual([{ a: 1 }]);
  });

  it('are forgotten, oldest first, where there are many', () => {
    const memory = callMemoryOf(scriptedTools({}));
    for (let number = 0; number <= 500; number++) memory.remember(ran(`c${number}`));
    expect(memory.recall(resultOf('c0'))).toBeUndefined();
    expect(memory.recall(resultOf('c1'))).toEqual({ a: 1 });
    expect(memory.recall(resultOf('c500'))).toEqual({ a: 1 });
  });

  it('are repaired as when the tool ran, and unknown where they could not be', () => {
    const memory = callMemoryOf(scriptedTools({}));
    memory.remember(ran('c1', { input: '{a: 1' }));
    memory.remember(ran('c2', { input: 'nonsense' }));
    expect(memory.recall(resultOf('c1'))).toEqual({ a: 1 });
    expect(memory.recall(resultOf('c2'))).toBeUndefined();
  });
});
