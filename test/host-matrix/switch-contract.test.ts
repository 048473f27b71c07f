import { describe, expect, onTestFinished } from 'vitest';
import { createKelivoResponsesExtension } from '../../src/host/index.js';
import type { KelivoResponsesProvider } from '../../src/index.js';
import { combine } from '../_products.js';
import { contractDimensions, type ContractHost, itKeepsTheContract, MODEL } from '../host/_contract.js';
import { createExecutor, extensionRegistry, ProviderExtension } from './ai-core-2/index.js';

/** `@cherrystudio/ai-core` 2 with the extension for it. */
const aiCore2: ContractHost = {
  name: 'ai-core 2',
  official: 3,
  async open(settings, options) {
    const entry = createKelivoResponsesExtension(options);
    onTestFinished(() => void extensionRegistry.unregister(entry.name));
    extensionRegistry.register(ProviderExtension.create(entry));
    // The host gives the instance of its executor for equal settings.
    const given = { ...settings };
    const executor = await createExecutor(entry.name, given);
    const provider = await extensionRegistry.createProvider(entry.name, given);
    expect(await extensionRegistry.createProvider(entry.name, given)).toBe(provider);
    return {
      provider: provider as unknown as KelivoResponsesProvider,
      generateText: call => executor.generateText({ model: MODEL, ...call }) as never,
      streamText: call => executor.streamText({ model: MODEL, ...call }) as never,
    };
  },
};

describe('a turn is the same on and off', () => {
  itKeepsTheContract(combine({ host: [aiCore2], ...contractDimensions }));
});
