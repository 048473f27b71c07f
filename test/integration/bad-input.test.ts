import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateText, type ModelMessage } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKelivoResponsesProvider, KelivoError } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import { apiKey, hosts, shapeOf, startProvider } from './_provider.js';

/** The one error of a call, and all that a log would show of it. */
async function failureOf(settings: KelivoResponsesSettings, prompt: string | ModelMessage[] = 'Hi') {
  const provider = createKelivoResponsesProvider({ apiKey, ...settings });
  onTestFinished(() => provider.close());
  const error: Error = await generateText({ model: provider('gpt-5'), prompt, maxRetries: 0 }).then(
    () => expect.fail('The call succeeded.'),
    reason => reason,
  );
  const { message, stack, cause } = error;
  expect(JSON.stringify({ ...error, message, stack, cause: String(cause) })).not.toContain(apiKey);
  return error;
}

/** A web server of another kind. */
async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const page = '<!doctype html><html><head><title>Welcome to nginx!</title></head></html>';
const html: RequestListener = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end(page);

describe('a wrong setting', () => {
  it.each<[object, string]>([
    [
      { baseUrl: 'https://api.openai.com' },
      'Unknown setting `baseUrl` in the provider settings. Did you mean `baseURL`?',
    ],
    [{ model: 'gpt-5' }, 'Unknown setting `model` in the provider settings. Did you mean `models`?'],
    [{ llm: 'gpt-5' }, 'Unknown setting `llm` in the provider settings. Known are: name, baseURL, api'],
    [
      { apiKey: 42 },
      'Invalid `apiKey` of the provider settings: expected a string, a list of strings or a function, got 42.',
    ],
    [
      { timeouts: { tool: -1 } },
      'Invalid `timeouts.tool` of the provider settings: Too small: expected number to be >0, got -1.',
    ],
    [{ toolLoop: { maxRounds: 0 } }, 'Invalid `toolLoop.maxRounds` of the provider settings'],
    [
      { baseURL: 'api.example.com/v1' },
      'Expected `baseURL` to be an absolute http(s) URL such as "https://api.openai.com/v1", got "api.example.com/v1". ' +
        'Did you mean "https://api.example.com/v1"?',
    ],
    [{ baseURL: 'ftp://example.com' }, 'Expected `baseURL` to be an absolute http(s) URL such as'],
    [{ name: 'openai.responses' }, 'Expected `name` not to end in ".responses", got "openai.responses"'],
    [
      { mcpServers: { files: {} } },
      'Expected MCP server "files" to have either `command` (a program to start) or `url` (a URL to connect to), got neither.',
    ],
  ])('%j fails with the provider, and the message says what to write', (settings, message) => {
    const create = () => createKelivoResponsesProvider(settings);
    expect(create).toThrow(message);
    expect(create).toThrow(KelivoError);
    expect(create).toThrow(expect.objectContaining({ code: 'invalid-settings' }));
  });

  it('that holds a secret does not show it', () => {
    const create = () => createKelivoResponsesProvider({ apiKey: { key: apiKey } as unknown as string });
    expect(create).toThrow('expected a string, a list of strings or a function, got an object.');
    expect(create).not.toThrow(apiKey);
  });

  it('among the tools says which tool it is', () => {
    expect(() => createKelivoResponsesProvider({ tools: { search: { inputSchema: {} } } })).toThrow(
      'Expected the local tool "search" to have an `execute` function, got none.',
    );
  });
});

describe('a missing key', () => {
  it('is told before anything is sent to OpenAI', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_BASE_URL', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const fetch = vi.fn();
    expect(await failureOf({ apiKey: undefined, fetch })).toMatchObject({
      name: 'AI_LoadAPIKeyError',
      message:
        'Expected an API key for api.openai.com, got none. Pass `apiKey` to createKelivoResponsesProvider(), ' +
        'or set the environment variable OPENAI_API_KEY.',
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  it('is told with the answer of another server', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { emulator } = await startProvider();
    const error = await failureOf({ apiKey: undefined, baseURL: emulator.baseURL });
    expect(error).toMatchObject({ statusCode: 401, isRetryable: false });
    expect(error.message).toContain('No `apiKey` was set: pass one, or set OPENAI_API_KEY.');
  });

  it('differs from a wrong one, which the message does not repeat', async () => {
    const { emulator } = await startProvider({}, { apiKey: 'sk-another-key' });
    const error = await failureOf({ baseURL: emulator.baseURL });
    expect(error).toMatchObject({ statusCode: 401, isRetryable: false });
    expect(error.message).toContain('Incorrect API key provided');
    expect(error.message).not.toContain('No `apiKey` was set');
  });
});

describe('a wrong base URL', () => {
  it('where nothing listens is told with the address', async () => {
    const error = await failureOf({ baseURL: 'http://127.0.0.1:9' });
    expect(error).toMatchObject({ name: 'AI_APICallError' });
    expect(error.message).toMatch(
      /^Could not reach http:\/\/127\.0\.0\.1:9\/v1\/responses: .*\. Check `baseURL` and the network\.$/,
    );
  });

  it('that answers 404 is told with the address and the server’s words', async () => {
    const url = await startServer((_, response) => response.writeHead(404).end('no such page'));
    const error = await failureOf({ baseURL: `${url}/api` });
    expect(error).toMatchObject({ statusCode: 404, isRetryable: false });
    expect(error.message).toContain(`${url}/api/v1/responses answered 404: no such page`);
  });

  it('that answers with a web page is told as such', async () => {
    const url = await startServer(html);
    const error = await failureOf({ baseURL: url });
    expect(error).toMatchObject({ name: 'AI_APICallError', isRetryable: false });
    expect(error.message).toMatch(/^Expected a Responses API response from http.*, got a web page: .*nginx/);
    expect(error.message).toContain(
      'Check that `baseURL` is the API root of a server that supports the Responses API',
    );
  });

  it('tells no key that stands in its query', async () => {
    const url = await startServer((_, response) => response.writeHead(404).end());
    const error = await failureOf({ baseURL: `${url}/v1?key=${apiKey}` });
    expect(error).toMatchObject({ statusCode: 404 });
  });
});

describe('an MCP server that is none', () => {
  const warningsOf = async (settings: KelivoResponsesSettings) => {
    const { provider } = await startProvider(settings);
    const { warnings, text } = await hosts.generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(text).toBe('You said: Hi');
    return warnings?.map(warning => ('message' in warning ? warning.message : warning));
  };

  it('is told once as a warning where its command does not exist', async () => {
    const env = { TOKEN: apiKey };
    expect(await warningsOf({ mcpServers: { files: { command: 'no-such-command-here', env } } })).toEqual([
      'MCP server "files" could not be started: the command "no-such-command-here" was not found. ' +
        'Install it, or set `command` to its full path.',
    ]);
  });

  it('is told once as a warning where its address is that of a web page', async () => {
    const url = await startServer(html);
    const headers = { authorization: `Bearer ${apiKey}` };
    const warnings = await warningsOf({
      mcpServers: { search: { url: `${url}/mcp?key=${apiKey}`, headers } },
    });
    expect(warnings).toHaveLength(1);
    expect(warnings?.[0]).toMatch(/^MCP server "search" /);
    expect(warnings?.[0]).toContain(url);
    expect(warnings?.[0]).not.toContain(apiKey);
  });
});

describe('a prompt with parts that the API does not know', () => {
  it('is refused with the part and what is supported, and nothing is sent', async () => {
    const { emulator } = await startProvider();
    const file = { type: 'file', mediaType: 'video/mp4', data: 'AAAA' } as const;
    const error = await failureOf({ baseURL: emulator.baseURL }, [{ role: 'user', content: [file] }]);
    expect(error).toMatchObject({ name: 'AI_UnsupportedFunctionalityError' });
    expect(error.message).toContain('video/mp4');
    expect(emulator.requests).toEqual([]);
  });

  it('is sent without the reasoning of another provider', async () => {
    const { emulator, provider } = await startProvider();
    const reasoning = { type: 'reasoning', text: 'From another provider.' } as const;
    const { text } = await hosts.generateText({
      model: provider('gpt-5'),
      prompt: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [reasoning, { type: 'text', text: 'Hello' }] },
        { role: 'user', content: 'Thanks' },
      ],
    });
    expect(text).toBe('You said: Thanks');
    expect(shapeOf(emulator.requests[0])).toEqual(['user', 'assistant', 'user']);
  });
});
