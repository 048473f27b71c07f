import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../playground/server/app.js';
import type { PlaygroundContext } from '../../../playground/server/context.js';
import { createSession } from '../../../playground/server/session.js';
import type {
  OpenedApp,
  ServerInspection,
  ToolCallResult,
} from '../../../playground/shared/mcp-inspection.js';
import type { ServersResponse } from '../../../playground/shared/playground-state.js';
import { everythingOverStdio } from '../../tools/mcp/_everything-server.js';
import { startEmulator } from '../../testing/_emulator.js';
import { openPlayground, type TestPlayground } from './_playground.js';

const sameIdServer = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_same-id-server.mjs', import.meta.url))],
};

const secret = 'opaque-value-7-of-the-environment';

const restaurant = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../../browser/_inspected-server.mjs', import.meta.url))],
  env: { SECRET: secret },
};

const mcpServers = { everything: everythingOverStdio() };

async function openConnected(): Promise<TestPlayground> {
  const playground = await openPlayground({ mcpServers });
  await playground.call('/api/servers/everything/reconnect', { method: 'POST' });
  return playground;
}

/** Waits for a request of a server and returns its id. */
async function untilAsked(call: TestPlayground['call']): Promise<string> {
  for (;;) {
    const [request] = ((await call('/api/servers')).json as ServersResponse).requests;
    if (request !== undefined) return request.id;
  }
}

/** Its apps have a tool that the model does not see. */
const theatre = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../../browser/_app-server.mjs', import.meta.url))],
};

describe('an app of an MCP server', () => {
  it('reaches the tools that its server offers to apps, and no others', async () => {
    const { call } = await openPlayground({ mcpServers: { theatre, restaurant } });
    const post = (path: string, body: object) => call(`/api/mcp/${path}`, { method: 'POST', body });
    const callFor = async (toolName: string, input: object = {}) =>
      (await post('theatre/app/call', { toolName, input })).json as ToolCallResult;
    const opened = await post('theatre/app', { toolName: 'seats' });
    const withoutApp = await post('theatre/app', { toolName: 'book' });

    expect(opened.json).toMatchObject({ origins: [], tools: expect.arrayContaining(['price', 'book']) });
    expect((opened.json as OpenedApp).tools).not.toContain('model-only');
    expect([withoutApp.status, withoutApp.json]).toEqual([
      409,
      { error: 'The MCP server “theatre” offers no app of the tool "book".' },
    ]);
    expect(await callFor('price', { seats: 2 })).toMatchObject({
      isError: false,
      result: { content: [{ type: 'text', text: 'Price 18' }] },
    });
    expect(await callFor('price', { seats: 'two' })).toMatchObject({ isError: true });
    for (const name of ['model-only', 'order', 'nothing'])
      expect(await callFor(name)).toMatchObject({
        isError: true,
        result: `MCP server "theatre" offers no tool "${name}" to its apps.`,
      });
    const { tools, messages } = (await call('/api/mcp/theatre')).json as ServerInspection;
    expect(tools.map(({ name }) => name)).not.toContain('price');
    expect(JSON.stringify(messages)).not.toMatch(/"name":"model-only","arguments"/);
    expect(JSON.stringify(messages)).toMatch(/"name":"price","arguments"/);
  });
});

describe('the inspection of an MCP server', () => {
  it('has its tools with schemas, and the messages of both directions', async () => {
    const { call } = await openConnected();
    const called = await call('/api/mcp/everything/call', {
      method: 'POST',
      body: { toolName: 'get-sum', input: { a: 1, b: 2 } },
    });
    const { tools, messages } = (await call('/api/mcp/everything')).json as ServerInspection;

    expect(called.json).toMatchObject({
      isError: false,
      result: { content: [{ type: 'text', text: 'The sum of 1 and 2 is 3.' }] },
    });
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'get-sum', inputSchema: expect.objectContaining({ type: 'object' }) }),
    );
    expect(messages).toContainEqual(
      expect.objectContaining({
        direction: 'sent',
        message: expect.objectContaining({ method: 'tools/call' }),
      }),
    );
  });

  it('has standard error, the handshake and roots, and only messages after a number', async () => {
    const config = { ...restaurant, roots: ['/srv/kitchen'] };
    const { call } = await openPlayground({ mcpServers: { restaurant: config } });
    await call('/api/servers/restaurant/reconnect', { method: 'POST' });
    /** Waits until a line has been written, which can arrive after the response of the server. */
    const untilWritten = async (line: string, after: number): Promise<ServerInspection> => {
      for (;;) {
        const found = (await call(`/api/mcp/restaurant?after=${after}`)).json as ServerInspection;
        if (found.stderr.some(({ text }) => text.includes(line))) return found;
      }
    };
    const first = await untilWritten('restaurant opens', 0);
    const body = { toolName: 'leak', input: { text: 'x' } };
    await call('/api/mcp/restaurant/call', { method: 'POST', body });
    const next = await untilWritten('leaked', first.last);

    expect(first.handshake).toMatchObject({
      method: 'initialize',
      result: { instructions: 'Order before you pay.' },
    });
    expect(first.roots).toEqual(['/srv/kitchen']);
    expect(next.messages.map(({ direction }) => direction)).toEqual(['sent', 'received']);
    expect(next.stderr.at(-1)?.text).toMatch(/^leaked \[redacted\] <b>and<\/b> red text/);
    expect((await call('/api/mcp/restaurant?after=x')).status).toBe(400);
  });

  it("redacts what it displays, and sends the user's input unchanged", async () => {
    const { call } = await openPlayground({ mcpServers: { restaurant } });
    await call('/api/servers/restaurant/reconnect', { method: 'POST' });
    const text = `${secret}, AKIAIOSFODNN7EXAMPLE and Ünïcode`;
    const called = await call('/api/mcp/restaurant/call', {
      method: 'POST',
      body: { toolName: 'leak', input: { text } },
    });
    const { number, result } = called.json as { number: number; result: { content: { text: string }[] } };
    const { text: inspection } = await call('/api/mcp/restaurant');
    const { text: history } = await call('/api/mcp/restaurant/history?tool=order');

    expect(result.content[0]?.text).toContain(createHash('sha256').update(text).digest('hex'));
    expect(inspection).toContain('tools/call');
    expect(called.text + inspection + history).not.toMatch(/opaque-value-7|AKIAIOSFODNN7/);

    // On demand only.
    const secretsOf = (of: number) => call(`/api/mcp/restaurant/history/${of}/secrets`);
    expect((await secretsOf(number)).text).toContain(text);
    expect((await secretsOf(number + 1)).status).toBe(410);
    const plain = { method: 'POST', body: { toolName: 'leak', input: { text: 'plain' } } };
    const last = (await call('/api/mcp/restaurant/call', plain)).json;
    expect(last).toMatchObject({ number: number + 1, isRedacted: false });
    expect((await secretsOf(number + 1)).status).toBe(410);
    for (let count = 0; count < 49; count++) await call('/api/mcp/restaurant/call', plain);
    expect((await secretsOf(number)).status).toBe(410);
  });

  it('lists changed tools after the server has announced them', async () => {
    const { call } = await openPlayground({ mcpServers: { restaurant } });
    await call('/api/servers/restaurant/reconnect', { method: 'POST' });
    await call('/api/mcp/restaurant/call', { method: 'POST', body: { toolName: 'grow', input: {} } });
    let names: readonly string[];
    do names = ((await call('/api/mcp/restaurant')).json as ServerInspection).tools.map(({ name }) => name);
    while (!names.includes('grown'));
    expect(names).toContain('order');
  });

  it('passes requests of the server to the user, and the responses back', async () => {
    const { call } = await openConnected();
    const running = call('/api/mcp/everything/call', {
      method: 'POST',
      body: { toolName: 'trigger-sampling-request', input: { prompt: 'Who?', maxTokens: 10 } },
    });
    const id = await untilAsked(call);
    const body = { action: 'accept', content: 'The user.' };
    const first = await call(`/api/mcp/requests/${id}`, { method: 'POST', body });
    const second = await call(`/api/mcp/requests/${id}`, { method: 'POST', body });
    const { result } = (await running).json as ToolCallResult;

    expect(JSON.stringify(result)).toContain('The user.');
    expect([first.status, second.status]).toEqual([200, 410]);
  });

  it.each([
    { toolName: 'ask-model', content: 'The user.' },
    { toolName: 'ask-user', content: { name: 'The user.' } },
  ])(
    'shows the result of the call of $toolName, although a request of the server had its id',
    async ({ toolName, content }) => {
      const { call } = await openPlayground({ mcpServers: { same: sameIdServer } });
      await call('/api/servers/same/reconnect', { method: 'POST' });
      const running = call('/api/mcp/same/call', { method: 'POST', body: { toolName, input: {} } });
      const id = await untilAsked(call);
      await call(`/api/mcp/requests/${id}`, { method: 'POST', body: { action: 'accept', content } });
      const { result, isError } = (await running).json as ToolCallResult;
      const { messages } = (await call('/api/mcp/same')).json as ServerInspection;
      const ids = messages
        .slice(-4)
        .map(({ direction, message }) => [direction, (message as { id: number }).id]);
      const [[, callId] = []] = ids;

      expect(ids).toEqual(['sent', 'received', 'sent', 'received'].map(direction => [direction, callId]));
      expect(isError).toBe(false);
      expect(result).toEqual({
        content: [{ type: 'text', text: expect.stringMatching(/^Received .*The user\./) }],
      });
    },
  );

  it('rejects unknown servers, and clients without the token', async () => {
    const { call, url } = await openPlayground();
    const refused = await Promise.all(
      ['/api/mcp/everything', '/api/mcp/everything/prompts'].map(async path => {
        const { status } = await fetch(url + path);
        return status;
      }),
    );

    expect((await call('/api/mcp/unknown')).status).toBe(404);
    expect(refused).toEqual([401, 401]);
  });

  it('returns from an authorization server once, only with its state, and shows nothing', async () => {
    const hostile = '"><script>';
    const finished: string[] = [];
    const servers = {
      awaitsSignIn: (state: string) => state === hostile && finished.length === 0,
      finishAuth: async (callback: URLSearchParams) => finished.push(callback.get('code') ?? '') === 1,
    };
    const channel = { changed: () => {} };
    const playground = { servers, channel } as unknown as PlaygroundContext;
    const app = createApp({ playground, port: () => 4173, session: createSession(), page: '.' });
    const open = async (state: string, method = 'GET') => {
      const path = `/oauth/callback?code=1&state=${encodeURIComponent(state)}`;
      const response = await app.request(path, { method, headers: { host: '127.0.0.1:4173' } });
      return [response.status, await response.text()];
    };

    expect(await open('another')).toEqual([400, expect.stringContaining('not accepted')]);
    expect(await open(hostile, 'HEAD')).toEqual([400, '']);
    const [status, text] = await open(hostile);
    expect([status, finished]).toEqual([200, ['1']]);
    expect(text).not.toContain('script');
    expect((await open(hostile))[0]).toBe(400);
    expect(finished).toEqual(['1']);
  });

  it('accepts no callback without the state of a sign-in', async () => {
    const { url } = await openConnected();
    for (const query of ['', '?code=1', '?code=1&state=', '?code=1&state=guessed'])
      expect((await fetch(`${url}/oauth/callback${query}`)).status).toBe(400);
  });
});

describe('subscriptions and the log level', () => {
  const openRestaurant = async (env: Record<string, string> = {}) => {
    const playground = await openPlayground({
      mcpServers: { restaurant: { ...restaurant, env: { ...restaurant.env, ...env } } },
    });
    await playground.call('/api/servers/restaurant/reconnect', { method: 'POST' });
    const inspect = async () => (await playground.call('/api/mcp/restaurant')).json as ServerInspection;
    const linesOf = async (text: string): Promise<number> =>
      (await inspect()).stderr.filter(line => line.text.includes(text)).length;
    const choose = (level: string) =>
      playground.call('/api/mcp/restaurant/log-level', { method: 'PUT', body: { level } });
    return { ...playground, inspect, linesOf, choose };
  };

  it('end when the page leaves, also while it subscribes', async () => {
    const { call, linesOf } = await openRestaurant({ SUBSCRIPTION_DELAY: '500' });
    const leaving = new AbortController();
    const sent = call('/api/mcp/restaurant/subscribe', {
      method: 'POST',
      body: { uri: 'demo://menu' },
      signal: leaving.signal,
    });
    await expect.poll(() => linesOf('somebody follows')).toBe(1);
    leaving.abort();

    await expect(sent).rejects.toThrow();
    await expect.poll(() => linesOf('nobody follows')).toBe(1);
  });

  it('apply to the next connection, and a server that rejects the level keeps its tools', async () => {
    const { ask, call, choose, inspect, linesOf } = await openRestaurant();
    const { status } = await choose('loud');
    await choose('error');
    await call('/api/mcp/restaurant/call', { method: 'POST', body: { toolName: 'crash', input: {} } });
    await call('/api/servers/restaurant/reconnect', { method: 'POST' });

    expect(status).toBe(400);
    await expect.poll(() => linesOf('logs from error')).toBe(2);
    await call('/api/mcp/restaurant/call', {
      method: 'POST',
      body: { toolName: 'cook', input: { dish: 'Pie' } },
    });
    await choose('alert');
    await call('/api/mcp/restaurant/call', { method: 'POST', body: { toolName: 'crash', input: {} } });
    const state = async () => ((await call('/api/servers')).json as ServersResponse).servers[0]?.state;
    await expect.poll(state).toBe('idle');
    const emulator = await startEmulator();
    await call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL } });
    emulator.enqueue([{ text: 'Pie.' }]);
    await ask('What is there to eat?');

    expect(JSON.stringify(emulator.requests[0]?.body)).toContain('"cook"');
    expect((await inspect()).logLevel).toBe('alert');
    expect(JSON.stringify((await call('/api/servers')).json)).toContain('Not now');
  });
});
