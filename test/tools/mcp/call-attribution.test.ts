import { describe, expect, it } from 'vitest';
import type { McpRequestContext, McpToolsOptions } from '../../../src/tools/mcp/index.js';
import type { ToolCallContext } from '../../../src/tools/tool-source.js';
import { startAskingServer } from './_asking-server.js';
import { call, fixtureServer, openTools, until } from './_fixture-server.js';

interface Dialog {
  readonly message: string;
  readonly context: McpRequestContext;
  readonly answer: (name: string) => void;
}

/** Shows each form in a dialog that the test answers. */
function createDialogs(): {
  dialogs: Dialog[];
  onElicitation: NonNullable<McpToolsOptions['onElicitation']>;
} {
  const dialogs: Dialog[] = [];
  return {
    dialogs,
    onElicitation: ({ message }, context) =>
      new Promise(resolve => {
        const answer = (name: string) => resolve({ action: 'accept', content: { name } });
        dialogs.push({ message, context, answer });
      }),
  };
}

const toUser = (name: string): { user: { name: string }; callContext: ToolCallContext } => {
  const user = { name };
  return {
    user,
    callContext: { turnId: `turn-${name}`, round: 2, toolCallId: `call-${name}`, context: user },
  };
};
const alice = toUser('alice');
const bob = toUser('bob');

const toForm = (message: string) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
});
const accepted = (name: string) => ({
  type: 'text',
  value: JSON.stringify({ action: 'accept', content: { name } }),
});

describe('two users at one server over Streamable HTTP', () => {
  it('each get the dialog of their own call', async () => {
    const { url } = await startAskingServer();
    const { dialogs, onElicitation } = createDialogs();
    const tools = openTools({ web: { url, type: 'http' } }, { onElicitation });
    const calls = [alice, bob].map(({ user, callContext }) =>
      call(tools, 'ask', { message: `for ${user.name}` }, { callContext }),
    );
    await until(() => dialogs.length === 2);
    for (const { user, callContext } of [alice, bob]) {
      const dialog = dialogs.find(({ message }) => message === `for ${user.name}`);
      expect(dialog?.context).toEqual({
        ...callContext,
        server: 'web',
        signal: expect.any(AbortSignal),
      });
      expect(dialog?.context.context).toBe(user);
      dialog?.answer(user.name);
    }
    expect(await Promise.all(calls)).toEqual([accepted('alice'), accepted('bob')]);
  });

  it('keep their dialog when the turn of the other is aborted', async () => {
    const { url } = await startAskingServer();
    const { dialogs, onElicitation } = createDialogs();
    const tools = openTools({ web: { url, type: 'http' } }, { onElicitation });
    const controller = new AbortController();
    const { signal } = controller;
    const first = call(tools, 'ask', { message: 'first' }, { callContext: alice.callContext, signal });
    await until(() => dialogs.length === 1);
    const second = call(tools, 'ask', { message: 'second' }, bob);
    await until(() => dialogs.length === 2);
    controller.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    expect(dialogs.map(({ context }) => context.signal.aborted)).toEqual([true, false]);
    dialogs[1]?.answer('bob');
    expect(await second).toEqual(accepted('bob'));
  });

  it('have their own time limits while the other has a dialog', async () => {
    const { url } = await startAskingServer();
    const { dialogs, onElicitation } = createDialogs();
    const options = { onElicitation, timeout: 4000, totalTimeout: 240_000 };
    const tools = openTools({ web: { url, type: 'http' } }, options);
    const asking = call(tools, 'ask', { message: 'slow' }, alice);
    await until(() => dialogs.length === 1);
    expect(await call(tools, 'silent', {}, bob)).toMatchObject({
      value: expect.stringContaining('did not respond to tool "silent" within 4000 ms'),
    });
    expect(dialogs[0]?.context.signal.aborted).toBe(false);
    dialogs[0]?.answer('alice');
    expect(await asking).toEqual(accepted('alice'));
  });

  it('get no dialog that names no call while both have one', async () => {
    const { url, release } = await startAskingServer();
    const { dialogs, onElicitation } = createDialogs();
    const tools = openTools({ web: { url, type: 'http' } }, { onElicitation });
    const waiting = call(tools, 'wait', {}, bob);
    const { value } = await call(tools, 'ask-aside', { message: 'whose?' }, alice);
    expect(value).toContain('does not belong to exactly one running tool call');
    release();
    await waiting;

    const alone = call(tools, 'ask-aside', { message: 'mine' }, alice);
    await until(() => dialogs.length === 1);
    expect(dialogs[0]?.context).toMatchObject(alice.callContext);
    dialogs[0]?.answer('alice');
    expect(await alone).toEqual(accepted('alice'));
  });
});

describe('two users at one server over stdio', () => {
  it('get their dialogs one after the other, each with its own call', async () => {
    const { config } = await fixtureServer();
    const { dialogs, onElicitation } = createDialogs();
    const tools = openTools({ fixture: { ...config, timeout: 2500 } }, { onElicitation });
    const calls = [alice, bob].map(({ user, callContext }) =>
      call(tools, 'ask', toForm(`for ${user.name}`), { callContext }),
    );
    await until(() => dialogs.length === 1);
    // Longer than the time limit of the second call, which waits for the first one.
    await new Promise(resolve => setTimeout(resolve, 2700));
    expect(dialogs.map(({ message }) => message)).toEqual(['for alice']);
    dialogs[0]?.answer('alice');
    await until(() => dialogs.length === 2);
    expect(dialogs.map(({ message, context }) => [message, context.turnId, context.context])).toEqual([
      ['for alice', 'turn-alice', alice.user],
      ['for bob', 'turn-bob', bob.user],
    ]);
    dialogs[1]?.answer('bob');
    expect(await Promise.all(calls)).toEqual([accepted('alice'), accepted('bob')]);
  });

  it('do not wait for an aborted call, neither running nor waiting', async () => {
    const { config } = await fixtureServer();
    const { dialogs, onElicitation } = createDialogs();
    const tools = openTools({ fixture: config }, { onElicitation });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = call(tools, 'ask', toForm('first'), running);
    await until(() => dialogs.length === 1);
    const second = call(tools, 'ask', toForm('second'), waiting);
    const third = call(tools, 'echo', { text: 'third' });
    waiting.abort(new Error('left the queue'));
    await expect(second).rejects.toThrow('left the queue');
    running.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    expect(await third).toEqual({ type: 'text', value: 'echo third' });
    expect(dialogs.map(({ message }) => message)).toEqual(['first']);
    expect(dialogs[0]?.context.signal.aborted).toBe(true);
  });

  it('may call tools of the server while it waits for a response', async () => {
    const { config } = await fixtureServer();
    const onElicitation: McpToolsOptions['onElicitation'] = async ({ message }) => {
      const { value } = await call(tools, 'echo', { text: `in ${message}` }, alice);
      return { action: 'accept', content: { name: String(value) } };
    };
    const tools = openTools({ fixture: config }, { onElicitation });
    expect(await call(tools, 'ask', toForm('for alice'), alice)).toEqual(accepted('echo in for alice'));
    expect(await call(tools, 'echo', { text: 'after' }, bob)).toMatchObject({ value: 'echo after' });
  });

  it('never get the dialog of a task that their call did not create', async () => {
    const { config } = await fixtureServer();
    const messages: string[] = [];
    const onElicitation: McpToolsOptions['onElicitation'] = async ({ message }) => {
      messages.push(message);
      return { action: 'decline' };
    };
    const tools = openTools({ fixture: config }, { onElicitation });
    const form = toForm('for alice');
    const related = { 'io.modelcontextprotocol/related-task': { taskId: 'task-of-alice' } };
    const { value } = await call(tools, 'ask', { ...form, params: { ...form.params, _meta: related } }, bob);
    expect(value).toContain('does not belong to exactly one running tool call');
    expect(messages).toEqual([]);
  });

  it('never get the late dialog of an aborted call', async () => {
    const { config, journal } = await fixtureServer();
    const { dialogs, onElicitation } = createDialogs();
    const tools = openTools({ fixture: config }, { onElicitation });
    const controller = new AbortController();
    const { signal } = controller;
    const first = call(tools, 'ask-when-provoked', toForm('for alice'), { ...alice, signal });
    await until(async () => (await journal()).includes('waiting'));
    controller.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');

    const { value } = await call(tools, 'provoke', {}, bob);
    expect(JSON.parse(String(value))).toMatchObject({ code: -32600 });
    expect(dialogs).toEqual([]);

    // A new process, in which no call of an earlier turn is left, can ask again.
    const next = call(tools, 'ask', toForm('for bob'), bob);
    await until(() => dialogs.length === 1);
    dialogs[0]?.answer('bob');
    expect(await next).toEqual(accepted('bob'));
    expect((await journal()).filter(entry => entry.startsWith('start'))).toHaveLength(2);
  });

  it('call in parallel if the server can make no requests', async () => {
    const { config } = await fixtureServer();
    const tools = openTools({ fixture: config });
    const controller = new AbortController();
    const silent = call(tools, 'silent', {}, controller);
    expect(await call(tools, 'echo', { text: 'at once' })).toMatchObject({ value: 'echo at once' });
    controller.abort(new Error('enough'));
    await expect(silent).rejects.toThrow('enough');
  });
});
