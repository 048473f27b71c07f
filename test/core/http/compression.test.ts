import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { startEmulator } from '../../testing/_emulator.js';

const long = 'sunny '.repeat(1000);

async function start(options: Parameters<typeof startEmulator>[0], compression?: { threshold?: number }) {
  const emulator = await startEmulator(options);
  const provider = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'test',
    ...(compression && { compression }),
  });
  const ask = (prompt: string) => generateText({ model: provider('gpt-4o'), prompt, maxRetries: 0 });
  const encodings = () => emulator.requests.map(({ headers }) => headers['content-encoding']);
  const stream = (prompt: string) => streamText({ model: provider('gpt-4o'), prompt, maxRetries: 0 });
  return { emulator, provider, ask, stream, encodings };
}

describe('the compression of requests', () => {
  it('is off by default', async () => {
    const { ask, encodings } = await start({ requestEncodings: ['gzip'] });
    await ask(long);
    expect(encodings()).toEqual([undefined]);
  });

  it('shortens bodies from the threshold on', async () => {
    const { ask, encodings, emulator } = await start({ requestEncodings: ['gzip'] }, { threshold: 1000 });
    await ask('Hello');
    expect((await ask(long)).text).toContain('You said: sunny');
    expect(encodings()).toEqual([undefined, 'gzip']);
    const [, { body, bodyLength } = { body: '', bodyLength: 0 }] = emulator.requests;
    expect(bodyLength).toBeLessThan(JSON.stringify(body).length / 10);
  });

  it('ends for a server that does not accept it, after one request', async () => {
    const { ask, encodings } = await start({}, { threshold: 1000 });
    await ask(long);
    await ask(long);
    expect(encodings()).toEqual(['gzip', undefined, undefined]);
  });

  it.each(['generate', 'stream'])('warns once when the request is sent again (%s)', async mode => {
    const { ask, stream, encodings } = await start({}, { threshold: 1000 });
    const warningsOf = async () => (mode === 'generate' ? (await ask(long)).warnings : stream(long).warnings);
    const message = expect.stringMatching(/sent again without compression.* status 415\./);
    expect(await warningsOf()).toEqual([{ type: 'other', message }]);
    expect(await warningsOf()).toEqual([]);
    expect(encodings()).toEqual(['gzip', undefined, undefined]);
  });

  it('warns in a compaction', async () => {
    const { provider, encodings } = await start({}, { threshold: 1000 });
    const messages = [{ role: 'user' as const, content: long }];
    const { warnings } = await provider.compact('gpt-5', { messages });
    expect(warnings).toEqual([{ type: 'other', message: expect.stringContaining('status 415') }]);
    expect((await provider.compact('gpt-5', { messages })).warnings).toEqual([]);
    expect(encodings()).toEqual(['gzip', undefined, undefined]);
  });

  it('warns in the next call of a model after a call without warnings', async () => {
    const { provider, ask, encodings } = await start({}, { threshold: 1000 });
    await provider.textEmbeddingModel('text-embedding-3-small').doEmbed({ values: [long] });
    const message = expect.stringContaining('status 415');
    expect((await ask('Hello')).warnings).toEqual([{ type: 'other', message }]);
    expect((await ask('Hello')).warnings).toEqual([]);
    expect(encodings()).toEqual(['gzip', undefined, undefined, undefined]);
  });

  it('continues after a rejection that has another cause', async () => {
    const { ask, encodings, emulator } = await start({ requestEncodings: ['gzip'] }, { threshold: 1000 });
    await ask(long);
    emulator.enqueue({ status: 400 });
    await expect(ask(long)).rejects.toMatchObject({ statusCode: 400 });
    await ask(long);
    expect(encodings()).toEqual(['gzip', 'gzip', 'gzip']);
  });
});
