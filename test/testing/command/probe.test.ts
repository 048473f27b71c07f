import { LLMock } from '@copilotkit/aimock';
import { jsonSchema } from 'ai';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from 'kelivo-responses';
import { startResponsesEmulator } from 'kelivo-responses/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdClosedPort, serve } from '../../_server.js';
import { runCommand, runForJson } from './_command.js';

interface Report {
  readonly model: string;
  readonly scenarios: readonly { readonly name: string; readonly result: string; readonly note?: string }[];
  readonly settings: KelivoResponsesSettings;
}

const probe = async (url: string, args: readonly string[] = []): Promise<Report> =>
  (await runForJson(['probe', url, ...args])).json;

/** Runs a tool with an image in its output, with settings, and returns the text and the number of rejected requests. */
async function applySettings({ settings, model }: Report, options: KelivoResponsesSettings = {}) {
  let rejected = 0;
  let calls = 0;
  const provider = createKelivoResponsesProvider({
    ...settings,
    ...options,
    tools: {
      get_weather: {
        description: 'Returns the weather of a city.',
        inputSchema: jsonSchema({
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        }),
        execute: () => {
          calls++;
          return 'snow';
        },
      },
    },
    async fetch(...args) {
      const response = await fetch(...args);
      if (!response.ok) rejected++;
      return response;
    },
  });
  const { content } = await provider(model).doGenerate({
    prompt: [
      { role: 'system', content: 'Answer in one sentence.' },
      { role: 'user', content: [{ type: 'text', text: 'Call get_weather for Oslo.' }] },
    ],
    providerOptions: { openai: { reasoningEffort: 'low', reasoningSummary: 'auto' } },
  });
  await provider.close();
  return {
    rejected,
    calls,
    text: content.some(part => part.type === 'text' && part.text !== ''),
  };
}

/** Starts a server in front of an emulator, which rejects some requests. */
const refusing = (
  emulator: Awaited<ReturnType<typeof startResponsesEmulator>>,
  isRefused: (body: object) => boolean,
  message: string,
) =>
  serve(async (response, { path, body }) => {
    const upstream = isRefused(body)
      ? Response.json({ error: { message } }, { status: 400 })
      : await fetch(`${emulator.url}${path}`, {
          headers: { 'content-type': 'application/json' },
          ...(Object.keys(body).length > 0 && { method: 'POST', body: JSON.stringify(body) }),
        });
    const type = upstream.headers.get('content-type') ?? '';
    response.writeHead(upstream.status, { 'content-type': type }).end(await upstream.text());
  });

const works = { rejected: 0, calls: 1, text: true };

describe('kelivo-responses probe', () => {
  const RULES = ['openai', 'llamacpp', 'vllm', 'responses.js'] as const;
  const mock = new LLMock({ port: 0 });
  const emulators: Awaited<ReturnType<typeof startResponsesEmulator>>[] = [];
  const reports = new Map<string, Promise<Report>>();

  /** Probes a server once, whichever test needs its report first. */
  function reportOf(server: (typeof RULES)[number] | 'aimock'): Promise<Report> {
    const report = reports.get(server) ?? probeServer(server);
    reports.set(server, report);
    return report;
  }
  async function probeServer(server: (typeof RULES)[number] | 'aimock'): Promise<Report> {
    if (server === 'aimock') return probe(`${mock.url}/v1`, ['--api-key', 'mock']);
    const emulator = await startResponsesEmulator({ rules: server });
    emulators.push(emulator);
    return probe(emulator.url);
  }

  beforeAll(async () => {
    mock.on(
      { userMessage: /get_weather/, hasToolResult: false },
      { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
    );
    mock.onMessage(/./, { content: 'It snows.' });
    await mock.start();
  });
  afterAll(async () => {
    await mock.stop();
    for (const emulator of emulators) await emulator.close();
  });

  it.each(RULES)(
    'finds settings with which a server with the rules %s accepts every request',
    async rules => {
      const report = await reportOf(rules);
      const baseURL: unknown = expect.stringMatching(/^http:.*\/v1$/);
      expect(report).toMatchObject({ model: 'gpt-5', settings: { baseURL } });
      expect(report.scenarios.find(({ name }) => name === 'tools')).toMatchObject({ result: 'yes' });
      expect(await applySettings(report)).toEqual(works);
    },
  );

  it('finds the setting for a server that refuses `store`, and reports it', async () => {
    const emulator = await startResponsesEmulator();
    const server = await refusing(emulator, body => 'store' in body, 'Unknown parameter: "store".');
    const report = await probe(server.url);
    expect(report.scenarios[0]).toMatchObject({ result: 'yes', note: 'the server refuses `store`' });
    expect(report.settings.compatibility).toMatchObject({ without: expect.arrayContaining(['store']) });
    expect(await applySettings(report)).toEqual(works);
    await emulator.close();
  });

  it('finds the setting for a server that refuses the role `developer`, and reports it', async () => {
    const emulator = await startResponsesEmulator();
    const isRefused = (body: object) => JSON.stringify(body).includes('"role":"developer"');
    const server = await refusing(emulator, isRefused, "Unsupported role: 'developer'.");
    const report = await probe(server.url);
    expect(report.scenarios.find(({ name }) => name === 'developer')).toMatchObject({ result: 'no' });
    expect(report.settings.compatibility).toMatchObject({ developerRole: false });
    await emulator.close();
  });

  it('finds the settings of a mock server of a third party', async () => {
    const report = await reportOf('aimock');
    expect(await applySettings(report, { apiKey: 'mock' })).toEqual(works);
    const results = Object.fromEntries(report.scenarios.map(({ name, result }) => [name, result]));
    expect(results).toMatchObject({
      text: 'yes',
      stream: 'yes',
      tools: 'yes',
      store: 'no',
      compaction: 'no',
    });
  });

  it('reports differ for servers that differ', async () => {
    const seen = new Set<string>();
    for (const server of [...RULES, 'aimock'] as const) {
      const { scenarios, settings } = await reportOf(server);
      seen.add(JSON.stringify([scenarios, settings.compatibility]));
    }
    expect(seen.size).toBe(5);
    expect((await reportOf('openai')).settings).not.toHaveProperty('compatibility');
    expect((await reportOf('vllm')).settings.compatibility).toMatchObject({
      reasoning: 'text',
      toolOutput: 'string',
    });
  });

  it('prints a line for each scenario and settings to paste, for an address with and without /v1', async () => {
    const emulator = await startResponsesEmulator();
    for (const url of [emulator.url, emulator.baseURL, `${emulator.baseURL}/`]) {
      const { code, stdout } = await runCommand(['probe', url, '--model', 'gpt-5']);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ {2}text +yes$/m);
      expect(stdout).toContain(`createKelivoResponsesProvider({ baseURL: '${emulator.baseURL}' });`);
    }
    await emulator.close();
  });
});

describe('kelivo-responses probe, for a server that does not answer', () => {
  const fail = async (url: string, args: readonly string[] = [], env = {}) => {
    const { code, stdout, stderr } = await runCommand(['probe', url, ...args], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^kelivo-responses: [^\n]+\n$/);
    return stderr;
  };

  it('names the address and what to check if nothing listens', async () => {
    const url = `http://127.0.0.1:${await holdClosedPort()}`;
    expect(await fail(url)).toMatch(new RegExp(`${url}/v1.*Check \`baseURL\``));
  });

  it('names the address and the hint if there is no Responses API', async () => {
    const server = await serve(response => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}');
    });
    expect(await fail(server.url)).toMatch(new RegExp(`${server.url}/v1/responses.*no Responses API`));
  });

  it('ends at its limit if the answer has no end', async () => {
    const server = await serve(response => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    expect(await fail(server.url, ['--timeout', '1'])).toContain('no complete answer within 1 s');
  });

  it('never sends the key to another host, and never prints it or terminal escapes', async () => {
    const key = 'sk-secret-of-the-user-0123456789';
    const other = await serve(response => void response.writeHead(200).end('{}'));
    const redirecting = await serve(response => {
      response
        .writeHead(307, { location: `${other.url.replace('127.0.0.1', 'localhost')}/v1/responses` })
        .end();
    });
    expect(await fail(redirecting.url, ['--api-key', key])).toContain('redirect');
    expect(other.requests).toEqual([]);

    const echoing = await serve((response, { headers }) => {
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: `\u001b[31m${headers.authorization} is wrong` } }));
    });
    const text = await fail(echoing.url, [], { OPENAI_API_KEY: key });
    expect(text).toContain('\\u001b[31m');
    expect(text).not.toContain(key);
    expect(echoing.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`);
  });
});
