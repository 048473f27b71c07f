import { generateText as generateText6 } from 'ai6';
import { generateText as generateText7 } from 'ai7';
import { expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider as createV3Provider } from '../../src/v3.js';
import { fixtureServer } from '../tools/mcp/_fixture-server.js';
import { startEmulator } from '../testing/_emulator.js';
import { apiKey, hostNames, hosts, inputOf, startProvider } from './_provider.js';

// A model that repeats one call until the loop stops it, and then only reasons.

const toolLoop = { maxRepeatedCalls: 2 };
const script = [
  ...Array.from({ length: 5 }, () => [{ call: 'big', arguments: { size: 3 } }]),
  [{ reasoning: 'There is nothing more to do.' }],
];
const notice =
  'Not run: this call returned the same output 2 times in a row. Use that output or change the arguments.';
const outputs = ['xxx', 'xxx', notice, notice, notice];
const reason = 'the same call was repeated although its output did not change.';
const text = `The model gave no answer: ${reason}`;
const limitWarning = `The calling of tools ended: ${reason}`;

const outputsOf = (request: Parameters<typeof inputOf>[0]) =>
  inputOf(request).flatMap(({ type, output }) => (type === 'function_call_output' ? [output] : []));

it.each(hostNames)('%s shows the limit that ended the calling', async name => {
  const { config } = await fixtureServer();
  const { emulator, provider } = await startProvider({ mcpServers: { fixture: config }, toolLoop });
  emulator.enqueue(...script);
  const result = await hosts[name]({ model: provider('gpt-5'), prompt: 'Go.' });
  expect(result).toMatchObject({ text, errors: [] });
  expect(emulator.requests).toHaveLength(6);
  expect(outputsOf(emulator.requests[5])).toEqual(outputs);
  expect(emulator.requests[5]?.body).toMatchObject({ tool_choice: 'none' });
  const [step] = result.steps;
  expect(step?.providerMetadata?.kelivo).toMatchObject({
    stoppedBy: 'repeated-calls',
    warnings: [expect.stringContaining('was not run'), limitWarning],
  });
  const messages = (result.warnings ?? []).map(warning => 'message' in warning && warning.message);
  expect(messages.includes(limitWarning)).toBe(name === 'generateText');
});

it.each([
  ['ai@6', generateText6],
  ['ai@7', generateText7 as unknown as typeof generateText6],
] as const)('%s shows the limit that ended the calling', async (_, generateText) => {
  const { config } = await fixtureServer();
  const emulator = await startEmulator({ apiKey });
  const provider = createV3Provider({
    ...{ baseURL: emulator.baseURL, apiKey, toolLoop },
    mcpServers: { fixture: config },
  });
  onTestFinished(() => provider.close());
  emulator.enqueue(...script);
  const result = await generateText({ model: provider('gpt-5'), prompt: 'Go.' });
  expect(result.text).toBe(text);
  expect(outputsOf(emulator.requests[5])).toEqual(outputs);
  expect(result.providerMetadata?.kelivo).toMatchObject({ stoppedBy: 'repeated-calls' });
  expect(result.warnings).toContainEqual({ type: 'other', message: limitWarning });
});
