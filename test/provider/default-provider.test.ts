import { type LanguageModelV2CallOptions, NoSuchModelError } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serveJson } from '../_server.js';
import { message, toResponse } from '../responses/stream/_fixtures/wire-events.js';

const prompt: LanguageModelV2CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
];

beforeEach(() => {
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe('kelivoResponses', () => {
  it('reads the environment on first use, not on import', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'not an address');
    const { kelivoResponses } = await import('../../src/index.js');
    const server = await serveJson(toResponse([message(['Hi'])]));
    vi.stubEnv('OPENAI_BASE_URL', server.url);
    vi.stubEnv('OPENAI_API_KEY', 'sk-env');
    await kelivoResponses('m').doGenerate({ prompt });
    await kelivoResponses.languageModel('m').doGenerate({ prompt });
    await kelivoResponses.responses('m').doGenerate({ prompt });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      Array(3).fill('Bearer sk-env'),
    );
    await kelivoResponses.close();
  });

  it('has all methods of a provider', async () => {
    const { kelivoResponses, createKelivoResponsesProvider } = await import('../../src/index.js');
    expect(Object.keys(kelivoResponses).sort()).toEqual(Object.keys(createKelivoResponsesProvider()).sort());
    expect(kelivoResponses.textEmbeddingModel('e').modelId).toBe('e');
    expect(() => kelivoResponses.imageModel('i')).toThrow(NoSuchModelError);
    expect(await kelivoResponses.tools()).toEqual({});
  });

  it('can be closed before its first use', async () => {
    const { kelivoResponses } = await import('../../src/index.js');
    await expect(kelivoResponses.close()).resolves.toBeUndefined();
  });
});
