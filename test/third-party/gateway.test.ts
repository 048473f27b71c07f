import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../_free-port.js';
import { runForJson } from '../testing/command/_command.js';

const program = fileURLToPath(
  new URL('node_modules/@portkey-ai/gateway/build/start-server.js', import.meta.url),
);

it.skipIf(!existsSync(program))('the probe finds what a gateway of a third party changes', async () => {
  const emulator = await startResponsesEmulator();
  const port = await findFreePort();
  const gateway = spawn(process.execPath, [program, `--port=${port}`, '--headless'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    const closed = once(gateway, 'close');
    gateway.kill('SIGKILL');
    await closed;
    await emulator.close();
  });
  let output = '';
  for await (const chunk of gateway.stdout) if (/running at/.test((output += String(chunk)))) break;

  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': emulator.baseURL };
  const args = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const reportOf = async (url: string, more: readonly string[] = []) =>
    (await runForJson(['probe', url, '--api-key', 'gateway-key', ...more])).json;
  const own = await reportOf(emulator.url);
  const report = await reportOf(`http://127.0.0.1:${port}`, args);
  const resultsOf = ({ scenarios }: { scenarios: { name: string; result: string }[] }) =>
    Object.fromEntries(scenarios.map(({ name, result }) => [name, result]));
  expect(resultsOf(own)).toMatchObject({ text: 'yes', tools: 'yes', websocket: 'yes', compaction: 'yes' });
  expect(resultsOf(report)).toMatchObject({ text: 'yes', tools: 'yes', websocket: 'no', compaction: 'no' });

  const provider = createKelivoResponsesProvider({ ...report.settings, apiKey: 'gateway-key', headers });
  const { content } = await provider(report.model).doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Say hello.' }] }],
  });
  expect(content).toContainEqual(expect.objectContaining({ type: 'text' }));
  await provider.close();
});
