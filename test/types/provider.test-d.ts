// Checked by the compiler, in `npm run typecheck`: the types of the built package.
import type { EmbeddingModelV2, LanguageModelV2, ProviderV2 } from '@ai-sdk/provider';
import type { LanguageModel, ToolSet } from 'ai';
import type {
  LanguageModel as LanguageModelOf6,
  StopCondition as StopConditionOf6,
  ToolSet as ToolSetOf6,
} from 'ai6';
import type {
  LanguageModel as LanguageModelOf7,
  StopCondition as StopConditionOf7,
  ToolSet as ToolSetOf7,
} from 'ai7';
import {
  type AgentSettings,
  createKelivoResponsesProvider,
  KelivoError,
  type KelivoErrorCode,
  kelivoResponses,
  type KelivoResponsesProvider,
  type KelivoResponsesSettings,
  type StepSettings,
  type TimeoutSettings,
} from 'kelivo-responses';
import { expectTypeOf, test } from 'vitest';

const provider = createKelivoResponsesProvider();

test('a provider is an AI SDK provider and callable', () => {
  expectTypeOf(provider).toExtend<ProviderV2>();
  expectTypeOf(provider).toEqualTypeOf<KelivoResponsesProvider>();
  expectTypeOf(kelivoResponses).toEqualTypeOf<KelivoResponsesProvider>();
  expectTypeOf(provider('gpt-5')).toEqualTypeOf<LanguageModelV2>();
  expectTypeOf(provider.textEmbeddingModel('text-embedding-3-small')).toExtend<EmbeddingModelV2<string>>();
});

test('models are accepted by all major versions of `ai`', () => {
  expectTypeOf(provider('gpt-5')).toExtend<LanguageModel>();
  expectTypeOf(provider('gpt-5')).toExtend<LanguageModelOf6>();
  expectTypeOf(provider('gpt-5')).toExtend<LanguageModelOf7>();
});

test('tool stubs are accepted by all major versions of `ai`', () => {
  expectTypeOf(provider.tools()).resolves.toExtend<ToolSet>();
  expectTypeOf(provider.tools()).resolves.toExtend<ToolSetOf6>();
  expectTypeOf(provider.tools()).resolves.toExtend<ToolSetOf7>();
});

test('MCP tools are accepted by all major versions of `ai`', () => {
  expectTypeOf(provider.tools({ runBy: 'host' })).resolves.toExtend<ToolSet>();
  expectTypeOf(provider.tools({ runBy: 'host' })).resolves.toExtend<ToolSetOf6>();
  expectTypeOf(provider.tools({ runBy: 'host' })).resolves.toExtend<ToolSetOf7>();
});

test('rejects unknown and wrong settings', () => {
  expectTypeOf<{ baseUrl: string }>().not.toExtend<KelivoResponsesSettings>();
  // @ts-expect-error A misspelt setting.
  createKelivoResponsesProvider({ baseUrl: 'https://api.openai.com/v1' });
  // @ts-expect-error An unknown value.
  createKelivoResponsesProvider({ systemMessageMode: 'user' });
  // @ts-expect-error `tools` is a setting of the provider, not of the tool loop.
  createKelivoResponsesProvider({ toolLoop: { tools: [] } });
  // @ts-expect-error A misspelt nested setting.
  createKelivoResponsesProvider({ timeouts: { totl: 1000 } });
  // @ts-expect-error A misspelt setting of the tool loop.
  createKelivoResponsesProvider({ toolLoop: { maxRoundz: 3 } });
  expectTypeOf<KelivoResponsesSettings['timeouts']>().toEqualTypeOf<TimeoutSettings | undefined>();
  expectTypeOf<KelivoResponsesSettings['api']>().toEqualTypeOf<
    'openai' | 'azure' | 'google' | 'open-responses' | undefined
  >();
  expectTypeOf<KelivoResponsesSettings['apiKey']>().extract<readonly string[]>().not.toBeNever();
  expectTypeOf<KelivoResponsesSettings['compatibility']>().extract<'vllm'>().toEqualTypeOf<'vllm'>();
});

test('an error has a literal code', () => {
  const error: unknown = undefined;
  if (KelivoError.isInstance(error)) {
    expectTypeOf(error).toEqualTypeOf<KelivoError>();
    expectTypeOf(error.code).toEqualTypeOf<KelivoErrorCode>();
    // @ts-expect-error No such code.
    expectTypeOf(error.code === 'mcp-unknown').toBeBoolean();
  }
});

test('settings for the loop of a host are accepted by `ai` 6 and 7', () => {
  expectTypeOf<AgentSettings['tools']>().toExtend<ToolSetOf6>();
  expectTypeOf<AgentSettings['tools']>().toExtend<ToolSetOf7>();
  expectTypeOf<StepSettings['tools']>().toExtend<ToolSetOf6>();
  expectTypeOf<StepSettings['tools']>().toExtend<ToolSetOf7>();
  expectTypeOf<AgentSettings['stopWhen'] | StepSettings['stopWhen']>().toExtend<
    StopConditionOf6<ToolSetOf6>
  >();
  expectTypeOf<AgentSettings['stopWhen'] | StepSettings['stopWhen']>().toExtend<
    StopConditionOf7<ToolSetOf7>
  >();
});
