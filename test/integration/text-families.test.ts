import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adaptModel } from '../../src/adapters/index.js';
import { createMcpTools, type McpTools } from '../../src/tools/mcp/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { startEmulator } from '../testing/_emulator.js';

/*
 * One turn of each newer family, from a server without a parser: a call as text, a real MCP server that runs it, a second
 * request with the result, and the answer.
 */

let mcpTools: McpTools;
beforeAll(async () => {
  mcpTools = await createMcpTools({ everything: everythingOverStdio() });
  // The turns do not wait for a slow start of the server.
  await mcpTools.listTools();
});
afterAll(() => mcpTools.close());

const pairs = (tag: string): string =>
  `<${tag}>get-sum\n<arg_key>a</arg_key>\n<arg_value>2</arg_value>\n<arg_key>b</arg_key>\n<arg_value>3</arg_value>\n</${tag}>`;
const json = '{"name": "get-sum", "arguments": {"a": 2, "b": 3}}';
const invoke = (prefix: string): string =>
  `<${prefix}invoke name="get-sum"><${prefix}parameter name="a">2</${prefix}parameter><${prefix}parameter name="b">3</${prefix}parameter></${prefix}invoke>`;
const dsml = (prefix: string): string =>
  `<${prefix}invoke name="get-sum">\n<${prefix}parameter name="a" string="false">2</${prefix}parameter>\n<${prefix}parameter name="b" string="false">3</${prefix}parameter>\n</${prefix}invoke>`;
const s = ':opensource';
const plamo = (name: string, body: string): string =>
  `<|plamo:begin_${name}:plamo|>${body}<|plamo:end_${name}:plamo|>`;

const families: [modelId: string, call: string][] = [
  [
    'deepseek-ai/DeepSeek-V4.1',
    `<｜DSML｜ calls>\n${dsml('｜DSML｜ ').replaceAll('</｜', '</｜')}\n</｜DSML｜ calls>`,
  ],
  ['ai-sage/GigaChat3.5-10B', `<｜GCML｜tool_calls>\n${dsml('｜GCML｜')}\n</｜GCML｜tool_calls>`],
  ['zai-org/GLM-5.3', '<tool_call>get-sum>{"a": 2, "b": 3}</tool_call>'],
  [
    'tencent/Hy4-70B',
    `<tool_calls${s}><tool_call${s}>get-sum<arg_key${s}>a</arg_key${s}><arg_value${s}>2</arg_value${s}><arg_key${s}>b</arg_key${s}><arg_value${s}>3</arg_value${s}></tool_call${s}></tool_calls${s}>`,
  ],
  [
    'thinkingmachines/Inkling-1',
    '<|content_thinking|>I add.<|end_message|><|message_model|><|content_invoke_tool_json|>{"name": "get-sum", "args": {"a": 2, "b": 3}}<|end_message|><|content_model_end_sampling|>',
  ],
  [
    'upstage/Solar-Open-2',
    '<|tool_call:start|>get-sum\n<|tool_arg:start|>a<|tool_arg:value|>2<|tool_arg:end|><|tool_arg:start|>b<|tool_arg:value|>3<|tool_arg:end|><|tool_call:end|>',
  ],
  ['LLM360/K2-Horizon', `<ifm|tool_calls><ifm|tool_call>${json}</ifm|tool_call></ifm|tool_calls>`],
  ['iflytek/Spark3', pairs('tool_call')],
  ['naver-hyperclovax/HyperCLOVAX-SEED-Think-32B', pairs('tool_call')],
  ['IQuestLab/IQuest-Coder-V2', pairs('iquestcoder_tool_call')],
  ['rednote-hilab/dots.llm2', `<dots_function_call>${invoke('')}</dots_function_call>`],
  [
    'meta/muse-glimmer',
    ` to=get-sum<|message|><atem:function_calls>${invoke('atem:')}</atem:function_calls><|eom|>`,
  ],
  [
    'pfnet/plamo-3-8b',
    `${plamo(
      'tool_requests',
      plamo(
        'tool_request',
        plamo('tool_name', 'get-sum') +
          plamo('tool_arguments', '<|plamo:constrain|>json<|plamo:msg|>{"a": 2, "b": 3}'),
      ),
    )}<|plamo:tag|>`,
  ],
  ['FreedomIntelligence/openPangu-V2', `<|tool_call_start|>[${json}]<|tool_call_end|>`],
  ['ServiceNow-AI/Apriel-1.6', `[BEGIN FINAL RESPONSE]\n<tool_calls>[${json}]</tool_calls>`],
  ['RekaAI/reka-edge', `<tool_call>\n${json}\n</tool_call>`],
  [
    'LGAI-EXAONE/K-EXAONE-2',
    '<tool_call>\n<function=get-sum>\n<parameter=a>\n2\n</parameter>\n<parameter=b>\n3\n</parameter>\n</function>\n</tool_call>',
  ],
  ['ibm-granite/granite-4.1-8b', 'get-sum(a=2, b=3)'],
];

const hosts = {
  async stream(model: Parameters<typeof streamText>[0]['model']) {
    const errors: unknown[] = [];
    const result = streamText({
      model,
      prompt: 'Add 2 and 3.',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    const text = await result.text;
    return { text, finishReason: await result.finishReason, errors };
  },
  async generate(model: Parameters<typeof generateText>[0]['model']) {
    const { text, finishReason } = await generateText({ model, prompt: 'Add 2 and 3.', maxRetries: 0 });
    return { text, finishReason, errors: [] };
  },
};

describe.each(['stream', 'generate'] as const)('a turn of a newer family, by %s', host => {
  it.each(families)('runs the call of %s', async (modelId, call) => {
    const emulator = await startEmulator();
    const local = createOpenAICompatible({ name: 'local', baseURL: emulator.baseURL });
    const model = withToolLoop(adaptModel(local(modelId)), { tools: mcpTools });
    emulator.enqueue([{ text: call }], [{ text: 'It is 5.' }]);
    const { text, finishReason, errors } = await hosts[host](model);
    expect({ text: text.trim(), finishReason, errors }).toEqual({
      text: 'It is 5.',
      finishReason: 'stop',
      errors: [],
    });
    expect(emulator.requests).toHaveLength(2);
    expect(JSON.stringify(emulator.requests[1]?.body)).toContain('The sum of 2 and 3 is 5.');
  });
});
