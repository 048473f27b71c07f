import {
  createExecutor,
  defaultSettingsMiddleware,
  definePlugin,
  extensionRegistry,
  ProviderExtension,
} from '../host-matrix/ai-core-2/index.js';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createKelivoResponsesExtension, kelivoResponsesExtension } from '../../src/host/index.js';
import { question, readResult, useMcpQuestion } from './_mcp-question.js';

const ask = useMcpQuestion();

beforeAll(() => {
  extensionRegistry.register(ProviderExtension.create(kelivoResponsesExtension));
});

describe('in @cherrystudio/ai-core 2', () => {
  it.each(['kelivo-responses', 'kelivo'])('streamText under the name %s runs an MCP tool', async name => {
    const executor = await createExecutor(name, ask.options());
    const result = await executor.streamText({ model: 'gpt-5', prompt: question });
    ask.expectCompleted(await readResult(result));
  });

  it('generateText runs an MCP tool', async () => {
    const executor = await createExecutor('kelivo-responses', ask.options());
    const result = await executor.generateText({ model: 'gpt-5', prompt: question });
    ask.expectCompleted(await readResult(result));
  });

  it.each(['streamText', 'generateText'] as const)(
    'middlewares of ai@6 keep the finish reason and usage in %s',
    async name => {
      const middleware = defaultSettingsMiddleware({ settings: { temperature: 0.5 } });
      const plugin = definePlugin({
        name: 'defaults',
        configureContext: context => void (context.middlewares = [middleware]),
      });
      const executor = await createExecutor('kelivo-responses', ask.options(), [plugin]);
      const result = await executor[name]({ model: 'gpt-4.1', prompt: question });
      ask.expectCompleted(await readResult(result));
      expect(ask.requests[0]?.body).toMatchObject({ temperature: 0.5 });
    },
  );

  it.each(['streamText', 'generateText'] as const)(
    '%s offers and runs the same tools and sends the same fields with the flag on and off',
    async name => {
      const flags = { kelivo: true };
      const importOpenAI = vi.fn(() => import('openai3'));
      const entry = createKelivoResponsesExtension({ enabled: () => flags.kelivo, importOpenAI });
      const id = `flagged-${name}`;
      extensionRegistry.register(ProviderExtension.create({ ...entry, name: id, aliases: [] }));
      const models = { 'gpt-5': { body: { service_tier: 'flex' } } };
      const executor = await createExecutor(id, { ...ask.options(), models });
      const sent: object[] = [];
      for (flags.kelivo of [true, false]) {
        const before = ask.requests.length;
        const result = await executor[name]({
          model: 'gpt-5',
          prompt: question,
          providerOptions: { kelivo: { allowedTools: { toolNames: ['get-sum'] } } },
        });
        expect((await readResult(result)).text).toBe('The tool get-sum returned: The sum of 2 and 3 is 5.');
        expect(importOpenAI.mock.calls.length > 0).toBe(!flags.kelivo);
        const bodies = ask.requests.slice(before).map(({ body }) => body);
        expect(bodies).toHaveLength(2);
        sent.push(
          bodies.map(({ tools, tool_choice, service_tier, store }) => ({
            tools: tools?.map(tool => tool.name),
            tool_choice,
            service_tier,
            store,
          })),
        );
      }
      expect(sent[0]).toMatchObject([{ service_tier: 'flex' }, { service_tier: 'flex' }]);
      expect(sent[1]).toEqual(sent[0]);
    },
  );

  it('an extra value separates settings that differ in functions only', async () => {
    const fetched: string[] = [];
    const fetchAs =
      (name: string): typeof fetch =>
      (input, init) => {
        fetched.push(name);
        return fetch(input, init);
      };
    const askAs = async (name: string) => {
      const settings = { ...ask.options(), fetch: fetchAs(name), instance: name };
      const executor = await createExecutor('kelivo-responses', settings);
      const result = await executor.generateText({ model: 'gpt-5', prompt: 'Hello' });
      return result.text;
    };
    expect([await askAs('a'), await askAs('b')]).toEqual(['You said: Hello', 'You said: Hello']);
    expect(fetched).toEqual(['a', 'b']);
  });
});
