import { generateObject, streamObject } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inputOf, useProviderWithMcp } from './_provider.js';

const host = useProviderWithMcp();
const schema = z.object({
  city: z.string(),
  days: z.number().int(),
  stops: z.array(z.object({ name: z.string() })),
});
const prompt = 'Plan 3 nights: "Rome"';
const object = { city: 'Rome', days: 3, stops: [{ name: expect.any(String) }] };

describe('generateObject', () => {
  it('returns an object that matches its schema', async () => {
    const result = await generateObject({ model: host.model(), schema, prompt });
    expect(result.object).toEqual(object);
    expect(host.requests[0]?.body).toMatchObject({ text: { format: { type: 'json_schema' } } });
  });

  it('returns the object after a tool has run', async () => {
    host.enqueue([{ call: 'get-sum', arguments: { a: 1, b: 2 } }]);
    const result = await generateObject({ model: host.model(), schema, prompt });
    expect(result.object).toEqual(object);
    expect(inputOf(host.requests[1]).at(-1)).toMatchObject({ output: 'The sum of 1 and 2 is 3.' });
    expect(host.requests[1]?.body).toMatchObject({ text: { format: { type: 'json_schema' } } });
  });
});

describe('streamObject', () => {
  it('streams an object that matches its schema after a tool has run', async () => {
    host.enqueue([{ call: 'get-sum', arguments: { a: 1, b: 2 } }]);
    const errors: unknown[] = [];
    const result = streamObject({
      model: host.model(),
      schema,
      prompt,
      onError: error => void errors.push(error),
    });
    const partial: unknown[] = [];
    for await (const state of result.partialObjectStream) partial.push(state);
    expect(partial.length).toBeGreaterThan(1);
    expect(await result.object).toEqual(object);
    expect(errors).toEqual([]);
    expect(host.requests).toHaveLength(2);
  });
});
