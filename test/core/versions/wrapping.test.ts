import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { KelivoError } from '../../../src/index.js';
import { joinMiddlewares, qwenMiddleware } from '../../../src/adapters/index.js';
import { withToolLoop } from '../../../src/tool-loop/index.js';
import { createTelemetry } from '../../../src/telemetry/index.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { combine, eachOf, everyValue } from '../../_products.js';
import { createExits, type ExitName, startMcpTools } from './_exits.js';
import { type AnyModel, asModel, type Major, majors, type Version } from './_majors.js';
import { partsOf, ScriptedModel, type ScriptedRound, toFinishReason, toUsage } from './_scripted-models.js';
import { run } from './_walk.js';
import { type AnsweredCall, type Json, startWireServer, type WireServer } from './_wires.js';
import { createCountedTools, type Wrapper, wrappers } from './_wrappers.js';

const modes = ['generate', 'stream'] as const;

let server: WireServer;
const mcp = startMcpTools();
/** Everything that the hosts warned of. */
let warnings: string[];

beforeAll(async () => {
  server = await startWireServer();
});

afterAll(async () => {
  await mcp.close();
  await server.close();
});

beforeEach(() => {
  warnings = [];
  const log = (warning: unknown) => void warnings.push(JSON.stringify(warning));
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: log });
});

afterEach(() => {
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
});

const compatibilityWarnings = () => warnings.filter(text => /compatib|specificationVersion/.test(text));

/** Models of the official packages over HTTP. */
const natives: Readonly<Record<string, (major: Major) => AnyModel>> = {
  '@ai-sdk/openai-compatible': major => major.compatible(server.connection)('some-model'),
  '@ai-sdk/openai chat': major => major.openai(server.connection).chat('gpt-4.1'),
  '@ai-sdk/openai responses': major => major.openai(server.connection).responses('gpt-5'),
  '@ai-sdk/google': major =>
    major.google({ baseURL: `${server.url}/v1beta`, apiKey: 'sk-test' })('gemini-2.5-flash'),
};

const callOf = (tool: string, input: Json, id = 'call_1'): AnsweredCall => ({
  ...{ tool, input, id, itemId: `fc_${id}` },
});

/** Doubles the counts of a usage. */
const twice = (usage: unknown): unknown => {
  if (typeof usage === 'number') return 2 * usage;
  if (typeof usage !== 'object' || usage === null) return usage;
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]) => (name === 'raw' ? [] : [[name, twice(value)]])),
  );
};

/** The usage of one round of a model of another package without a wrapper. */
const bareUsages = new Map<string, ReturnType<typeof usageOfBare>>();

async function usageOfBare(major: Major, native: string, mode: (typeof modes)[number]) {
  server.answer(() => ({ text: 'It is 42.' }));
  const model = asModel(natives[native]?.(major));
  return (await run(major.sdk, mode, { model, prompt: 'Add 20 and 22.' })).usage;
}

it.each(combine({ major: majors, native: Object.keys(natives), wrapper: wrappers, mode: modes }))(
  'ai $major.ai: a model of $native in $wrapper.name has its own version, and reports finish reason and usage of both rounds without a warning ($mode)',
  async ({ major, native, wrapper, mode }) => {
    const { tools, add } = createCountedTools();
    const model = natives[native]?.(major) as AnyModel;
    const wrapped = wrapper.wrap(model, major, tools);
    expect(wrapped.specificationVersion).toBe(major.version);
    expect(wrapped).toMatchObject({ modelId: model.modelId, provider: model.provider });
    const script = [{ calls: [callOf('add', { a: 20, b: 22 })] }, { text: 'It is 42.' }];
    server.answer(() => script.shift() ?? { status: 400 });
    const { text, finishReason, usage } = await run(major.sdk, mode, {
      model: asModel(wrapped),
      ...{ prompt: 'Add 20 and 22.', maxRetries: 0, stopWhen: major.sdk.stepCountIs(3) },
      ...(!wrapper.hasLoop && { tools: { add: major.sdk.tool(add) } }),
    });
    expect({ text, finishReason }).toEqual({ text: 'It is 42.', finishReason: 'stop' });
    const name = `${major.ai} ${native} ${mode}`;
    const bare = bareUsages.get(name) ?? usageOfBare(major, native, mode);
    bareUsages.set(name, bare);
    const { raw: _, ...counts } = usage;
    expect(counts).toEqual(twice(await bare));
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: expect.any(Number) });
    expect(compatibilityWarnings()).toEqual([]);
  },
);

const exits: readonly ExitName[] = [
  ...(['provider', 'switch-on', 'switch-off', 'registry-own', 'registry-official'] as const),
  ...(['registry-chat', 'registry-gemini', 'converted-provider', 'converted-chat'] as const),
];
const ownWrappers = ['withToolLoop', 'toolLoopMiddleware', 'adaptModel', 'wrapLanguageModel(loop, qwen)'];

it.each(everyValue(combine({ major: majors, exit: exits, name: ownWrappers })))(
  'ai $major.ai: a model of this package ($exit) in $name keeps its version and runs each call once without a warning',
  async ({ major, exit, name }) => {
    const wrapper = wrappers.find(one => one.name === name);
    const models = createExits(major, { server, mcp });
    const counted = createCountedTools();
    for (const mode of modes) {
      const model = models.model(exit);
      const wrapped = wrapper?.wrap(model, major, counted.tools);
      expect(wrapped?.specificationVersion).toBe(major.version);
      const script = [{ calls: [callOf('add', { a: 20, b: 22 })] }, { text: 'It is 42.' }];
      server.answer(() => script.shift() ?? { status: 400 });
      const { text, finishReason, usage } = await run(major.sdk, mode, {
        model: asModel(wrapped),
        ...{ prompt: 'Add 20 and 22.', maxRetries: 0, stopWhen: major.sdk.stepCountIs(3) },
        ...(wrapper?.hasLoop === false && { tools: { add: major.sdk.tool(counted.add) } }),
      });
      expect({ text, finishReason }).toEqual({ text: 'It is 42.', finishReason: 'stop' });
      // `@ai-sdk/google` 2 does not count reasoning as output.
      const outputTokens = exit === 'registry-gemini' && major.ai === 5 ? 6 : 10;
      expect(usage).toMatchObject({ inputTokens: 20, outputTokens, totalTokens: 30 });
    }
    expect(counted.runs).toBe(2);
    expect(compatibilityWarnings()).toEqual([]);
    await models.close();
  },
);

const reading = wrappers.filter(({ readsText }) => readsText);
it.each(combine({ major: majors, wrapper: reading, mode: modes }))(
  'ai $major.ai: a call as text in $wrapper.name runs once ($mode)',
  async ({ major, wrapper, mode }) => {
    const counted = createCountedTools();
    const call = '<tool_call>\n{"name": "add", "arguments": {"a": 20, "b": 22}}\n</tool_call>';
    const model = new ScriptedModel(major.version, [{ text: call }, { text: 'It is 42.' }]);
    const { text, finishReason } = await run(major.sdk, mode, {
      model: asModel(wrapper.wrap(model, major, counted.tools)),
      ...{ prompt: 'Add.', maxRetries: 0, stopWhen: major.sdk.stepCountIs(3) },
      ...(!wrapper.hasLoop && { tools: { add: major.sdk.tool(counted.add) } }),
    });
    expect({ text, finishReason, runs: counted.runs }).toEqual({
      ...{ text: 'It is 42.', finishReason: 'stop', runs: 1 },
    });
  },
);

// Without a host: every result and every part has the shape of the version.

const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
const addTool = {
  ...{ type: 'function', name: 'add', inputSchema: { type: 'object', properties: {} } },
};
const addCall = { id: 'call_1', tool: 'add', input: '{"a":20,"b":22}' };

/** Wrappers that work without a host, by the version of the model. */
const versions = (['v2', 'v3', 'v4'] as const).map((version, index) => {
  const major = majors[index];
  if (major?.version !== version) throw new Error(`There is no major of ai for ${version}.`);
  return { version, major };
});

/** Calls a model in either mode and returns the end of its response. */
async function endOf(model: AnyModel, mode: (typeof modes)[number], options: Json = {}): Promise<Json> {
  const all = { prompt, ...options };
  if (mode === 'generate') return (await model.doGenerate(all as never)) as Json;
  const finish = (await partsOf(model, all)).filter(({ type }) => type === 'finish');
  expect(finish).toHaveLength(1);
  return finish[0] ?? {};
}

const rounds: readonly ScriptedRound[] = [
  { calls: [addCall], tokens: { input: 10, cacheRead: 3, cacheWrite: 1, output: 5, reasoning: 2 } },
  {
    ...{ text: 'It is 42.', raw: 'end_turn' },
    tokens: { input: 20, cacheRead: 6, cacheWrite: 2, output: 7, reasoning: 3 },
  },
];

/** Usage without the server's own object, whose content is up to the wrapper. */
const countsOf = ({ raw: _, ...counts }: Json): Json => counts;

describe('a model with a loop', () => {
  const each = eachOf({ of: versions, wrapper: wrappers.filter(({ hasLoop }) => hasLoop), mode: modes });

  each(
    'of version $of.version in $wrapper.name reports the sum of the usage and the last finish reason ($mode)',
    async ({ of: { version, major }, wrapper, mode }) => {
      const { tools } = createCountedTools();
      const model = wrapper.wrap(new ScriptedModel(version, rounds), major, tools);
      const { finishReason, usage } = await endOf(model, mode);
      // `wrapLanguageModel` keeps the model's version, too.
      expect(finishReason).toEqual(toFinishReason(version, 'stop', 'end_turn'));
      const sum = { input: 30, cacheRead: 9, cacheWrite: 3, output: 12, reasoning: 5 };
      expect(countsOf(usage as Json)).toEqual(countsOf(toUsage(version, sum)));
    },
  );

  each(
    'of version $of.version in $wrapper.name adds a round without usage and one without details ($mode)',
    async ({ of: { version, major }, wrapper, mode }) => {
      const { tools } = createCountedTools();
      const model = wrapper.wrap(
        new ScriptedModel(version, [
          { calls: [addCall] },
          { calls: [{ ...addCall, id: 'call_2' }], tokens: { input: 10, output: 5 } },
          { text: 'It is 42.', tokens: { input: 20, cacheRead: 6, output: 7, reasoning: 3 } },
        ]),
        ...([major, tools] as const),
      );
      const { usage } = await endOf(model, mode);
      const numbers = flatten(usage);
      expect(numbers.filter(value => value !== undefined && typeof value !== 'number')).toEqual([]);
      expect(numbers.some(value => Number.isNaN(value))).toBe(false);
      const totals =
        version === 'v2'
          ? { inputTokens: 30, outputTokens: 12, totalTokens: 42, cachedInputTokens: 6, reasoningTokens: 3 }
          : { inputTokens: { total: 30, cacheRead: 6 }, outputTokens: { total: 12, reasoning: 3 } };
      expect(usage).toMatchObject(totals);
    },
  );
});

describe('a wrapped model', () => {
  const each = eachOf({ of: versions, wrapper: wrappers, mode: modes });

  each(
    'of version $of.version in $wrapper.name keeps the shape of its results ($mode)',
    async ({ of: { version, major }, wrapper, mode }) => {
      const script = [{ text: 'Hi.', raw: 'end_turn', tokens: { input: 10, output: 5, reasoning: 2 } }];
      const wrapped = wrapper.wrap(new ScriptedModel(version, script), major, []);
      const bare = await endOf(new ScriptedModel(version, script), mode);
      const { finishReason, usage, content } = await endOf(wrapped, mode);
      expect(finishReason).toEqual(bare.finishReason);
      expect(countsOf(usage as Json)).toEqual(countsOf(bare.usage as Json));
      if (mode === 'generate') expect(content).toMatchObject(bare.content as Json[]);
    },
  );

  each(
    'of version $of.version in $wrapper.name keeps a finish reason',
    async ({ of: { version, major }, wrapper }) => {
      for (const finish of ['length', 'content-filter', 'error', 'other'] as const)
        for (const mode of modes) {
          const script = [{ text: 'Hi', finish, raw: 'own' }];
          const model = wrapper.wrap(new ScriptedModel(version, script), major, []);
          const { finishReason } = await endOf(model, mode);
          expect(finishReason).toEqual(toFinishReason(version, finish, 'own'));
        }
    },
  );

  each(
    'of version $of.version in $wrapper.name has the URLs that the model supports, as a promise or not',
    async ({ of: { version, major }, wrapper }) => {
      const model = new ScriptedModel(version, []);
      const wrapped = wrapper.wrap(model, major, []);
      expect(await wrapped.supportedUrls).toEqual({ 'image/*': [/^https:/] });
    },
  );

  each(
    'of version $of.version in $wrapper.name keeps the request and the headers of the response ($mode)',
    async ({ of: { version, major }, wrapper, mode }) => {
      const model = wrapper.wrap(new ScriptedModel(version, [{ text: 'Hi.' }]), major, []);
      const call = mode === 'generate' ? model.doGenerate : model.doStream;
      const result = await call.call(model, { prompt } as never);
      expect(result).toMatchObject({
        request: { body: { round: 1 } },
        response: { headers: { 'x-round': '1' } },
      });
    },
  );
});

describe.each(versions)('a model of version $version', ({ version, major }) => {
  const unknown = ['v1', 'v9'] as const;
  // `wrapLanguageModel` of ai 7 presents a model of an unknown version as one of version 4.
  const informed = wrappers.filter(({ isWithinHost }) => major.ai !== 7 || !isWithinHost);
  it.each(
    everyValue(
      unknown.flatMap(claimed => informed.map(wrapper => ({ claimed, wrapper, name: wrapper.name }))),
    ),
  )(
    'that claims to have version $claimed is rejected by $name before it is called',
    async ({ claimed, wrapper }) => {
      const model = new ScriptedModel(version, [{ text: 'Hi.' }, { text: 'Hi.' }], claimed);
      for (const mode of modes) {
        const error: unknown = await (async () => endOf(wrapper.wrap(model, major, []), mode))().catch(
          (reason: unknown) => reason,
        );
        expect(KelivoError.isInstance(error), String(error)).toBe(true);
        expect(error).toMatchObject({
          code: expect.stringMatching(/./),
          message: expect.stringContaining(claimed),
        });
      }
      expect(model.requests).toEqual([]);
    },
  );

  it.each([
    ['toolLoopMiddleware', withToolLoop.middleware({ tools: [] })],
    ['qwenMiddleware', qwenMiddleware()],
    ['joinMiddlewares', joinMiddlewares(qwenMiddleware(), withToolLoop.middleware({ tools: [] }) as never)],
  ])('is understood by %s when the middleware is called without wrapLanguageModel', async (_, middleware) => {
    const model = new ScriptedModel(version, [{ text: 'Hi.' }, { text: 'Hi.' }]);
    const options = { prompt };
    const call = {
      ...{ model, params: options },
      doGenerate: () => model.doGenerate(options),
      doStream: () => model.doStream(options),
    } as never;
    const expected = toFinishReason(version, 'stop');
    expect(await middleware.wrapGenerate?.(call)).toMatchObject({ finishReason: expected });
    const streamed = (await middleware.wrapStream?.(call)) as { stream: ReadableStream<unknown> };
    const parts: unknown[] = [];
    for await (const part of streamed.stream) parts.push(part);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: expected });
  });
});

const flatten = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, one]) => (name === 'raw' ? [] : flatten(one)))
    : [value];

// Version 4 has parts and options that the earlier versions do not have.

const [, , v4] = versions;
const v4Major = v4?.major ?? ({} as Major);
const wrapV4 = (wrapper: Wrapper, ...script: ScriptedRound[]) => {
  const model = new ScriptedModel('v4', script);
  return { model, wrapped: wrapper.wrap(model, v4Major, {}) };
};

const source = { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com/', title: 'Example' };
const providerMetadata = { scripted: { signature: 'abc' } };

/** Parts of version 4 that earlier versions do not have. */
const laterParts: readonly Json[] = [
  { type: 'custom', kind: 'scripted.note', providerMetadata: { scripted: { text: 'A note.' } } },
  { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' }, providerMetadata },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
  { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://example.com/a.png') } },
  source,
];
const laterStreamParts: readonly Json[] = [
  ...laterParts,
  { type: 'ping' },
  { type: 'text-start', id: 'cited' },
  { type: 'text-delta', id: 'cited', delta: 'Cited.' },
  { type: 'text-end', id: 'cited', citations: [{ source, startIndex: 0, endIndex: 5, citedText: 'Cited' }] },
  {
    type: 'tool-input-start',
    id: 'c1',
    toolName: 'shell',
    inputEncoding: 'text',
    title: 'Shell',
    dynamic: true,
  },
  { type: 'tool-input-delta', id: 'c1', delta: 'ls' },
  { type: 'tool-input-end', id: 'c1' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'shell', input: 'ls', dynamic: true },
];
/** Declares the tool of the host, so that its calls are not answered as unknown ones. */
const shell = { type: 'function', name: 'shell', inputSchema: { type: 'object', properties: {} } };
const hostedParts: readonly Json[] = [
  {
    ...{ type: 'tool-call', toolCallId: 'c2', toolName: 'search', input: '{"q":"a"}' },
    ...{ providerExecuted: true, dynamic: true, providerMetadata },
  },
  {
    type: 'tool-result',
    toolCallId: 'c2',
    toolName: 'search',
    result: { n: 1 },
    preliminary: true,
    dynamic: true,
  },
  { type: 'tool-result', toolCallId: 'c2', toolName: 'search', result: { n: 2 }, dynamic: true },
  {
    ...{ type: 'tool-call', toolCallId: 'c3', toolName: 'mcp.book', input: '{}' },
    ...{ providerExecuted: true, dynamic: true },
  },
  { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c3', providerMetadata },
];

describe.each(wrappers)('version 4 in $name', wrapper => {
  it('passes all parts through a stream unchanged', async () => {
    const parts = [...hostedParts, ...laterStreamParts];
    const { wrapped } = wrapV4(wrapper, { parts, finish: 'tool-calls' });
    const received = await partsOf(wrapped, { prompt, tools: [shell] });
    expect(received).toEqual(expect.arrayContaining([...parts]));
  });

  it('passes all content through a result unchanged', async () => {
    const cited = { type: 'text', text: 'Cited.', citations: [{ source }] };
    const parts = [...hostedParts, ...laterParts, cited];
    const { wrapped } = wrapV4(wrapper, { parts, text: 'Hi.' });
    const { content } = await endOf(wrapped, 'generate');
    expect(content).toEqual(expect.arrayContaining(parts));
  });

  it.each(modes)('passes the reasoning effort, files and outputs to the model (%s)', async mode => {
    const { model, wrapped } = wrapV4(wrapper, { text: 'Hi.' });
    const history = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'reference', reference: { scripted: 'f1' } },
          },
          { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'A text.' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'custom', kind: 'scripted.note', providerOptions: { scripted: { text: 'A note.' } } },
          { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { at: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            ...{ type: 'tool-result', toolCallId: 'c1', toolName: 'look' },
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'Seen.' },
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
              ],
            },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ];
    const options = { prompt: history, reasoning: 'high', tools: [addTool], temperature: 0.5 };
    await endOf(wrapped, mode, options);
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]).toMatchObject({ reasoning: 'high', temperature: 0.5, prompt: history });
  });

  it.each(modes)('keeps the finish reason `interrupted` (%s)', async mode => {
    const { wrapped } = wrapV4(wrapper, { text: 'Hi.', finish: 'interrupted', raw: 'cancelled' });
    expect(await endOf(wrapped, mode)).toMatchObject({
      finishReason: { unified: 'interrupted', raw: 'cancelled' },
    });
  });

  it('keeps `structuredOutputText` and `request.url`', async () => {
    const request = { url: 'https://example.com/v1', body: {} };
    const { wrapped } = wrapV4(
      ...([wrapper] as const),
      { text: '{"a":1}', result: { request, structuredOutputText: '{"a":1}' } },
      { text: 'Hi.', result: { request } },
    );
    expect(await endOf(wrapped, 'generate')).toMatchObject({ request, structuredOutputText: '{"a":1}' });
    expect(await wrapped.doStream({ prompt } as never)).toMatchObject({ request });
  });
});

describe('models of earlier versions in ai 7', () => {
  const [, , ai7] = majors;
  const earlier: readonly Version[] = ['v2', 'v3'];
  it.each(earlier.flatMap(version => modes.map(mode => ({ version, mode }))))(
    'a model of version $version in a loop is converted by the host ($mode)',
    async ({ version, mode }) => {
      if (ai7 === undefined) throw new Error('There is no major 7.');
      const { tools } = createCountedTools();
      const wrapper = wrappers.find(({ name }) => name === 'withToolLoop');
      const wrapped = wrapper?.wrap(new ScriptedModel(version, rounds), ai7, tools);
      expect(wrapped?.specificationVersion).toBe(version);
      const result = await run(ai7.sdk, mode, { model: asModel(wrapped), prompt: 'Add.', maxRetries: 0 });
      expect(result).toMatchObject({ text: 'It is 42.', finishReason: 'stop' });
      expect(result.usage).toMatchObject({ inputTokens: 30, outputTokens: 12, totalTokens: 42 });
    },
  );
});

describe('telemetry of the rounds', () => {
  const exporter = new InMemorySpanExporter();
  const tracers = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  afterAll(() => tracers.shutdown());

  it.each(versions.flatMap(one => modes.map(mode => ({ ...one, mode }))))(
    'has tokens and finish reasons of a model of version $version ($mode)',
    async ({ version, mode }) => {
      exporter.reset();
      const { tools } = createCountedTools();
      const telemetry = createTelemetry({ tracer: tracers.getTracer('test') });
      const middleware = withToolLoop.middleware({ tools, telemetry });
      const model = new ScriptedModel(version, rounds);
      const options = { prompt };
      const call = { model, params: options, doGenerate: () => {}, doStream: () => {} } as never;
      if (mode === 'generate') await middleware.wrapGenerate?.(call);
      else {
        const streamed = (await middleware.wrapStream?.(call)) as { stream: ReadableStream<unknown> };
        for await (const _ of streamed.stream);
      }
      const spans = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('chat '));
      expect(spans.map(({ attributes }) => attributes)).toEqual([
        expect.objectContaining({
          'gen_ai.response.finish_reasons': ['tool-calls'],
          ...{ 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 5 },
        }),
        expect.objectContaining({
          'gen_ai.response.finish_reasons': ['stop'],
          ...{ 'gen_ai.usage.input_tokens': 20, 'gen_ai.usage.output_tokens': 7 },
        }),
      ]);
    },
  );
});
