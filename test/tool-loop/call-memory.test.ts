import { describe, expect, it } from 'vitest';
import { callMemoryOf } from '../../src/tool-loop/call-memory.js';
import { withToolLoop } from '../../src/tool-loop/with-tool-loop.js';
import { ask, call, exchangeOf, say, scriptedModel, stream, user } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const remembered = (toolCallId: string, input = '{"a":1}') => ({ toolCallId, toolName: 'echo', input });

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
    callMemoryOf(scriptedTools({})).remember(remembered('c1'));
    expect(callMemoryOf(scriptedTools({})).recall('c1')).toBeUndefined();
  });

  it('are forgotten, oldest first, where there are many', () => {
    const memory = callMemoryOf(scriptedTools({}));
    for (let number = 0; number <= 500; number++) memory.remember(remembered(`c${number}`));
    expect(memory.recall('c0')).toBeUndefined();
    expect(memory.recall('c1')).toEqual({ a: 1 });
    expect(memory.recall('c500')).toEqual({ a: 1 });
  });

  it('are repaired as when the tool ran, and unknown where they could not be', () => {
    const memory = callMemoryOf(scriptedTools({}));
    memory.remember(remembered('c1', '{a: 1'));
    memory.remember(remembered('c2', 'nonsense'));
    expect(memory.recall('c1')).toEqual({ a: 1 });
    expect(memory.recall('c2')).toBeUndefined();
  });
});
