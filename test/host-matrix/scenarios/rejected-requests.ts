import { expect } from 'vitest';
import type { Scenario } from '../_scenario.js';

export const rejectedRequests: Scenario = {
  name: 'rejected first request',
  async play({ mode, run, emulator }) {
    emulator.enqueue({ status: 429, headers: { 'retry-after-ms': '1' } });
    const { text, errors } = await run({ prompt: 'Hello' });
    expect({ text, errors }).toEqual({ text: 'You said: Hello', errors: [] });
    expect(emulator.requests).toHaveLength(2);

    // The host does not retry a request that is not retryable.
    const rejection = {
      error: { message: 'No such thing.', type: 'invalid_request_error', param: null, code: null },
    };
    emulator.enqueue({ status: 400, body: rejection });
    const error =
      mode === 'generate' ? await run({ prompt: 'Hello' }).catch((thrown: unknown) => thrown) : undefined;
    if (mode === 'generate') expect(error).toMatchObject({ name: 'AI_APICallError', statusCode: 400 });
    else await expect(run({ prompt: 'Hello' })).rejects.toMatchObject({ name: 'AI_NoOutputGeneratedError' });
    expect(emulator.requests).toHaveLength(3);
  },
};
