import { jsonSchema, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createLocalTools, type LocalTools } from '../../src/tools/local-tools.js';

const signal = new AbortController().signal;
const anything = z.object({}).loose();

const run = (tools: LocalTools, input: Record<string, unknown> = {}, toolName = 'it') =>
  createLocalTools(tools).callTool({ toolCallId: 'c1', toolName, input }, { signal });

const runReturning = (value: unknown) => run({ it: { inputSchema: anything, execute: () => value } });

describe('createLocalTools', () => {
  it('lists its tools with JSON Schemas, from zod or ready-made', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } } as const;
    const { tools, warnings } = await createLocalTools({
      get_weather: tool({
        description: 'Tells the weather.',
        inputSchema: z.object({ city: z.string(), days: z.number().default(1) }),
        execute: () => '',
      }),
      add: { ...tool({ inputSchema: jsonSchema(schema), execute: () => '' }), readOnly: true },
      wipe: { inputSchema: anything, execute: () => '', destructive: true },
    }).listTools();
    expect(warnings).toEqual([]);
    expect(tools).toMatchObject([
      {
        name: 'get_weather',
        description: 'Tells the weather.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
      { name: 'add', inputSchema: schema, readOnly: true },
      { name: 'wipe', destructive: true },
    ]);
    // Hints that are not stated have the defaults of MCP.
    expect(tools.map(({ readOnly, destructive }) => [readOnly, destructive])).toEqual([
      [undefined, undefined],
      [true, undefined],
      [undefined, true],
    ]);
  });

  it('omits a tool whose schema cannot be converted to JSON Schema, and warns once', async () => {
    const source = createLocalTools({
      when: { inputSchema: z.object({ day: z.date() }), execute: () => '' },
      echo: { inputSchema: anything, execute: () => '' },
    });
    const { tools, warnings } = await source.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo']);
    expect(warnings).toEqual([
      'The local tool "when" is not offered: expected `inputSchema` to be a Zod schema or the result of `jsonSchema()` that can be converted to JSON Schema (Date cannot be represented in JSON Schema).',
    ]);
    expect(await source.listTools()).toMatchObject({ tools, warnings: [] });
  });

  it('passes the validated input to the tool, with defaults and transformations', async () => {
    const inputSchema = z.object({ city: z.string().trim(), days: z.number().default(3) });
    const output = await run(
      { it: tool({ inputSchema, execute: async input => input }) },
      { city: ' Oslo ' },
    );
    expect(output).toEqual({ type: 'json', value: { city: 'Oslo', days: 3 } });
  });

  it('does not run a tool with input that does not match its schema', async () => {
    let runs = 0;
    const inputSchema = z.object({ city: z.string() });
    const output = await run({ it: { inputSchema, execute: () => runs++ } }, { city: 1 });
    expect(output).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(/^Invalid arguments for tool "it": .*city/s),
    });
    expect(runs).toBe(0);
  });

  it('passes the call id and a signal, and keeps `this`', async () => {
    const seen: unknown[] = [];
    const it = {
      inputSchema: anything,
      unit: 'celsius',
      execute(_: unknown, { toolCallId, abortSignal }: { toolCallId: string; abortSignal?: AbortSignal }) {
        seen.push(toolCallId, abortSignal, this.unit);
      },
    };
    await run({ it });
    expect(seen).toEqual(['c1', signal, 'celsius']);
  });

  it('uses `toModelOutput` for the output of the model', async () => {
    const output = await run({
      it: tool({
        inputSchema: anything,
        execute: async () => ({ png: 'AAAA' }),
        toModelOutput: ({ png }) => ({
          type: 'content',
          value: [{ type: 'media', data: png, mediaType: 'image/png' }],
        }),
      }),
    });
    expect(output).toEqual({
      type: 'content',
      value: [{ type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' }],
    });
  });

  it('returns the last output of a generator', async () => {
    const output = await run({
      it: {
        inputSchema: anything,
        async *execute() {
          yield 'half';
          yield 'whole';
        },
      },
    });
    expect(output).toEqual({ type: 'text', value: 'whole' });
  });

  it('returns the error of a generator, regardless of its earlier outputs', async () => {
    const output = await run({
      it: {
        inputSchema: anything,
        async *execute() {
          yield 'half';
          throw new Error('Out of paper.');
        },
      },
    });
    expect(output).toEqual({ type: 'error-text', value: 'Out of paper.' });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  it.each<[string, unknown, unknown]>([
    ['nothing', undefined, { type: 'json', value: null }],
    ['null', null, { type: 'json', value: null }],
    ['an empty text', '', { type: 'text', value: '' }],
    ['a number', 7, { type: 'json', value: 7 }],
    ['a function', () => 1, { type: 'json', value: null }],
    ['a date', new Date(0), { type: 'json', value: '1970-01-01T00:00:00.000Z' }],
    ['functions inside', { a: 1, b: () => 1, c: undefined }, { type: 'json', value: { a: 1 } }],
    ['a class instance', new URL('http://a.example/'), { type: 'json', value: 'http://a.example/' }],
    ['a bigint', 1n, { type: 'json', value: '1' }],
    ['a cycle', cycle, { type: 'json', value: { self: '[circular reference]' } }],
  ])('converts %s to a JSON output', async (_, value, output) => {
    expect(await runReturning(value)).toMatchObject(output as object);
  });

  it('returns a rejection that is not an Error', async () => {
    const output = await run({ it: { inputSchema: anything, execute: () => Promise.reject('no') } });
    expect(output).toEqual({ type: 'error-text', value: 'no' });
  });

  it.each(['other', 'toString', '__proto__'])('reports that there is no tool %s', async toolName => {
    expect(await run({}, {}, toolName)).toEqual({
      type: 'error-text',
      value: `There is no tool "${toolName}".`,
    });
  });

  it('rejects with the reason of an abort, even if the tool ignores the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('The user pressed stop.');
    const source = createLocalTools({
      it: { inputSchema: anything, execute: () => new Promise(() => {}) },
    });
    const call = source.callTool({ toolCallId: 'c1', toolName: 'it', input: {} }, controller);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it.each<[string, object | undefined]>([
    ['has no execute', { inputSchema: anything }],
    ['is missing', undefined],
  ])('rejects a tool that %s and suggests a solution', (_, wrong) => {
    const tools = { search: wrong } as unknown as LocalTools;
    expect(() => createLocalTools(tools)).toThrow(
      'Expected the local tool "search" to have an `execute` function, got none. ' +
        'Add the function, or pass the tool to `generateText` / `streamText` instead.',
    );
  });
});
