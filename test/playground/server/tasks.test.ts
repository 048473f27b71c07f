import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type {
  PastCall,
  PendingRequest,
  ServerInspection,
  TaskView,
} from '../../../playground/shared/mcp-inspection.js';
import type { ServersResponse } from '../../../playground/shared/playground-state.js';
import { everythingOverStdio } from '../../tools/mcp/_everything-server.js';
import {
  type ModernServer,
  startModernServer,
  toList,
  toText,
  toTool,
} from '../../tools/mcp/_modern-server.js';
import { openPlayground } from './_playground.js';

const oven = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../../browser/_task-server.mjs', import.meta.url))],
};

async function openServer(config: unknown) {
  const { call } = await openPlayground({ mcpServers: { oven: config } });
  await call('/api/servers/oven/reconnect', { method: 'POST' });
  const inspect = async () => (await call('/api/mcp/oven')).json as ServerInspection;
  return {
    call,
    inspect,
    callTool: (toolName: string, input: object = {}, more: object = {}) =>
      call('/api/mcp/oven/call', { method: 'POST', body: { toolName, input, ...more } }),
    cancel: (number: number) => call(`/api/mcp/oven/tasks/${number}/cancel`, { method: 'POST' }),
    /** Waits until the newest task matches. */
    async until(matches: (task: TaskView) => boolean): Promise<TaskView> {
      for (;;) {
        const [task] = (await inspect()).tasks;
        if (task !== undefined && matches(task)) return task;
      }
    },
    async untilAsked(): Promise<PendingRequest> {
      for (;;) {
        const [request] = ((await call('/api/servers')).json as ServersResponse).requests;
        if (request !== undefined) return request;
      }
    },
    history: async (toolName: string) =>
      (await call(`/api/mcp/oven/history?tool=${toolName}`)).json as PastCall[],
  };
}

const asTask = { isTask: true };

describe('a task of a server of revision 2025-11-25', () => {
  it('has its state, the words and the progress of the server, and its result in the history', async () => {
    const { inspect, callTool, until, history } = await openServer(oven);
    const { tools } = await inspect();
    const started = await callTool('bake', { text: 'bread' }, asTask);
    const working = await until(({ progress }) => progress !== undefined);
    await callTool('finish');
    const ended = await until(({ state }) => state !== 'working');

    expect(tools.find(({ name }) => name === 'bake')).toMatchObject({ task: 'required' });
    expect(tools.find(({ name }) => name === 'cook')).toMatchObject({ task: 'optional' });
    expect(tools.find(({ name }) => name === 'finish')).not.toHaveProperty('task');
    expect(started.status).toBe(202);
    expect(working).toMatchObject({
      toolName: 'bake',
      state: 'working',
      message: 'bake bread',
      progress: { progress: 1, total: 3, message: 'first step' },
    });
    expect(ended).toMatchObject({ state: 'completed', duration: expect.any(Number) });
    expect(await history('bake')).toMatchObject([
      {
        number: ended.number,
        input: { text: 'bread' },
        isError: false,
        result: toText('bake has ended with bread'),
      },
    ]);
  });

  it('is only started if it was requested', async () => {
    const { callTool, inspect } = await openServer(oven);
    const { json } = await callTool('cook');
    expect(json).toMatchObject({ isError: false, result: toText('cooked at once') });
    expect((await inspect()).tasks).toEqual([]);
  });

  it('has the result of a failure', async () => {
    const { callTool, until, history } = await openServer(oven);
    await callTool('cook', {}, asTask);
    await until(({ message }) => message !== undefined);
    await callTool('burn');
    await until(({ state }) => state === 'failed');
    expect(await history('cook')).toMatchObject([{ isError: true, result: toText('It is black.') }]);
  });

  it('is cancelled at the server, or says why not', async () => {
    const { callTool, until, cancel, history } = await openServer(oven);
    await callTool('bake', {}, asTask);
    const { number } = await until(({ message }) => message !== undefined);
    expect((await cancel(number)).status).toBe(200);
    await until(({ state }) => state === 'cancelled');
    expect((await cancel(number)).status).toBe(410);
    expect(await history('bake')).toMatchObject([{ isError: true, result: 'The task was cancelled.' }]);

    await callTool('bake', { text: 'stubborn' }, asTask);
    const stubborn = await until(({ message }) => message !== undefined);
    await cancel(stubborn.number);
    const refused = await until(({ problem }) => problem !== undefined);
    expect(refused).toMatchObject({
      state: 'working',
      problem: expect.stringContaining('The oven is locked'),
    });
  });

  it('fails when the process of its server ends, and when the server is connected again', async () => {
    const { call, callTool, until, history } = await openServer(oven);
    await callTool('bake', {}, asTask);
    await until(({ message }) => message !== undefined);
    await callTool('crash');
    await until(({ state }) => state === 'failed');
    await callTool('bake', {}, asTask);
    await until(({ message, state }) => state === 'working' && message !== undefined);
    await call('/api/servers/oven/reconnect', { method: 'POST' });
    await until(({ state }) => state === 'failed');
    // The request for the state of a task may notice it first.
    const lost = expect.stringMatching(/connection to the server has ended|closed the connection/);
    expect(await history('bake')).toMatchObject([{ result: lost }, { result: lost }]);
  });

  it('asks the user, and gives the response to the reference server', async () => {
    const { call, inspect, callTool, until, untilAsked, history } = await openServer(everythingOverStdio());
    const toolName = 'simulate-research-query';
    expect((await inspect()).tools).toContainEqual(
      expect.objectContaining({ name: toolName, title: 'Simulate Research Query', task: 'required' }),
    );
    await callTool(toolName, { topic: 'python', ambiguous: true }, asTask);
    const request = await untilAsked();
    const asking = await until(() => true);
    const content = { interpretation: 'snake' };
    await call(`/api/mcp/requests/${request.id}`, { method: 'POST', body: { action: 'accept', content } });
    await until(({ state }) => state === 'completed');

    expect(asking).toMatchObject({ state: 'input_required', message: expect.stringContaining('multiple') });
    expect(request).toMatchObject({ server: 'oven', toolName, kind: 'form' });
    expect(JSON.stringify(await history(toolName))).toContain('python (snake)');
  });
});

describe('a task of the extension of revision 2026-07-28', () => {
  const extension = 'io.modelcontextprotocol/tasks';

  /** A server whose task has the states that the test pushes. */
  async function startServer(states: object[]): Promise<ModernServer> {
    const task = { taskId: 't1', createdAt: '', lastUpdatedAt: '', ttlMs: null, pollIntervalMs: 100 };
    return startModernServer(
      {
        'tools/list': () => toList([toTool('bake')]),
        'tools/call': () => ({ ...task, resultType: 'task', status: 'working' }),
        'tasks/get': () => ({
          ...task,
          status: 'working',
          ...states[0],
          ...(states.length > 1 && states.shift()),
        }),
        'tasks/update': () => ({}),
        'tasks/cancel': () => {
          states.splice(0, states.length, { status: 'cancelled' });
          return {};
        },
      },
      { capabilities: { tools: {}, extensions: { [extension]: {} } } },
    );
  }

  it('may be any call, is shown if it was requested, and ends with the result in its state', async () => {
    const server = await startServer([
      { statusMessage: 'hot' },
      { status: 'completed', result: toText('done') },
    ]);
    const { callTool, until, history, inspect } = await openServer({ url: server.url });
    expect((await inspect()).tools).toMatchObject([{ name: 'bake', task: 'optional' }]);
    expect((await callTool('bake')).json).toMatchObject({ isError: false });
    expect((await inspect()).tasks).toEqual([]);
    await callTool('bake', {}, asTask);
    await until(({ state }) => state === 'completed');

    const declared = server.requests
      .filter(({ method }) => method.startsWith('tasks/') || method === 'tools/call')
      .map(({ params }) => JSON.stringify(params._meta).includes(`"${extension}":{}`));
    expect(new Set(declared)).toEqual(new Set([true]));
    expect(await history('bake')).toMatchObject([
      { isError: false, result: toText('done') },
      { isError: false },
    ]);
  });

  it('asks the user, and withdraws the question when it is cancelled', async () => {
    const requestedSchema = { type: 'object', properties: { size: { type: 'string' } } };
    const form = { method: 'elicitation/create', params: { message: 'Which size?', requestedSchema } };
    const asking = { status: 'input_required', inputRequests: { size: form } };
    const server = await startServer([asking, { status: 'completed', result: toText('done') }]);
    const { call, callTool, until, untilAsked } = await openServer({ url: server.url });
    await callTool('bake', {}, asTask);
    const { id, toolName } = await untilAsked();
    const body = { action: 'accept', content: { size: 'large' } };
    await call(`/api/mcp/requests/${id}`, { method: 'POST', body });
    await until(({ state }) => state === 'completed');
    expect(toolName).toBe('bake');
    expect(server.requests.find(({ method }) => method === 'tasks/update')?.params).toMatchObject({
      taskId: 't1',
      inputResponses: { size: body },
    });

    const second = await startServer([asking]);
    const opened = await openServer({ url: second.url });
    await opened.callTool('bake', {}, asTask);
    await opened.untilAsked();
    const { number } = await opened.until(({ state }) => state === 'input_required');
    await opened.cancel(number);
    await opened.until(({ state }) => state === 'cancelled');
    expect(((await opened.call('/api/servers')).json as ServersResponse).requests).toEqual([]);
  });

  it('has the error of a failure', async () => {
    const server = await startServer([
      { status: 'failed', error: { code: -32603, message: 'Out of flour' } },
    ]);
    const { callTool, until, history } = await openServer({ url: server.url });
    await callTool('bake', {}, asTask);
    await until(({ state }) => state === 'failed');
    expect(await history('bake')).toMatchObject([{ isError: true, result: 'Out of flour' }]);
  });
});
