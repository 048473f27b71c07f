import { describe, expect, it } from 'vitest';
import { callMemoryOf } from '../../src/tool-loop/call-memory.js';
import type { CallOutcome } from '../../src/tool-loop/calls.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  exchangeOf,
  generate,
  textRound,
  scriptedModel,
  stream,
  user,
} from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const ran = (toolCallId: string, { input = '{"a":1}', value = 'ran' } = {}): CallOutcome => ({
  call: { toolCallId, toolName: 'echo', input },
  tool: { name: 'echo', inputSchema: { type: 'object' } },
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
  it('are remembered by all models with the same tools', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    await stream(
      withToolLoop(scriptedModel(callRound(call('c1', 'echo', { a: 1 })), textRound('Done.')), { tools }),
    );

    const next = scriptedModel(textRound('Again.'));
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

  it('are not remembered by models with other tools', () => {
    callMemoryOf(scriptedTools({})).rememberInput(ran('c1'));
    expect(callMemoryOf(scriptedTools({})).recallInput(resultOf('c1'))).toBeUndefined();
  });

  it('are not used for the same id with another result in another conversation', () => {
    const memory = callMemoryOf(scriptedTools({}));
    memory.rememberInput(ran('call_0', { input: '{"secret":"of A"}', value: 'for A' }));
    expect(memory.recallInput(resultOf('call_0', 'for B'))).toBeUndefined();
    expect(memory.recallInput(resultOf('call_0', 'for A'))).toEqual({ secret: 'of A' });
  });

  it('are remembered if the same tools are in another list', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const other = scriptedTools({});
    const first = scriptedModel(callRound(call('c1', 'echo', { a: 1 })), textRound('Done.'));
    await stream(withToolLoop(first, { tools: [tools, other] }));
    const next = scriptedModel(textRound('Again.'));
    const prompt = [...user('Go.'), { role: 'assistant' as const, content: [resultOf('c1')] }];
    await stream(withToolLoop(next, { tools: [tools, other] }), { prompt });
    expect(exchangeOf(next.requests[0]).inputs).toEqual([{ a: 1 }]);
  });

  it('are forgotten, oldest first, beyond the maximum number', () => {
    const memory = callMemoryOf(scriptedTools({}));
    for (let number = 0; number <= 500; number++) memory.rememberInput(ran(`c${number}`));
    expect(memory.recallInput(resultOf('c0'))).toBeUndefined();
    expect(memory.recallInput(resultOf('c1'))).toEqual({ a: 1 });
    expect(memory.recallInput(resultOf('c500'))).toEqual({ a: 1 });
  });

  it("are repaired with the tool's rules, and omitted if they cannot be repaired", () => {
    const memory = callMemoryOf(scriptedTools({}));
    memory.rememberInput(ran('c1', { input: '{a: 1' }));
    memory.rememberInput(ran('c2', { input: 'nonsense' }));
    expect(memory.recallInput(resultOf('c1'))).toEqual({ a: 1 });
    expect(memory.recallInput(resultOf('c2'))).toBeUndefined();
  });
});

const hostTool = { type: 'function' as const, name: 'of_the_host', inputSchema: { type: 'object' as const } };

/** Returns the next step of a host whose history contains only its own call and its result. */
const nextStep = (toolCallId: string) => [
  ...user('Go.'),
  {
    role: 'assistant' as const,
    content: [{ type: 'tool-call' as const, toolCallId, toolName: 'of_the_host', input: {} }],
  },
  {
    role: 'tool' as const,
    content: [
      {
        type: 'tool-result' as const,
        toolCallId,
        toolName: 'of_the_host',
        output: { type: 'text' as const, value: 'by the host' },
      },
    ],
  },
];

describe('calls that the host did not receive', () => {
  it('are restored in the next request, so that the model does not repeat them', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const first = scriptedModel(
      callRound(call('c1', 'echo', { a: 1 })),
      callRound(call('c2', 'echo', { a: 2 }), call('h1', 'of_the_host')),
    );
    const result = await generate(withToolLoop(first, { tools }), { tools: [hostTool] });
    expect(result.content.filter(part => part.type.startsWith('tool-'))).toHaveLength(1);

    const second = scriptedModel(textRound('Done.'));
    await generate(withToolLoop(second, { tools }), { prompt: nextStep('h1'), tools: [hostTool] });
    expect(exchangeOf(second.requests[0])).toEqual({
      calls: ['c1', 'c2', 'h1'],
      inputs: [{ a: 1 }, { a: 2 }, {}],
      outputs: [
        ['c1', 'ran'],
        ['c2', 'ran'],
        ['h1', 'by the host'],
      ],
    });
  });

  it('are restored once if the host ran several calls', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const first = scriptedModel(
      callRound(call('c1', 'echo'), call('h1', 'of_the_host'), call('h2', 'of_the_host')),
    );
    await generate(withToolLoop(first, { tools }), { tools: [hostTool] });

    const second = scriptedModel(textRound('Done.'));
    const prompt = [...nextStep('h1'), ...nextStep('h2')];
    await generate(withToolLoop(second, { tools }), { prompt, tools: [hostTool] });
    expect(exchangeOf(second.requests[0]).calls).toEqual(['c1', 'h1', 'h2']);
  });

  it('are not restored if the history contains them', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const stub = { type: 'function' as const, name: 'echo', inputSchema: { type: 'object' as const } };
    const first = scriptedModel(callRound(call('c1', 'echo'), call('h1', 'of_the_host')));
    await generate(withToolLoop(first, { tools }), { tools: [hostTool, stub] });

    const second = scriptedModel(textRound('Done.'));
    await generate(withToolLoop(second, { tools }), { prompt: nextStep('h1'), tools: [hostTool, stub] });
    expect(exchangeOf(second.requests[0]).calls).toEqual(['h1']);
  });

  it('are not restored in another conversation with the same call id', async () => {
    const tools = scriptedTools({ echo: () => 'SECRET of A' });
    const first = scriptedModel(callRound(call('c1', 'echo'), call('call_0', 'of_the_host')));
    await generate(withToolLoop(first, { tools }), { prompt: user('I am A.'), tools: [hostTool] });

    const second = scriptedModel(textRound('Done.'));
    const [, ...rest] = nextStep('call_0');
    await generate(withToolLoop(second, { tools }), {
      prompt: [...user('I am B.'), ...rest],
      tools: [hostTool],
    });
    expect(exchangeOf(second.requests[0]).calls).toEqual(['call_0']);
    expect(JSON.stringify(second.requests[0]?.prompt)).not.toContain('SECRET');
  });
});
