import { stepCountIs, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { hostNames, hosts, inputOf, shapeOf, startProvider, useProviderWithMcp } from './_provider.js';

const rounds = (metadata: unknown) => (metadata as { kelivo: { rounds: unknown[] } }).kelivo.rounds;

const host = useProviderWithMcp();

describe.each(hostNames)('%s', name => {
  const run = hosts[name];

  it('responds without tools', async () => {
    const { emulator, provider } = await startProvider();
    const { text, finishReason, errors, totalUsage } = await run({
      model: provider('gpt-5'),
      prompt: 'Hello',
    });
    expect({ text, finishReason, errors }).toEqual({
      text: 'You said: Hello',
      finishReason: 'stop',
      errors: [],
    });
    expect(totalUsage.totalTokens).toBeGreaterThan(0);
    expect(emulator.requests).toHaveLength(1);
    expect(emulator.requests[0]?.body).toMatchObject({ model: 'gpt-5', store: false });
    expect(emulator.requests[0]?.body).not.toHaveProperty('tools');
  });

  it('runs an MCP tool and returns its result', async () => {
    const result = await run({ model: host.model(), prompt: 'Use get-sum with 2 and 3' });
    expect(result).toMatchObject({
      text: 'The tool get-sum returned: The sum of 2 and 3 is 5.',
      finishReason: 'stop',
      errors: [],
      steps: [{}],
    });
    const [first, second] = host.requests;
    expect(first?.body).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'get-sum' })]),
    });
    expect(inputOf(second).slice(-2)).toMatchObject([
      { type: 'function_call', name: 'get-sum', arguments: '{"a":2,"b":3}' },
      { type: 'function_call_output', output: 'The sum of 2 and 3 is 5.' },
    ]);
  });

  it('adds up the usage of its rounds', async () => {
    const usage = (input: number) => ({
      usage: { input_tokens: input, output_tokens: 1, total_tokens: input + 1 },
    });
    host.enqueue(
      { output: [{ call: 'get-env' }], ...usage(10) },
      { output: [{ text: 'Done.' }], ...usage(20) },
    );
    const { totalUsage, steps } = await run({ model: host.model(), prompt: 'Go.' });
    expect(totalUsage).toMatchObject({ inputTokens: 30, outputTokens: 2, totalTokens: 32 });
    expect(rounds(steps[0]?.providerMetadata)).toMatchObject([
      { usage: { totalTokens: 11 }, toolCalls: [{ toolName: 'get-env', isError: false }] },
      { usage: { totalTokens: 21 }, toolCalls: [] },
    ]);
  });

  it('runs several calls of one round', async () => {
    const prompt = 'Call get-sum with 2 and 3 and get-structured-content for Chicago';
    const { text, errors } = await run({ model: host.model(), prompt });
    expect(text).toMatch(
      /^The tool get-sum returned: .* 5\.\nThe tool get-structured-content returned: .*temperature/,
    );
    expect(errors).toEqual([]);
    expect(shapeOf(host.requests[1])).toEqual([
      'user',
      'reasoning',
      ...['function_call', 'function_call'],
      ...['function_call_output', 'function_call_output'],
    ]);
    expect(host.requests).toHaveLength(2);
  });

  it('chains rounds until the model responds with text', async () => {
    const prompt = 'get-sum 1 and 2, then get-sum 3 and 4, then get-structured-content for Chicago';
    const { text, finishReason, steps } = await run({ model: host.model(), prompt });
    expect(text).toMatch(/1 and 2 is 3\.\n.*3 and 4 is 7\.\n.*temperature/);
    expect(finishReason).toBe('stop');
    expect(steps).toHaveLength(1);
    expect(host.requests).toHaveLength(4);
    expect(rounds(steps[0]?.providerMetadata)).toHaveLength(4);
  });

  it('continues after a failed tool', async () => {
    host.enqueue([{ call: 'get-sum', arguments: { a: 'two', b: 3 } }]);
    const { text, finishReason, errors } = await run({ model: host.model(), prompt: 'Use get-sum' });
    expect(text).toMatch(/^The tool get-sum (failed|returned): .*a: type \\?"string\\?" is invalid/);
    expect({ finishReason, errors }).toEqual({ finishReason: 'stop', errors: [] });
  });

  it('lets the model correct arguments that are not JSON', async () => {
    host.enqueue(
      [{ call: 'get-sum', arguments: 'two and three' }],
      [{ call: 'get-sum', arguments: '{a: 2, b: 3}' }],
    );
    const { text } = await run({ model: host.model(), prompt: 'Use get-sum' });
    expect(text).toContain('expected a JSON object, got two and three.');
    expect(text).toContain('The sum of 2 and 3 is 5.');
    expect(host.requests).toHaveLength(3);
  });

  it('leaves tools of the host to the host: each runs once and the conversation continues', async () => {
    const executed: unknown[] = [];
    const saveNote = tool({
      description: 'Keeps a note.',
      inputSchema: z.object({ title: z.string() }),
      execute: async input => {
        executed.push(input);
        return 'saved';
      },
    });
    host.enqueue([
      { reasoning: 'Two at once.' },
      { call: 'get-sum', arguments: { a: 2, b: 3 } },
      { call: 'save_note', arguments: { title: 'Sum' } },
    ]);
    const { text, steps, errors } = await run({
      model: host.model(),
      prompt: 'Use get-sum with 2 and 3 and save_note "Sum"',
      tools: { save_note: saveNote },
      stopWhen: stepCountIs(5),
    });
    expect(executed).toEqual([{ title: 'Sum' }]);
    expect(errors).toEqual([]);
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(text).toContain('The tool save_note returned: saved');
    const sent = inputOf(host.requests[1]);
    expect(sent.filter(({ name }) => name === 'save_note')).toHaveLength(1);
    expect(sent.filter(({ type }) => type === 'function_call').length).toBe(
      sent.filter(({ type }) => type === 'function_call_output').length,
    );
    // `generateText` cannot store calls of undeclared tools.
    if (name === 'streamText') expect(text).toContain('The sum of 2 and 3 is 5.');
  });

  it('runs local tools next to MCP tools with the same names, which get the prefix', async () => {
    const localSum = tool({
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: async ({ a, b }) => `locally ${a + b}`,
    });
    const { emulator, provider } = await startProvider({
      mcpServers: { everything: everythingOverStdio() },
      tools: { 'get-sum': localSum },
    });
    emulator.enqueue([
      { call: 'everything_get-sum', arguments: { a: 1, b: 2 } },
      { call: 'get-sum', arguments: { a: 1, b: 2 } },
    ]);
    await run({ model: provider('gpt-5'), prompt: 'Go.' });
    const outputs = inputOf(emulator.requests[1]).filter(({ type }) => type === 'function_call_output');
    expect(outputs.map(({ output }) => output)).toEqual(['The sum of 1 and 2 is 3.', 'locally 3']);
  });

  it('sends no tools with `toolLoop: false`', async () => {
    const { emulator, provider } = await startProvider({
      mcpServers: { everything: everythingOverStdio() },
      toolLoop: false,
    });
    const { text } = await run({ model: provider('gpt-5'), prompt: 'Use get-sum with 2 and 3' });
    expect(text).toBe('You said: Use get-sum with 2 and 3');
    expect(emulator.requests[0]?.body).not.toHaveProperty('tools');
  });
});
