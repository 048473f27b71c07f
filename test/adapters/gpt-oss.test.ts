import { describe, expect, it } from 'vitest';
import { gptOss } from '../../src/adapters/families/index.js';
import { wrapModel } from '../_core.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  callRound,
  call,
  generate,
  ofType,
  textRound,
  scriptedModel,
  stream,
} from '../tool-loop/_scripted-model.js';
import { declareTool, scriptedTools } from '../tool-loop/_tools.js';

const tools = [declareTool('get_weather'), declareTool('functions.list')];

describe('names of tools', () => {
  it.each([
    // vllm-project/vllm#35906, NVIDIA/TensorRT-LLM#9256
    ['get_weather<|channel|>commentary', 'get_weather'],
    ['get_weather<|constrain|>json', 'get_weather'],
    ['functions.get_weather', 'get_weather'],
    ['functions.get_weather<|channel|>commentary', 'get_weather'],
    // A declared name is kept.
    ['functions.list', 'functions.list'],
    // The rest does not name a tool, so the name is kept.
    ['unknown<|channel|>commentary', 'unknown<|channel|>commentary'],
    ['Get_Weather<|channel|>commentary', 'get_weather'],
  ])('%s becomes %s, streamed and generated', async (name, expected) => {
    const model = wrapModel(scriptedModel(callRound(call('c1', name)), callRound(call('c1', name))), [
      gptOss.middleware,
    ]);
    const parts = await stream(model, { tools });
    expect(ofType(parts, 'tool-input-start')[0]?.toolName).toBe(expected);
    expect(ofType(parts, 'tool-call')[0]?.toolName).toBe(expected);
    const { content } = await generate(model, { tools });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: expected }]);
  });

  it('are unchanged if no tool is declared', async () => {
    const model = wrapModel(scriptedModel(callRound(call('c1', 'a<|channel|>b'))), [gptOss.middleware]);
    expect(ofType(await stream(model), 'tool-call')[0]?.toolName).toBe('a<|channel|>b');
  });

  it('are corrected before the tool loop looks for a tool', async () => {
    const model = scriptedModel(
      callRound(call('c1', 'echo<|channel|>commentary', { text: 'a' })),
      textRound('It said a.'),
    );
    const looped = withToolLoop(wrapModel(model, [gptOss.middleware]), {
      tools: scriptedTools({ echo: ({ text }) => `echo ${text}` }),
    });
    const parts = await stream(looped, { tools: [declareTool('echo')] });
    expect(ofType(parts, 'tool-result').map(({ result }) => result)).toEqual(['echo a']);
  });
});
