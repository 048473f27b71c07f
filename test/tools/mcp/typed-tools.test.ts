import { generateText, type InferUITools, stepCountIs } from 'ai';
import { generateText as generateTextOf7, isStepCount } from 'ai7';
import { expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod/v4';
import { everythingOverStdio } from './_everything-server.js';
import { openTools } from './_fixture-server.js';
import { startModernServer, toList, toText, toTool } from './_modern-server.js';

const weather = z.object({ temperature: z.number(), conditions: z.string(), humidity: z.number() });
const schemas = {
  'get-sum': { inputSchema: z.object({ a: z.number(), b: z.number().default(2) }) },
  'get-structured-content': {
    inputSchema: z.object({ location: z.literal('Chicago') }),
    outputSchema: weather,
  },
};
const options = { toolCallId: 'call_1', messages: [] };

it('has only the named tools, whose arguments and results have the types of the schemas', async () => {
  const tools = await openTools({ everything: everythingOverStdio() }).tools({ schemas });
  expect(Object.keys(tools)).toEqual(['get-sum', 'get-structured-content']);
  const sum = tools['get-sum'];
  const structured = tools['get-structured-content'];
  expect(sum.inputSchema).toBe(schemas['get-sum'].inputSchema);
  expect(structured.outputSchema).toBe(weather);
  expect(sum).not.toHaveProperty('type');
  expect(await sum.execute({ a: 1, b: 2 }, options)).toBe('The sum of 1 and 2 is 3.');
  const result = await structured.execute({ location: 'Chicago' }, options);
  expect(result).toEqual({
    temperature: expect.any(Number),
    conditions: expect.any(String),
    humidity: expect.any(Number),
  });
  expect(structured.toModelOutput(result)).toEqual({ type: 'json', value: result });

  expectTypeOf(result).toEqualTypeOf<z.output<typeof weather>>();
  expectTypeOf(sum.execute).parameter(0).toEqualTypeOf<{ a: number; b: number }>();
  expectTypeOf<InferUITools<typeof tools>['get-structured-content']>().toEqualTypeOf<{
    input: { location: 'Chicago' };
    output: z.output<typeof weather>;
  }>();
  // Each major accepts them.
  expectTypeOf(generateText<typeof tools>)
    .parameter(0)
    .toHaveProperty('tools');
  expectTypeOf(generateTextOf7<typeof tools>)
    .parameter(0)
    .toHaveProperty('tools');
  expect([stepCountIs, isStepCount].every(one => typeof one === 'function')).toBe(true);
});

it('rejects a result that does not match, and names a tool that is missing', async () => {
  const { url } = await startModernServer({
    'tools/list': () => toList([toTool('weather')]),
    'tools/call': () => ({ ...toText('mild'), structuredContent: { temperature: 'mild' } }),
  });
  const warnings: string[] = [];
  const tools = await openTools({ sky: { url } }).tools({
    schemas: {
      weather: { inputSchema: z.object({}), outputSchema: weather },
      tide: { inputSchema: z.object({}) },
    },
    onWarning: text => warnings.push(text),
  });
  expect(Object.keys(tools)).toEqual(['weather']);
  expect(warnings).toEqual(['No MCP server offers the tool "tide" of `schemas`.']);
  await expect(tools.weather.execute({}, options)).rejects.toThrow(
    /^The result of the tool "weather" does not match its `outputSchema` at temperature: .* The tool has run\.$/,
  );
});

it('reads a result without structured content as the JSON of its text', async () => {
  const value = { temperature: 1, conditions: 'fog', humidity: 2 };
  const { url } = await startModernServer({
    'tools/list': () => toList([toTool('weather')]),
    'tools/call': () => toText(JSON.stringify(value)),
  });
  const tools = await openTools({ sky: { url } }).tools({
    schemas: { weather: { inputSchema: z.object({}), outputSchema: weather } },
  });
  expect(await tools.weather.execute({}, options)).toEqual(value);
});

it('passes the output schema of a server to the host, and warns of structured content that does not match', async () => {
  const outputSchema = { type: 'object', properties: { code: { type: 'string', pattern: '^[a-z]+$' } } };
  const contents = [{ code: 'abc' }, { code: 'A1' }];
  const { url } = await startModernServer({
    'tools/list': () => toList([toTool('read', { outputSchema })]),
    'tools/call': () => ({ ...toText('read'), structuredContent: contents.shift() }),
  });
  const source = openTools({ sky: { url } });
  const { read } = await source.tools();
  expect(read?.outputSchema).toMatchObject({ jsonSchema: outputSchema });
  const warnings: string[] = [];
  const call = () =>
    source.callTool(
      { toolCallId: 'call_1', toolName: 'read', input: {} },
      { signal: new AbortController().signal, onWarning: text => warnings.push(text) },
    );
  expect(await call()).toMatchObject({ type: 'text' });
  expect(warnings).toEqual([]);
  expect(await call()).toMatchObject({ type: 'text', value: expect.stringContaining('A1') });
  expect(warnings).toEqual([
    expect.stringContaining('The structured content of the tool "read" does not match its output schema: '),
  ]);
});
