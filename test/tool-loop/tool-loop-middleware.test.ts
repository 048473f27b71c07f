import { generateText, streamText, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { toolLoopMiddleware } from '../../src/tool-loop/tool-loop-middleware.js';
import { ask, call, exchangeOf, say, scriptedModel } from './_scripted-model.js';
import { scriptedTools } from './_tools.js';

function wrap() {
  const tools = scriptedTools({ echo: ({ text }) => `echo ${text}` });
  const model = scriptedModel(ask(call('c1', 'echo', { text: 'a' })), say('It said a.'), say('Again.'));
  return { tools, model, wrapped: wrapLanguageModel({ model, middleware: toolLoopMiddleware({ tools }) }) };
}

describe('toolLoopMiddleware', () => {
  it('runs the tools of a model that `wrapLanguageModel` wraps, in `generateText`', async () => {
    const { tools, model, wrapped } = wrap();
    const { text, steps, usage } = await generateText({ model: wrapped, prompt: 'Go.' });
    expect(text).toBe('It said a.');
    expect(steps).toHaveLength(1);
    expect(usage.totalTokens).toBe(30);
    expect(tools.calls).toHaveLength(1);
    expect(exchangeOf(model.requests[1]).outputs).toEqual([['c1', 'echo a']]);
  });

  it('runs them in `streamText`, and remembers its calls from turn to turn', async () => {
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

  it('refuses wrong options when it is made', () => {
    const options = { tools: scriptedTools({}), maxRounds: 0 };
    expect(() => toolLoopMiddleware(options)).toThrow('Invalid `maxRounds` of the tool loop options');
  });
});
