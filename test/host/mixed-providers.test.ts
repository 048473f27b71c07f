import {
  generateObject,
  generateText,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
} from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createProviderRegistryFromConfig, type ProviderRegistryConfig } from '../../src/host/index.js';
import { hostTools } from '../integration/_tools.js';
import { serve } from '../_server.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** One configuration with a provider for each of three APIs, plus the official provider, imported and switched. */
const toConfig = ({ url, baseURL }: { url: string; baseURL: string }): ProviderRegistryConfig => ({
  providers: {
    ours: { type: 'kelivo-responses', settings: { baseURL, apiKey: 'sk-test' } },
    official: { import: '@ai-sdk/openai', creator: 'createOpenAI', settings: { baseURL, apiKey: 'sk-test' } },
    switched: { type: 'kelivo-responses', enabled: 'off', settings: { baseURL, apiKey: 'sk-test' } },
    chat: {
      import: '@ai-sdk/openai-compatible',
      creator: 'createOpenAICompatible',
      settings: { name: 'chat', baseURL, apiKey: 'sk-test', supportsStructuredOutputs: true },
    },
    gemini: {
      import: '@ai-sdk/google',
      creator: 'createGoogleGenerativeAI',
      settings: { baseURL: `${url}/v1beta`, apiKey: 'sk-test' },
    },
  },
});

const modelNames = [
  'ours:gpt-5',
  'official:gpt-5',
  'switched:gpt-5',
  'chat:gpt-4.1',
  'gemini:gemini-2.5-flash',
];

async function start(more: Partial<ProviderRegistryConfig> = {}) {
  const emulator = await startEmulator();
  const registry = createProviderRegistryFromConfig({ ...toConfig(emulator), ...more });
  onTestFinished(() => registry.close());
  return { emulator, registry };
}

const generate = async (options: Parameters<typeof generateText>[0]) => {
  const { text, finishReason, steps, response } = await generateText(options);
  return { text, finishReason, steps, messages: response.messages };
};

const stream = async (options: Parameters<typeof streamText>[0]) => {
  const errors: unknown[] = [];
  const result = streamText({ ...options, onError: ({ error }) => void errors.push(error) });
  await result.consumeStream();
  expect(errors).toEqual([]);
  const { messages } = await result.response;
  return {
    text: await result.text,
    finishReason: await result.finishReason,
    steps: await result.steps,
    messages,
  };
};

/** Runs a conversation with host tools and returns what every provider must report equally. */
async function converse(modelOf: (turn: number) => LanguageModel, run: typeof generate | typeof stream) {
  const messages: ModelMessage[] = [];
  const turns: unknown[] = [];
  const send = async (content: string, options: { toolChoice?: 'none' } = {}) => {
    messages.push({ role: 'user', content });
    const turn = await run({
      model: modelOf(turns.length),
      system: 'You are brief.',
      messages: [...messages],
      tools: hostTools,
      stopWhen: stepCountIs(5),
      maxRetries: 0,
      ...options,
    });
    messages.push(...turn.messages);
    const calls = turn.steps.flatMap(step =>
      step.toolCalls.map(({ toolName, input }) => ({ toolName, input })),
    );
    turns.push({ text: turn.text, finishReason: turn.finishReason, calls });
  };
  await send('Get the weather in Oslo and add 2 and 3');
  await send('First add 1 and 2, then get the weather in Rome');
  await send('Add 4 and 5', { toolChoice: 'none' });
  await send('Add 6 and 7');
  return turns;
}

const expectedTurns = [
  {
    text: 'The tool get_weather returned: Oslo: 18 degrees\nThe tool add returned: 5',
    finishReason: 'stop',
    calls: [
      { toolName: 'get_weather', input: { city: 'Oslo' } },
      { toolName: 'add', input: { a: 2, b: 3 } },
    ],
  },
  {
    text: 'The tool add returned: 3\nThe tool get_weather returned: Rome: 18 degrees',
    finishReason: 'stop',
    calls: [
      { toolName: 'add', input: { a: 1, b: 2 } },
      { toolName: 'get_weather', input: { city: 'Rome' } },
    ],
  },
  { text: 'You said: Add 4 and 5', finishReason: 'stop', calls: [] },
  {
    text: 'The tool add returned: 13',
    finishReason: 'stop',
    calls: [{ toolName: 'add', input: { a: 6, b: 7 } }],
  },
];

describe.each(modelNames)('%s', name => {
  it.each([
    ['generateText', generate],
    ['streamText', stream],
  ])('%s returns the same conversation with tools, and calls none if toolChoice is none', async (_, run) => {
    const { registry } = await start();
    const turns = await converse(() => registry.languageModel(name), run);
    expect(turns).toEqual(expectedTurns);
  });

  it('returns an object that matches a schema', async () => {
    const { registry } = await start();
    const { object } = await generateObject({
      model: registry.languageModel(name),
      schema: z.object({ city: z.string(), degrees: z.number() }),
      prompt: 'It is 18 degrees in Oslo',
    });
    expect(object).toEqual({ city: 'Oslo', degrees: 18 });
  });

  it('returns JSON without a schema', async () => {
    const { registry } = await start();
    const model = registry.languageModel(name);
    const { object } = await generateObject({ model, output: 'no-schema', prompt: 'Result in JSON' });
    expect(object).toEqual(expect.any(Object));
  });
});

it.each([
  ['generateText', generate],
  ['streamText', stream],
])('%s continues with another provider in every turn', async (_, run) => {
  const { registry } = await start();
  const names = modelNames.filter(name => !name.startsWith('official:'));
  for (const offset of names.keys()) {
    const turns = await converse(
      turn => registry.languageModel(names[(turn + offset) % names.length] ?? ''),
      run,
    );
    expect(turns).toEqual(expectedTurns);
  }
});

describe('models of other packages', () => {
  it.each(modelNames.filter(name => !name.startsWith('switched')))(
    '%s runs the MCP tools of the configuration',
    async name => {
      const { registry } = await start({ mcpServers: { everything: everythingOverStdio() } });
      const { text } = await stream({
        model: registry.languageModel(name),
        prompt: 'Use get-sum with 2 and 3',
      });
      expect(text).toContain('The sum of 2 and 3 is 5.');
    },
  );

  it.each([
    ['without an id', undefined],
    ['with an empty id', ''],
  ])('add ids to calls that a server sends %s', async (_, id) => {
    const call = { index: 0, id, type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } };
    const server = await serve((response, { body }) => {
      const isFirst = (body.messages as unknown[]).length === 1;
      const message = isFirst
        ? { role: 'assistant', tool_calls: [call] }
        : { role: 'assistant', content: 'Five.' };
      const finish_reason = isFirst ? 'tool_calls' : 'stop';
      if (body.stream === true) {
        const chunk = (choice: object) =>
          `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] })}\n\n`;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`${chunk({ delta: message })}${chunk({ delta: {}, finish_reason })}data: [DONE]\n\n`);
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason }] }));
    });
    const registry = createProviderRegistryFromConfig(toConfig({ url: server.url, baseURL: server.url }));
    for (const run of [generate, stream]) {
      const { text, steps } = await run({
        model: registry.languageModel('chat:m'),
        prompt: 'Add 2 and 3',
        tools: hostTools,
        stopWhen: stepCountIs(3),
      });
      expect(text).toBe('Five.');
      const [callId] = steps[0]?.toolCalls.map(({ toolCallId }) => toolCallId) ?? [];
      expect(callId).toMatch(/.{4,}/);
      const sent = server.requests.at(-1)?.body.messages as Record<string, unknown>[];
      expect(sent.at(-1)).toMatchObject({ role: 'tool', tool_call_id: callId, content: '5' });
    }
  });
});
