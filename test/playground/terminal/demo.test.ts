import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { holdClosedPort } from '../../_server.js';
import { startEmulator } from '../../testing/_emulator.js';
import { everythingOverStdio, referenceServerScript } from '../../tools/mcp/_everything-server.js';
import { makeFolder, runDemo } from './_run-demo.js';

describe('a turn', () => {
  it('runs the default question over rounds with an MCP tool and a local one', async () => {
    const { stdout, stderr, exitCode, chunks } = await runDemo([], { fromSource: true });

    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^endpoint +http:\/\/127\.0\.0\.1:\d+\/v1 \(emulator, needs no key\)$/m);
    expect(stdout).toMatch(/^model +gpt-5$/m);
    expect(stdout).toMatch(/^mcp +everything \(\d\d tools\)$/m);
    expect(stdout.match(/^(── round \d|[→←] \S+).*/gm)).toEqual([
      '── round 1',
      '→ get-sum {"a":17,"b":25}',
      expect.stringMatching(/^← get-sum \(\d+ ms\) The sum of 17 and 25 is 42\.$/),
      expect.stringMatching(/^── round 1 ended: tool-calls, [\d.]+ s, usage \d+ tokens in, \d+ out/),
      '── round 2',
      '→ word-count {"text":"the loop runs the tools and streams every round"}',
      expect.stringMatching(/^← word-count \(\d+ ms\) \{"words":9,"characters":47\}$/),
      expect.stringMatching(/^── round 2 ended: tool-calls/),
      '── round 3',
      expect.stringMatching(/^── round 3 ended: stop/),
    ]);
    expect(stdout).toContain('**Choosing tools**');
    expect(stdout).toMatch(/── round 3\n[^─]*The tool get-sum returned: The sum of 17 and 25 is 42\./);
    expect(stdout).toMatch(/\n3 rounds, 2 tool calls: stop, [\d.]+ s, usage \d+ tokens in, \d+ out/);
    expect(
      chunks.filter(chunk => /── round \d\n[^]*── round \d ended/.test(chunk)),
      'rounds that were printed at once instead of streamed',
    ).toEqual([]);
    expect(stdout, 'no colours without a terminal').not.toContain('\u001b');
  });

  it('accepts a question without quotes and the servers of a file', async () => {
    const folder = await makeFolder();
    await writeFile(path.join(folder, 'notes.txt'), 'Buy milk.');
    const file = path.join(folder, 'servers.json');
    const files = { command: process.execPath, args: [referenceServerScript('filesystem'), folder] };
    await writeFile(file, JSON.stringify({ mcpServers: { files } }));

    const question = `read_text_file ${folder}/notes.txt`.split(' ');
    const { stdout, exitCode } = await runDemo(['--mcp', file, '--model', 'gpt-5-mini', ...question]);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^model +gpt-5-mini$/m);
    expect(stdout).toMatch(/^mcp +files \(\d+ tools\)$/m);
    expect(stdout).toContain(`> read_text_file ${folder}/notes.txt\n`);
    expect(stdout).toMatch(/← read_text_file \(\d+ ms\) Buy milk\./);
    expect(stdout).toMatch(/\n2 rounds, 1 tool call: stop/);
  });

  it('shows without the loop that nothing runs the calls of the model', async () => {
    const emulator = await startEmulator();
    const { stdout, exitCode } = await runDemo(['--no-loop'], { env: { OPENAI_BASE_URL: emulator.baseURL } });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^no loop +toolLoop is off: .*same tools.*nothing runs/m);
    expect(stdout.match(/^(── round \d|[→←] \S+).*/gm)).toEqual([
      '── round 1',
      '→ get-sum {"a":17,"b":25}',
      expect.stringMatching(/^── round 1 ended: tool-calls/),
    ]);
    expect(stdout).toMatch(
      /\n1 round, 1 tool call: tool-calls.*\nNothing ran 1 tool call: .*without --no-loop/,
    );
    expect(emulator.requests.map(({ body }) => body)).toEqual([
      expect.objectContaining({
        tools: expect.arrayContaining([expect.objectContaining({ name: 'word-count' })]),
      }),
    ]);
  });

  it('reads the question from standard input and the endpoint from --base-url', async () => {
    const emulator = await startEmulator();
    const args = ['--base-url', emulator.baseURL];
    const { stdout } = await runDemo(args, { input: 'Get the sum\nof 1 and 2.\n' });

    expect(stdout).toContain('> Get the sum of 1 and 2.');
    expect(stdout).toContain('The sum of 1 and 2 is 3.');
    expect(stdout).toContain(`endpoint  ${emulator.baseURL} (no key)`);
    expect(emulator.requests).toHaveLength(2);
  });

  it('prints one JSON object per event', async () => {
    const { stdout, exitCode } = await runDemo(['--json', 'Get the sum of 1 and 2.']);
    const events = stdout.split('\n').map(line => JSON.parse(line) as { type: string });

    expect(exitCode).toBe(0);
    expect(events[0]).toMatchObject({
      type: 'setup',
      modelId: 'gpt-5',
      hasLoop: true,
      localTools: ['word-count'],
    });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-result', toolName: 'get-sum', isError: false }),
    );
    expect(events.at(-1)).toMatchObject({ type: 'finish', rounds: 2, toolCalls: 1, unansweredCalls: 0 });
  });

  it('asks the questions of an interactive demo in one conversation', async () => {
    const emulator = await startEmulator();
    emulator.enqueue([{ text: 'Blue.' }], { status: 500 }, [{ text: 'Still blue.' }]);
    const { stdout, stderr, exitCode } = await runDemo(['--interactive', '--base-url', emulator.baseURL], {
      input: 'My favourite colour?\n\nFails\nAnd now?\n',
    });

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Blue\.[^]*Still blue\./);
    expect(stderr).toMatch(/^error: /);
    // A failed turn is not part of the conversation.
    expect(JSON.stringify(emulator.requests.at(-1)?.body)).toMatch(/favourite colour[^]*Blue\.[^]*And now/);
    expect(JSON.stringify(emulator.requests.at(-1)?.body)).not.toContain('Fails');
  });

  it('continues without a server that fails to start, and reports the reason', async () => {
    const file = path.join(await makeFolder(), 'servers.json');
    const servers = { broken: { command: 'no-such-program' }, everything: everythingOverStdio() };
    await writeFile(file, JSON.stringify({ mcpServers: servers }));

    const { stdout, exitCode } = await runDemo(['--mcp', file, 'Get the sum of 1 and 2.']);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^mcp +broken \(failed\), everything \(\d+ tools\)$/m);
    expect(stdout.match(/^warning: .*/gm)).toEqual([
      expect.stringMatching(/"broken" could not be started.*no-such-program/),
    ]);
    expect(stdout).toContain('The sum of 1 and 2 is 3.');
  });

  it('removes the control characters of tools and models', async () => {
    const emulator = await startEmulator();
    const hostile = '\u001b[31mred\u001b[0m \u001b]0;title\u0007\r\u009b2J\u202eend';
    emulator.enqueue([{ call: 'echo', arguments: { message: hostile } }], [{ text: `Text: ${hostile}` }]);
    const { stdout } = await runDemo([`Say ${hostile}`], { env: { OPENAI_BASE_URL: emulator.baseURL } });

    expect(stdout).toMatch(/← echo \(\d+ ms\) Echo: red/);
    expect(stdout).toContain('Text: red');
    expect(stdout).toContain('> Say red');
    expect(stdout.match(/[^\P{Cc}\n]|\u202e/gu)).toBeNull();
  });
});

describe('the endpoint', () => {
  it('comes from the environment, with a key that is never printed', async () => {
    const key = 'sk-this-is-a-secret-0123456789';
    const emulator = await startEmulator({ apiKey: key });
    const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: emulator.baseURL };
    const allowed = await runDemo(['Get the sum of 1 and 2.'], { env });
    const rejected = await runDemo(['--no-loop', 'Hello'], {
      env: { ...env, OPENAI_API_KEY: `${key}-wrong` },
    });

    expect(allowed.exitCode).toBe(0);
    expect(allowed.stdout).toContain(`${emulator.baseURL} (key from OPENAI_API_KEY)`);
    expect(rejected.exitCode).toBe(1);
    expect(rejected.stderr).toMatch(/^error: .*API key.*$/);
    expect([allowed, rejected].map(({ stdout, stderr }) => stdout + stderr).join()).not.toContain(key);
  });
});

describe('a failure', () => {
  it.each([
    { title: 'an unknown option', args: ['--fast'], reason: "Unknown option '--fast'" },
    { title: 'an option without its value', args: ['--model'], reason: "'--model <value>' argument missing" },
    { title: 'an empty value', args: ['--mcp', ''], reason: 'Expected a value for --mcp' },
    { title: 'an invalid URL', args: ['--base-url', 'localhost:8000'], reason: 'Expected --base-url to be' },
    { title: 'a missing servers file', args: ['--mcp', '/no/such.json'], reason: '/no/such.json' },
  ])('reports $title in one line', async ({ args, reason }) => {
    const { stdout, stderr, exitCode } = await runDemo(args);

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: .*$/);
    expect(stderr).toContain(reason);
  });

  it.each([
    { title: 'that is not JSON', content: '{', reason: 'text that is not valid JSON' },
    { title: 'with an invalid server', content: '{"mcpServers": {"a": {"command": 1}}}', reason: '"a"' },
    {
      title: 'whose only server fails',
      content: '{"a": {"command": "no-such-program"}}',
      reason: 'no-such-program',
    },
  ])('reports a servers file $title in one line', async ({ content, reason }) => {
    const file = path.join(await makeFolder(), 'servers.json');
    await writeFile(file, content);
    const { stderr, exitCode } = await runDemo(['--mcp', file]);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: .*$/);
    expect(stderr).toContain(reason);
  });

  it('names an unreachable endpoint', async () => {
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${await holdClosedPort()}/v1` };
    const { stderr, exitCode } = await runDemo(['--no-loop'], { env });

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^error: Could not reach http:\/\/127\.0\.0\.1:\d+\/v1\/responses: connect ECONNREFUSED.*$/,
    );
  });

  it('in a later round is reported after the received text', async () => {
    const emulator = await startEmulator();
    // The round is requested twice more before its error ends the turn.
    const broken = {
      fault: 'failed',
      after: 6,
      output: [{ text: 'It is going to be' }],
      message: 'The model\nran away.',
    } as const;
    emulator.enqueue([{ call: 'get-sum', arguments: { a: 1, b: 2 } }], broken, broken, broken);
    const { stdout, stderr, exitCode } = await runDemo(['Go'], {
      env: { OPENAI_BASE_URL: emulator.baseURL },
    });

    expect(exitCode).toBe(1);
    expect(stdout).toContain('The sum of 1 and 2 is 3.');
    expect(stdout).toMatch(/── round 2\nIt is/);
    expect(stderr).toMatch(/^error: .*The model ran away\..*$/);
  });
});

describe('an interruption', () => {
  it('ends the turn, its servers and the process', async () => {
    const folder = await makeFolder();
    const pidFile = path.join(folder, 'pid');
    const entry = pathToFileURL(referenceServerScript('everything')).href;
    const script = `fs.writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); import('${entry}')`;
    const server = { command: process.execPath, args: ['-e', script] };
    const file = path.join(folder, 'servers.json');
    await writeFile(file, JSON.stringify({ mcpServers: { server } }));

    const question = 'trigger-long-running-operation';
    const run = await runDemo(['--mcp', file, question], { interruptAt: `→ ${question}` });
    const { stdout, stderr, exitCode } = run;

    expect(exitCode).toBe(130);
    expect(stderr).toBe(
      'Ctrl-C: the turn was stopped, its request was aborted, and the MCP servers were closed.',
    );
    expect(stdout).not.toContain('round 2');
    const pid = Number(await readFile(pidFile, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('--help', () => {
  it('prints the options and sends no request', async () => {
    const { stdout, exitCode } = await runDemo(['--help']);

    expect(exitCode).toBe(0);
    for (const option of [
      '--mcp <file>',
      '--model <id>',
      '--no-loop',
      '--json',
      '--interactive',
      '--base-url <url>',
    ])
      expect(stdout).toContain(option);
    expect(stdout).not.toContain('endpoint ');
  });
});
