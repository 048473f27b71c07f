import { describe, expect, it } from 'vitest';
import type { McpRequestContext, McpToolsOptions } from '../../../src/tools/mcp/index.js';
import { call, namesOf, openTools, until } from './_fixture-server.js';
import { dualServer, shareDualServer } from './_dual-server.js';
import { RpcError, startModernServer, toList, toTool } from './_modern-server.js';

const form = (message: string) => ({
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: {
      type: 'object',
      properties: { seat: { type: 'string' }, age: { type: 'integer', default: 30 } },
    },
  },
});

const page = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Pay here', url: 'https://example.com/pay' },
};

const question = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 10 },
};

const window = { action: 'accept' as const, content: { seat: 'window' } };

const overHttp = shareDualServer();

async function open(options: McpToolsOptions) {
  const { config } = await overHttp();
  return openTools({ train: config }, options);
}

describe.each([
  ['stdio', dualServer],
  ['http', overHttp],
])('a server of revision 2026-07-28 over %s', (_, start) => {
  it('receives the responses and its state in the repeated call', async () => {
    const { config, journal } = await start();
    const requests: unknown[] = [];
    const tools = openTools(
      { train: config },
      {
        onElicitation: request => {
          requests.push(request);
          return request.mode === 'url' ? { action: 'accept' } : window;
        },
        onSampling: () => ({ role: 'assistant', model: 'parrot', content: { type: 'text', text: 'So.' } }),
      },
    );
    const rounds = [{ seat: form('Where?'), pay: page }, {}, { why: question }];
    const { value } = await call(tools, 'require', { rounds });
    expect(JSON.parse(JSON.parse(JSON.stringify(value)))).toEqual({
      responses: { why: { role: 'assistant', model: 'parrot', content: { type: 'text', text: 'So.' } } },
      state: 'round 3 "\\ü\u2028',
    });
    expect(requests).toEqual([form('Where?').params, page.params]);
    const sent = (await journal()).filter(entry => entry.startsWith('require'));
    // Responses are those of one round, and each repetition is a new request.
    expect(sent.map(entry => entry.replace(/^require \d+ /, ''))).toEqual([
      'null',
      JSON.stringify({
        seat: { action: 'accept', content: { age: 30, seat: 'window' } },
        pay: { action: 'accept' },
      }),
      'null',
      expect.stringContaining('parrot'),
    ]);
    expect(new Set(sent.map(entry => entry.split(' ')[1])).size).toBe(4);
  });

  it('asks with the context of the call that it answers', async () => {
    const { config } = await start();
    const seen: [string, McpRequestContext][] = [];
    const tools = openTools(
      { train: config },
      {
        onElicitation: async ({ message }, context) => {
          seen.push([message, context]);
          await until(() => seen.length === 2); // both dialogs are open at the same time
          return window;
        },
      },
    );
    await namesOf(tools);
    const contexts = ['alice', 'bob'].map(name => ({
      turnId: `turn-${name}`,
      round: 2,
      toolCallId: `call-${name}`,
      context: { name },
    }));
    await Promise.all(
      contexts.map(callContext =>
        call(tools, 'require', { rounds: [{ seat: form(callContext.toolCallId) }] }, { callContext }),
      ),
    );
    for (const expected of contexts) {
      const context = seen.find(([message]) => message === expected.toolCallId)?.[1];
      expect(context).toEqual({ ...expected, server: 'train', signal: expect.any(AbortSignal) });
      expect(context?.context).toBe(expected.context);
    }
  });

  it('aborts the dialog with its call, which does not wait for it', async () => {
    const { config } = await start();
    let signal: AbortSignal | undefined;
    const tools = openTools(
      { train: config },
      {
        onElicitation: (_request, context) => {
          signal = context.signal;
          return new Promise(() => {});
        },
      },
    );
    const controller = new AbortController();
    const pending = call(tools, 'require', { rounds: [{ seat: form('Where?') }] }, controller);
    await until(() => signal !== undefined);
    expect(signal?.aborted).toBe(false);
    const reason = new Error('the user went away');
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(signal?.aborted).toBe(true);
  });
});

describe('input that a server requires', () => {
  it('has its time not counted as inactivity', async () => {
    const tools = await open({
      timeout: 2500,
      onElicitation: async () => {
        await new Promise(resolve => setTimeout(resolve, 3000));
        return { action: 'decline' };
      },
    });
    await namesOf(tools);
    const { value } = await call(tools, 'require', { rounds: [{ seat: form('Where?') }] });
    expect(String(value)).toContain('"action":"decline"');
  });

  it.each<[string, McpToolsOptions, Record<string, object>, string]>([
    [
      'the callback throws, without its message',
      { onElicitation: () => Promise.reject(new Error('401 for key sk-secret-key-123')) },
      { seat: form('Where?') },
      'The host could not respond',
    ],
    [
      'it is a page that is not on the web',
      { onElicitation: () => window },
      { pay: { ...page, params: { ...page.params, url: 'file:///etc/passwd' } } },
      'Expected a form, or an https URL without a user name',
    ],
  ])('fails the call if %s', async (_case, options, inputs, reason) => {
    const tools = await open(options);
    expect(await call(tools, 'require', { rounds: [inputs] })).toEqual({
      type: 'error-text',
      value:
        `MCP server "train" required input for tool "require": ${reason}. ` +
        'The tool "require" may or may not have been executed.',
    });
  });

  it('aborts the other dialogs of a round if one fails', async () => {
    let signal: AbortSignal | undefined;
    const tools = await open({
      onElicitation: ({ message }, context) => {
        if (message === 'fails') throw new Error('no');
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    await call(tools, 'require', { rounds: [{ a: form('waits'), b: form('fails') }] });
    expect(signal?.aborted).toBe(true);
  });

  it('is required at most ten times for one call', async () => {
    const server = await startModernServer({
      'tools/list': () => toList([toTool('insatiable')]),
      'tools/call': () => ({ resultType: 'input_required', requestState: 'more' }),
    });
    const tools = openTools({ server: { url: server.url } });
    const { value } = await call(tools, 'insatiable');
    expect(value).toContain('input was still required after 10 rounds');
    expect(server.count('tools/call')).toBe(11);
  });
});

it('is not called again after the error -32042 without a page to open', async () => {
  const server = await startModernServer({
    'tools/list': () => toList([toTool('pay')]),
    'tools/call': () => {
      throw new RpcError(-32042, 'Payment required', { elicitations: [] });
    },
  });
  const tools = openTools({ server: { url: server.url } }, { onElicitation: () => ({ action: 'accept' }) });
  expect(await call(tools, 'pay')).toMatchObject({ value: expect.stringContaining('Payment required') });
  expect(server.count('tools/call')).toBe(1);
});
