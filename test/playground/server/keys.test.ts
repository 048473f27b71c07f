import { describe, expect, it } from 'vitest';
import { createKeySafe } from '../../../playground/server/keys.js';
import { startEmulator } from '../../testing/_emulator.js';
import { openPlayground } from './_playground.js';

const KEY = 'sk-canary-0123456789abcdef';

describe('a key', () => {
  it('is used for its endpoint and appears in no response, trace, export or bug report', async () => {
    const emulator = await startEmulator({ apiKey: KEY });
    const { call, ask } = await openPlayground();
    await call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
    const kept = await call('/api/state/key', { method: 'PUT', body: { key: KEY } });
    const { trace, stream } = await ask('Hello');
    const paths = [
      '/api/state',
      '/api/state/models',
      '/api/servers',
      '/api/conversations',
      '/api/conversations/conversation-1',
      '/api/conversations/conversation-1/export',
      '/api/conversations/conversation-1/fixture',
    ];
    const responses = await Promise.all(paths.map(path => call(path)));

    expect(trace.end?.end).toBe('finished');
    expect(emulator.requests.at(-1)?.headers.authorization).toBe('Bearer ***');
    expect(kept.json).toMatchObject({ key: 'typed' });
    expect(responses[1]?.json).toMatchObject({ models: expect.arrayContaining(['gpt-5']) });
    for (const text of [kept.text, stream, ...responses.map(response => response.text)]) {
      expect(text).not.toContain(KEY);
    }
  });

  it('that is wrong fails the turn with a reason that does not contain the key', async () => {
    const emulator = await startEmulator({ apiKey: 'sk-the-right-one-0123456789' });
    const { call, ask } = await openPlayground();
    await call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
    await call('/api/state/key', { method: 'PUT', body: { key: KEY } });
    const { trace, stream } = await ask('Hello');
    const { json } = await call('/api/state/models');

    expect(trace.end).toMatchObject({ end: 'failed', message: expect.stringMatching(/API key/i) });
    expect(trace.exchanges).toMatchObject([{ status: 401 }]);
    expect(json).toMatchObject({ models: [], problem: expect.stringContaining('401') });
    expect(json).toMatchObject({ problem: expect.stringContaining(`of ${emulator.baseURL}`) });
    expect(stream).not.toContain(KEY);
  });

  it('from the environment is only sent to its endpoint', async () => {
    const emulator = await startEmulator();
    const { call, ask } = await openPlayground({ environment: { OPENAI_API_KEY: KEY } });
    process.env.OPENAI_API_KEY = KEY;
    try {
      await call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
      await ask('Hello');
      await ask('Hello', { side: { flag: 'official', modelId: 'gpt-5' } });
    } finally {
      delete process.env.OPENAI_API_KEY;
    }

    expect(emulator.requests.length).toBe(2);
    for (const { headers } of emulator.requests) expect(headers.authorization).toBeUndefined();
  });
});

describe('the key store', () => {
  it('returns a key only for its origin, with any path', () => {
    const keys = createKeySafe({ environment: {} });
    keys.keep('https://a.example/v1', KEY);

    expect(keys.keyFor('https://a.example/v2')).toBe(KEY);
    for (const endpoint of [
      'http://a.example/v1',
      'https://a.example:444/v1',
      'https://b.example/v1',
      'emulator',
    ]) {
      expect(keys.keyFor(endpoint)).toBeUndefined();
    }
  });

  it('uses the key of the environment for the base URL of the environment', () => {
    const own = createKeySafe({
      environment: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: 'http://localhost:8000/v1' },
    });
    const usual = createKeySafe({ environment: { OPENAI_API_KEY: KEY } });

    expect(own.sourceFor('http://localhost:8000/v1')).toBe('environment');
    expect(own.sourceFor('https://api.openai.com/v1')).toBe('none');
    expect(usual.sourceFor('https://api.openai.com/v1')).toBe('environment');
  });

  it('prefers an entered key until it is deleted', () => {
    const keys = createKeySafe({ environment: { OPENAI_API_KEY: KEY } });
    keys.keep('https://api.openai.com/v1', 'typed-0123456789');
    const typed = keys.keyFor('https://api.openai.com/v1');
    keys.keep('https://api.openai.com/v1', '');

    expect(typed).toBe('typed-0123456789');
    expect(keys.keyFor('https://api.openai.com/v1')).toBe(KEY);
  });
});
