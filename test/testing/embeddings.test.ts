import { describe, expect, it } from 'vitest';
import { post, startEmulator } from './_emulator.js';

const path = '/embeddings';
const model = 'text-embedding-3-small';

async function embed(body: Record<string, unknown>): Promise<number[][]> {
  const emulator = await startEmulator();
  const { json } = await post(emulator, { path, body: { model, ...body } });
  return (json.data as { embedding: number[] }[]).map(({ embedding }) => embedding);
}

const dot = (a: number[] = [], b: number[] = []) =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe('embeddings', () => {
  it('are unit vectors and equal for equal texts', async () => {
    const [first, second] = [await embed({ input: 'a red fox' }), await embed({ input: ['a red fox'] })];
    expect(first).toEqual(second);
    expect(first[0]).toHaveLength(1536);
    expect(dot(first[0], first[0])).toBeCloseTo(1, 10);
  });

  it('are similar for texts that share words', async () => {
    const [fox, hound, sea] = await embed({ input: ['the red fox', 'the red hound', 'deep blue sea'] });
    expect(dot(fox, hound)).toBeGreaterThan(dot(fox, sea) + 0.3);
  });

  it('differ from model to model', async () => {
    const [small] = await embed({ input: 'fox', dimensions: 64 });
    const [large] = await embed({ input: 'fox', dimensions: 64, model: 'text-embedding-3-large' });
    expect(small).toHaveLength(64);
    expect(Math.abs(dot(small, large))).toBeLessThan(0.7);
  });

  it('are encoded as base64 on request', async () => {
    const [floats] = await embed({ input: 'fox', dimensions: 8 });
    const [encoded] = await embed({ input: 'fox', dimensions: 8, encoding_format: 'base64' });
    const bytes = Buffer.from(String(encoded), 'base64');
    expect(bytes.length).toBe(32);
    expect(bytes.readFloatLE(0)).toBeCloseTo(floats?.[0] ?? Number.NaN, 6);
  });

  it('are counted in tokens', async () => {
    const emulator = await startEmulator();
    const { json } = await post(emulator, { path, body: { model, input: ['12345678', '1234'] } });
    expect(json.usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
  });

  it.each([
    ['a missing model', { model: undefined, input: 'fox' }, "Missing required parameter: 'model'."],
    ['a missing input', {}, "Missing required parameter: 'input'."],
    ['an empty text', { input: [''] }, expect.stringContaining("'$.input' is invalid")],
    ['too many dimensions', { input: 'fox', dimensions: 4000 }, expect.stringContaining('from 1 to 1536')],
    ['an unknown encoding', { input: 'fox', encoding_format: 'hex' }, expect.stringContaining("'hex'")],
  ])('are rejected for %s', async (_, body, message) => {
    const emulator = await startEmulator();
    const { status, json } = await post(emulator, { path, body: { model, ...body } });
    expect({ status, message: (json.error as { message: string }).message }).toEqual({
      status: 400,
      message,
    });
  });

  it('fail as scripted, and report a script that is meant for a response', async () => {
    const emulator = await startEmulator();
    emulator.enqueue({ status: 429 }, [{ text: 'Hi' }]);
    expect((await post(emulator, { path, body: { model, input: 'fox' } })).status).toBe(429);
    const { status, text } = await post(emulator, { path, body: { model, input: 'fox' } });
    expect(status).toBe(500);
    expect(text).toContain('Expected a scripted response with a status for POST /embeddings');
  });
});
