import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { McpServerConfig, McpTools } from '../../../src/tools/mcp/index.js';
import { newest } from '../../_products.js';
import { KelivoError } from '../../../src/core/shared/errors.js';
import { createJournal, createSqliteStore } from '../../../src/tool-loop/durable/index.js';
import type { KeptTask } from '../../../src/tools/kept-task.js';
import type { ToolCallOptions, ToolOutput, ToolProgress } from '../../../src/tools/tool-source.js';
import { everythingOverStdio, startEverythingServer } from './_everything-server.js';
import { openTools, temporaryFolder, until } from './_fixture-server.js';
import { startOddServer, toPlainAnswer } from './_odd-server.js';
import { RpcError, startModernServer, toList, toText, toTool } from './_modern-server.js';
import { startTaskServer } from './_task-server.js';

const research = 'simulate-research-query';

let callCount = 0;

const call = (
  tools: McpTools,
  toolName: string,
  input: Record<string, unknown> = {},
  options: Partial<ToolCallOptions> = {},
): Promise<ToolOutput> =>
  tools.callTool(
    { toolCallId: `call_${++callCount}`, toolName, input },
    { signal: new AbortController().signal, ...options },
  );

describe.each(newest(['stdio', 'http'] as const))('the task of the reference server over %s', transport => {
  let config: McpServerConfig = everythingOverStdio();
  beforeAll(async () => {
    if (transport === 'stdio') return;
    const server = await startEverythingServer('streamableHttp');
    config = server.config;
    return () => server.close();
  });

  it('has the result of its call, and its states are progress', async () => {
    const tools = openTools({ everything: config });
    expect((await tools.listTools()).warnings).toEqual([]);
    const progress: ToolProgress[] = [];
    const output = await call(tools, research, { topic: 'tea' }, { onProgress: one => progress.push(one) });
    expect(output).toMatchObject({ type: 'text', value: expect.stringContaining('Research Report: tea') });
    const states = [
      'Gathering sources...',
      'Analyzing content...',
      'Synthesizing findings...',
      'Generating report...',
    ];
    // The server changes its state by the clock. A state that ends between two requests is not seen.
    const seen = states.filter(state => progress.some(({ message }) => message === state));
    expect(seen.length).toBeGreaterThan(1);
    expect(progress).toEqual(
      seen.map((message, index) => ({ progress: index + 1, message, total: undefined })),
    );
  });

  it('asks the user of its call', async () => {
    const asked: string[] = [];
    const tools = openTools(
      { everything: config },
      {
        onElicitation({ message }, { toolCallId }) {
          asked.push(`${toolCallId} ${/"(.*?)"/.exec(message)?.[1]}`);
          return {
            action: 'accept',
            content: { interpretation: `the ${message.includes('python') ? 'snake' : 'car'}` },
          };
        },
      },
    );
    const first = callCount + 1;
    const outputs = await Promise.all(
      ['python', 'jaguar'].map(topic => call(tools, research, { topic, ambiguous: true })),
    );
    expect(outputs).toMatchObject([
      { value: expect.stringContaining('python (the snake)') },
      { value: expect.stringContaining('jaguar (the car)') },
    ]);
    expect(asked.toSorted()).toEqual([`call_${first} python`, `call_${first + 1} jaguar`]);
  });
});

describe('a task of a server of revision 2025-11-25', () => {
  it('is requested where the tool requires it, and where a journal keeps it', async () => {
    const { config, methods, change, requests } = await startTaskServer();
    const tools = openTools({ oven: config });
    expect(await call(tools, 'cook')).toMatchObject({ value: 'cooked at once' });
    const kept: unknown[] = [];
    const task: KeptTask = { record: async one => void kept.push(one), isLost: false };
    const cooking = call(tools, 'cook', {}, { task });
    await until(() => methods().includes('tasks/get'));
    change({ status: 'completed' });
    expect(await cooking).toMatchObject({ value: 'done' });
    const { sessionId } = requests.at(-1) ?? {};
    expect(kept).toEqual([
      {
        taskId: 'task-1',
        generation: 'v1',
        endpoint: expect.stringMatching(/^[0-9a-f]{64}$/),
        session: {
          initialSessionId: sessionId,
          initialInitializeResult: expect.objectContaining({ serverInfo: { name: 'oven', version: '1' } }),
        },
      },
    ]);
    expect(
      requests.filter(({ method }) => method === 'tools/call').map(({ params }) => params?.task),
    ).toEqual([undefined, {}]);
  });

  it('reports the progress that its server sends after it has created the task', async () => {
    const { config, methods, change, reportProgress } = await startTaskServer();
    const tools = openTools({ oven: config }, { onLog: () => {} });
    const progress: ToolProgress[] = [];
    const baking = call(tools, 'bake', {}, { onProgress: one => progress.push(one) });
    await until(() => methods().includes('tasks/get'));
    reportProgress({ progress: 7, total: 9, message: 'rising' });
    await until(() => progress.length === 2);
    change({ status: 'completed' });
    await baking;
    expect(progress).toEqual([
      { progress: 1, message: 'working', total: undefined },
      { progress: 7, total: 9, message: 'rising' },
    ]);
  });

  it('has the result of a failure, and says that it was cancelled', async () => {
    const { config, methods, change } = await startTaskServer();
    const tools = openTools({ oven: config });
    const burning = call(tools, 'bake');
    await until(() => methods().includes('tasks/get'));
    change({ status: 'failed' }, { ...toText('It is black.'), isError: true });
    expect(await burning).toMatchObject({ type: 'error-text', value: 'It is black.' });
    const cancelled = call(tools, 'bake');
    await until(() => methods().filter(method => method === 'tools/call').length === 2);
    change({ status: 'cancelled' });
    expect(await cancelled).toMatchObject({ type: 'error-text', value: 'The task was cancelled.' });
  });

  it.each<[string, unknown, KeptTask | undefined, boolean]>([
    ['the application', new Error('enough'), undefined, true],
    ['the application, with a journal', new Error('enough'), { record: async () => {}, isLost: false }, true],
    ['close()', new KelivoError({ code: 'closed', message: '' }), undefined, true],
    [
      'close(), with a journal',
      new KelivoError({ code: 'closed', message: '' }),
      { record: async () => {}, isLost: false },
      false,
    ],
  ])(
    'that %s aborts is cancelled unless another process goes on with it',
    async (_, reason, task, isCancelled) => {
      const { config, methods } = await startTaskServer();
      const tools = openTools({ oven: config });
      const controller = new AbortController();
      const baking = call(tools, 'bake', {}, { signal: controller.signal, ...(task && { task }) });
      await until(() => methods().includes('tasks/get'));
      controller.abort(reason);
      await expect(baking).rejects.toBe(reason);
      if (isCancelled) await until(() => methods().includes('tasks/cancel'));
      // A later request comes after it.
      await call(tools, 'cook');
      expect(methods().includes('tasks/cancel')).toBe(isCancelled);
    },
  );

  it('that is aborted before it is followed is cancelled', async () => {
    const { config, methods } = await startTaskServer();
    const tools = openTools({ oven: config });
    const controller = new AbortController();
    const reason = new Error('enough');
    const record = async () => controller.abort(reason);
    const baking = call(tools, 'bake', {}, { signal: controller.signal, task: { record, isLost: false } });
    await expect(baking).rejects.toBe(reason);
    await until(() => methods().includes('tasks/cancel'));
    expect(methods()).toEqual(['tools/call', 'tasks/cancel']);
  });

  it('may take longer than the time limit of a request, and is cancelled at the total limit', async () => {
    const { config, methods } = await startTaskServer();
    const tools = openTools({ oven: config }, { timeout: 2000, totalTimeout: 5000 });
    await tools.listTools();
    expect(await call(tools, 'bake')).toEqual({
      type: 'error-text',
      value:
        'MCP server "oven" exceeded the total limit of 5000 ms for tool "bake". The tool "bake" may or may not have been executed.',
    });
    await until(() => methods().includes('tasks/cancel'));
  });

  it('is asked for again after its session was lost, and is not started again', async () => {
    const { config, methods, change, forgetSessions } = await startTaskServer();
    const tools = openTools({ oven: config });
    const baking = call(tools, 'bake');
    await until(() => methods().includes('tasks/get'));
    forgetSessions();
    await until(() => methods().includes('ping'));
    change({ status: 'completed' });
    expect(await baking).toMatchObject({ value: 'done' });
    expect(methods().filter(method => method === 'tools/call')).toHaveLength(1);
  });

  it('leaves the outcome open if its server forgets it', async () => {
    const { config, methods, forgetTasks } = await startTaskServer();
    const baking = call(openTools({ oven: config }), 'bake');
    await until(() => methods().includes('tasks/get'));
    forgetTasks();
    expect(await baking).toEqual({
      type: 'error-text',
      value:
        'MCP server "oven" reported an error for tool "bake": Unknown task. The tool "bake" may or may not have been executed.',
    });
  });
});

describe('a recorded task', () => {
  /** Starts a task in a process that then ends, and returns its record. */
  async function startTask(config: McpServerConfig, methods: () => string[]) {
    let record: unknown;
    const tools = openTools({ oven: config });
    const controller = new AbortController();
    const task: KeptTask = { record: async one => void (record = one), isLost: false };
    const baking = call(tools, 'bake', {}, { signal: controller.signal, task });
    await until(() => methods().includes('tasks/get'));
    controller.abort(new KelivoError({ code: 'closed', message: '' }));
    await baking.catch(() => {});
    return JSON.parse(JSON.stringify(record));
  }

  const resume = async (config: McpServerConfig, known: KeptTask['known'], name = 'oven') => {
    const task: KeptTask = { known, record: async () => {}, isLost: false };
    const output = await call(openTools({ [name]: config }), 'bake', {}, { task });
    return task.isLost ? 'lost' : output;
  };

  it.each([true, false])('is waited for by another process (bound to its session: %s)', async bindsTasks => {
    const { config, methods, change } = await startTaskServer({ bindsTasks });
    const known = await startTask(config, methods);
    const resumed = resume(config, known);
    change({ status: 'completed' });
    expect(await resumed).toMatchObject({ type: 'text', value: 'done' });
    expect(methods().filter(method => method === 'tools/call')).toHaveLength(1);
  });

  it('is waited for in a new session if the old one has ended', async () => {
    const { config, methods, change, forgetSessions } = await startTaskServer();
    const known = await startTask(config, methods);
    change({ status: 'completed' });
    forgetSessions();
    expect(await resume(config, known)).toMatchObject({ value: 'done' });
  });

  it('is lost if nobody knows it, and its id is not sent to another server', async () => {
    const { config, methods, forgetTasks } = await startTaskServer();
    const known = await startTask(config, methods);
    const other = await startTaskServer();
    expect(await resume(other.config, known)).toBe('lost');
    expect(await resume(config, known, 'stove')).toBe('lost');
    expect(other.methods()).toEqual([]);
    forgetTasks();
    expect(await resume(config, known)).toBe('lost');
    expect(methods().filter(method => method === 'tools/call')).toHaveLength(1);
  });
});

it('is waited for in the loop of a host whose tools a journal records', async () => {
  const { config, methods, change } = await startTaskServer();
  const store = createSqliteStore({ path: path.join(await temporaryFolder(), 'journal.db') });
  onTestFinished(() => store.close());
  /** Runs the call in a process of its own. */
  async function bake(abortSignal: AbortSignal): Promise<unknown> {
    const tools = createJournal({ store }).tools(await openTools({ oven: config }).tools(), {
      turnId: 'cake',
    });
    return tools.bake?.execute({}, { toolCallId: 'call_1', abortSignal });
  }
  const controller = new AbortController();
  const first = bake(controller.signal);
  await until(() => methods().includes('tasks/get'));
  const reason = new KelivoError({ code: 'closed', message: '' });
  controller.abort(reason);
  await expect(first).rejects.toBe(reason);
  change({ status: 'completed' });
  expect(await bake(new AbortController().signal)).toBe('done');
  expect(methods().filter(method => method === 'tools/call')).toHaveLength(1);
  expect(methods()).not.toContain('tasks/cancel');
});

describe('a task of the extension of revision 2026-07-28', () => {
  const extension = 'io.modelcontextprotocol/tasks';
  const form = {
    method: 'elicitation/create',
    params: {
      message: 'Which size?',
      requestedSchema: { type: 'object', properties: { size: { type: 'string' } } },
    },
  };

  /** A server whose task has the given states, one after the other. */
  async function startServer(states: object[]) {
    const task = { taskId: 't1', ttlMs: null, pollIntervalMs: 20, createdAt: '', lastUpdatedAt: '' };
    return startModernServer(
      {
        'tools/list': () => toList([toTool('bake')]),
        'tools/call': () => ({ ...task, resultType: 'task', status: 'working' }),
        'tasks/get': () => ({ ...task, ...states[0], ...(states.length > 1 && states.shift()) }),
        'tasks/update': () => ({}),
        'tasks/cancel': () => ({}),
      },
      { capabilities: { tools: {}, extensions: { [extension]: {} } } },
    );
  }

  it('has the result in its state, and asks the user', async () => {
    const { url, requests } = await startServer([
      { status: 'working', statusMessage: 'hot' },
      { status: 'input_required', inputRequests: { size: form } },
      { status: 'completed', result: toText('done') },
    ]);
    const progress: ToolProgress[] = [];
    const tools = openTools(
      { oven: { url } },
      { onElicitation: () => ({ action: 'accept', content: { size: 'large' } }) },
    );
    const output = await call(tools, 'bake', {}, { onProgress: one => progress.push(one) });
    expect(output).toMatchObject({ type: 'text', value: 'done' });
    expect(progress.map(({ message }) => message)).toContain('hot');
    expect(requests.find(({ method }) => method === 'tasks/update')?.params).toMatchObject({
      taskId: 't1',
      inputResponses: { size: { action: 'accept', content: { size: 'large' } } },
    });
    const declared = requests
      .filter(({ method }) => method.startsWith('tasks/') || method === 'tools/call')
      .map(({ params }) => JSON.stringify(params._meta));
    expect(declared.every(meta => meta.includes(`"${extension}":{}`) && meta.includes('"elicitation"'))).toBe(
      true,
    );
  });

  it('is waited for by another process', async () => {
    const { url, count } = await startServer([
      { status: 'working' },
      { status: 'completed', result: toText('done') },
    ]);
    let known: KeptTask['known'];
    const record: KeptTask['record'] = async one => void (known = JSON.parse(JSON.stringify(one)));
    await call(openTools({ oven: { url } }), 'bake', {}, { task: { record, isLost: false } });
    const task: KeptTask = { known, record, isLost: false };
    expect(await call(openTools({ oven: { url } }), 'bake', {}, { task })).toMatchObject({ value: 'done' });
    expect(count('tools/call')).toBe(1);
  });

  it('is not started again if the server rejects the headers of a request for its state', async () => {
    const { url, count } = await startModernServer(
      {
        'tools/list': () => toList([toTool('bake')]),
        'tools/call': () => ({
          ...{ resultType: 'task', taskId: 't1', status: 'working', ttlMs: null, pollIntervalMs: 20 },
          ...{ createdAt: '', lastUpdatedAt: '' },
        }),
        'tasks/get': () => {
          throw new RpcError(-32020, 'Header mismatch');
        },
      },
      { capabilities: { tools: {}, extensions: { [extension]: {} } } },
    );
    expect(await call(openTools({ oven: { url } }), 'bake')).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('may or may not have been executed'),
    });
    expect(count('tools/call')).toBe(1);
  });

  it('has the error of a failure, and is cancelled by an abort', async () => {
    const failing = await startServer([
      { status: 'failed', error: { code: -32603, message: 'Out of flour' } },
    ]);
    expect(await call(openTools({ oven: { url: failing.url } }), 'bake')).toMatchObject({
      type: 'error-text',
      value: 'Out of flour',
    });
    const { url, count } = await startServer([{ status: 'working' }]);
    const controller = new AbortController();
    const baking = call(openTools({ oven: { url } }), 'bake', {}, { signal: controller.signal });
    await until(() => count('tasks/get') > 0);
    controller.abort(new Error('enough'));
    await expect(baking).rejects.toThrow('enough');
    await until(() => count('tasks/cancel') === 1);
  });
});

it('is missing from a server that does not declare tasks', async () => {
  const config = await startOddServer('json', request => {
    const answer = toPlainAnswer(request);
    if (request.method !== 'tools/list') return answer;
    const tools = [{ name: 'bake', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }];
    return { ...answer, result: { tools } };
  });
  expect(await openTools({ oven: config }).listTools()).toMatchObject({
    tools: [],
    warnings: [
      'MCP server "oven" offers the tool "bake" only as a task, but does not declare that it runs tasks.',
    ],
  });
});
