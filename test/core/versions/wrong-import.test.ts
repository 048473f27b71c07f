import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createSwitchableProvider } from '../../../src/host/index.js';
import * as main from '../../../src/index.js';
import * as v3 from '../../../src/v3.js';
import * as v4 from '../../../src/v4.js';
import { type AiSdk, asModel, majors, type Version } from './_majors.js';
import { type Json, startWireServer, type WireServer } from './_wires.js';

const entries = { v2: main, v3, v4 } as const;
type Mode = 'generate' | 'stream';

let server: WireServer;
/** What the host prints. */
let printed: string[];

beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.close());
beforeEach(() => {
  printed = [];
  Object.assign(globalThis, {
    AI_SDK_LOG_WARNINGS: ({ warnings }: { warnings: object[] }) =>
      void printed.push(...warnings.map(warning => JSON.stringify(warning))),
  });
  server.reset();
  server.answer(({ body }) =>
    JSON.stringify(body.input).includes('function_call_output')
      ? { text: 'It is clear.' }
      : { calls: [{ tool: 'weather', input: { city: 'Oslo' }, id: 'call_1', itemId: 'fc_1' }] },
  );
});
afterEach(() => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
});

const weather = {
  description: 'Reads the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { city: string }) => ({ city, sky: 'clear' }),
};

interface Seen {
  readonly text: string;
  readonly finishReason: string;
  readonly parts: string[];
  readonly inputs: unknown[];
  readonly tokens: unknown;
  readonly warnings: string[];
}

/** Returns what the application sees of a turn. */
async function see(sdk: AiSdk, mode: Mode, model: unknown): Promise<Seen> {
  const options = { model: asModel(model), prompt: 'Weather in Oslo?', maxRetries: 0 };
  const result =
    mode === 'generate' ? await sdk.generateText(options) : sdk.streamText({ ...options, onError() {} });
  const steps = await result.steps;
  const content = steps.flatMap(step => step.content as unknown as Json[]);
  const tools = content.filter(({ type }) => String(type).startsWith('tool-'));
  return {
    text: await result.text,
    finishReason: await result.finishReason,
    parts: tools.map(
      ({ type, toolCallId, dynamic }) => `${String(type)} ${String(toolCallId)} ${String(dynamic)}`,
    ),
    inputs: tools.map(({ input }) => input),
    tokens: (await result.totalUsage).totalTokens,
    warnings: ((await result.warnings) ?? []).map(warning => JSON.stringify(warning)),
  };
}

const complete = {
  text: 'It is clear.',
  finishReason: 'stop',
  parts: ['tool-call call_1 true', 'tool-result call_1 true'],
  inputs: [{ city: 'Oslo' }, { city: 'Oslo' }],
  tokens: 30,
};
/** `ai` 5 fails on calls of tools that it was not told of. */
const resultOnly = { ...complete, parts: ['tool-result call_1 undefined'], inputs: [undefined] };
const hidden = { ...complete, parts: [], inputs: [] };
const rejected = 'rejected';

/** What each major shows of a turn with one call, by the version of the model. */
const table: Readonly<Record<5 | 6 | 7, Readonly<Record<Version, Readonly<Record<Mode, object | string>>>>>> =
  {
    5: {
      v2: { generate: hidden, stream: resultOnly },
      v3: { generate: rejected, stream: rejected },
      v4: { generate: rejected, stream: rejected },
    },
    6: {
      // The call options of `streamText` do not show that the host is not `ai` 5.
      v2: { generate: complete, stream: resultOnly },
      v3: { generate: complete, stream: complete },
      v4: { generate: rejected, stream: rejected },
    },
    7: {
      v2: { generate: complete, stream: complete },
      v3: { generate: complete, stream: complete },
      v4: { generate: complete, stream: complete },
    },
  };

const rows = majors.flatMap(major =>
  (['v2', 'v3', 'v4'] as const).flatMap(version =>
    (['generate', 'stream'] as const).map(mode => ({ ...major, version, own: major.version, mode })),
  ),
);

describe.each(rows)('a model of version $version in ai $ai, $mode', ({ ai, sdk, version, own, mode }) => {
  // `ai` 7 supports models of version 3, and `streamText` of `ai` 6 does not identify itself.
  const isNamed = version === 'v2' && (ai === 7 || (ai === 6 && mode === 'generate'));

  it('shows its calls and results, or is rejected by the host', async () => {
    const provider = entries[version].createKelivoResponsesProvider({
      ...server.connection,
      tools: { weather },
    });
    const expected = table[ai][version][mode];
    const seen = await see(sdk, mode, provider('gpt-5')).catch((error: unknown) => String(error));
    if (typeof expected === 'string') return expect(seen).toMatch(/version|specification/i);
    expect(seen).toMatchObject(expected);
    expect(server.requests).toHaveLength(2);
    await provider.close();
  });

  it('names the import that is meant once', async () => {
    if (table[ai][version][mode] === rejected) return;
    const provider = entries[version].createKelivoResponsesProvider({
      ...server.connection,
      tools: { weather },
    });
    const first = await see(sdk, mode, provider('gpt-5'));
    const second = await see(sdk, mode, provider('gpt-5-mini'));
    const notice = expect.stringMatching(
      new RegExp(
        `Expected a model of version ${own} in \`ai@${ai}\`.*kelivo-responses/${own}.*specificationVersion`,
      ),
    );
    expect(first.warnings).toEqual(isNamed ? [notice] : []);
    expect(second.warnings).toEqual([]);
    await provider.close();
  });
});

describe.each(majors)('ai $ai', ({ sdk, version }) => {
  it.each(['v2', 'v3', 'v4'] as const)('accepts models of its version from the entry of %s', async entry => {
    const provider = entries[entry].createKelivoResponsesProvider({
      ...{ ...server.connection, tools: { weather } },
      specificationVersion: version,
    });
    const model = provider('gpt-5');
    expect(model.specificationVersion).toBe(version);
    for (const mode of ['generate', 'stream'] as const) {
      const { warnings, ...seen } = await see(sdk, mode, model);
      expect(seen).toMatchObject(
        table[version === 'v2' ? 5 : version === 'v3' ? 6 : 7][version][mode] as object,
      );
      expect([...warnings, ...printed]).toEqual([]);
    }
    await provider.close();
  });
});

it('a conversation of wrong imports keeps each call with its output', async () => {
  const [, six, seven] = majors;
  const provider = main.createKelivoResponsesProvider({ ...server.connection, tools: { weather } });
  for (const { sdk } of [six, seven].filter(major => major !== undefined)) {
    server.reset();
    const options = { model: asModel(provider('gpt-5')), maxRetries: 0 };
    const prompt = { role: 'user' as const, content: 'Weather in Oslo?' };
    const { response } = await sdk.generateText({ ...options, messages: [prompt] });
    await sdk.generateText({ ...options, messages: [prompt, ...response.messages, prompt] });
    const input = server.requests.at(-1)?.body.input as Json[];
    expect(input.filter(({ call_id }) => call_id === 'call_1').map(({ type }) => type)).toEqual([
      'function_call',
      'function_call_output',
    ]);
  }
  await provider.close();
});

it('`ai` 7 uploads with the providers of all entries', () => {
  for (const entry of Object.values(entries)) {
    const provider = entry.createKelivoResponsesProvider(server.connection);
    expect(provider.files?.().specificationVersion).toBe('v4');
    expect(provider.skills?.().specificationVersion).toBe('v4');
  }
});

it('rejects an unknown version in all constructors', () => {
  const specificationVersion = 'v9' as 'v2';
  const message = /Expected `specificationVersion` of the provider to be v2, v3, v4, got "v9"/;
  for (const entry of Object.values(entries))
    expect(() => entry.createKelivoResponsesProvider({ specificationVersion })).toThrow(message);
  expect(() => createSwitchableProvider({ kelivo: {}, specificationVersion })).toThrow(
    /specificationVersion/,
  );
});
