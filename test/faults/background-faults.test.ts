import { APICallError } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/index.js';
import type { ScriptedResponse } from '../../src/testing/index.js';
import { startEmulator } from '../testing/_emulator.js';

interface BackgroundFault {
  readonly fault: string;
  readonly response: ScriptedResponse;
  /** Acts on the server after the response has been created. */
  readonly act?: (responseUrl: string) => Promise<unknown>;
  /** Time limit of the call, in milliseconds. */
  readonly total?: number;
  readonly error: RegExp;
  readonly isRetryable: boolean;
  /** True if the client cancels the response. */
  readonly isCancelled?: boolean;
}

const output = [{ text: 'one two three four' }];
const running = { output, background: { polls: Infinity, cutAfter: 2 } };

const FAULTS: readonly BackgroundFault[] = [
  {
    fault: 'expired while it is read',
    response: running,
    act: url => fetch(url, { method: 'DELETE' }),
    error: /has expired, was deleted/,
    isRetryable: true,
  },
  {
    fault: 'cancelled elsewhere',
    response: running,
    act: url => fetch(`${url}/cancel`, { method: 'POST' }),
    error: /was cancelled on the server/,
    isRetryable: false,
  },
  {
    fault: 'failed',
    response: { fault: 'failed', output, code: 'server_error', message: 'It broke.' },
    error: /It broke\./,
    isRetryable: true,
  },
  {
    fault: 'a queue that never starts',
    response: { output, background: { polls: Infinity } },
    total: 2000,
    error: /timeouts\.total.*was "queued"/,
    isRetryable: false,
    isCancelled: true,
  },
];

describe('a response in the background', () => {
  it.each(FAULTS.flatMap(row => (['stream', 'generate'] as const).map(mode => ({ ...row, mode }))))(
    '$fault: $mode',
    async ({ mode, response, act, total, error, isRetryable, isCancelled = false }) => {
      const emulator = await startEmulator();
      emulator.enqueue(response);
      const model = createKelivoResponsesProvider({
        ...{ baseURL: emulator.baseURL, apiKey: 'sk-test', timeouts: total === undefined ? {} : { total } },
        fetch: async (input, init) => {
          const id = /\/(resp_\w+)/.exec(String(input))?.[1];
          // Acts before the first request for the state or the rest of the stream.
          if (id !== undefined && init?.method === 'GET') await act?.(`${emulator.baseURL}/responses/${id}`);
          return fetch(input, init);
        },
      }).responses('gpt-5');
      const call = {
        prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }],
        providerOptions: { kelivo: { background: { pollInterval: 1 } } },
      };
      const errors: unknown[] = [];
      try {
        if (mode === 'generate') await model.doGenerate(call);
        else
          for await (const part of (await model.doStream(call)).stream)
            if (part.type === 'error') errors.push(part.error);
      } catch (reason) {
        errors.push(reason);
      }
      expect(errors).toHaveLength(1);
      expect(APICallError.isInstance(errors[0])).toBe(true);
      expect(errors[0]).toMatchObject({ message: expect.stringMatching(error), isRetryable });
      const cancels = () => emulator.requests.filter(({ path }) => path.endsWith('/cancel')).length;
      if (isCancelled) await expect.poll(cancels).toBe(1);
      else if (act === undefined) expect(cancels()).toBe(0);
    },
  );
});
