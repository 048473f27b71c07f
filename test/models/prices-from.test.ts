import { calcPrice } from '@pydantic/genai-prices';
import { expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { PRICES, pricesFrom } from '../../src/models/index.js';
import { generateText } from 'ai7';
import { startEmulator } from '../testing/_emulator.js';

const priceOf = pricesFrom(calcPrice);
const provider = 'kelivo-responses';

/** Without the last digits of products of floating-point numbers. */
const rounded = (price: object): unknown =>
  JSON.parse(
    JSON.stringify(price, (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toFixed(9)) : value,
    ),
  );

it('has the prices of the table, for the models that both know', () => {
  const both = Object.entries(PRICES).flatMap(([modelId, price]) => {
    const found = priceOf({ provider, modelId });
    const { tiers: _, ...ours } = price as Exclude<typeof price, string>;
    return typeof found !== 'object' ? [] : [{ modelId, found, ours }];
  });
  expect(both.length).toBeGreaterThan(5);
  for (const { modelId, found, ours } of both)
    expect(rounded({ modelId, ...found })).toEqual(rounded({ modelId, ...ours }));
});

it('knows models of vendors that the table lacks, and no invented one', () => {
  expect(priceOf({ provider, modelId: 'gemini-2.5-pro' })).toMatchObject({ longInput: { above: 200_000 } });
  expect(priceOf({ provider, modelId: 'a-model-of-nobody' })).toBeUndefined();
});

it('takes the prices of one vendor', () => {
  const ofOpenAI = pricesFrom(calcPrice, { providerId: 'openai' });
  expect(ofOpenAI({ provider, modelId: 'gpt-5.4' })).toEqual(priceOf({ provider, modelId: 'gpt-5.4' }));
  expect(ofOpenAI({ provider, modelId: 'claude-opus-4-5' })).toBeUndefined();
});

it.each<[string, Record<string, unknown>]>([
  [
    'two steps',
    {
      input_mtok: {
        base: 1,
        tiers: [
          { start: 10, price: 2 },
          { start: 20, price: 3 },
        ],
      },
      output_mtok: 1,
    },
  ],
  ['no price of the output', { input_mtok: 1 }],
  ['no price of the input', { output_mtok: 1 }],
])('has no price with %s', (_, model_price) => {
  const prices = pricesFrom(() => ({ model_price }) as ReturnType<Parameters<typeof pricesFrom>[0]>);
  expect(prices({ provider, modelId: 'any' })).toBeUndefined();
});

it('computes what the package computes', async () => {
  const emulator = await startEmulator();
  emulator.enqueue([{ text: 'Hi.' }]);
  const kelivo = createKelivoResponsesProvider({
    baseURL: emulator.baseURL,
    apiKey: 'test',
    toolLoop: { prices: priceOf },
  });
  const { usage, providerMetadata } = await generateText({ model: kelivo('gpt-5.4'), prompt: 'Hello.' });
  const theirs = calcPrice(
    { input_tokens: usage.inputTokens ?? NaN, output_tokens: usage.outputTokens ?? NaN },
    'gpt-5.4',
  );
  expect(theirs?.total_price).toBeGreaterThan(0);
  expect(providerMetadata?.kelivo?.cost).toBeCloseTo(theirs?.total_price ?? NaN, 12);
});
