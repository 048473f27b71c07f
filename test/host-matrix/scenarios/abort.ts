import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const abort: Scenario = {
  name: 'abort',
  async play({ mode, sdk, createProvider, emulator }) {
    const controller = new AbortController();
    const heard: string[] = [];
    const wait = {
      inputSchema: sdk.jsonSchema({ type: 'object' }),
      execute: (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) =>
        new Promise(() => {
          abortSignal?.addEventListener('abort', () => void heard.push('tool'), { once: true });
          setTimeout(() => controller.abort(), 0);
        }),
    };
    const model = createProvider({ tools: { wait } })('gpt-5');
    emulator.enqueue([{ call: 'wait', arguments: {} }]);
    const options = { model, prompt: 'Wait.', abortSignal: controller.signal };
    if (mode === 'generate') {
      await expect(sdk.generateText(options)).rejects.toMatchObject({ name: 'AbortError' });
    } else {
      const result = sdk.streamText({
        ...options,
        onError: () => void heard.push('error'),
        onAbort: () => void heard.push('abort'),
      });
      const types: string[] = [];
      for await (const { type } of result.fullStream) types.push(type);
      expect(types.at(-1)).toBe('abort');
    }
    expect(heard.sort()).toEqual(mode === 'generate' ? ['tool'] : ['abort', 'tool']);
    // Nobody asks the model again.
    expect(emulator.requests).toHaveLength(1);
  },
};
