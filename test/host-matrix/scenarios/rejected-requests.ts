import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const rejectedRequests: Scenario = {
  name: 'rejected first request',
  async play({ mode, run, emulator }) {
    emulator.enqueue({ status: 429, headers: { 'retry-after-ms': '1' } });
    const { text, errors } = await run({ prompt: 'Hello' });
    expect({ text, errors }).toEqual({ text: 'You said: Hello', errors: [] });
    expect(emulator.requests).toHaveLength(2);

    // What the host may not repeat, it does not repeat.
    const refusal = {
      error: { message: 'No such thing.', type: 'invalid_request_error', param: null, code: null },
    };
    emulator.enqueue({ status: 400, body: refusal });
    const error =
      mode === 'generate' ? await run({ prompt: 'Hello' }).catch((thrown: unknown) => thrown) : undefined;
    if (mode === 'generate') expect(error).toMatchObject({ name: 'AI_APICallError', statusCode: 400 });
    else await expect(run({ prompt: 'Hello' })).rejects.toMatchObject({ name: 'AI_NoOutputGeneratedError' });
    expect(emulator.requests).toHaveLength(3);
  },
};
