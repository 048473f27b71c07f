// Checked by the compiler, in `npm run typecheck`: the input of a local tool is inferred from its schema.
import { generateText, jsonSchema, tool } from 'ai';
import { jsonSchema as jsonSchemaOf6, tool as toolOf6, type ToolSet as ToolSetOf6 } from 'ai6';
import { jsonSchema as jsonSchemaOf7, tool as toolOf7, type ToolSet as ToolSetOf7 } from 'ai7';
import { createKelivoResponsesProvider, type LocalTool, type LocalTools } from 'kelivo-responses';
import { runInProvider } from 'kelivo-responses/tool-loop';
import { createKelivoResponsesProvider as createProviderV3 } from 'kelivo-responses/v3';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import * as mini from 'zod/v4-mini';
import { createLocalTools } from '../../src/tools/local-tools.js';

type City = { city: string };
const inputSchema = z.object({ city: z.string() });

test('infers the input from every kind of schema', () => {
  createLocalTools({
    zod4: {
      inputSchema,
      execute: async (input, { toolCallId, abortSignal }) => {
        expectTypeOf(input).toEqualTypeOf<City>();
        expectTypeOf(toolCallId).toBeString();
        expectTypeOf(abortSignal).toEqualTypeOf<AbortSignal | undefined>();
      },
    },
    zodMini: {
      inputSchema: mini.object({ city: mini.string() }),
      execute: input => expectTypeOf(input).toEqualTypeOf<City>(),
    },
    zod3: {
      inputSchema: z3.object({ city: z3.string() }),
      execute: input => expectTypeOf(input).toEqualTypeOf<City>(),
    },
    jsonSchema: {
      inputSchema: jsonSchema<City>({}),
      execute: input => expectTypeOf(input).toEqualTypeOf<City>(),
    },
    jsonSchemaOf6: {
      inputSchema: jsonSchemaOf6<City>({}),
      execute: input => expectTypeOf(input).toEqualTypeOf<City>(),
    },
    jsonSchemaOf7: {
      inputSchema: jsonSchemaOf7<City>({}),
      execute: input => expectTypeOf(input).toEqualTypeOf<City>(),
    },
    lazy: {
      inputSchema: () => jsonSchema<City>({}),
      execute: input => expectTypeOf(input).toEqualTypeOf<City>(),
    },
    transformed: {
      inputSchema: z.object({ count: z.string().transform(Number) }),
      needsApproval: ({ count }) => count > 3,
      execute: input => expectTypeOf(input).toEqualTypeOf<{ count: number }>(),
    },
  });
});

test('infers the input in the settings of a provider and of the V3 provider', () => {
  const tools = {};
  createKelivoResponsesProvider({ store: false, tools });
  createKelivoResponsesProvider({
    tools: { weather: { inputSchema, execute: async ({ city }) => expectTypeOf(city).toBeString() } },
  });
  createProviderV3({
    tools: { weather: { inputSchema, execute: async ({ city }) => expectTypeOf(city).toBeString() } },
  });
});

test('accepts tools of all major versions of `ai` together, including tools with additional properties', () => {
  const execute = async ({ city }: City) => `Sunny in ${city}`;
  createLocalTools({
    of5: tool({ inputSchema, execute }),
    of6: toolOf6({ inputSchema, execute }),
    of7: toolOf7({ inputSchema, execute }),
    marked: { ...tool({ inputSchema, execute }), readOnly: true },
  });
  expectTypeOf<Record<string, LocalTool>>().toExtend<LocalTools>();
});

test('`runInProvider` infers the input and returns typed declarations', async () => {
  const weather = { inputSchema, execute: async ({ city }: City) => `Sunny in ${city}` };
  const run = runInProvider({
    weather,
    time: { inputSchema: z.object({ zone: z.string() }), execute: ({ zone }) => zone.toUpperCase() },
  });
  expectTypeOf<keyof typeof run.tools>().toEqualTypeOf<'weather' | 'time'>();
  expectTypeOf(run.tools).toExtend<ToolSetOf6>();
  expectTypeOf(run.tools).toExtend<ToolSetOf7>();

  const model = createKelivoResponsesProvider()('gpt-5');
  const { toolCalls } = await generateText({ model, prompt: 'Hi', ...run });
  for (const call of toolCalls) {
    if (!call.dynamic && call.toolName === 'weather') expectTypeOf(call.input).toEqualTypeOf<City>();
  }
});

test('rejects a tool that does not match its schema', () => {
  // @ts-expect-error The schema has no such key.
  createLocalTools({ weather: { inputSchema, execute: async ({ town }) => town } });
  // @ts-expect-error The schema gives a string.
  createLocalTools({ weather: { inputSchema, execute: async ({ city }: { city: number }) => city } });
  // @ts-expect-error The schema is missing.
  createLocalTools({ weather: { execute: async () => 'Sunny' } });
  // @ts-expect-error The schema has no such key.
  createKelivoResponsesProvider({ tools: { weather: { inputSchema, execute: ({ town }) => town } } });
  // @ts-expect-error The schema has no such key.
  runInProvider({ weather: { inputSchema, execute: async ({ town }: { town: string }) => town } });
});
