import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { serve } from '../../_server.js';
import { runCommand, runForJson, writeTemporary } from './_command.js';

/** A server with one tool per kind of schema. Escapes and its environment are in its texts. */
const server = `
import { createInterface } from 'node:readline';
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const object = properties => ({ type: 'object', properties });
const tools = [
  { name: 'fine', inputSchema: object({ city: { type: 'string' } }) },
  { name: 'empty', inputSchema: { type: 'object' } },
  { name: 'no_items', inputSchema: object({ tags: { type: 'array' } }) },
  { name: 'look', inputSchema: object({ name: { type: 'string', pattern: '^(?!' + process.env.TOKEN + ')' } }) },
  { name: 'task', inputSchema: object({}), execution: { taskSupport: 'required' } },
  { name: 'esc\\u001b[2Jape', inputSchema: object({}) },
  { name: 'excluded', inputSchema: object({}) },
];
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize')
    send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  else if (method === 'tools/list') send({ id, result: { tools } });
  else send({ id, error: { code: -32601, message: 'Method not found' } });
});
`;

const token = 'token-of-the-user-0123456789';

const writeConfig = async (more: object = {}, key = 'mcpServers') => {
  const file = await writeTemporary('server.mjs', server);
  const own = { command: process.execPath, args: [file], env: { TOKEN: token }, disabledTools: ['excluded'] };
  return writeTemporary('config.json', `// comment\n${JSON.stringify({ [key]: { own, ...more } })}`);
};

it.each(['mcpServers', 'servers'])(
  'lists servers and tools of %s with the repairs of their schemas',
  async key => {
    const { code, json } = await runForJson(['mcp', await writeConfig({}, key)]);
    expect(code).toBe(1);
    const [own] = json.servers;
    expect(own).toMatchObject({ name: 'own', state: 'ready' });
    const byName = Object.fromEntries(own.tools.map((tool: { name: string }) => [tool.name, tool]));
    expect(byName.fine).toMatchObject({ state: 'ok' });
    expect(byName.empty).toMatchObject({ state: 'ok' });
    expect(byName.no_items).toMatchObject({
      state: 'repaired',
      problem: expect.stringContaining('array schema missing items'),
      changes: ['+ /properties/tags/items'],
      sentSchema: { properties: { tags: { type: 'array', items: {} } } },
    });
    expect(byName.look).toMatchObject({
      state: 'repaired',
      changes: ['- /properties/name/pattern'],
      warnings: [expect.stringContaining('lookaround')],
    });
    expect(byName.task).toMatchObject({ state: 'left out', problem: expect.stringContaining('task') });
    expect(byName.excluded).toMatchObject({
      state: 'left out',
      problem: expect.stringContaining('excludes'),
    });
  },
);

it('prints escapes and secrets of no server, and one failing server hides no other', async () => {
  const unauthorized = await serve(response => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  const config = await writeConfig({
    everything: {
      command: process.execPath,
      args: [
        fileURLToPath(
          new URL(
            '../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
            import.meta.url,
          ),
        ),
      ],
    },
    missing: { command: 'no-such-program' },
    wrong: { command: 3 },
    variable: { command: '${env:NOT_GIVEN}' },
    crashing: {
      command: process.execPath,
      args: ['-e', 'console.error(process.env.KEY);process.exit(3)'],
      env: { KEY: token },
    },
    unauthorized: { url: `${unauthorized.url}/mcp?key=${token}` },
    off: { command: 'x', disabled: true },
  });
  const { code, stdout, stderr } = await runCommand(['mcp', config]);
  expect(code).toBe(1);
  expect(stdout + stderr).not.toContain(token);
  expect(stdout + stderr).not.toContain('\u001b');
  expect(stdout).toContain('esc\\u001b[2Jape');
  expect(stdout).toMatch(/^own: ready, 7 tools$/m);
  expect(stdout).toMatch(/^everything: ready, \d+ tools$/m);
  expect(stdout).toMatch(/^missing: failed: .*"no-such-program" was not found/m);
  expect(stdout).toMatch(/^wrong: failed: .*`command`/m);
  expect(stdout).toMatch(/^variable: failed: .*Pass --env NOT_GIVEN\.$/m);
  expect(stdout).toMatch(/^crashing: failed: /m);
  expect(stdout).toMatch(/^unauthorized: needs sign-in/m);
  expect(stdout).toMatch(/^off: disabled$/m);
});

it('expands the variables of the environment that --env names, and exits with 0 if everything is fine', async () => {
  const config = await writeTemporary(
    'config.json',
    JSON.stringify({
      mcpServers: {
        files: {
          command: '${env:PROGRAM}',
          args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '${workspaceFolder}'],
        },
      },
    }),
  );
  const result = await runCommand(['mcp', config, '--env', 'PROGRAM'], {
    env: { PROGRAM: process.execPath },
  });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toMatch(/^files: ready, \d+ tools\n/);
  expect(result.stdout).not.toMatch(/repaired|left out/);
});

it('names the file of a configuration that is cut', async () => {
  const file = await writeTemporary(
    'cut.json',
    '{ "mcpServers": { "files": { "command": "npx", "env": { "KEY": "hunter2-hunt',
  );
  const { code, stderr } = await runCommand(['mcp', file]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/^kelivo-responses: [^\n]+not valid JSON\.\n$/);
  expect(stderr).toContain(file);
  expect(stderr).not.toContain('hunter2');
});
