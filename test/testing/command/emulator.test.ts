import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFreePort } from '../../_free-port.js';
import { runCommand, script, startEmulator, writeTemporary } from './_command.js';

const ask = (baseURL: string, headers: Record<string, string> = {}) =>
  fetch(`${baseURL}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'gpt-5', input: 'Say hello.' }),
  });

describe('kelivo-responses emulator', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'prints its base URL alone, answers, and ends on %s',
    async signal => {
      const { baseURL, child, closed, output } = await startEmulator();
      expect(baseURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
      expect(await (await ask(baseURL)).json()).toMatchObject({ status: 'completed', presence_penalty: 0 });
      child.kill(signal);
      expect(await closed).toEqual([0, null]);
      expect(output()).toBe(`${baseURL}\n`);
    },
  );

  it('takes port, key, rules, faults and scripts', async () => {
    const file = await writeTemporary('script.json', JSON.stringify([[{ text: 'Scripted.' }]]));
    const port = await findFreePort();
    const args = ['--port', String(port), '--api-key', 'one', '--api-key', 'two', '--rules', 'llamacpp'];
    const { baseURL } = await startEmulator([...args, '--fault', '429', '--fault', 'html', '--script', file]);
    expect(baseURL).toBe(`http://127.0.0.1:${port}/v1`);
    expect((await ask(baseURL)).status).toBe(401);
    const send = () => ask(baseURL, { authorization: 'Bearer two' });
    expect((await send()).status).toBe(429);
    expect((await send()).headers.get('content-type')).toContain('text/html');
    expect(JSON.stringify(await (await send()).json())).toContain('Scripted.');
  });

  it('reports a port in use in one line', async () => {
    const { baseURL } = await startEmulator();
    const { port } = new URL(baseURL);
    expect(await runCommand(['emulator', '--port', port])).toEqual({
      code: 2,
      stdout: '',
      stderr: `kelivo-responses: Port ${port} is in use. Choose another one with --port.\n`,
    });
  });
});

describe('kelivo-responses', () => {
  it.concurrent.each([
    [
      ['emulater'],
      'Unknown command "emulater". Did you mean "emulator"? Known commands: "init", "emulator", "probe", "mcp". See --help.',
    ],
    [['emulate'], 'Unknown command "emulate". Did you mean "emulator"?'],
    [['serve'], 'Unknown command "serve". Known commands: "init", "emulator", "probe", "mcp". See --help.'],
    [['\u001b[31mred'], 'Unknown command "\\u001b[31mred". Known commands'],
    [['emulator', '--prot', '1'], 'Unknown option --prot. Did you mean --port?'],
    [['emulator', '--port', 'abc'], 'Expected --port to be a whole number from 0 to 65535, got "abc".'],
    [['emulator', '--port', '65536'], 'Expected --port to be a whole number from 0 to 65535, got "65536".'],
    [['emulator', '--port'], 'Expected --port with a value.'],
    [['emulator', '--port', '1', '--port', '2'], 'Expected --port once, got it twice.'],
    [['emulator', '--no-websocket=yes'], 'Expected --no-websocket without a value.'],
    [['emulator', '--rules', 'gpt'], 'Expected --rules to be one of openai, llamacpp, vllm,'],
    [['emulator', '--fault', 'rain'], 'Expected --fault to be a status or one of cut, early-end,'],
    [['emulator', '--script', '/nowhere.json'], 'Cannot read /nowhere.json: there is no such file.'],
    [['emulator', 'now'], 'Unexpected argument "now".'],
    [['probe'], 'Expected kelivo-responses probe <url>. See probe --help.'],
    [['probe', 'localhost:8080'], 'Did you mean "http://localhost:8080"?'],
    [['mcp', '/nowhere.json'], 'Cannot read /nowhere.json: there is no such file.'],
    [['mcp', '.', '--env', 'NOT_SET_HERE'], 'Cannot read .: it is a folder.'],
  ])('rejects %j in one line', async (args, message) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect({ stdout, failed: code !== 0 && code !== null }).toEqual({ stdout: '', failed: true });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^kelivo-responses: [^\n]+\n$/);
  });

  it('prints its version, its commands and their options', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const help = await runCommand(['--help']);
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/emulator .*\n.*probe <url>.*\n.*mcp <config>/),
    });
    expect((await runCommand(['probe', '--help'])).stdout).toMatch(/--api-key <key>.*OPENAI_API_KEY/);
    expect((await runCommand([])).code).not.toBe(0);
  });

  it('loads no code of another command', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'kelivo-loaded-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await runCommand(['emulator', '--help'], { env: { NODE_V8_COVERAGE: folder } });
    const dist = path.resolve(script, '../../..');
    const loaded = readdirSync(folder).flatMap(file =>
      [...readFileSync(path.join(folder, file), 'utf8').matchAll(/"url":"(file:[^"]*)"/g)].map(
        ([, url = '']) => path.relative(dist, fileURLToPath(url)),
      ),
    );
    expect(loaded.filter(name => !name.startsWith('..')).sort()).toEqual([
      'chunks/common.js',
      'testing/command/index.js',
    ]);
  });
});
