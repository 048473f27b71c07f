import type { LanguageModel } from 'ai';
import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const registries: Scenario = {
  name: 'registry and custom provider',
  async play({ run, sdk, provider, emulator }) {
    const { createProviderRegistry, customProvider } = sdk;
    const registry = createProviderRegistry({ kelivo: provider });
    const custom = customProvider({
      languageModels: { chat: provider.languageModel('gpt-5') },
      fallbackProvider: provider,
    });
    const models: LanguageModel[] = [
      registry.languageModel('kelivo:gpt-5'),
      custom.languageModel('chat'),
      custom.languageModel('gpt-5-mini'),
    ];
    for (const model of models) {
      expect(await run({ model, prompt: 'Use get-sum with 2 and 3' })).toMatchObject({
        text: 'The tool get-sum returned: The sum of 2 and 3 is 5.',
        finishReason: 'stop',
        errors: [],
      });
    }
    expect(emulator.requests.map(({ body }) => (body as { model: string }).model)).toEqual([
      ...['gpt-5', 'gpt-5', 'gpt-5', 'gpt-5'],
      ...['gpt-5-mini', 'gpt-5-mini'],
    ]);
  },
};
