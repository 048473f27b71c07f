import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServersResponse } from '../../../playground/shared/playground-state.js';
import { everythingOverStdio, startEverythingServer } from '../../tools/mcp/_everything-server.js';
import { createConfirmations } from '../../../playground/server/mcp/confirmation.js';
import { findCode, openPlayground, type TestPlayground } from './_playground.js';

const replace = ({ call }: TestPlayground, mcpServers: unknown, code?: string) =>
  call('/api/servers', { method: 'PUT', body: { config: JSON.stringify({ mcpServers }), code } });

async function untilReady({ call }: TestPlayground, name: string): Promise<ServersResponse> {
  for (;;) {
    const response = (await call('/api/servers')).json as ServersResponse;
    const server = response.servers.find(one => one.name === name);
    if (server?.state === 'ready' && server.tools.length > 0) return response;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

describe('the servers of the file', () => {
  it('are connected at the start and report their tools, hints and log', async () => {
    const playground = await openPlayground({ mcpServers: { everything: everythingOverStdio() } });
    const { servers } = await untilReady(playground, 'everything');

    expect(servers).toMatchObject([
      { name: 'everything', transport: 'stdio', target: expect.stringContaining('index.js') },
    ]);
    expect(servers[0]?.tools).toContainEqual(expect.objectContaining({ name: 'echo', hint: 'read-only' }));
    expect(servers[0]?.log).toContainEqual(expect.objectContaining({ text: 'Connected.' }));
  });

  it('report why they failed', async () => {
    const playground = await openPlayground({ mcpServers: { broken: { command: 'no-such-program' } } });
    await playground.call('/api/servers/broken/reconnect', { method: 'POST' });
    const { json } = await playground.call('/api/servers');

    expect(json).toMatchObject({
      servers: [{ state: 'failed', error: expect.stringContaining('no-such-program') }],
    });
  });

  it('are the everything server and the file server on the first start', async () => {
    const playground = await openPlayground({ mcpServers: undefined });
    const { servers } = await untilReady(playground, 'files');
    const written: unknown = JSON.parse(await readFile(path.join(playground.folder, 'mcp.json'), 'utf8'));

    expect(servers.map(({ name }) => name)).toEqual(['everything', 'files']);
    expect(servers[1]?.tools).toContainEqual(
      expect.objectContaining({ name: 'write_file', hint: 'destructive' }),
    );
    expect(written).toMatchObject({
      mcpServers: { files: { args: [expect.any(String), playground.folder + '/files'] } },
    });
  });
});

describe('a change of the servers', () => {
  it('starts a new program only after its command line is confirmed', async () => {
    const playground = await openPlayground();
    const marker = path.join(playground.folder, 'started');
    const args = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`];
    const asked = await replace(playground, { tool: { command: process.execPath, args } });

    expect(asked.json).toMatchObject({
      needsConfirmation: [{ name: 'tool', command: process.execPath, args, env: {} }],
    });
    expect((await playground.call('/api/servers')).json).toMatchObject({ servers: [] });
    await expect(stat(marker)).rejects.toThrow('ENOENT');

    await replace(playground, { tool: { command: process.execPath, args } }, playground.code());
    await playground.call('/api/servers/tool/reconnect', { method: 'POST' });
    await expect(stat(marker)).resolves.toBeDefined();
  });

  it.each([
    ['another command', { command: 'other' }],
    ['other arguments', { args: ['other'] }],
    ['another variable', { env: { NODE_OPTIONS: '--require=/tmp/evil.js' } }],
    ['another folder', { cwd: '/tmp' }],
  ])('requires a confirmation for %s of a known program', async (_title, change) => {
    const server = { command: 'program', args: ['one'], disabled: true };
    const playground = await openPlayground({ mcpServers: { server } });
    const same = await replace(playground, { renamed: server });
    const { json } = await replace(playground, { server: { ...server, ...change } });

    expect(same.json).toHaveProperty('servers');
    expect(json).toHaveProperty('needsConfirmation');
  });

  it('shows everything that decides what runs, also values that the configuration masks', async () => {
    const env = { NODE_OPTIONS: '--require=/tmp/evil.js', API_KEY: 'canary-secret-0123456789' };
    const server = { command: 'program', args: ['--token', 'canary-0123'], env, cwd: '/tmp', disabled: true };
    const playground = await openPlayground({ mcpServers: { server } });
    const { config } = (await playground.call('/api/servers')).json as ServersResponse;
    const changed = config.replace('"program"', '"other"');
    const { json } = await playground.call('/api/servers', { method: 'PUT', body: { config: changed } });
    const { disabled: _disabled, ...program } = server;

    expect(config).not.toContain('evil');
    expect(json).toMatchObject({ needsConfirmation: [{ ...program, name: 'server', command: 'other' }] });
  });

  it('shows the code only in the terminal, with what it starts', async () => {
    const playground = await openPlayground();
    const channel = await playground.watch();
    const name = 'a\u001b[2J\u202e';
    const server = { command: 'hidden', env: { NODE_OPTIONS: '--require=x' }, cwd: '/tmp', disabled: true };
    const asked = await replace(playground, { [name]: server });
    const code = playground.code();
    const wrong = await replace(playground, { [name]: server }, 'AAAA-AAAA');
    const read = await Promise.all(
      ['/api/servers', '/api/state', '/api/traces', '/api/conversations'].map(where =>
        playground.call(where),
      ),
    );
    const answers = [asked, wrong, ...read].map(({ text }) => text).join('') + JSON.stringify(channel.events);

    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}-[2-9A-HJ-NP-Z]{4}$/);
    expect(answers).not.toContain(code);
    expect(answers).not.toContain(code.replace('-', ''));
    expect(playground.printed()).toContain('"command":"hidden"');
    expect(playground.printed()).toContain('--require=x');
    for (const character of ['\u001b', '\u202e']) expect(playground.printed()).not.toContain(character);
  });

  it('accepts a code five times wrong at most, and for two minutes', () => {
    let time = 0;
    let printed = '';
    const confirmations = createConfirmations({ print: text => (printed = text), now: () => time });
    const check = (code: string) => confirmations.check('change', [], code);
    confirmations.ask('change', []);
    const refusals = [1, 2, 3, 4, 5].map(() => check('wrong')?.refusal);
    const afterFive = check(findCode(printed));
    confirmations.ask('change', []);
    time = 119_999;
    const inTime = check(findCode(printed).toLowerCase().replace('-', ' '));
    confirmations.ask('change', []);
    time += 120_000;
    const tooLate = check(findCode(printed));

    expect(refusals[3]).toContain('Attempts left: 1.');
    expect(refusals[4]).toContain('the last attempt');
    expect(afterFive).toHaveProperty('refusal');
    expect(inTime).toBeUndefined();
    expect(tooLate).toHaveProperty('refusal');
  });

  it('accepts a code once and only for the same configuration', async () => {
    const playground = await openPlayground();
    const first = { first: { command: 'first', disabled: true } };
    const second = { second: { command: 'second', disabled: true } };
    await replace(playground, first);
    const swapped = await replace(playground, second, playground.code());
    await replace(playground, first);
    const code = playground.code();
    const applied = await replace(playground, first, code);
    await replace(playground, {});
    const again = await replace(playground, first, code);

    expect(applied.json).toHaveProperty('servers');
    expect(swapped.json).toHaveProperty('needsConfirmation');
    expect(again.json).toHaveProperty('needsConfirmation');
  });

  it('requires no confirmation for a URL', async () => {
    const server = await startEverythingServer('streamableHttp');
    try {
      const playground = await openPlayground();
      await replace(playground, { remote: server.config });
      const { servers } = await untilReady(playground, 'remote');

      expect(servers).toMatchObject([{ name: 'remote', transport: 'http' }]);
      await playground.close();
    } finally {
      await server.close();
    }
  });

  it('masks the secrets of the configuration and keeps masked ones', async () => {
    const secret = 'canary-secret-0123456789';
    const mcpServers = {
      local: { command: 'program', args: ['--api-key', secret], env: { TOKEN: secret }, disabled: true },
      remote: {
        url: `http://127.0.0.1:9/mcp?token=${secret}`,
        headers: { Authorization: `Bearer ${secret}` },
        disabled: true,
      },
    };
    const playground = await openPlayground({ mcpServers });
    const { text, json } = await playground.call('/api/servers');
    const { config } = json as ServersResponse;
    const saved = await playground.call('/api/servers', { method: 'PUT', body: { config } });
    const onDisk: unknown = JSON.parse(await readFile(path.join(playground.folder, 'mcp.json'), 'utf8'));

    expect(text).not.toContain(secret);
    expect(saved.json).toHaveProperty('servers');
    expect(saved.text).not.toContain(secret);
    expect(onDisk).toEqual({ mcpServers });
  });

  it('to an invalid configuration is rejected with the reason and changes nothing', async () => {
    const playground = await openPlayground({ mcpServers: { server: { command: 'a', disabled: true } } });
    const wrong = await playground.call('/api/servers', {
      method: 'PUT',
      body: { config: '{"a": {"command": 1}}' },
    });
    const text = await playground.call('/api/servers', { method: 'PUT', body: { config: '{' } });

    expect(wrong.json).toMatchObject({ problem: expect.stringContaining('"a"') });
    expect(text.json).toMatchObject({ problem: expect.stringContaining('not valid JSON') });
    expect((await playground.call('/api/servers')).json).toMatchObject({ servers: [{ name: 'server' }] });
  });

  it('makes the file readable only by its owner', async () => {
    const playground = await openPlayground();
    await replace(playground, { remote: { url: 'http://127.0.0.1:9/mcp', disabled: true } });
    const { mode } = await stat(path.join(playground.folder, 'mcp.json'));

    expect(mode & 0o077).toBe(0);
  });
});
