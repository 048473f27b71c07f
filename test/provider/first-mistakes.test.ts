import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateText as generateText6 } from 'ai6';
import { generateText, tool } from 'ai7';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createSwitchableProvider } from '../../src/host/index.js';
import {
  createKelivoResponsesProvider,
  type KelivoResponsesProvider,
  type KelivoResponsesSettings,
} from '../../src/v4.js';
import { startEmulator } from '../testing/_emulator.js';

interface Attempt {
  /** The settings, in addition to those of a server whose start the test sees. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly model?: unknown;
  /** @default the provider of `ai` 7 */
  readonly create?: (settings: KelivoResponsesSettings) => KelivoResponsesProvider;
  /** @default `generateText` of `ai` 7 */
  readonly generate?: unknown;
}

interface Mistake extends Attempt {
  readonly title: string;
  /** What the message has to name. */
  readonly names: readonly RegExp[];
}

const server = { command: process.execPath, args: ['--version'] };

/*
 * Mistakes of the first minutes that are known without a server. `test/differential/mistakes.md` has the messages for those that
 * only a server can find.
 */
const MISTAKES: readonly Mistake[] = [
  { title: 'no key', names: [/apiKey/, /OPENAI_API_KEY/, /kelivo-responses emulator/] },
  { title: 'an empty key', settings: { apiKey: '' }, names: [/OPENAI_API_KEY/, /emulator/] },
  { title: 'a key of spaces', settings: { apiKey: '  ' }, names: [/OPENAI_API_KEY/, /emulator/] },
  {
    title: 'an empty variable for the key',
    environment: { OPENAI_API_KEY: '' },
    names: [/OPENAI_API_KEY/, /emulator/],
  },
  { title: 'a key in typographic quotes', settings: { apiKey: '“sk-key”' }, names: [/apiKey/, /quotes/] },
  { title: 'a key with a line break', settings: { apiKey: 'sk\nkey' }, names: [/apiKey/, /line breaks/] },
  {
    title: 'a header with Cyrillic letters',
    settings: { apiKey: 'sk-key', headers: { 'x-title': 'Приложение' } },
    names: [/x-title/, /Latin-1/],
  },
  {
    title: 'a header of a model with a line break',
    settings: { apiKey: 'sk-key', models: { 'gpt-*': { headers: { 'x-user': 'a\nb' } } } },
    names: [/x-user/, /line/],
  },
  {
    title: 'an address without `http://`',
    settings: { baseURL: 'localhost:8000' },
    names: [/baseURL/, /"http:\/\/localhost:8000"/],
  },
  { title: 'an address in quotes', settings: { baseURL: '"http://localhost"' }, names: [/baseURL/, /http/] },
  { title: 'an empty address', settings: { baseURL: '' }, names: [/baseURL/, /https:\/\/api\.openai\.com/] },
  {
    title: 'a variable with an address without `http://`',
    environment: { OPENAI_BASE_URL: 'localhost:8000' },
    names: [/localhost:8000/, /http:\/\//],
  },
  { title: 'Azure without an address', settings: { api: 'azure' }, names: [/baseURL/, /openai\.azure\.com/] },
  { title: 'a misspelt setting', settings: { baseUrl: 'http://localhost' }, names: [/baseUrl/, /`baseURL`/] },
  {
    title: 'a misspelt compatibility',
    settings: { compatibility: 'vlm' },
    names: [/compatibility/, /vllm/],
  },
  {
    title: 'an MCP server without a command',
    settings: { mcpServers: { first: server, second: { comand: 'npx' } } },
    names: [/second/, /command/],
  },
  {
    title: 'a tool without `execute`',
    settings: { tools: { weather: tool({ inputSchema: z.object({}) }) } },
    names: [/weather/, /execute/],
  },
  {
    title: 'an option of the wrong type',
    settings: { apiKey: 'sk-key' },
    options: { providerOptions: { openai: { parallelToolCalls: 'yes' } } },
    names: [/openai\.parallelToolCalls/, /boolean/],
  },
  {
    title: 'an option of this package of the wrong type',
    settings: { apiKey: 'sk-key' },
    options: { providerOptions: { kelivo: { reasoningEffort: 1 } } },
    names: [/kelivo\.reasoningEffort/, /string/],
  },
  {
    title: 'the entry of `ai` 7 in `ai` 6',
    settings: { apiKey: 'sk-key' },
    generate: generateText6,
    names: [/model version v4/],
  },
  {
    title: 'the official provider without its package',
    settings: { apiKey: 'sk-key' },
    create: kelivo =>
      createSwitchableProvider({
        kelivo,
        enabled: 'off',
        specificationVersion: 'v4',
        importOpenAI: () => Promise.reject(new Error('Cannot find package')),
      }),
    names: [/npm install @ai-sdk\/openai@4/],
  },
  { title: 'a model id from an unset variable', model: undefined, names: [/model/, /undefined/] },
];

/** Makes a mistake with an MCP server that writes a file when it is started, and with a `fetch` that counts requests. */
async function attempt({
  settings,
  environment = {},
  options,
  create = createKelivoResponsesProvider,
  generate = generateText,
  ...others
}: Attempt) {
  const folder = mkdtempSync(path.join(tmpdir(), 'first-mistakes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv('OPENAI_API_KEY', undefined);
  vi.stubEnv('OPENAI_BASE_URL', undefined);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const started = path.join(folder, 'started');
  const script = `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`;
  const sent = vi.fn(async () => Response.json({}, { status: 500 }));
  const call = async () => {
    const provider = create({
      mcpServers: { files: { command: process.execPath, args: ['-e', script] } },
      fetch: sent,
      toolLoop: { retry: { maxRetries: 0, streamRetries: 0 } },
      ...settings,
    });
    const model = provider('model' in others ? (others.model as string) : 'gpt-5');
    const call = generate as typeof generateText;
    await call({ model, prompt: 'Hi', maxRetries: 0, ...options }).finally(() => provider.close());
  };
  const error: unknown = await call().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return {
    message: error instanceof Error ? error.message : undefined,
    started: existsSync(started),
    requests: sent.mock.calls.length,
  };
}

it.each(MISTAKES)('report $title before a server is started or a request is sent', async mistake => {
  const { message = 'no error', started, requests } = await attempt(mistake);
  expect({ started, requests }).toEqual({ started: false, requests: 0 });
  for (const name of mistake.names) expect(message).toMatch(name);
});

it('start the server and send the request without a mistake', async () => {
  // The control: an attempt without a mistake must be seen.
  expect(await attempt({ settings: { apiKey: 'sk-key' } })).toMatchObject({ started: true, requests: 1 });
});

it('leave keys of functions and several keys to the request', async () => {
  const apiKey = vi.fn(() => 'sk-key');
  await attempt({ settings: { apiKey } });
  expect(apiKey).toHaveBeenCalledOnce();
  expect(await attempt({ settings: { apiKey: ['sk-1', '“sk-2”'] } })).toMatchObject({ requests: 1 });
});

it('name the models of the server for a misspelt one', async () => {
  const { baseURL, requests } = await startEmulator({ models: ['gpt-5', 'gpt-5-mini'] });
  const provider = createKelivoResponsesProvider({ baseURL });
  await expect(generateText({ model: provider('gtp-5'), prompt: 'Hi' })).rejects.toThrow(
    'The model `gtp-5` does not exist or you do not have access to it. Did you mean "gpt-5"? Known models of this server: ' +
      '"gpt-5", "gpt-5-mini".',
  );
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /v1/responses',
    'GET /v1/models',
  ]);
});

it('count the models of a server that has many', async () => {
  const models = Array.from({ length: 30 }, (_, index) => `vendor/model-${index}`);
  const { baseURL } = await startEmulator({ models });
  const provider = createKelivoResponsesProvider({ baseURL });
  await expect(generateText({ model: provider('vendor/modle-3'), prompt: 'Hi' })).rejects.toThrow(
    'Did you mean "vendor/model-3"? This server lists 30 models, and "vendor/modle-3" is none of them.',
  );
});

it('keep the error of a server that lists the model', async () => {
  const fetch = async (_url: unknown, init?: RequestInit) =>
    init?.method === 'GET'
      ? Response.json({ data: [{ id: 'vendor/x' }, { id: 'vendor/y' }] })
      : Response.json({ error: { message: 'No endpoints found for vendor/x.' } }, { status: 404 });
  const provider = createKelivoResponsesProvider({ baseURL: 'http://api.test', fetch });
  await expect(generateText({ model: provider('vendor/x'), prompt: 'Hi' })).rejects.toThrow(
    /^No endpoints found for vendor\/x\.$/,
  );
});

it('keep the error of a server without a list of models', async () => {
  const fetch = async () => Response.json({ error: { message: 'model "gtp-5" not found' } }, { status: 404 });
  const provider = createKelivoResponsesProvider({ baseURL: 'http://api.test', fetch });
  await expect(generateText({ model: provider('gtp-5'), prompt: 'Hi' })).rejects.toThrow(
    /^model "gtp-5" not found$/,
  );
});
