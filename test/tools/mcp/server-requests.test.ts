import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { McpToolsOptions } from '../../../src/tools/mcp/index.js';
import { everythingOverStdio, startEverythingServer } from './_everything-server.js';
import { call, fixtureServer, namesOf, openTools, until } from './_fixture-server.js';

const form = {
  method: 'elicitation/create',
  params: {
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer', default: 30 } },
    },
  },
};

const question = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 10 },
};

async function ask(request: object, options?: McpToolsOptions): Promise<unknown> {
  const { config } = await fixtureServer();
  const { value } = await call(openTools({ fixture: config }, options), 'ask', { ...request });
  return JSON.parse(String(value));
}

describe('a server that sends a request', () => {
  it.each([form, question])('receives an error for $method if there is no callback', async request => {
    expect(await ask(request)).toEqual({ code: -32601, message: 'Method not found' });
  });

  it('receives the response of the user, with defaults for missing fields', async () => {
    const seen: unknown[] = [];
    const answer = await ask(form, {
      onElicitation: ({ message }, { server }) => {
        seen.push({ message, server });
        return { action: 'accept', content: { name: 'Ada' } };
      },
    });
    expect(answer).toEqual({ action: 'accept', content: { name: 'Ada', age: 30 } });
    expect(seen).toEqual([{ message: 'Who are you?', server: 'fixture' }]);
  });

  it('has its page shown to the user', async () => {
    const onElicitation = vi.fn(() => ({ action: 'accept' as const }));
    const params = { mode: 'url', message: 'Pay here', url: 'https://example.com/', elicitationId: '1' };
    expect(await ask({ method: form.method, params }, { onElicitation })).toEqual({ action: 'accept' });
    expect(onElicitation).toHaveBeenCalledWith(params, expect.objectContaining({ server: 'fixture' }));
  });

  it('receives an error for a page that is not on the web', async () => {
    const onElicitation = vi.fn();
    const params = { mode: 'url', message: 'Pay here', url: 'javascript:alert(1)', elicitationId: '1' };
    expect(await ask({ method: form.method, params }, { onElicitation })).toMatchObject({ code: -32602 });
    expect(onElicitation).not.toHaveBeenCalled();
  });

  it('does not receive the reason why the host failed', async () => {
    const onSampling = () => {
      throw new Error('401 for key sk-secret-key-123');
    };
    expect(await ask(question, { onSampling })).toEqual({
      code: -32603,
      message: 'The host could not respond.',
    });
  });

  it('does not time out while the host prepares the response', async () => {
    const { config } = await fixtureServer();
    const tools = openTools(
      { fixture: config },
      {
        timeout: 2500,
        onElicitation: async () => {
          await new Promise(resolve => setTimeout(resolve, 3000));
          return { action: 'decline' };
        },
      },
    );
    expect(await call(tools, 'ask', form)).toEqual({ type: 'text', value: '{"action":"decline"}' });
  });

  it('has its request cancelled when the call is aborted', async () => {
    const { config } = await fixtureServer();
    let cancelled: AbortSignal | undefined;
    const tools = openTools(
      { fixture: config },
      {
        onElicitation: (_request, { signal }) => {
          cancelled = signal;
          return new Promise(() => {});
        },
      },
    );
    const controller = new AbortController();
    const reason = new Error('the user went away');
    const pending = call(tools, 'ask', form, controller);
    await until(() => cancelled !== undefined);
    expect(cancelled?.aborted).toBe(false);
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    expect(cancelled?.aborted).toBe(true);
  });
});

describe.each([
  ['stdio', async () => everythingOverStdio()],
  [
    'Streamable HTTP',
    async () => {
      const server = await startEverythingServer('streamableHttp');
      onTestFinished(() => server.close());
      return server.config;
    },
  ],
])('the everything server over %s', (_transport, start) => {
  it('handles requests and logs of the server if the host sets the callbacks', async () => {
    const logs: unknown[] = [];
    const tools = openTools(
      { everything: await start() },
      {
        onElicitation: () => ({ action: 'accept', content: { name: 'Ada', integer: 7 } }),
        onSampling: ({ messages }) => {
          const [message] = messages;
          const text = JSON.stringify(message?.content);
          return { role: 'assistant', model: 'parrot', content: { type: 'text', text } };
        },
        onLog: (message, { server }) => void logs.push({ server, data: message.data }),
      },
    );
    // The server registers them after it has received the capabilities of the client.
    await until(async () => (await namesOf(tools)).includes('trigger-sampling-request'));

    const elicitation = await call(tools, 'trigger-elicitation-request');
    expect(elicitation.value).toContain('- Name: Ada');
    expect(elicitation.value).toContain('- Favorite Integer: 7');
    const sampling = await call(tools, 'trigger-sampling-request', { prompt: 'Polly' });
    expect(sampling.value).toContain('"model": "parrot"');
    expect(sampling.value).toContain('context: Polly');
    await call(tools, 'toggle-simulated-logging');
    await until(() => logs.length > 0);
    expect(logs[0]).toEqual({ server: 'everything', data: expect.stringMatching(/message/) });
    await tools.close();
  });
});

it('declares only capabilities with a callback', async () => {
  const tools = openTools({ everything: everythingOverStdio() }, { onLog: () => {} });
  await tools.listTools();
  // The server registers the tools some time after the connection. A second connection shows when that time is over.
  const control = openTools(
    { everything: everythingOverStdio() },
    { onElicitation: () => ({ action: 'decline' }), onSampling: () => Promise.reject(new Error('unused')) },
  );
  await until(async () => (await namesOf(control)).includes('trigger-sampling-request'));
  const names = await namesOf(tools);
  expect(names).not.toContain('trigger-elicitation-request');
  expect(names).not.toContain('trigger-sampling-request');
});
