import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateText } from 'ai';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createProviderRegistryFromConfig, loadProviderConfig } from '../../src/host/index.js';
import { KelivoError } from '../../src/index.js';
import { startEmulator } from '../testing/_emulator.js';

async function write(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'providers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'providers.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return file;
}

const failureOf = async (file: string | URL, variables?: Record<string, string>): Promise<string> => {
  const error = await loadProviderConfig(file, variables).catch((reason: unknown) => reason);
  if (!KelivoError.isInstance(error)) throw new Error('Expected a KelivoError', { cause: error });
  expect(error.code).toBe('invalid-settings');
  return error.message;
};

it('reads a file with variables, and its models respond', async () => {
  const emulator = await startEmulator({ apiKey: 'sk-from-variable' });
  const file = await write({
    providers: {
      main: {
        type: 'kelivo-responses',
        settings: { baseURL: '${BASE}/v1', apiKey: '${KEY}', headers: { 'x-note': '$${KEY}' } },
      },
    },
    roles: { chat: 'main:gpt-5' },
  });
  const variables = { BASE: emulator.url, KEY: 'sk-from-variable', OTHER: undefined };
  for (const place of [file, pathToFileURL(file)]) {
    const config = await loadProviderConfig(place, variables);
    const registry = createProviderRegistryFromConfig(config);
    const { text } = await generateText({ model: registry.modelFor('chat'), prompt: 'Hello', maxRetries: 0 });
    expect(text).toBe('You said: Hello');
  }
  expect(emulator.requests[0]?.headers).toMatchObject({ 'x-note': '${KEY}' });
});

it('does not expand strings without variables', async () => {
  const config = { providers: { main: { type: 'kelivo-responses', settings: { apiKey: '${KEY}' } } } };
  expect(await loadProviderConfig(await write(config))).toEqual(config);
});

it('reports the file and the issue without quoting its content', async () => {
  expect(await failureOf('/no/such/file.json')).toBe(
    'In /no/such/file.json: Expected a readable file, got ENOENT.',
  );

  const broken = await write('{\n  "providers": {\n    "a": { "apiKey": "sk-secret" "x": 1 }\n  }\n}');
  expect(await failureOf(broken)).toBe(`In ${broken}: Expected JSON, got a syntax error at line 3.`);
  const secret = await write('sk-secret');
  expect(await failureOf(secret)).not.toContain('sk-secret');

  const wrong = await write({
    providers: { a: { type: 'kelivo-responses', settings: { store: 'sk-secret' } } },
  });
  const message = await failureOf(wrong);
  expect(message).toContain(`In ${wrong}: \`providers.a.settings\`: Invalid \`store\``);
  expect(message).not.toContain('sk-secret');
});

it('resolves relative modules against the file', async () => {
  const emulator = await startEmulator();
  const settings = { baseURL: emulator.baseURL, apiKey: 'sk' };
  const file = await write({
    providers: {
      main: {
        type: 'kelivo-responses',
        settings: { ...settings, adapters: [{ import: './loud.mjs' }], models: {} },
      },
      other: { import: './other.mjs', creator: 'createOther', settings },
    },
  });
  const folder = dirname(file);
  await writeFile(
    join(folder, 'loud.mjs'),
    "export default { name: 'loud', appliesTo: () => true, adaptBack: part => " +
      "part.type === 'text-delta' ? { ...part, delta: part.delta.toUpperCase() } : part };",
  );
  await writeFile(
    join(folder, 'other.mjs'),
    "export const createOther = () => ({ languageModel: () => { throw new Error('Imported.'); } });",
  );
  for (const place of [file, pathToFileURL(file)]) {
    const registry = createProviderRegistryFromConfig(await loadProviderConfig(place), {
      importModule: name => import(/* @vite-ignore */ name),
    });
    onTestFinished(() => registry.close());
    const ask = (name: string) =>
      generateText({ model: registry.languageModel(name), prompt: 'Hello', maxRetries: 0 });
    expect((await ask('main:gpt-5')).text).toBe('YOU SAID: HELLO');
    await expect(ask('other:m')).rejects.toThrow('Imported.');
  }
});

it('rejects variables without a value, each with its path', async () => {
  const file = await write({
    providers: { a: { import: 'x', creator: 'y', settings: { keys: ['${KEY}'], url: '${URL}/v1' } } },
  });
  const message = await failureOf(file, { OTHER: 'x' });
  expect(message).toContain('`providers.a.settings.keys.0`: Expected a variable with a value, got ${KEY}.');
  expect(message).toContain('`providers.a.settings.url`: Expected a variable with a value, got ${URL}.');
});

it('reports that browsers cannot read files', async () => {
  vi.doMock('node:fs/promises', () => {
    throw new TypeError('Failed to resolve module specifier.');
  });
  onTestFinished(() => void vi.doUnmock('node:fs/promises'));
  expect(await failureOf('providers.json')).toBe(
    'In providers.json: Reading files is not supported in this runtime. Pass a parsed configuration to createProviderRegistryFromConfig().',
  );
});
