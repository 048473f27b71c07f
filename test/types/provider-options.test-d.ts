// Checked by the compiler, in `npm run typecheck`: the options and the metadata of a call.
import { generateText } from 'ai';
import {
  createKelivoResponsesProvider,
  type KelivoOpenAIMetadata,
  type KelivoProviderMetadata,
  type KelivoProviderOptions,
  type KelivoRoundMetadata,
} from 'kelivo-responses';
import { expectTypeOf, test } from 'vitest';

const model = createKelivoResponsesProvider()('gpt-5');
const prompt = 'Hi';

test('options work with `satisfies` and in `generateText`', () => {
  const kelivo = {
    reasoningEffort: 'low',
    textVerbosity: 'high',
    maxToolCalls: 3,
    turnId: 'turn-1',
    user: null,
  } satisfies KelivoProviderOptions;
  expectTypeOf(generateText).toBeCallableWith({ model, prompt, providerOptions: { kelivo } });
});

test('rejects unknown options and wrong values', () => {
  expectTypeOf<{ textVerbosity: 7 }>().not.toExtend<KelivoProviderOptions>();
  expectTypeOf<{ turnId: 7 }>().not.toExtend<KelivoProviderOptions>();
  // @ts-expect-error A misspelt option.
  ({ reasoningEfort: 'low' }) satisfies KelivoProviderOptions;
});

test('metadata is typed', async () => {
  const result = await generateText({ model, prompt });
  const kelivo = result.providerMetadata?.kelivo as KelivoProviderMetadata | undefined;
  const openai = result.providerMetadata?.openai as KelivoOpenAIMetadata | undefined;
  expectTypeOf(kelivo?.rounds).toEqualTypeOf<readonly KelivoRoundMetadata[] | undefined>();
  expectTypeOf(kelivo?.incompleteReason).toEqualTypeOf<string | undefined>();
  expectTypeOf(openai?.responseId).toEqualTypeOf<string | null | undefined>();
  expectTypeOf(openai?.itemId).toEqualTypeOf<string | undefined>();
});
