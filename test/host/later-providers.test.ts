import { embed, generateText, stepCountIs, streamText } from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProviderRegistryFromConfig } from '../../src/host/index.js';
import { toLanguageModelV3 } from '../../src/v3.js';
import { toLanguageModelV4 } from '../../src/v4.js';
import { hostTools } from '../integration/_tools.js';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';

const packages = { openai3: () => import('openai3'), openai4: () => import('openai4') };

describe.each(Object.entries(packages))('providers of a later major: %s', (name, importOpenAI) => {
  const start = async () => {
    const emulator = await startEmulator();
    const settings = { baseURL: emulator.baseURL, apiKey: 'sk-test' };
    const registry = createProviderRegistryFromConfig(
      { providers: { imported: { import: name, creator: 'createOpenAI', settings } } },
      { importModule: importOpenAI },
    );
    const { createOpenAI } = await importOpenAI();
    registry.register('instance', createOpenAI(settings));
    return { emulator, registry };
  };

  it.each(['imported', 'instance'])('works in ai 5, with tools of the host (%s)', async provider => {
    const { registry } = await start();
    const options = {
      model: registry.languageModel(`${provider}:gpt-5`),
      tools: hostTools,
      stopWhen: stepCountIs(3),
      prompt: 'Get the weather in Oslo',
    };
    const { text, totalUsage } = await generateText(options);
    expect(text).toContain('Oslo: 18 degrees');
    expect(totalUsage.inputTokens).toBeGreaterThan(0);
    const streamed = streamText(options);
    expect(await streamed.text).toContain('Oslo: 18 degrees');
    expect(await streamed.finishReason).toBe('stop');
  });

  it.each(['imported', 'instance'])('creates embeddings in ai 5 (%s)', async provider => {
    const { registry } = await start();
    const model = registry.textEmbeddingModel(`${provider}:text-embedding-3-small`);
    const { embedding } = await embed({ model, value: 'Hello' });
    expect(embedding.length).toBeGreaterThan(0);
  });

  it('runs the tools of an entry', async () => {
    const emulator = await startEmulator();
    const registry = createProviderRegistryFromConfig(
      {
        providers: {
          imported: {
            import: name,
            creator: 'createOpenAI',
            settings: { baseURL: emulator.baseURL, apiKey: 'sk-test' },
            mcpServers: { everything: everythingOverStdio() },
          },
        },
      },
      { importModule: importOpenAI },
    );
    onTestFinished(() => registry.close());
    const model = registry.languageModel('imported:gpt-5');
    const { text } = await generateText({ model, prompt: 'Use get-sum with 2 and 3' });
    expect(text).toContain('The sum of 2 and 3 is 5.');
  });

  it('reaches ai 6 and 7 through the facades', async () => {
    const { registry } = await start();
    const model = registry.languageModel('instance:gpt-5');
    const six = await ai6.generateText({
      model: toLanguageModelV3(model) as Exclude<ai6.LanguageModel, string>,
      prompt: 'Hello',
    });
    const seven = await ai7.generateText({
      model: toLanguageModelV4(model) as Exclude<ai7.LanguageModel, string>,
      prompt: 'Hello',
    });
    expect([six.text, seven.text]).toEqual(['You said: Hello', 'You said: Hello']);
    expect(seven.usage.inputTokens).toBeGreaterThan(0);
  });

  it('says that image models of a later version are not converted', async () => {
    const { registry } = await start();
    expect(() => registry.imageModel('instance:gpt-image-1')).toThrow(
      /Expected an image model of version v2 from the provider "instance", got one of version v[34]/,
    );
  });
});
