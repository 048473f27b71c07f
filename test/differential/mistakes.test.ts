import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateText, streamText } from 'ai7';
import { createOpenAI } from 'openai4';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { selfSigned } from '../_certificate.js';
import { holdClosedPort, serve, serveBody } from '../_server.js';
import { toSse } from '../_sse.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { message, toStream } from '../responses/stream/_fixtures/wire-events.js';
import { type Mistake, MISTAKES, type Servers, WORKS } from './_mistakes.js';

const KEY = 'sk-test-key';
const guide = new URL('mistakes.md', import.meta.url);
const BEGIN = '<!-- mistakes: UPDATE_TABLE=1 writes them -->';

/**
 * The folder of a build whose messages are printed with their times instead. Its provider has an MCP server, which is started unless
 * the mistake is found before: `TIMES_OF=. npx vitest run --project main test/differential/mistakes.test.ts`.
 */
const { TIMES_OF } = process.env;

it('messages for typical mistakes name the cause and the next step', async () => {
  vi.stubGlobal('AI_SDK_LOG_WARNINGS', false);
  vi.stubEnv('OPENAI_API_KEY', undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });
  const servers = await startServers();
  // The address of a provider whose setting is misspelt.
  vi.stubEnv('OPENAI_BASE_URL', servers.emulator);

  if (TIMES_OF !== undefined) return printTimes(TIMES_OF, servers);
  const rows: string[] = [];
  const worse: object[] = [];
  for (const mistake of MISTAKES) {
    const ours = await outcomeOf(createKelivoResponsesProvider as unknown as Create, mistake, servers);
    const theirs = await outcomeOf(createOpenAI as unknown as Create, mistake, servers);
    const [lacks, theirLacks] = [ours, theirs].map(text => mistake.needs.filter(need => !need.test(text)));
    if (lacks?.length !== 0) worse.push({ mistake: mistake.title, ours, theirs, lacks: lacks?.map(String) });
    const verdict = theirLacks?.length === 0 ? 'the same facts' : 'more';
    rows.push(`| ${mistake.title} | ${toCell(ours)} | ${toCell(theirs)} | ${verdict} |`);
  }
  expect(worse).toEqual([]);

  const text = readFileSync(guide, 'utf8');
  const head = '| mistake | kelivo-responses | `@ai-sdk/openai` 4 | here |\n| --- | --- | --- | --- |';
  const table = `${text.slice(0, text.indexOf(BEGIN))}${BEGIN}\n\n${head}\n${rows.join('\n')}\n`;
  if (process.env.UPDATE_TABLE === '1') writeFileSync(guide, table);
  // The messages of the runtime, which the other column contains, differ between versions of Node.
  else expect(firstCells(text)).toEqual(firstCells(table));
});

type Create = (settings: object) => ((model: unknown) => unknown) & { close?(): Promise<void> };

async function printTimes(folder: string, servers: Servers): Promise<void> {
  const file = pathToFileURL(path.resolve(folder, 'dist/v4.js')).href;
  const { createKelivoResponsesProvider: create } = (await import(file)) as Record<string, Create>;
  if (create === undefined) throw new Error(`Expected ${file} to export the provider, got none.`);
  const lines = ['| mistake | milliseconds | message |', '| --- | --- | --- |'];
  for (const mistake of MISTAKES) {
    const settings = { mcpServers: { everything: everythingOverStdio() }, ...mistake.settings };
    let provider: ReturnType<Create> | undefined;
    const begun = performance.now();
    const outcome = await outcomeOf(all => (provider = create(all)), { ...mistake, settings }, servers);
    lines.push(`| ${mistake.title} | ${Math.round(performance.now() - begun)} | ${toCell(outcome)} |`);
    await provider?.close?.();
  }
  console.log(lines.join('\n'));
}

/** Makes a mistake, and describes what the application learns. */
async function outcomeOf(create: Create, mistake: Mistake, servers: Servers): Promise<string> {
  const { at = 'emulator', baseURL = url => url, settings, options = {}, isStreamed } = mistake;
  try {
    const provider = create({ apiKey: KEY, baseURL: baseURL(servers[at]), ...settings });
    const model = provider('model' in mistake ? mistake.model : 'gpt-5');
    const prompt = 'messages' in options ? {} : { prompt: 'Hi' };
    const call = { model, maxRetries: 0, ...prompt, ...options };
    const { warnings, finishReason } = isStreamed
      ? await readStream(call)
      : await generateText(call as unknown as Parameters<typeof generateText>[0]);
    const texts = (warnings ?? []).map(warning =>
      'message' in warning ? warning.message : `${warning.feature}: ${warning.details}`,
    );
    if (texts.length > 0) return `works, with a warning: ${texts.join(' ')}`;
    return finishReason === 'stop' ? 'works' : `no error, finish reason ${finishReason}`;
  } catch (error) {
    const { name, message, isRetryable } = error as Error & { isRetryable?: boolean };
    const retry = isRetryable === undefined ? '' : ` (${isRetryable ? 'retryable' : 'not retryable'})`;
    return `${name.replace('AI_', '')}: ${message}${retry}`;
  }
}

async function readStream(call: object) {
  let failure: unknown;
  const options = { ...call, onError: ({ error }: { error: unknown }) => void (failure = error) };
  const result = streamText(options as unknown as Parameters<typeof streamText>[0]);
  await result.consumeStream();
  if (failure !== undefined) throw failure;
  return { warnings: await result.warnings, finishReason: await result.finishReason };
}

async function startServers(): Promise<Servers> {
  const emulator = await startResponsesEmulator({ apiKey: KEY });
  onTestFinished(() => emulator.close());
  const fewModels = await startResponsesEmulator({ models: ['gpt-5', 'gpt-5.1', 'gpt-5.1-mini'] });
  onTestFinished(() => fewModels.close());
  const page = '<!doctype html><title>Sign in</title>';
  const html = async (status: number, headers = {}) =>
    `${(await serveBody(page, { status, contentType: 'text/html', headers })).url}/v1`;
  const json = async (status: number, body: unknown) =>
    `${(await serveBody(JSON.stringify(body), { status, contentType: 'application/json' })).url}/v1`;
  const apiError = (status: number, code: string, text: string) =>
    json(status, { error: { message: text, type: 'invalid_request_error', param: null, code } });
  const secure = await listen(createServer(selfSigned, (_, response) => response.end()));
  onTestFinished(() => void secure.close());
  return {
    emulator: emulator.baseURL,
    chat: await json(404, { detail: 'Not Found' }),
    page: await html(200),
    missingPage: await html(404),
    redirect: await html(302, { location: 'https://login.invalid/' }),
    fewModels: fewModels.baseURL,
    quota: await apiError(
      429,
      'insufficient_quota',
      'You exceeded your current quota, please check your plan and billing details.',
    ),
    tooLong: await apiError(
      400,
      'context_length_exceeded',
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ),
    truncated: await serveTruncated(),
    selfSigned: `https://127.0.0.1:${(secure.address() as AddressInfo).port}/v1`,
    closed: `http://127.0.0.1:${await holdClosedPort()}/v1`,
  };
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Starts a server that ends a stream after its first text, and a document within its output. */
async function serveTruncated(): Promise<string> {
  const stream = toSse(toStream([message(['Hello'])]).slice(0, 5));
  const { url } = await serve((response, { body }) => {
    const contentType = body.stream === true ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': contentType });
    response.end(body.stream === true ? stream : '{"id":"resp_1","output":[{"type":"mess');
  });
  return `${url}/v1`;
}

/** Writes an outcome without what differs between runs: ports, and the texts of OpenSSL and of the resolver. */
function toCell(outcome: string): string {
  if (WORKS.test(outcome)) return outcome;
  const text = outcome
    .replaceAll(/(127\.0\.0\.1):\d+/g, '$1:8000')
    .replace(/[0-9A-F]{8,}:error:.*?:\d+:/, 'error:0A00010B:SSL routines::wrong version number')
    .replace(/ERR_SSL_\w+ [a-z ]+/, 'ERR_SSL_WRONG_VERSION_NUMBER wrong version number')
    .replace('EAI_AGAIN', 'ENOTFOUND')
    .replace(/\s+/g, ' ');
  return `\`\` ${text.replaceAll('|', '\\|')} \`\``;
}

/** Returns the cells of each row without the columns of the official provider. */
const firstCells = (table: string): string[][] =>
  table.split('\n').flatMap(line => (line.startsWith('| ') ? [line.split(/(?<!\\)\|/).slice(1, 3)] : []));
