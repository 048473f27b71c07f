import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/with-tool-loop.js';
import { ask, call, exchangeOf, generate, say, scriptedModel, user } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

const hostTool = { type: 'function' as const, name: 'of_the_host', inputSchema: { type: 'object' as const } };

/** The next step of a host whose history has only what it was shown: its own call and its result. */
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

describe('calls that the host was not shown', () => {
  it('are told to the model again when the host answers its own call, so that none is made twice', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const first = scriptedModel(
      ask(call('c1', 'echo', { a: 1 })),
      ask(call('c2', 'echo', { a: 2 }), call('h1', 'of_the_host')),
    );
    const result = await generate(withToolLoop(first, { tools }), { tools: [hostTool] });
    expect(result.content.filter(part => part.type.startsWith('tool-'))).toHaveLength(1);

    const second = scriptedModel(say('Done.'));
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

  it('are told once, where the host made several calls', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const first = scriptedModel(
      ask(call('c1', 'echo'), call('h1', 'of_the_host'), call('h2', 'of_the_host')),
    );
    await generate(withToolLoop(first, { tools }), { tools: [hostTool] });

    const second = scriptedModel(say('Done.'));
    const prompt = [...nextStep('h1'), ...nextStep('h2')];
    await generate(withToolLoop(second, { tools }), { prompt, tools: [hostTool] });
    expect(exchangeOf(second.requests[0]).calls).toEqual(['c1', 'h1', 'h2']);
  });

  it('are not told where the history has them', async () => {
    const tools = scriptedTools({ echo: () => 'ran' });
    const stub = { type: 'function' as const, name: 'echo', inputSchema: { type: 'object' as const } };
    const first = scriptedModel(ask(call('c1', 'echo'), call('h1', 'of_the_host')));
    await generate(withToolLoop(first, { tools }), { tools: [hostTool, stub] });

    const second = scriptedModel(say('Done.'));
    await generate(withToolLoop(second, { tools }), { prompt: nextStep('h1'), tools: [hostTool, stub] });
    expect(exchangeOf(second.requests[0]).calls).toEqual(['h1']);
  });

  it('are not told in another conversation that has a call of the same id', async () => {
    const tools = scriptedTools({ echo: () => 'SECRET of A' });
    const first = scriptedModel(ask(call('c1', 'echo'), call('call_0', 'of_the_host')));
    await generate(withToolLoop(first, { tools }), { prompt: user('I am A.'), tools: [hostTool] });

    const second = scriptedModel(say('Done.'));
    const [, ...rest] = nextStep('call_0');
    await generate(withToolLoop(second, { tools }), {
      prompt: [...user('I am B.'), ...rest],
      tools: [hostTool],
    });
    expect(exchangeOf(second.requests[0]).calls).toEqual(['call_0']);
    expect(JSON.stringify(second.requests[0]?.prompt)).not.toContain('SECRET');
  });
});
