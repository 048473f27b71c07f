import type { LanguageModelV2CallOptions, LanguageModelV2Content } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { adaptModel } from '../../src/adapters/index.js';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../src/index.js';
import {
  functionCall,
  type ItemScript,
  message,
  reasoning,
  toResponse,
  toStream,
} from '../responses/stream/_fixtures/wire-events.js';
import { toSse } from '../_sse.js';

type Read = (readonly ['text' | 'reasoning' | 'call', string])[];

const request: LanguageModelV2CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
  tools: [
    {
      type: 'function',
      name: 'ping',
      inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
    },
  ],
};

/** A server that answers with these items, one list for each request. Each has its own address. */
function serverOf(responses: readonly (readonly ItemScript[])[], settings: KelivoResponsesSettings) {
  const bodies: Record<string, unknown>[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: `http://server-${servers++}.test/v1`,
    apiKey: 'k',
    toolLoop: false,
    ...settings,
    fetch: async (_, init) => {
      const body = JSON.parse(String(init?.body)) as Record<string, unknown>;
      const items = responses[bodies.length] ?? [];
      bodies.push(body);
      return body.stream === true
        ? new Response(toSse(toStream(items)), { headers: { 'content-type': 'text/event-stream' } })
        : Response.json(toResponse(items));
    },
  });
  return { provider, bodies };
}

let servers = 0;

/** Reads a response, and checks that each block of it is emitted once. */
async function read(
  model: ReturnType<ReturnType<typeof createKelivoResponsesProvider>>,
  mode: 'stream' | 'generate',
  options: Partial<LanguageModelV2CallOptions> = {},
): Promise<Read> {
  if (mode === 'generate') {
    const { content } = await model.doGenerate({ ...request, ...options });
    return content.flatMap((part: LanguageModelV2Content): Read => {
      if (part.type === 'text' || part.type === 'reasoning')
        return part.text === '' ? [] : [[part.type, part.text]];
      return part.type === 'tool-call' ? [['call', part.toolName]] : [];
    });
  }
  const { stream } = await model.doStream({ ...request, ...options });
  const found: [Read[number][0], string][] = [];
  for await (const part of stream) {
    if (part.type === 'text-start') found.push(['text', '']);
    if (part.type === 'reasoning-start') found.push(['reasoning', '']);
    const last = found.at(-1);
    if ((part.type === 'text-delta' || part.type === 'reasoning-delta') && last !== undefined)
      last[1] += part.delta;
    if (part.type === 'tool-call') found.push(['call', part.toolName]);
  }
  return found.filter(([, value]) => value !== '');
}

const models = [
  'Qwen/Qwen3.5-35B-A3B',
  'zai-org/GLM-4.7',
  'MiniMaxAI/MiniMax-M2',
  'nvidia/NVIDIA-Nemotron-3-Nano-30B',
  'stepfun-ai/Step-3.5-Flash',
];
const profiles = ['vllm', 'lmstudio', 'llamacpp', 'openrouter', 'openai'] as const;
const modes = ['stream', 'generate'] as const;
const rows = models.flatMap(modelId =>
  profiles.flatMap(profile => modes.map(mode => ({ modelId, profile, mode }))),
);

describe.each(rows)('$modelId behind $profile, $mode', ({ modelId, profile, mode }) => {
  const ask = (...responses: (readonly ItemScript[])[]) => {
    const { provider } = serverOf(responses, { compatibility: profile });
    return () => read(provider(modelId), mode);
  };
  const answer = message(['It is sunny.']);
  const call = functionCall('ping', '{"q":"a"}');

  it('text before a call of the server is text, also in the next response', async () => {
    const next = ask([message(['I look it up.']), call], [answer]);
    expect(await next()).toEqual([
      ['text', 'I look it up.'],
      ['call', 'ping'],
    ]);
    expect(await next()).toEqual([['text', 'It is sunny.']]);
  });

  it('a plain answer is text, once', async () => {
    expect(await ask([answer])()).toEqual([['text', 'It is sunny.']]);
  });

  it('text after reasoning of the server is text, also in the next response without reasoning', async () => {
    const long = message(['It is sunny. '.repeat(60)]);
    const next = ask([reasoning({ text: 'Hm.' }), call], [long]);
    expect(await next()).toEqual([
      ['reasoning', 'Hm.'],
      ['call', 'ping'],
    ]);
    expect(await next()).toEqual([['text', 'It is sunny. '.repeat(60)]]);
  });

  it('the start of a response is reasoning if its closing tag proves it, also of a long one', async () => {
    const close = modelId.includes('Seed') ? '</seed:think>' : '</think>';
    const long = 'Hm, I think. '.repeat(60).trim();
    const next = ask([message([`Hm.\n${close}\n\nSo.`])], [message([`${long}${close}So.`])]);
    expect(await next()).toEqual([
      ['reasoning', 'Hm.'],
      ['text', 'So.'],
    ]);
    expect(await next()).toEqual([
      ['reasoning', long],
      ['text', 'So.'],
    ]);
  });
});

it('remembers nothing of one server for another', async () => {
  const long = 'It is sunny. '.repeat(60);
  const first = serverOf([[reasoning({ text: 'Hm.' }), message(['Yes.'])]], {});
  await read(first.provider('Qwen/Qwen3.5-9B'), 'stream');
  const second = serverOf([[message([long])], [message([long])]], {});
  const next = () => read(second.provider('Qwen/Qwen3.5-9B'), 'stream');
  // Too long to be held back: the family decides, once.
  expect(await next()).toEqual([
    ['reasoning', long.trim()],
    ['text', long],
  ]);
  expect(await next()).toEqual([['text', long]]);
});

describe('a switch in the request that is sent', () => {
  const long = 'It is sunny. '.repeat(60);
  const off = { chat_template_kwargs: { enable_thinking: false } };

  it.each([
    ['a body of the model', { models: { '*': { body: off } } }, {}],
    ['a body of the call', {}, { providerOptions: { kelivo: { body: off } } }],
    ['a body at its top', { models: { '*': { body: { enable_thinking: false } } } }, {}],
  ])('makes the start text: %s', async (_, settings, options) => {
    const { provider, bodies } = serverOf([[message([long])]], settings);
    expect(await read(provider('Qwen/Qwen3.5-9B'), 'stream', options)).toEqual([['text', long]]);
    expect(JSON.stringify(bodies[0])).toContain('"enable_thinking":false');
  });
});

describe('a call that the server left in its reasoning', () => {
  // https://github.com/MoonshotAI/Kimi-K2/issues/89, https://github.com/vllm-project/vllm/issues/34955,
  // https://github.com/ggml-org/llama.cpp/issues/21118, https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2045
  const calls = [
    [
      'moonshotai/Kimi-K2-Thinking',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{"q":"a"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    [
      'Qwen/Qwen3.5-9B',
      '<tool_call>\n<function=ping>\n<parameter=q>\na\n</parameter>\n</function>\n</tool_call>',
    ],
    ['Qwen/Qwen3-8B', '<tool_call>\n{"name": "ping", "arguments": {"q": "a"}}\n</tool_call>'],
    ['zai-org/GLM-4.7', '<tool_call>ping<arg_key>q</arg_key><arg_value>a</arg_value></tool_call>'],
    [
      'MiniMaxAI/MiniMax-M2',
      '<minimax:tool_call>\n<invoke name="ping">\n<parameter name="q">a</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    [
      'deepseek-ai/DeepSeek-V3.2',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="ping">\n<｜DSML｜parameter name="q" string="true">a</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ],
    ['google/gemma-4-27b-it', '<|tool_call>call:ping{q:<|"|>a<|"|>}<tool_call|>'],
  ] as const;

  for (const mode of modes) {
    it.each(calls)(`is a call: %s, ${mode}`, async (modelId, written) => {
      for (const rest of [[], [message([''])], [message(['\n'])]]) {
        const { provider } = serverOf([[reasoning({ text: `I need it. ${written}` }), ...rest]], {});
        expect(await read(provider(modelId), mode)).toEqual([
          ['reasoning', 'I need it.'],
          ['call', 'ping'],
        ]);
      }
    });

    it.each(calls)(
      `is a thought before prose, an answer or a call: %s, ${mode}`,
      async (modelId, written) => {
        const thought = `I need it. ${written}`;
        const prose = serverOf([[reasoning({ text: `${thought} Or not.` })]], {});
        expect(await read(prose.provider(modelId), mode)).toEqual([['reasoning', `${thought} Or not.`]]);
        const answered = serverOf([[reasoning({ text: thought }), message(['No.'])]], {});
        expect(await read(answered.provider(modelId), mode)).toEqual([
          ['reasoning', thought],
          ['text', 'No.'],
        ]);
        const called = serverOf([[reasoning({ text: thought }), functionCall('ping', '{"q":"b"}')]], {});
        expect(await read(called.provider(modelId), mode)).toEqual([
          ['reasoning', thought],
          ['call', 'ping'],
        ]);
        const other = thought.replaceAll('ping', 'pong');
        const undeclared = serverOf([[reasoning({ text: other })]], {});
        expect(await read(undeclared.provider(modelId), mode)).toEqual([['reasoning', other]]);
      },
    );
  }
});

it('knows of a foreign model what its responses have shown', async () => {
  const { provider } = serverOf([[reasoning({ text: 'Hm.' })], [message(['It is sunny. '.repeat(60)])]], {
    adapters: false,
  });
  const model = adaptModel(provider('Qwen/Qwen3.5-9B'));
  expect(await read(model, 'stream')).toEqual([['reasoning', 'Hm.']]);
  expect(await read(model, 'stream')).toEqual([['text', 'It is sunny. '.repeat(60)]]);
});
