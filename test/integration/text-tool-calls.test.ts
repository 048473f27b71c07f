import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { stepCountIs, wrapLanguageModel } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adaptModel, qwenMiddleware } from '../../src/adapters/index.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { ToolCallFormat } from '../_emulators/text-tool-calls.js';
import type { ScriptedResponse } from '../../src/testing/index.js';
import { withToolLoop } from '../../src/tool-loop/index.js';
import { createMcpTools, type McpTools } from '../../src/tools/mcp/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { apiKey, hostNames, hosts } from './_provider.js';

// The server has no parser for the tool calls of its model. A real MCP server executes them.

let mcpTools: McpTools;
beforeAll(async () => {
  mcpTools = await createMcpTools({ everything: everythingOverStdio() });
});
afterAll(() => mcpTools.close());

const routes = {
  async 'a chat endpoint'(format: ToolCallFormat, { modelId = 'qwen/qwen3-coder:free' } = {}) {
    const emulator = await startEmulator({ toolCallFormat: format });
    const local = createOpenAICompatible({ name: 'local', baseURL: emulator.baseURL, includeUsage: true });
    return { emulator, model: withToolLoop(adaptModel(local(modelId)), { tools: mcpTools }) };
  },

  async 'a Responses endpoint'(format: ToolCallFormat, { modelId = 'qwen/qwen3-coder:free' } = {}) {
    const emulator = await startEmulator({ apiKey, toolCallFormat: format });
    // Closed together with its tools, which all tests share.
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey,
      mcpServers: mcpTools,
    });
    return { emulator, model: provider(modelId) };
  },
} as const;

const routeNames = ['a chat endpoint', 'a Responses endpoint'] as const;

const matrix = routeNames.flatMap(route => hostNames.map(host => ({ route, host })));

describe.each(matrix)('tool calls that leak as text from $route, in $host', ({ route, host }) => {
  it.each<[ToolCallFormat, string]>([
    ['qwen-xml', 'qwen/qwen3-coder:free'],
    ['hermes', 'Qwen2.5-7B-Instruct'],
  ])('are executed as %s', async (format, modelId) => {
    const { emulator, model } = await routes[route](format, { modelId });
    const { text, errors, finishReason, steps } = await hosts[host]({
      model,
      prompt: 'Get the sum of 2 and 3 and echo "hello there"',
    });
    expect(errors).toEqual([]);
    expect(text).toBe(
      'The tool get-sum returned: The sum of 2 and 3 is 5.\nThe tool echo returned: Echo: hello there',
    );
    expect(finishReason).toBe('stop');
    expect(steps).toHaveLength(1);
    expect(emulator.requests).toHaveLength(2);
    // The next request contains API items instead of text.
    expect(JSON.stringify(emulator.requests[1]?.body)).not.toMatch(/<tool_call>|<function=/);
    expect(JSON.stringify(emulator.requests[1]?.body)).toContain('The sum of 2 and 3 is 5.');
  });

  it.each([
    ['google/gemma-4-27b-it', '<|tool_call>call:get-sum{a:2,b:3}<tool_call|>'],
    ['LiquidAI/LFM2.5-1.2B', '<|tool_call_start|>[get-sum(a=2, b=3)]<|tool_call_end|>'],
    [
      'stepfun-ai/Step-3.5-Flash',
      'I add.\n</think>\n<tool_call>\n<function=get-sum>\n<parameter=a>\n2\n</parameter>\n<parameter=b>\n3\n</parameter>\n</function>\n</tool_call>',
    ],
    [
      'ibm-granite/granite-3.3-8b-instruct',
      '<|tool_call|>[{"name": "get-sum", "arguments": {"a": 2, "b": 3}}]',
    ],
  ])('are executed for %s', async (modelId, call) => {
    const { emulator, model } = await routes[route]('hermes', { modelId });
    emulator.enqueue([{ text: call }], [{ text: 'It is 5.' }]);
    const { text, errors, steps } = await hosts[host]({ model, prompt: 'Add 2 and 3' });
    expect({ errors, steps: steps.length }).toEqual({ errors: [], steps: 1 });
    expect(text).toContain('It is 5.');
    expect(text).not.toMatch(/get-sum|think>|tool_call/);
    expect(JSON.stringify(emulator.requests[1]?.body)).toContain('The sum of 2 and 3 is 5.');
  });

  it('leave the text around them unchanged', async () => {
    const { emulator, model } = await routes[route]('qwen-xml');
    const first: ScriptedResponse = [
      { text: 'Let me add 2 < 3 <b>numbers</b>.' },
      { call: 'get-sum', arguments: { a: 2, b: 3 } },
    ];
    emulator.enqueue(first, [{ text: 'It is 5.' }]);
    const { steps, errors } = await hosts[host]({ model, prompt: 'Add 2 and 3' });
    expect(errors).toEqual([]);
    const texts = steps.flatMap(({ content }) =>
      content.flatMap(part => (part.type === 'text' ? [part.text] : [])),
    );
    expect(texts.join('').replace(/\s+/g, ' ')).toBe('Let me add 2 < 3 <b>numbers</b>. It is 5.');
  });

  it('run one after another if each depends on the previous one', async () => {
    const { emulator, model } = await routes[route]('qwen-xml');
    const { text, errors } = await hosts[host]({
      model,
      prompt: 'Use get-sum with 2 and 3, then echo "done"',
    });
    expect(errors).toEqual([]);
    expect(text).toContain('The tool echo returned: Echo: done');
    expect(emulator.requests).toHaveLength(3);
  });

  it('in a code fence stay text', async () => {
    const { emulator, model } = await routes[route]('qwen-xml');
    const example =
      'So it looks:\n\n```xml\n<tool_call>\n<function=get-sum>\n<parameter=a>\n2\n</parameter>\n</function>\n</tool_call>\n```\n';
    emulator.enqueue([{ text: example }]);
    const { text, errors } = await hosts[host]({ model, prompt: 'Show me a call' });
    expect({ text, errors }).toEqual({ text: example, errors: [] });
    expect(emulator.requests).toHaveLength(1);
  });

  it('can be continued as a conversation', async () => {
    const { emulator, model } = await routes[route]('hermes');
    const prompt = { role: 'user', content: 'Use get-sum with 2 and 3' } as const;
    const { messages } = await hosts[host]({ model, prompt: [prompt] });
    const next = await hosts[host]({
      model,
      prompt: [prompt, ...messages, { role: 'user', content: 'Now echo "bye"' }],
    });
    expect(next.errors).toEqual([]);
    expect(next.text).toBe('The tool echo returned: Echo: bye');
    expect(JSON.stringify(emulator.requests[2]?.body)).toContain('The sum of 2 and 3 is 5.');
  });
});

const leakedCall =
  '<tool_call>\n<function=get-sum>\n<parameter=a>\n2\n</parameter>\n<parameter=b>\n3\n</parameter>\n</function>\n</tool_call>';

describe.each(hostNames)('a call that the model writes although it may call no tool, in %s', host => {
  it.each<[string, Parameters<typeof wrapChatModel>[1]]>([
    ['in the last round', { maxRounds: 2 }],
    ['without tools after a result', { middleware: qwenMiddleware({ toolsAfterResult: false }) }],
  ])('is neither shown nor run %s', async (_, options) => {
    const emulator = await startEmulator();
    emulator.enqueue([{ text: leakedCall }], [{ text: `The sum is 5.\n${leakedCall}` }]);
    const { text, errors, steps } = await hosts[host]({
      model: wrapChatModel(emulator.baseURL, options),
      prompt: 'Add 2 and 3',
    });
    expect(errors).toEqual([]);
    expect(text.trim()).toBe('The sum is 5.');
    expect(steps).toHaveLength(1);
    expect(emulator.requests).toHaveLength(2);
    const [first, last] = emulator.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('"tools"');
    expect(last).toContain('The sum of 2 and 3 is 5.');
    expect(last).toMatch(/"tool_choice":"none"|^(?!.*"tools")/);
  });
});

function wrapChatModel(
  baseURL: string,
  { maxRounds, middleware }: { maxRounds?: number; middleware?: ReturnType<typeof qwenMiddleware> },
) {
  const local = createOpenAICompatible({ name: 'local', baseURL })('qwen/qwen3-coder:free');
  const adapted = middleware ? wrapLanguageModel({ model: local, middleware }) : adaptModel(local);
  return withToolLoop(adapted, { tools: mcpTools, ...(maxRounds && { maxRounds }) });
}

describe.each(hostNames)('the calls of each family, leaked by a chat endpoint, in %s', host => {
  it.each<[ToolCallFormat, string]>([
    ['mistral', 'mistralai/Mistral-Small-3.2'],
    ['mistral-args', 'devstral-2512'],
    ['glm', 'z-ai/glm-4.6'],
    ['deepseek', 'deepseek-ai/DeepSeek-V3.1'],
    ['deepseek-dsml', 'deepseek-v3.2'],
    ['kimi', 'moonshotai/kimi-k2'],
    ['minimax', 'MiniMaxAI/MiniMax-M2'],
    ['seed-oss', 'ByteDance-Seed/Seed-OSS-36B-Instruct'],
    ['llama', 'meta-llama/Llama-3.1-8B-Instruct'],
  ])('are executed as %s of %s', async (format, modelId) => {
    const { model } = await routes['a chat endpoint'](format, { modelId });
    const { text, errors } = await hosts[host]({
      model,
      prompt: 'Get the sum of 2 and 3 and echo "hello there"',
    });
    expect(errors).toEqual([]);
    expect(text).toBe(
      'The tool get-sum returned: The sum of 2 and 3 is 5.\nThe tool echo returned: Echo: hello there',
    );
  });
});

describe.each(hostNames)('without an adapter, in %s', host => {
  it('a call stays text, and no tool is executed', async () => {
    const emulator = await startEmulator({ toolCallFormat: 'qwen-xml' });
    const local = createOpenAICompatible({ name: 'local', baseURL: emulator.baseURL });
    const { text } = await hosts[host]({
      model: withToolLoop(local('qwen3-coder'), { tools: mcpTools }),
      prompt: 'Use get-sum with 2 and 3',
      stopWhen: stepCountIs(3),
    });
    expect(text).toMatch(/^<tool_call>\n<function=get-sum>/);
    expect(emulator.requests).toHaveLength(1);
  });
});
