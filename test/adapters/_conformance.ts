import type { LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import * as host6 from 'ai6';
import * as host7 from 'ai7';
import type { LanguageModelV3, LanguageModelV3StreamPart } from 'provider3';
import { describe, expect, it } from 'vitest';
import type { ModelAdapter } from '../../src/adapters/model-adapter.js';
import { wrapModel } from '../../src/adapters/wrap-model.js';
import { createPartFolder } from '../../src/parts/fold-parts.js';
import { createRandom } from '../_chunking.js';
import {
  call,
  finish,
  generate,
  ofType,
  readAll,
  say,
  scriptedModel,
  start,
  stream,
  text,
} from '../tool-loop/_scripted-model.js';

type Part = LanguageModelV2StreamPart;

// Later hosts warn of every model of version 2.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

/** What every family may be asked: a conversation with thoughts, a call and its result, under ids that all accept. */
const request: LanguageModelV2CallOptions = {
  prompt: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: { some: { signature: 's' } } },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'a1B2c3D4e', toolName: 'get_weather', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a1B2c3D4e',
          toolName: 'get_weather',
          output: { type: 'text', value: 'Sun' },
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Sun.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And Rome?' }], providerOptions: { some: { a: 1 } } },
  ],
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    },
  ],
  toolChoice: { type: 'auto' },
  temperature: 0.5,
  seed: 7,
  headers: { 'X-Custom': 'kept' },
  providerOptions: { some: { option: true } },
};

/** One part of every kind. The text looks like markup, and is none. */
const everything: Part[] = [
  { type: 'stream-start', warnings: [{ type: 'other', message: 'Mind.' }] },
  { type: 'response-metadata', id: 'r1', modelId: 'm', timestamp: new Date(0) },
  { type: 'reasoning-start', id: 'think', providerMetadata: { some: { a: 1 } } },
  { type: 'reasoning-delta', id: 'think', delta: 'Hm, ' },
  { type: 'reasoning-delta', id: 'think', delta: 'well.' },
  { type: 'reasoning-end', id: 'think', providerMetadata: { some: { signature: 'x' } } },
  { type: 'text-start', id: 'say', providerMetadata: { some: { itemId: 'm1' } } },
  { type: 'text-delta', id: 'say', delta: 'if (a < b && c > d) { [e] } ' },
  { type: 'text-delta', id: 'say', delta: 'ends with 🙂 <' },
  { type: 'text-end', id: 'say', providerMetadata: { some: { itemId: 'm1' } } },
  { type: 'source', sourceType: 'url', id: 's1', url: 'https://example.com', title: 'A source' },
  { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
  {
    type: 'tool-input-start',
    id: 'f5G6h7I8j',
    toolName: 'get_weather',
    providerMetadata: { some: { b: 2 } },
  },
  { type: 'tool-input-delta', id: 'f5G6h7I8j', delta: '{"city":' },
  { type: 'tool-input-delta', id: 'f5G6h7I8j', delta: '"Rome"}' },
  { type: 'tool-input-end', id: 'f5G6h7I8j' },
  {
    type: 'tool-call',
    toolCallId: 'f5G6h7I8j',
    toolName: 'get_weather',
    input: '{"city":"Rome"}',
    providerMetadata: { some: { signature: 'y' } },
  },
  { type: 'tool-call', toolCallId: 'k9L0m1N2o', toolName: 'search', input: '{}', providerExecuted: true },
  {
    type: 'tool-result',
    toolCallId: 'k9L0m1N2o',
    toolName: 'search',
    result: { found: [1] },
    providerExecuted: true,
  },
  {
    type: 'finish',
    finishReason: 'tool-calls',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 3, reasoningTokens: 2 },
    providerMetadata: { some: { total: 1 } },
  },
];

/** What every adapter must do beside its own work. A test file of a family holds only what is peculiar to it. */
export function testAdapter({ middleware }: ModelAdapter): void {
  const adapt = (model: ReturnType<typeof scriptedModel>) => wrapModel(model, [middleware]);

  it('lets parts through that are not its own, in their order, with their metadata', async () => {
    expect(joinDeltas(await stream(adapt(scriptedModel(everything)), request))).toEqual(
      joinDeltas(everything),
    );
  });

  it('gives the same result streamed and not', async () => {
    const model = adapt(scriptedModel(everything, everything));
    const folder = createPartFolder();
    for (const part of await stream(model, request)) folder.add(part);
    const result = await generate(model, request);
    expect(result).toMatchObject({ ...folder.result() });
    expect(result.content).toHaveLength(folder.result().content.length);
  });

  it('leaves a text that calls nothing as it is, however it is cut', async () => {
    const plain = 'A < B, [C] {"d": 1} `e` 🙂 \n\n```xml\n<f>g</f>\n```\nh <';
    for (const longest of [1, 2, 5, plain.length]) {
      const answer = [
        start,
        { type: 'text-start', id: '0' } as const,
        ...cut(plain, longest).map(delta => ({ type: 'text-delta', id: '0', delta }) as const),
        { type: 'text-end', id: '0' } as const,
        finish(),
      ];
      const parts = await stream(adapt(scriptedModel(answer)), request);
      expect(
        ofType(parts, 'text-delta')
          .map(part => part.delta)
          .join(''),
      ).toBe(plain);
      expect(ofType(parts, 'finish')[0]?.finishReason).toBe('stop');
    }
  });

  it('asks for what it is asked for', async () => {
    const model = scriptedModel(say('Hi'), say('Hi'));
    const { prompt, ...others } = request;
    await stream(adapt(model), request);
    await generate(adapt(model), request);
    for (const asked of model.requests) {
      expect(asked).toMatchObject(others);
      expect(asked.prompt.map(({ role }) => role)).toEqual(prompt.map(({ role }) => role));
      expect(asked.prompt[0]).toEqual(prompt[0]);
      expect(asked.prompt.at(-1)).toEqual(prompt.at(-1));
    }
  });

  it('does not change what it is given', async () => {
    const frozen = deepFreeze(structuredClone(request));
    const model = adapt(scriptedModel(everything.map(deepFreeze), everything.map(deepFreeze)));
    await stream(model, frozen);
    await generate(model, frozen);
    expect(frozen).toEqual(request);
  });

  it('passes raw parts on where they are asked for, and none where they are not', async () => {
    const raw: Part = { type: 'raw', rawValue: { any: 'thing' } };
    const model = adapt(
      scriptedModel(
        ({ includeRawChunks }) => [start, ...(includeRawChunks ? [raw] : []), ...text('Hi'), finish()],
        ({ includeRawChunks }) => [start, ...(includeRawChunks ? [raw] : []), ...text('Hi'), finish()],
      ),
    );
    expect(ofType(await stream(model, { ...request, includeRawChunks: true }), 'raw')).toEqual([raw]);
    expect(ofType(await stream(model, request), 'raw')).toEqual([]);
  });

  it('keeps what a result tells of the request and the response', async () => {
    const result = await adapt(scriptedModel(say('Hi'))).doStream(request);
    expect(result).toMatchObject({
      request: { body: { round: 1 } },
      response: { headers: { 'x-round': '1' } },
    });
    await readAll(result.stream);
  });

  describe('when something fails', () => {
    const failure = new Error('The line is dead.');

    it('rejects with the error of the model', async () => {
      const fail = () => {
        throw failure;
      };
      const model = adapt(scriptedModel(fail, fail));
      await expect(stream(model, request)).rejects.toBe(failure);
      await expect(generate(model, request)).rejects.toBe(failure);
    });

    it('shows an error part, and what comes after it', async () => {
      const answer: Part[] = [start, ...text('Half'), { type: 'error', error: failure }, finish('error')];
      const parts = await stream(adapt(scriptedModel(answer)), request);
      expect(joinDeltas(parts)).toEqual(joinDeltas(answer));
    });

    it('shows what came before the stream broke, and breaks with its error', async () => {
      async function* broken() {
        yield start;
        yield* text('Half');
        await Promise.resolve();
        throw failure;
      }
      const { stream: parts } = await adapt(scriptedModel(broken())).doStream(request);
      const seen: Part[] = [];
      const read = async () => {
        for await (const part of parts) seen.push(part);
      };
      await expect(read()).rejects.toBe(failure);
      expect(ofType(seen, 'text-delta').map(({ delta }) => delta)).toEqual(['Half']);
    });
  });

  it('hands the signal on, and rejects with its reason', async () => {
    const controller = new AbortController();
    const model = scriptedModel(() => new Promise<never>(() => undefined));
    const pending = adapt(model).doStream({ ...request, abortSignal: controller.signal });
    await expect.poll(() => model.requests[0]?.abortSignal).toBe(controller.signal);
    const reason = new Error('Enough.');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
  });

  it('cancels the stream of the model when its own is cancelled', async () => {
    async function* endless() {
      yield start;
      yield { type: 'text-start', id: '0' } as const;
      for (;;) yield { type: 'text-delta', id: '0', delta: 'more ' } as const;
    }
    const model = scriptedModel(endless());
    const { stream: parts } = await adapt(model).doStream(request);
    const reader = parts.getReader();
    await reader.read();
    await reader.cancel('enough');
    await expect.poll(() => model.cancelled).toBe(1);
  });

  it('keeps two calls at once apart', async () => {
    const model = scriptedModel(...Array.from({ length: 4 }, () => everything));
    const adapted = adapt(model);
    const alone = await stream(adapted, request);
    const both = await Promise.all([stream(adapted, request), stream(adapted, request)]);
    expect(both).toEqual([alone, alone]);
    expect(await stream(adapted, request)).toEqual(alone);
  });

  it('does nothing more when it is applied twice', async () => {
    const once = scriptedModel(everything, everything);
    const twice = scriptedModel(everything, everything);
    const [a, b] = [wrapModel(once, [middleware]), wrapModel(twice, [middleware, middleware])];
    expect(joinDeltas(await stream(b, request))).toEqual(joinDeltas(await stream(a, request)));
    expect((await generate(b, request)).content).toEqual((await generate(a, request)).content);
    expect(twice.requests).toEqual(once.requests);
  });

  it('stands between other middlewares', async () => {
    const seen: string[] = [];
    const observe = (name: string) => ({
      wrapStream: async ({ doStream }: { doStream: () => ReturnType<typeof model.doStream> }) => {
        seen.push(name);
        return doStream();
      },
    });
    const model = scriptedModel(everything);
    const chained = wrapModel(model, [observe('outer'), middleware, observe('inner')]);
    expect(joinDeltas(await stream(chained, request))).toEqual(joinDeltas(everything));
    expect(seen).toEqual(['outer', 'inner']);
  });

  describe('under the wrapLanguageModel of later hosts', () => {
    const answer = { text: 'Hi', finishReason: 'stop', tokens: { inputTokens: 10, outputTokens: 5 } };

    it('keeps finish reason and usage of a model of version 3 in ai@6', async () => {
      const model = host6.wrapLanguageModel({ model: modelV3(), middleware: asV3(middleware) });
      expect(toAnswer(await host6.generateText({ model, prompt: 'Go.' }))).toEqual(answer);
      const streamed = host6.streamText({ model, prompt: 'Go.' });
      expect(await toStreamedAnswer(streamed)).toEqual(answer);
    });

    it('keeps them of a model of version 2 in ai@7', async () => {
      const model = host7.wrapLanguageModel({
        model: scriptedModel(say('Hi'), say('Hi')),
        middleware: asV4(middleware),
      });
      expect(toAnswer(await host7.generateText({ model, prompt: 'Go.' }))).toEqual(answer);
      const streamed = host7.streamText({ model, prompt: 'Go.' });
      expect(await toStreamedAnswer(streamed)).toEqual(answer);
    });

    it('makes a call in ai@7 that the host runs', async () => {
      const model = host7.wrapLanguageModel({
        model: scriptedModel(
          [start, ...call('a1B2c3D4e', 'get_weather', { city: 'Oslo' }), finish('tool-calls')],
          say('Sun.'),
        ),
        middleware: asV4(middleware),
      });
      const { text: said, steps } = await host7.generateText({
        model,
        prompt: 'Weather?',
        tools: {
          get_weather: host7.tool({
            inputSchema: host7.jsonSchema<{ city: string }>({ type: 'object' }),
            execute: async ({ city }) => `Sun in ${city}`,
          }),
        },
        stopWhen: host7.isStepCount(3),
      });
      expect(said).toBe('Sun.');
      expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual(['Sun in Oslo']);
    });
  });
}

/** The middlewares of later majors differ in types alone where one only rewrites parts. */
const asV3 = (middleware: unknown) =>
  ({ ...Object(middleware), specificationVersion: 'v3' }) as Parameters<
    typeof host6.wrapLanguageModel
  >[0]['middleware'];
const asV4 = (middleware: unknown) =>
  ({ ...Object(middleware), specificationVersion: 'v4' }) as Parameters<
    typeof host7.wrapLanguageModel
  >[0]['middleware'];

interface HostAnswer {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined };
}

const toAnswer = ({ text: said, finishReason, usage }: HostAnswer) => ({
  text: said,
  finishReason,
  tokens: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
});

const toStreamedAnswer = async (result: {
  readonly [Key in keyof HostAnswer]: PromiseLike<HostAnswer[Key]>;
}) =>
  toAnswer({
    text: await result.text,
    finishReason: await result.finishReason,
    usage: await result.usage,
  });

function modelV3(): LanguageModelV3 {
  const usage = {
    inputTokens: { total: 10, noCache: 7, cacheRead: 3, cacheWrite: undefined },
    outputTokens: { total: 5, text: 3, reasoning: 2 },
  };
  const finishReason = { unified: 'stop', raw: 'STOP' } as const;
  const parts: LanguageModelV3StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Hi' },
    { type: 'text-end', id: '0' },
    { type: 'finish', finishReason, usage },
  ];
  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId: 'scripted-3',
    supportedUrls: {},
    doGenerate: async () => ({ content: [{ type: 'text', text: 'Hi' }], finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    }),
  };
}

/** Text may come in other pieces, and in blocks of other names. */
function joinDeltas(parts: readonly Part[]): unknown[] {
  const joined: Record<string, unknown>[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if ('delta' in part && last?.['type'] === part.type) last['delta'] = `${last['delta']}${part.delta}`;
    else joined.push({ ...part });
  }
  return joined.map(part =>
    /^(text|reasoning)-/.test(String(part['type'])) ? { ...part, id: 'a block' } : part,
  );
}

function cut(plain: string, longest: number): string[] {
  const random = createRandom(longest);
  const pieces: string[] = [];
  for (let at = 0; at < plain.length;) {
    const length = longest === plain.length ? longest : 1 + Math.floor(random() * longest);
    pieces.push(plain.slice(at, at + length));
    at += length;
  }
  return pieces;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
