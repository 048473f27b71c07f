import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  exchangeOf,
  finish,
  finishOf,
  generate,
  noUsage,
  ofType,
  textRound,
  scriptedModel,
  start,
  stream,
  text,
  typesOf,
  user,
} from './_scripted-model.js';
import { declareTool, scriptedTools } from './_tools.js';
import { generateText, streamText, wrapLanguageModel } from 'ai';

const echo = () => scriptedTools({ echo: ({ text }) => `echo ${text}` });

describe('withToolLoop', () => {
  it('passes a response without calls on unchanged', async () => {
    const parts: LanguageModelV2StreamPart[] = [
      start,
      { type: 'response-metadata', id: 'resp_1' },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-end', id: 'r', providerMetadata: { openai: { itemId: 'rs_1' } } },
      ...text('Hello'),
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
      ...call('c1', 'of_the_host'),
      finish('tool-calls'),
    ];
    const tools = [declareTool('of_the_host')];
    const shown = await stream(withToolLoop(scriptedModel(parts), { tools: echo() }), { tools });
    expect(shown.slice(0, -1)).toEqual(parts.slice(0, -1));
    expect(finishOf(shown)).toMatchObject(parts.at(-1) ?? {});
  });

  it('offers its tools together with those of the host, and replaces stubs with the real schemas', async () => {
    const model = scriptedModel(textRound('Hi'));
    const looped = withToolLoop(model, { tools: echo() });
    await stream(looped, { tools: [declareTool('echo'), declareTool('of_the_host')] });
    expect(model.requests[0]?.tools).toEqual([
      declareTool('of_the_host'),
      {
        type: 'function',
        name: 'echo',
        description: 'Does echo.',
        inputSchema: { type: 'object', properties: { from: { type: 'string' } } },
        strict: false,
      },
    ]);
    expect(looped).toMatchObject({
      specificationVersion: 'v2',
      provider: 'scripted.responses',
      modelId: 'scripted-1',
      supportedUrls: model.supportedUrls,
    });
  });

  it('sends no empty list of tools', async () => {
    const model = scriptedModel(textRound('Hi'));
    await stream(withToolLoop(model, { tools: scriptedTools({}) }));
    expect(model.requests[0]).not.toHaveProperty('tools');
  });

  it('runs a call and sends its output in the next request', async () => {
    const model = scriptedModel(
      [start, ...text('One moment.'), ...call('c1', 'echo', { text: 'a' }), finish('tool-calls')],
      textRound('It said a.'),
    );
    const parts = await stream(withToolLoop(model, { tools: echo() }), { tools: [declareTool('echo')] });
    expect(typesOf(parts)).toEqual([
      'stream-start',
      ...['text-start', 'text-delta', 'text-end'],
      ...['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call', 'tool-result'],
      ...['text-start', 'text-delta', 'text-end'],
      'finish',
    ]);
    expect(model.requests[1]?.prompt).toEqual([
      ...user('Go.'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One moment.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'echo', input: { text: 'a' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'echo',
            output: { type: 'text', value: 'echo a' },
          },
        ],
      },
    ]);
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('sends reasoning, files and part metadata back to the model', async () => {
    const metadata = (itemId: string) => ({ openai: { itemId } });
    const model = scriptedModel(
      [
        start,
        { type: 'reasoning-start', id: '0' },
        { type: 'reasoning-delta', id: '0', delta: 'Let me see.' },
        { type: 'reasoning-end', id: '0', providerMetadata: metadata('rs_1') },
        { type: 'file', mediaType: 'image/png', data: 'AAAA' },
        { type: 'tool-call', toolCallId: 'h1', toolName: 'search', input: '{}', providerExecuted: true },
        {
          type: 'tool-result',
          toolCallId: 'h1',
          toolName: 'search',
          result: { hits: 1 },
          providerExecuted: true,
        },
        {
          type: 'tool-call',
          toolCallId: 'c1',
          toolName: 'echo',
          input: '{}',
          providerMetadata: metadata('fc_1'),
        },
        finish('tool-calls'),
      ],
      textRound('Done.'),
    );
    await stream(withToolLoop(model, { tools: echo() }));
    expect(model.requests[1]?.prompt[1]?.content).toEqual([
      { type: 'reasoning', text: 'Let me see.', providerOptions: metadata('rs_1') },
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      { type: 'tool-call', toolCallId: 'h1', toolName: 'search', input: {}, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 'h1',
        toolName: 'search',
        output: { type: 'json', value: { hits: 1 } },
      },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'echo', input: {}, providerOptions: metadata('fc_1') },
    ]);
  });

  it('adds up the usage of all rounds, and leaves counts undefined that no round reports', async () => {
    const model = scriptedModel(
      [
        start,
        ...call('c1', 'echo'),
        finish('tool-calls', { ...noUsage, inputTokens: 7, reasoningTokens: 2 }),
      ],
      [start, ...call('c2', 'echo'), finish('tool-calls', noUsage)],
      [
        start,
        ...text('Done.'),
        finish('stop', { ...noUsage, inputTokens: 5, outputTokens: 1, reasoningTokens: 1 }),
      ],
    );
    const { usage } = await generate(withToolLoop(model, { tools: echo() }));
    expect(usage).toEqual({
      inputTokens: 12,
      outputTokens: 1,
      totalTokens: 13,
      reasoningTokens: 3,
      cachedInputTokens: undefined,
    });
  });

  it('reports each round in the metadata of the finish part', async () => {
    const model = scriptedModel(
      [start, { type: 'response-metadata', id: 'resp_1' }, ...call('c1', 'echo'), finish('tool-calls')],
      textRound('Done.'),
    );
    const { providerMetadata } = finishOf(await stream(withToolLoop(model, { tools: echo() })));
    expect(providerMetadata?.kelivo?.rounds).toEqual([
      {
        responseId: 'resp_1',
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        toolCalls: [{ toolCallId: 'c1', toolName: 'echo', durationMs: expect.any(Number), isError: false }],
        durationMs: expect.any(Number),
      },
      {
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        toolCalls: [],
        durationMs: expect.any(Number),
      },
    ]);
  });

  it('emits one stream-start, with the warnings of the tools and of the first round', async () => {
    const warned = { type: 'other', message: 'from the model' } as const;
    const model = scriptedModel(
      [{ type: 'stream-start', warnings: [warned] }, ...call('c1', 'echo'), finish('tool-calls')],
      [{ type: 'stream-start', warnings: [{ type: 'other', message: 'again' }] }, ...text('Done.'), finish()],
    );
    const tools = scriptedTools({ echo: () => 'x' }, { warnings: ['A server is missing.'] });
    const parts = await stream(withToolLoop(model, { tools }));
    expect(ofType(parts, 'stream-start')).toEqual([parts[0]]);
    expect(parts[0]).toMatchObject({
      warnings: [{ type: 'other', message: 'A server is missing.' }, warned],
    });
    expect(ofType(parts, 'finish')).toHaveLength(1);
  });

  it('returns the request and response of the first round', async () => {
    const model = scriptedModel(textRound('Hi'));
    const result = await withToolLoop(model, { tools: echo() }).doStream({ prompt: user('Go.') });
    await result.stream.cancel();
    expect(result).toMatchObject({
      request: { body: { round: 1 } },
      response: { headers: { 'x-round': '1' } },
    });
  });

  it('returns the request and response of the first round without streaming', async () => {
    const inner = scriptedModel(callRound(call('c1', 'echo')), textRound('Done.'));
    const model: LanguageModelV2 = {
      ...inner,
      async doGenerate(options) {
        const result = await inner.doGenerate(options);
        const round = inner.requests.length;
        const response = { headers: { 'x-round': String(round) }, body: { round } };
        return { ...result, request: { body: { round } }, response };
      },
    };
    expect(await generate(withToolLoop(model, { tools: echo() }))).toMatchObject({
      request: { body: { round: 1 } },
      response: { headers: { 'x-round': '1' }, body: { round: 1 } },
    });
    expect(inner.requests).toHaveLength(2);
  });

  it('replaces a forced tool choice by `auto` after the first round', async () => {
    const model = scriptedModel(callRound(call('c1', 'echo')), textRound('Done.'));
    await stream(withToolLoop(model, { tools: echo() }), { toolChoice: { type: 'tool', toolName: 'echo' } });
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['tool', 'auto']);
  });

  it('returns the same response without streaming', async () => {
    const model = scriptedModel(callRound(call('c1', 'echo', { text: 'a' })), textRound('It said a.'));
    const result = await generate(withToolLoop(model, { tools: echo() }), { tools: [declareTool('echo')] });
    expect(result).toMatchObject({
      finishReason: 'stop',
      usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30 },
      content: [
        { type: 'tool-call', toolCallId: 'c1', input: '{"text":"a"}', providerExecuted: true },
        { type: 'tool-result', toolCallId: 'c1', result: 'echo a', providerExecuted: true },
        { type: 'text', text: 'It said a.' },
      ],
    });
    expect(exchangeOf(model.requests[1])).toMatchObject({ calls: ['c1'], outputs: [['c1', 'echo a']] });
  });
});

function wrap() {
  const tools = scriptedTools({ echo: ({ text }) => `echo ${text}` });
  const model = scriptedModel(
    callRound(call('c1', 'echo', { text: 'a' })),
    textRound('It said a.'),
    textRound('Again.'),
  );
  return {
    tools,
    model,
    wrapped: wrapLanguageModel({ model, middleware: withToolLoop.middleware({ tools }) }),
  };
}

describe('withToolLoop.middleware', () => {
  it('runs the tools of a model that `wrapLanguageModel` wraps, in `generateText`', async () => {
    const { tools, model, wrapped } = wrap();
    const { text, steps, usage } = await generateText({ model: wrapped, prompt: 'Go.' });
    expect(text).toBe('It said a.');
    expect(steps).toHaveLength(1);
    expect(usage.totalTokens).toBe(30);
    expect(tools.calls).toHaveLength(1);
    expect(exchangeOf(model.requests[1]).outputs).toEqual([['c1', 'echo a']]);
  });

  it('runs them in `streamText`, and restores their arguments in the next turn', async () => {
    const { model, wrapped } = wrap();
    const first = streamText({ model: wrapped, prompt: 'Go.' });
    expect(await first.text).toBe('It said a.');
    const { messages } = await first.response;
    await streamText({
      model: wrapped,
      messages: [...messages, { role: 'user', content: 'Again.' }],
    }).consumeStream();
    expect(exchangeOf(model.requests[2])).toEqual({
      calls: ['c1'],
      inputs: [{ text: 'a' }],
      outputs: [['c1', 'echo a']],
    });
  });

  it('rejects invalid options at creation', () => {
    const options = { tools: scriptedTools({}), maxRounds: 0 };
    expect(() => withToolLoop.middleware(options)).toThrow('Invalid `maxRounds` of the tool loop options');
  });
});
