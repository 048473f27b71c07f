import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generateText, type ModelMessage } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createKelivoResponsesProvider, KelivoError } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import { selfSigned } from '../_certificate.js';
import { apiKey, hosts, shapeOf, startProvider } from './_provider.js';

/** Returns the error of a call. Fails if anything that a log would contain includes the API key. */
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

/** Starts a web server that has no Responses API. */
async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
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

describe('an invalid setting', () => {
  it.each<[object, string]>([
    [
      { baseUrl: 'https://api.openai.com' },
      'Unknown setting `baseUrl` in the provider settings. Did you mean `baseURL`?',
    ],
    [{ model: 'gpt-5' }, 'Unknown setting `model` in the provider settings. Did you mean `models`?'],
    [{ llm: 'gpt-5' }, 'Unknown setting `llm` in the provider settings. Valid names: name, baseURL, api'],
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
  ])('%j is rejected at creation with the valid form', (settings, message) => {
    const create = () => createKelivoResponsesProvider(settings);
    expect(create).toThrow(message);
    expect(create).toThrow(KelivoError);
    expect(create).toThrow(expect.objectContaining({ code: 'invalid-settings' }));
  });

  it('is not quoted if it may be a secret', () => {
    const create = () => createKelivoResponsesProvider({ apiKey: { key: apiKey } as unknown as string });
    expect(create).toThrow('expected a string, a list of strings or a function, got an object.');
    expect(create).not.toThrow(apiKey);
  });

  it('of a tool is reported with the name of the tool', () => {
    expect(() => createKelivoResponsesProvider({ tools: { search: { inputSchema: {} } } })).toThrow(
      'Expected the local tool "search" to have an `execute` function, got none.',
    );
  });
});

describe('a missing key', () => {
  it('is reported before any request to OpenAI', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    vi.stubEnv('OPENAI_BASE_URL', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const fetch = vi.fn();
    expect(await failureOf({ apiKey: undefined, fetch })).toMatchObject({
      name: 'AI_LoadAPIKeyError',
      message:
        'Expected an API key for api.openai.com, got none. Pass `apiKey` to createKelivoResponsesProvider(), ' +
        'or set the environment variable OPENAI_API_KEY. To try it without a key, run `npx kelivo-responses emulator` and ' +
        'set `baseURL` or OPENAI_BASE_URL to the address that it prints.',
    });
    expect(fetch).not.toHaveBeenCalled();
  });

  it('is reported with the response of another server', async () => {
    vi.stubEnv('OPENAI_API_KEY', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { emulator } = await startProvider();
    const error = await failureOf({ apiKey: undefined, baseURL: emulator.baseURL });
    expect(error).toMatchObject({ statusCode: 401, isRetryable: false });
    expect(error.message).toContain('No `apiKey` was set: pass one, or set OPENAI_API_KEY.');
  });

  it('is distinguished from a wrong key, which the message does not quote', async () => {
    const { emulator } = await startProvider({}, { apiKey: 'sk-another-key' });
    const error = await failureOf({ baseURL: emulator.baseURL });
    expect(error).toMatchObject({ statusCode: 401, isRetryable: false });
    expect(error.message).toContain('Incorrect API key provided');
    expect(error.message).not.toContain('No `apiKey` was set');
  });
});

describe('a wrong base URL', () => {
  it('is reported with the address if no server listens there', async () => {
    const error = await failureOf({ baseURL: 'http://127.0.0.1:9' });
    expect(error).toMatchObject({ name: 'AI_APICallError' });
    expect(error.message).toMatch(
      /^Could not reach http:\/\/127\.0\.0\.1:9\/v1\/responses: .*\. Check `baseURL` and the network\.$/,
    );
  });

  it('is reported with the certificate and not retried if its certificate is not trusted', async () => {
    let connections = 0;
    const server = createSecureServer(selfSigned).on('connection', () => connections++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const provider = createKelivoResponsesProvider({
      apiKey,
      baseURL: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await expect(generateText({ model: provider('gpt-5'), prompt: 'Hi' })).rejects.toThrow(
      /self-signed certificate\. .*NODE_EXTRA_CA_CERTS.*--use-system-ca\.$/,
    );
    expect(connections).toBe(1);
  });

  it('is reported with the address and the body of a 404 response', async () => {
    const url = await startServer((_, response) => response.writeHead(404).end('no such page'));
    const error = await failureOf({ baseURL: `${url}/api` });
    expect(error).toMatchObject({ statusCode: 404, isRetryable: false });
    expect(error.message).toContain(`${url}/api/v1/responses returned status 404: no such page`);
  });

  it('is reported if the response is a web page', async () => {
    const url = await startServer(html);
    const error = await failureOf({ baseURL: url });
    expect(error).toMatchObject({ name: 'AI_APICallError', isRetryable: false });
    expect(error.message).toMatch(/^Expected a Responses API response from http.*, got a web page: .*nginx/);
    expect(error.message).toContain(
      'Check that `baseURL` is the API root of a server that supports the Responses API',
    );
  });

  it('is reported without the key in its query', async () => {
    const url = await startServer((_, response) => response.writeHead(404).end());
    const error = await failureOf({ baseURL: `${url}/v1?key=${apiKey}` });
    expect(error).toMatchObject({ statusCode: 404 });
  });
});

describe('an invalid MCP server', () => {
  const warningsOf = async (settings: KelivoResponsesSettings) => {
    const { provider } = await startProvider(settings);
    const { warnings, text } = await hosts.generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(text).toBe('You said: Hi');
    return warnings?.map(warning => ('message' in warning ? warning.message : warning));
  };

  it('is reported once as a warning if its command does not exist', async () => {
    const env = { TOKEN: apiKey };
    expect(await warningsOf({ mcpServers: { files: { command: 'no-such-command-here', env } } })).toEqual([
      'MCP server "files" could not be started: the command "no-such-command-here" was not found. ' +
        'Install it, or set `command` to its full path.',
    ]);
  });

  it('is reported once as a warning if its URL is a web page', async () => {
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

describe('a prompt with unsupported parts', () => {
  it('is rejected with the name of the part before any request', async () => {
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
