import { embed, generateText, streamText, tool } from 'ai';
import { z } from 'zod';
import { describe, expect, it, vi } from 'vitest';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { createLocalTools } from '../../../src/tools/local-tools.js';
import {
  type RequestLogEntry,
  type RequestLogger,
  withRequestLog,
} from '../../../src/core/http/request-log.js';
import { startEmulator } from '../../testing/_emulator.js';

const apiKey = 'sk-secret-0123456789';

async function startLogged(settings: { logger?: RequestLogger; apiKey?: string | string[] } = {}) {
  const entries: RequestLogEntry[] = [];
  const emulator = await startEmulator({ apiKey });
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey,
    logger: entry => entries.push(entry),
    ...settings,
  });
  return { emulator, provider, entries };
}

const inShort = (entries: readonly RequestLogEntry[]) =>
  entries.map(({ requestId, phase, status }) => [requestId, phase, status]);

describe('the logger of a provider', () => {
  it('receives the request and the response', async () => {
    const { emulator, provider, entries } = await startLogged();
    await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(entries).toEqual([
      {
        phase: 'request',
        requestId: 1,
        method: 'POST',
        url: `${emulator.baseURL}/responses`,
        headers: expect.objectContaining({
          'content-type': 'application/json',
          authorization: '[redacted]',
        }),
      },
      {
        phase: 'response',
        requestId: 1,
        method: 'POST',
        url: `${emulator.baseURL}/responses`,
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        status: 200,
        duration: expect.any(Number),
      },
    ]);
    expect(entries[1]?.duration).toBeGreaterThan(0);
  });

  it('receives streams, embeddings and every retry', async () => {
    const { emulator, provider, entries } = await startLogged();
    await streamText({ model: provider('gpt-5'), prompt: 'Hi' }).consumeStream();
    await embed({ model: provider.textEmbeddingModel('text-embedding-3-small'), value: 'Hi' });
    emulator.enqueue({ status: 500, headers: { 'retry-after-ms': '1' } });
    await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(inShort(entries)).toEqual([
      [1, 'request', undefined],
      [1, 'response', 200],
      [2, 'request', undefined],
      [2, 'response', 200],
      [3, 'request', undefined],
      [3, 'response', 500],
      [4, 'request', undefined],
      [4, 'response', 200],
    ]);
    expect(entries[2]?.url).toBe(`${emulator.baseURL}/embeddings`);
  });

  it('receives the turn, the round and the context of a call, which are not sent', async () => {
    const { emulator, provider, entries } = await startLogged();
    emulator.enqueue([{ call: 'look', arguments: {} }], [{ text: 'Done.' }]);
    const context = { user: { name: 'ada-the-user' } };
    const providerOptions = { kelivo: { turnId: 'turn-of-ada', context } as never };
    const look = tool({ inputSchema: z.object({}), execute: () => 'a sea' });
    const executors = createLocalTools({ look });
    await generateText({
      model: provider('gpt-5'),
      prompt: 'Hi',
      providerOptions: { kelivo: { turnId: 'turn-of-ada', context, executors } as never },
    });
    await provider.textEmbeddingModel('text-embedding-3-small').doEmbed({ values: ['Hi'], providerOptions });
    await generateText({ model: provider.responses('gpt-5'), prompt: 'Hi', providerOptions });
    expect(entries.map(({ phase, turnId, round }) => [phase, turnId, round])).toEqual(
      [1, 2, undefined, undefined].flatMap(round => [
        ['request', 'turn-of-ada', round],
        ['response', 'turn-of-ada', round],
      ]),
    );
    for (const entry of entries) expect(entry.context).toBe(context);
    expect(JSON.stringify(emulator.requests)).not.toMatch(/of-ada|ada-the-user/);
  });

  it('tells concurrent calls apart', async () => {
    const { provider, entries } = await startLogged();
    const users = Array.from({ length: 8 }, (_, index) => ({ user: index }));
    await Promise.all(
      users.map(context =>
        generateText({
          model: provider('gpt-5'),
          prompt: 'Hi',
          providerOptions: { kelivo: { context } as never },
        }),
      ),
    );
    for (const context of users) {
      const own = entries.filter(entry => entry.context === context);
      expect(own.map(({ phase }) => phase)).toEqual(['request', 'response']);
    }
  });

  it('receives every key that is tried, redacted', async () => {
    const { provider, entries } = await startLogged({ apiKey: ['sk-wrong-0123456789', apiKey] });
    await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(inShort(entries).map(([, , status]) => status)).toEqual([undefined, 401, undefined, 200]);
    expect(JSON.stringify(entries)).not.toMatch(/sk-(wrong|secret)/);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('The disk is full.');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('The disk is full.');
      },
    ],
  ])('does not break the request if it %s', async (_, logger) => {
    const { provider } = await startLogged({ logger });
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(text).toBe('You said: Hi');
  });

  it('is rejected if it is not a function', () => {
    const logger = { info: () => {} } as never;
    expect(() => createKelivoResponsesProvider({ logger })).toThrow(
      'Invalid `logger` of the provider settings',
    );
  });
});

describe('withRequestLog', () => {
  it('returns the `fetch` itself without a logger', () => {
    expect(withRequestLog(fetch, undefined)()).toBe(fetch);
  });

  it('redacts secrets in addresses, responses and errors', async () => {
    const entries: RequestLogEntry[] = [];
    const secret = 'gateway-secret-1';
    const logged = withRequestLog(
      async () =>
        new Response('', { headers: { 'x-echo': `you sent ${secret}`, 'set-cookie': 'id=1234567' } }),
      entry => entries.push(entry),
    )();
    await logged(new URL(`https://user:pass-word@host.test/v1/responses?key=${secret}&page=2`), {
      headers: { 'x-gateway-key': secret, accept: 'text/plain' },
    });
    expect(entries[0]).toMatchObject({
      method: 'GET',
      url: 'https://user:[redacted]@host.test/v1/responses?key=[redacted]&page=2',
      headers: { 'x-gateway-key': '[redacted]', accept: 'text/plain' },
    });
    expect(entries[1]?.headers).toEqual({
      'content-type': 'text/plain;charset=UTF-8',
      'x-echo': 'you sent [redacted]',
      'set-cookie': '[redacted]',
    });

    const failing = withRequestLog(
      async () => {
        throw new TypeError(`Invalid header value ${secret}`);
      },
      entry => entries.push(entry),
    )();
    await expect(
      failing('https://host.test', { method: 'POST', headers: { authorization: secret } }),
    ).rejects.toThrow(TypeError);
    expect(entries.at(-1)).toMatchObject({
      phase: 'error',
      method: 'POST',
      error: 'Invalid header value [redacted]',
      duration: expect.any(Number),
    });
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(JSON.stringify(entries)).not.toContain('pass-word');
  });

  it('redacts credentials in headers with unknown names', async () => {
    const entries: RequestLogEntry[] = [];
    const logged = withRequestLog(
      async () => new Response(''),
      entry => entries.push(entry),
    )();
    const headers = {
      authorization: 'Bearer sk-of-this-call',
      'x-upstream': 'Bearer sk-of-the-settings',
      'x-gateway-pass': 'open-sesame',
      'x-title': 'Basic chat',
    };
    await logged('https://host.test', { headers });
    expect(entries[0]?.headers).toEqual({
      authorization: '[redacted]',
      'x-upstream': '[redacted]',
      'x-gateway-pass': '[redacted]',
      'x-title': 'Basic chat',
    });
  });

  it('passes the call on unchanged', async () => {
    const inner = vi.fn<typeof fetch>(async () => new Response(''));
    const init = { method: 'POST', body: '{}' };
    await withRequestLog(inner, () => {})()('https://host.test', init);
    expect(inner).toHaveBeenCalledWith('https://host.test', init);
    expect(inner.mock.calls[0]?.[1]).toBe(init);
  });
});
