import { describe, expect, it } from 'vitest';
import { gptOss } from '../../src/adapters/gpt-oss.js';
import { wrapModel } from '../../src/adapters/middleware.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { ask, call, generate, ofType, say, scriptedModel, stream } from '../tool-loop/_scripted-model.js';
import { declared, scriptedTools } from '../tool-loop/_tools.js';

const tools = [declared('get_weather'), declared('functions.list')];

describe('names of tools', () => {
  it.each([
    // vllm-project/vllm#35906, NVIDIA/TensorRT-LLM#9256
    ['get_weather<|channel|>commentary', 'get_weather'],
    ['get_weather<|constrain|>json', 'get_weather'],
    ['functions.get_weather', 'get_weather'],
    ['functions.get_weather<|channel|>commentary', 'get_weather'],
    // A name that is declared is meant as it is.
    ['functions.list', 'functions.list'],
    // What is left is no tool, so it is not touched.
    ['unknown<|channel|>commentary', 'unknown<|channel|>commentary'],
    ['Get_Weather<|channel|>commentary', 'Get_Weather<|channel|>commentary'],
  ])('%s is %s, streamed and not', async (name, expected) => {
    const model = wrapModel(scriptedModel(ask(call('c1', name)), ask(call('c1', name))), [gptOss.middleware]);
    const parts = await stream(model, { tools });
    expect(ofType(parts, 'tool-input-start')[0]?.toolName).toBe(expected);
    expect(ofType(parts, 'tool-call')[0]?.toolName).toBe(expected);
    const { content } = await generate(model, { tools });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: expected }]);
  });

  it('are left alone where no tool is declared', async () => {
    const model = wrapModel(scriptedModel(ask(call('c1', 'a<|channel|>b'))), [gptOss.middleware]);
    expect(ofType(await stream(model), 'tool-call')[0]?.toolName).toBe('a<|channel|>b');
  });

  it('are clean before the tool loop looks for a tool', async () => {
    const model = scriptedModel(
      ask(call('c1', 'echo<|channel|>commentary', { text: 'a' })),
      say('It said a.'),
    );
    const looped = withToolLoop(wrapModel(model, [gptOss.middleware]), {
      tools: scriptedTools({ echo: ({ text }) => `echo ${text}` }),
    });
    const parts = await stream(looped, { tools: [declared('echo')] });
    expect(ofType(parts, 'tool-result').map(({ result }) => result)).toEqual(['echo a']);
  });
});
