import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { root } from '../../package/manifest.js';

const entry = (name: string): string => pathToFileURL(path.join(root, 'dist', name)).href;

const PROGRAM = `
import { createKelivoResponsesProvider } from '${entry('v4.js')}';
import { emulatorWithoutKey } from '${entry('testing/index.js')}';

const settings = await emulatorWithoutKey();
console.log(JSON.stringify(Object.keys(settings)));
const model = createKelivoResponsesProvider(settings)(process.argv[2]);
const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }];
const send = globalThis.fetch;
globalThis.fetch = (url, init) => new URL(url).hostname === '127.0.0.1' ? send(url, init) : Promise.reject(new Error('sent to ' + url));
const { content } = await model.doGenerate({ prompt }).catch(error => ({ content: [{ text: error.message }] }));
console.log(content.findLast(({ text }) => text).text);
`;

/** Runs the program until it ends by itself. */
async function run(env: Readonly<Record<string, string>>, model = 'gpt-5') {
  const folder = mkdtempSync(path.join(tmpdir(), 'emulator-without-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'program.mjs'), PROGRAM);
  const child = spawn(process.execPath, ['program.mjs', model], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => (output[name] += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const [settings = '', text = ''] = output.stdout.split('\n');
  return { code, settings, text, stderr: output.stderr };
}

it('answers a first program without a key, says so, and ends with the program', async () => {
  const { code, settings, text, stderr } = await run({});
  expect({ code, settings }).toEqual({ code: 0, settings: '["baseURL"]' });
  expect(text).toMatch(/hello/i);
  expect(stderr).toMatch(
    /^OPENAI_API_KEY is not set: the emulator on http:\/\/127\.0\.0\.1:\d+\/v1 answers, which follows rules and is no model\.\n$/,
  );
});

it('names the models of the emulator for a misspelt one', async () => {
  expect((await run({}, 'gtp-5')).text).toContain(
    'Did you mean "gpt-5"? Known models of this server: "gpt-5",',
  );
});

it.each([
  ['a key', { OPENAI_API_KEY: 'sk-key' }, /sent to https:\/\/api\.openai\.com/],
  ['an address', { OPENAI_BASE_URL: 'http://127.0.0.1:1' }, /127\.0\.0\.1:1\/v1/],
  ['NODE_ENV=production', { NODE_ENV: 'production' }, /Expected an API key for api\.openai\.com/],
] as const)('starts no emulator with %s', async (_, env, text) => {
  const result = await run(env);
  expect(result).toMatchObject({ settings: '[]', stderr: '' });
  expect(result.text).toMatch(text);
});
