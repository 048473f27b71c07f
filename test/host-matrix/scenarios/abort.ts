import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const abort: Scenario = {
  name: 'abort',
  async play({ mode, sdk, createProvider, emulator }) {
    const controller = new AbortController();
    const events: string[] = [];
    const wait = {
      inputSchema: sdk.jsonSchema({ type: 'object' }),
      execute: (_input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) =>
        new Promise(() => {
          abortSignal?.addEventListener('abort', () => void events.push('tool'), { once: true });
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
        onError: () => void events.push('error'),
        onAbort: () => void events.push('abort'),
      });
      const types: string[] = [];
      for await (const { type } of result.fullStream) types.push(type);
      expect(types.at(-1)).toBe('abort');
    }
    expect(events.sort()).toEqual(mode === 'generate' ? ['tool'] : ['abort', 'tool']);
    // The model is not called again.
    expect(emulator.requests).toHaveLength(1);
  },
};
