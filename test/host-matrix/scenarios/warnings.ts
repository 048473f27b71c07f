import { expect, onTestFinished } from 'vitest';
import { formsOf } from '../_host.js';
import type { Scenario } from '../_scenario.js';

export const warnings: Scenario = {
  name: 'warnings',
  async play({ run, major, version, mode }) {
    const logged: unknown[] = [];
    const before = globalThis.AI_SDK_LOG_WARNINGS;
    // Receives a list in `ai@5`, and an object with the list since `ai@6`.
    globalThis.AI_SDK_LOG_WARNINGS = (told: unknown) =>
      void logged.push(...(Array.isArray(told) ? told : (told as { warnings: unknown[] }).warnings));
    onTestFinished(() => {
      globalThis.AI_SDK_LOG_WARNINGS = before;
    });

    await run({ prompt: 'Use get-sum with 2 and 3' });
    const compatibility = { type: 'compatibility', feature: 'specificationVersion' };
    const isNative = major === 5 || version !== 'V2';
    const forms = formsOf({ major, version }, mode);
    // The model of version 2 names the import that is meant, if the host identifies itself.
    const notice = { type: 'other', message: expect.stringContaining('kelivo-responses/v') as string };
    const ofModel = version === 'V2' && forms !== 'V2' ? [notice] : [];
    expect(logged).toMatchObject(isNative ? [] : [compatibility, ...ofModel]);

    // The host logs warnings of the model in its own format.
    logged.length = 0;
    await run({ prompt: 'Hello', seed: 7 });
    const told =
      forms !== 'V2'
        ? { type: 'unsupported', feature: 'seed' }
        : { type: 'unsupported-setting', setting: 'seed' };
    expect(logged).toContainEqual(expect.objectContaining(told));
  },
};
