import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { streamText, tool } from 'ai';
import * as ai7 from 'ai7';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createKelivoResponsesProvider as createProviderV4 } from '../../src/v4.js';
import { createMcpTools } from '../../src/tools/mcp/index.js';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import { runInProvider } from '../../src/tool-loop/index.js';
import { startEmulator } from '../testing/_emulator.js';
import { bundleScript } from '../_bundled-script.js';
import { fixtureServer, isAlive, startedPid, until } from '../tools/mcp/_fixture-server.js';
import { startProvider } from './_provider.js';

const closedError = { name: 'KelivoError', code: 'closed' };

/** Starts a turn, and returns its errors when it has ended. */
function startTurn(options: Omit<Parameters<typeof streamText>[0], 'prompt' | 'messages'>) {
  const errors: unknown[] = [];
  const result = streamText({
    ...options,
    prompt: 'Go.',
    maxRetries: 0,
    onError: ({ error }) => void errors.push(error),
  });
  return Promise.resolve(result.consumeStream()).then(() => errors);
}

const countStarts = async (journal: () => Promise<string[]>) =>
  (await journal()).filter(entry => entry.startsWith('start')).length;

it('aborts a waiting approval, and a later approval neither runs the tool nor starts the server', async () => {
  const { config, journal } = await fixtureServer();
  let approve: (decision: boolean) => void = () => {};
  let signal: AbortSignal | undefined;
  const { emulator, provider } = await startProvider({
    mcpServers: { fixture: config },
    toolLoop: {
      approvals: 'always',
      approve: (_request, options) => {
        signal = options.signal;
        return new Promise<boolean>(resolve => {
          approve = resolve;
        });
      },
    },
  });
  emulator.enqueue([{ call: 'add-tool' }]);
  const turn = startTurn({ model: provider('gpt-5') });
  await until(() => signal !== undefined);
  await provider.close();
  expect(signal).toMatchObject({ aborted: true, reason: closedError });
  approve(true);
  expect(await turn).toMatchObject([closedError]);
  expect(await countStarts(journal)).toBe(1);
  expect(await isAlive(await startedPid(journal))).toBe(false);
  expect(emulator.requests).toHaveLength(1);
});

it('cancels a running call at the server, which ends', async () => {
  const { config, journal } = await fixtureServer();
  let hasStarted = false;
  const { emulator, provider } = await startProvider({
    mcpServers: { fixture: config },
    toolLoop: { onEvent: ({ type }) => void (hasStarted ||= type === 'tool-start') },
  });
  emulator.enqueue([{ call: 'silent' }]);
  const turn = startTurn({ model: provider('gpt-5') });
  await until(() => hasStarted);
  await provider.close();
  expect(await turn).toMatchObject([closedError]);
  expect(await isAlive(await startedPid(journal))).toBe(false);
  expect(emulator.requests).toHaveLength(1);
});

it.each(['a turn', 'a durable turn'])('is not undone by a host that repeats %s', async kind => {
  const { config, journal } = await fixtureServer();
  const store = createSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const isDurable = kind === 'a durable turn';
  const emulator = await startEmulator();
  let hasStarted = false;
  const provider = createProviderV4({
    baseURL: emulator.baseURL,
    mcpServers: { fixture: config },
    toolLoop: {
      onEvent: ({ type }) => void (hasStarted ||= type === 'tool-start'),
      ...(isDurable && { journal: createJournal({ store }) }),
    },
  });
  onTestFinished(() => provider.close());
  emulator.enqueue([{ call: 'silent' }], [{ text: 'Again.' }], [{ text: 'New.' }]);
  const abortSignal = new AbortController().signal;
  const ask = (prompt: string) => {
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(error);
    const streamRetries = 2;
    const providerOptions = { kelivo: { scope: 'ada', ...(isDurable && { turnId: prompt }) } };
    const options = {
      model: provider('gpt-5'),
      ...{ prompt, abortSignal, streamRetries, onError, providerOptions },
    };
    const result = ai7.streamText(options as Parameters<typeof ai7.streamText>[0]);
    return Promise.resolve(result.consumeStream()).then(() => errors);
  };
  const turn = ask('Go.');
  await until(() => hasStarted);
  await provider.close();
  expect((await turn).at(-1)).toMatchObject(closedError);
  expect(await countStarts(journal)).toBe(1);
  expect(emulator.requests).toHaveLength(1);
  // Another turn opens the tools again.
  expect(await ask('Go on.')).toEqual([]);
  expect(await countStarts(journal)).toBe(2);
});

it('ends a turn while the model responds, and before it responds', async () => {
  const { config } = await fixtureServer();
  const { emulator, provider } = await startProvider({ mcpServers: { fixture: config } });
  emulator.enqueue({ output: [{ text: 'Once upon a time' }], fault: 'stall', after: 5 });
  const responding = startTurn({ model: provider('gpt-5') });
  await until(() => emulator.requests.length === 1);
  emulator.enqueue({ fault: 'headers-never' });
  const waiting = startTurn({ model: provider('gpt-5') });
  await until(() => emulator.requests.length === 2);
  await provider.close();
  expect(await responding).toMatchObject([closedError]);
  expect(await waiting).toMatchObject([closedError]);
});

it('ends a turn while a server is starting', async () => {
  const { config, journal } = await fixtureServer('mute');
  const { emulator, provider } = await startProvider({ mcpServers: { mute: config } });
  const turn = startTurn({ model: provider('gpt-5') });
  await until(async () => (await countStarts(journal)) === 1);
  await provider.close();
  expect(await turn).toMatchObject([closedError]);
  expect(await isAlive(await startedPid(journal))).toBe(false);
  expect(emulator.requests).toEqual([]);
});

it('ends a call of a model that is still being loaded', async () => {
  const { config, journal } = await fixtureServer();
  const { provider } = await startProvider({ mcpServers: { fixture: config } });
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] }];
  const call = Promise.resolve(provider.languageModel('gpt-5').doStream({ prompt }));
  await Promise.all([expect(call).rejects.toMatchObject(closedError), provider.close()]);
  expect(await journal()).toEqual([]);
});

it('ends a turn of a provider without tools that runs the tools of the call', async () => {
  const { emulator, provider } = await startProvider();
  let signal: AbortSignal | undefined;
  const hang = tool({
    inputSchema: z.object({}),
    execute: (_input, { abortSignal }) => {
      signal = abortSignal;
      return new Promise<string>(() => {});
    },
  });
  emulator.enqueue([{ call: 'hang' }]);
  const turn = startTurn({ model: provider('gpt-5'), ...runInProvider({ hang }) });
  await until(() => signal !== undefined);
  await provider.close();
  expect(signal?.aborted).toBe(true);
  expect(await turn).toMatchObject([closedError]);
});

it('ends a turn of a provider when its tool source is closed directly', async () => {
  const { config } = await fixtureServer();
  const tools = createMcpTools({ fixture: config });
  let hasStarted = false;
  const { emulator, provider } = await startProvider({
    mcpServers: tools,
    toolLoop: { onEvent: ({ type }) => void (hasStarted ||= type === 'tool-start') },
  });
  emulator.enqueue([{ call: 'silent' }]);
  const turn = startTurn({ model: provider('gpt-5') });
  await until(() => hasStarted);
  await tools.close();
  expect(await turn).toMatchObject([closedError]);
});

it('lets the process end, although an approval is waiting', async () => {
  const emulator = await startEmulator();
  const [fixture, mute] = [await fixtureServer(), await fixtureServer('mute')];
  emulator.enqueue([{ call: 'echo', arguments: { text: 'a' } }]);
  const script = await bundleScript(new URL('_closed-provider.ts', import.meta.url));
  const servers = JSON.stringify({
    fixture: fixture.config,
    mute: { ...mute.config, startupTimeout: 2000 },
  });
  const child = spawn(process.execPath, [script, emulator.baseURL, servers], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const [exitCode] = await once(child, 'exit');
  expect({ output: await output, errors: await errors, exitCode }).toEqual({
    output: 'asked\nerror closed\nclosed\nexit\n',
    errors: '',
    exitCode: 0,
  });
  for (const { journal } of [fixture, mute]) {
    expect(await countStarts(journal)).toBe(1);
    expect(await isAlive(await startedPid(journal))).toBe(false);
  }
});
