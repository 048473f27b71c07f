import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createLocalTools, type LocalTools } from '../../src/tools/local-tools.js';
import { runInProvider } from '../../src/tool-loop/index.js';
import type { ToolLoopEvent } from '../../src/tool-loop/index.js';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import { gate } from '../tool-loop/_tools.js';
import { startEmulator } from '../testing/_emulator.js';
import { asModel, majors } from '../core/versions/_majors.js';

type Json = Readonly<Record<string, unknown>>;

const inputSchema = z.object({ city: z.string(), days: z.number().optional() });

describe.each(majors)('a tool of `ai` $ai in the loop', ({ ai, sdk, createKelivo }) => {
  /** Runs a turn that calls the tool `weather` once. */
  async function run(own: object, { mode = 'stream', isDeclared = true, options = {}, toolLoop = {} } = {}) {
    const emulator = await startEmulator();
    emulator.enqueue([{ call: 'weather', arguments: { city: 'Oslo' } }], [{ text: 'It snows.' }]);
    const events: ToolLoopEvent[] = [];
    const weather = sdk.tool({ inputSchema, execute: () => 'snow', ...own } as never);
    const tools = { weather } as LocalTools;
    const provider = createKelivo({
      ...{ baseURL: emulator.baseURL, toolLoop: { ...toolLoop, onEvent: event => void events.push(event) } },
      ...(isDeclared ? {} : { tools }),
    });
    const call = {
      ...{ model: asModel(provider('gpt-5')), prompt: 'Weather in Oslo?', maxRetries: 0 },
      ...(isDeclared && runInProvider(tools, options)),
    } as never;
    const parts: Json[] = [];
    if (mode === 'generate') {
      const { steps } = await sdk.generateText(call);
      parts.push(...steps.flatMap(({ content }) => content as unknown as Json[]));
    } else {
      for await (const part of sdk.streamText(call).fullStream) parts.push(part as unknown as Json);
    }
    await provider.close();
    const bodies = emulator.requests.map(({ body }) => body as { tools: Json[] } & Json);
    const resultsOf = (isPreliminary: boolean) =>
      parts
        .filter(({ type, preliminary }) => type === 'tool-result' && (preliminary === true) === isPreliminary)
        .map(({ output }) => output);
    return { parts, events, bodies, resultsOf };
  }

  /** The subagent pattern of the documentation: each value has the progress so far. */
  async function* execute() {
    yield { done: 1 };
    yield { done: 2 };
  }

  it.each([true, false])('shows preliminary results, declared: %s', async isDeclared => {
    const toolLoop = { toolActivity: 'all' };
    const { events, resultsOf, bodies } = await run({ execute }, { isDeclared, toolLoop });
    // Hosts drop the mark of preliminary results of a provider. `ai` 5 accepts one result of a call.
    const shown = ai === 5 ? [{ done: 2 }] : [{ done: 1 }, { done: 2 }, { done: 2 }];
    expect([...resultsOf(true), ...resultsOf(false)]).toEqual(shown);
    const yielded = events.filter(event => event.type === 'tool-progress');
    expect(yielded.map(({ progress, result }) => [progress, result])).toEqual([
      [1, { done: 1 }],
      [2, { done: 2 }],
    ]);
    const types = events.filter(({ type }) => type.startsWith('tool-')).map(({ type }) => type);
    expect(types).toEqual(['tool-start', 'tool-progress', 'tool-progress', 'tool-end']);
    expect(JSON.stringify(bodies[1]).match(/done/g)).toHaveLength(1);
  });

  it.each([
    ['by default', 'stream', {}],
    ['of a generated turn', 'generate', { toolActivity: 'all' }],
  ])('reports preliminary results %s to the application only', async (_, mode, toolLoop) => {
    const { events, resultsOf } = await run({ execute }, { mode, toolLoop });
    expect(resultsOf(true)).toEqual([]);
    expect(resultsOf(false)).toEqual([{ done: 2 }]);
    expect(events.filter(({ type }) => type === 'tool-progress')).toHaveLength(2);
  });

  it.each([
    [true, true],
    [false, false],
    // Strict mode rejects the schema, because it has an optional property.
    [undefined, false],
  ])('sends strict: %s as %s', async (strict, sent) => {
    for (const isDeclared of [true, false]) {
      const schema = strict === true ? z.strictObject({ city: z.string() }) : inputSchema;
      const { bodies } = await run({ strict, inputSchema: schema }, { isDeclared });
      expect(bodies[0]?.tools).toMatchObject([{ name: 'weather', strict: sent }]);
    }
  });

  it('shows title and metadata with calls of declared tools', async () => {
    const { parts } = await run({ title: 'Weather', metadata: { source: 'demo' } });
    const call = parts.find(({ type }) => type === 'tool-call');
    // The title of version 5 is missing in its type.
    expect(call?.toolName).toBe('weather');
    if (ai === 5) return;
    expect(call).toMatchObject({ title: 'Weather', toolMetadata: { source: 'demo' } });
    expect(parts.find(({ type }) => type === 'tool-input-start')).toMatchObject({ title: 'Weather' });
  });

  it.each(['stream', 'generate'])(
    'calls the functions that observe arguments before it runs (%s)',
    async mode => {
      for (const isDeclared of [true, false]) {
        const calls: unknown[] = [];
        let text = '';
        const { events } = await run(
          {
            onInputStart: ({ toolCallId }: Json) => void calls.push(['start', typeof toolCallId]),
            onInputDelta: ({ inputTextDelta }: Json) => void (text += String(inputTextDelta)),
            onInputAvailable: async ({ input, messages }: Json) => {
              // The tool waits for it.
              await Promise.resolve();
              calls.push(['available', input, (messages as unknown[]).length]);
            },
            execute: () => void calls.push('execute'),
          },
          { mode, isDeclared },
        );
        expect(calls).toEqual([['start', 'string'], ['available', { city: 'Oslo' }, 1], 'execute']);
        expect(text === '' ? undefined : JSON.parse(text)).toEqual(
          mode === 'stream' ? { city: 'Oslo' } : undefined,
        );
        expect(events.filter(({ type }) => type === 'tool-start')).toHaveLength(1);
      }
    },
  );

  it('keeps its fields if the host runs it', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ call: 'weather', arguments: { city: 'Oslo' } }], [{ text: 'It snows.' }]);
    const calls: unknown[] = [];
    const weather = {
      ...{ inputSchema: z.strictObject({ city: z.string() }), execute, title: 'Weather', strict: true },
      ...{ metadata: { source: 'demo' }, onInputAvailable: ({ input }: Json) => void calls.push(input) },
    };
    const provider = createKelivo({ baseURL: emulator.baseURL, tools: { weather } as never });
    const tools = await provider.tools({ runBy: 'host' });
    const parts: Json[] = [];
    const { fullStream } = sdk.streamText({
      ...{
        model: asModel(provider.responses('gpt-5')),
        prompt: 'Weather?',
        tools: tools as never,
        maxRetries: 0,
      },
      stopWhen: sdk.stepCountIs(3) as never,
    });
    for await (const part of fullStream) parts.push(part as unknown as Json);
    const results = parts.filter(({ type }) => type === 'tool-result');
    expect(results.map(({ output, preliminary = false }) => [output, preliminary])).toEqual([
      [{ done: 1 }, true],
      [{ done: 2 }, true],
      [{ done: 2 }, false],
    ]);
    expect(calls).toEqual([{ city: 'Oslo' }]);
    const [first] = emulator.requests.map(({ body }) => body as { tools: Json[] });
    if (ai > 5) {
      // `ai` 5 has no such fields.
      expect(first?.tools).toMatchObject([{ strict: true }]);
      expect(results[0]).toMatchObject({ title: 'Weather' });
    }
    await provider.close();
  });

  it('shows a preliminary result before the tool has another one, if the host runs it', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ call: 'work', arguments: {} }], [{ text: 'Done.' }]);
    const shown = gate<void>();
    const work = {
      inputSchema: z.object({}),
      async *execute() {
        yield 'loading';
        await shown.opened;
        yield 'ready';
      },
    };
    const provider = createKelivo({ baseURL: emulator.baseURL, tools: { work } as never });
    const { fullStream } = sdk.streamText({
      ...{ model: asModel(provider.responses('gpt-5')), prompt: 'Work.', maxRetries: 0 },
      tools: (await provider.tools({ runBy: 'host' })) as never,
      stopWhen: sdk.stepCountIs(3) as never,
    });
    const outputs: unknown[] = [];
    for await (const part of fullStream as AsyncIterable<Json>) {
      if (part.type !== 'tool-result') continue;
      outputs.push(part.output);
      if (part.output === 'loading') shown.open();
    }
    expect(outputs.at(0)).toBe('loading');
    expect(outputs.at(-1)).toBe('ready');
    await provider.close();
  });

  it('observes the arguments of a read before it runs in a durable turn', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ call: 'look', arguments: {} }], [{ text: 'Done.' }]);
    const calls: string[] = [];
    const look = {
      inputSchema: z.object({}),
      readOnly: true,
      onInputAvailable: () => void calls.push('available'),
      execute: () => `${calls.push('execute')}`,
    };
    const store = createSqliteStore({ path: ':memory:' });
    const provider = createKelivo({
      baseURL: emulator.baseURL,
      tools: { look } as never,
      toolLoop: { journal: createJournal({ store }) },
    });
    const { fullStream } = sdk.streamText({
      ...{ model: asModel(provider('gpt-5')), prompt: 'Look.', maxRetries: 0 },
      providerOptions: { kelivo: { turnId: 'turn' } },
    });
    for await (const _ of fullStream);
    expect(calls).toEqual(['available', 'execute']);
    await provider.close();
    await store.close();
  });

  it('runs although a function that observes arguments fails', async () => {
    const onInputStart = () => Promise.reject(new Error('no'));
    const { resultsOf } = await run({ onInputStart });
    expect(resultsOf(false)).toEqual(['snow']);
  });

  it('passes the sandbox and a valid context', async () => {
    const sandboxes: unknown[] = [];
    const contexts: unknown[] = [];
    const sandbox = { name: 'box' };
    const own = {
      contextSchema: z.object({ user: z.string() }),
      description: (options: Json) => {
        sandboxes.push(options.experimental_sandbox);
        return 'Reads the weather.';
      },
      execute(_: unknown, { experimental_sandbox, context }: Json) {
        sandboxes.push(experimental_sandbox);
        contexts.push(context);
        return 'snow';
      },
    };
    const context = { user: 'ann' };
    await run(own, { options: { experimental_sandbox: sandbox, context } });
    expect(sandboxes.length).toBeGreaterThan(1);
    expect(sandboxes.every(value => value === sandbox)).toBe(true);
    expect(contexts).toEqual([context]);

    const { resultsOf, parts } = await run(own, { options: { context: { user: 7 } } });
    expect([...resultsOf(false), ...parts.map(({ error }) => error)].map(String).join(' ')).toMatch(
      /Invalid context for the tool/,
    );
  });
});

it('names fields that have no effect, once', async () => {
  const execute = () => '';
  const source = createLocalTools({
    plain: { inputSchema, execute, outputSchema: z.string(), readOnly: true },
    hosted: {
      ...{ inputSchema, execute, type: 'provider', id: 'openai.shell', args: {} },
      ...{ isProviderExecuted: false },
    },
    later: { inputSchema, execute, onOutputDelta: () => {} },
  } as LocalTools);
  const { warnings } = await source.listTools();
  expect(warnings).toEqual([
    'The field `id` of the local tool "hosted" has no effect: it is for tools that a provider defines; the model receives a function.',
    'The field `args` of the local tool "hosted" has no effect: it is for tools that a provider defines; the model receives a function.',
    'The field `isProviderExecuted` of the local tool "hosted" has no effect: it is for tools that a provider defines; the loop runs the tool.',
    'The field `onOutputDelta` of the local tool "later" has no effect: it is unknown.',
  ]);
  expect((await source.listTools()).warnings).toEqual([]);
});

it('does not wait for the arguments of another turn that has a call with the same id', async () => {
  const source = createLocalTools({
    write: {
      inputSchema: z.object({}),
      onInputAvailable: () => new Promise<void>(() => {}),
      execute: () => 'written',
    } as never,
  });
  const { tools } = await source.listTools();
  const { signal } = new AbortController();
  const contextOf = (turnId: string) => ({ turnId, round: 1, toolCallId: 'call_0', context: undefined });
  const input = {};
  tools[0]?.onInput?.({
    ...{ type: 'available', input, toolCallId: 'call_0', messages: [], signal },
    callContext: contextOf('one'),
  } as never);
  const call = { toolCallId: 'call_0', toolName: 'write', input };
  expect(await source.callTool(call, { signal, callContext: contextOf('two') } as never)).toMatchObject({
    value: 'written',
  });
});
