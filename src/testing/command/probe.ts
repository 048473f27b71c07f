import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Compatibility, createKelivoResponsesProvider, redactSecrets } from 'kelivo-responses';
import { toApiRoot } from '../../core/http/base-url.js';
import { messageOf } from '../../core/shared/errors.js';
import { objectOf, objectsOf, stringOf, tryParseJson } from '../../core/shared/json.js';
import { type Probe, SCENARIOS, type Server, type ProbeVerdict } from './scenarios.js';
import { CommandError, type CommandInput, printLine } from './terminal.js';

/** Runs scenarios against a server and prints the settings that it needs. Returns 1 if it does not answer. */
export async function runProbe(input: CommandInput): Promise<number> {
  const [baseURL = ''] = input.names;
  const apiKey = input.one('api-key') ?? process.env.OPENAI_API_KEY;
  const headers = Object.fromEntries(input.list('header').map(readHeader));
  const limit = input.numberOf('timeout', { minimum: 1, maximum: 3600 }) ?? 20;
  const root = toApiRoot(baseURL);
  const secrets = [apiKey ?? '', ...Object.values(headers), ...root.searchParams.values()].filter(Boolean);
  const clean = (text: string): string => redactSecrets(text, { secrets });
  const server = createServer(root, { apiKey, headers });
  const print = input.has('json') ? () => {} : printLine;

  const model = input.one('model') ?? (await findModel(server, AbortSignal.timeout(limit * 1000)));
  const address = clean(root.origin + root.pathname);
  const scenarios: { name: string; result: ProbeVerdict['result']; note?: string }[] = [];
  let compatibility: Compatibility = {};
  for (const [name, run] of Object.entries(SCENARIOS)) {
    const signal = AbortSignal.timeout(limit * 1000);
    const verdict = await run(createProbe(server, { model, compatibility, signal })).catch(
      (error: unknown): ProbeVerdict => ({
        result: 'no',
        note: signal.aborted ? `no complete answer within ${limit} s` : messageOf(error),
      }),
    );
    const note = clean(verdict.note ?? '');
    // Without an answer, the other scenarios would fail for the same reason.
    if (scenarios.length === 0 && verdict.result === 'no') throw new Error(`${address}: ${note}`);
    if (scenarios.length === 0) print(`${address}, model ${clean(model)}`);
    print(`  ${name.padEnd(12)} ${verdict.result.padEnd(8)} ${note}`.trimEnd());
    compatibility = mergeCompatibility(compatibility, verdict.compatibility);
    scenarios.push({ name, result: verdict.result, ...(note !== '' && { note }) });
  }
  const isNeeded = Object.keys(compatibility).length > 0;
  const settings = { baseURL: address, ...(isNeeded && { compatibility }) };
  if (input.has('json')) process.stdout.write(`${JSON.stringify({ model, scenarios, settings }, null, 2)}\n`);
  print();
  print(`Settings for this server${isNeeded ? '' : ', which needs none but its address'}:`);
  print(`createKelivoResponsesProvider(${toCode(settings)});`);
  return 0;
}

function readHeader(text: string): [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new CommandError('Expected --header to be "name: value".');
  return [name, value];
}

/** Writes settings as a program does. */
const toCode = (settings: object): string =>
  JSON.stringify(settings, null, 1)
    .replaceAll(/\n\s*/g, ' ')
    .replaceAll(/"([A-Za-z]\w*)":/g, '$1:')
    .replaceAll('"', "'");

function mergeCompatibility(base: Compatibility, added: Compatibility = {}): Compatibility {
  const without = [...new Set([...(base.without ?? []), ...(added.without ?? [])])];
  return { ...base, ...added, ...(without.length > 0 && { without }) };
}

/** Returns the first model that is not for embeddings, images or audio. */
async function findModel(server: Server, signal: AbortSignal): Promise<string> {
  // A server without a list is no problem here, and one that does not answer fails in the first scenario.
  const { body } = await server.send('/models', { signal }).catch(() => ({ body: undefined }));
  const ids = objectsOf(objectOf(body)?.data).map(entry => stringOf(entry.id));
  const others = /embed|whisper|tts|dall-e|image|audio|moderation|rerank|transcri/i;
  return ids.find(id => id !== '' && !others.test(id)) ?? 'gpt-5';
}

function createProbe(
  server: Server,
  { model, compatibility, signal }: Pick<Probe, 'model' | 'signal'> & { compatibility: Compatibility },
): Probe {
  return {
    model,
    signal,
    server,
    async attempt(candidates, run, isGood = () => true) {
      let lossy: { value: Awaited<ReturnType<typeof run>>; added: Compatibility } | undefined;
      let repaired: typeof lossy;
      let failure: unknown;
      for (const added of candidates) {
        const { provider, rejected } = server.provider(mergeCompatibility(compatibility, added));
        try {
          const value = await run(provider.responses(model));
          // The provider changes a request that is rejected for a known reason, which costs a second request.
          if (rejected() > 0) repaired ??= { value, added: {} };
          else if (isGood(value)) return { value, added };
          else lossy ??= { value, added };
        } catch (error) {
          if (signal.aborted) throw error;
          failure ??= error;
        } finally {
          await provider.close();
        }
      }
      const best = lossy ?? repaired;
      if (best === undefined) throw failure;
      return best;
    },
  };
}

function createServer(
  root: URL,
  { apiKey, headers }: { apiKey?: string; headers: Record<string, string> },
): Server {
  const key = apiKey === undefined ? {} : { apiKey };
  const all = {
    'content-type': 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    ...headers,
  };
  const addressOf = (path: string): URL => {
    const url = new URL(root);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    return url;
  };
  return {
    provider(compatibility) {
      let rejections = 0;
      const isGiven = Object.keys(compatibility).length > 0;
      const provider = createKelivoResponsesProvider({
        baseURL: root.href,
        ...key,
        headers,
        ...(isGiven && { compatibility }),
        async fetch(address, init) {
          const response = await fetch(address, init);
          if (response.status >= 400) rejections++;
          return response;
        },
      });
      return { provider, rejected: () => rejections };
    },
    async send(path, init) {
      // A redirect could lead to another host.
      const response = await fetch(addressOf(path), {
        method: init.body === undefined ? 'GET' : 'POST',
        headers: all,
        body: init.body && JSON.stringify(init.body),
        redirect: 'manual',
        signal: init.signal,
      });
      return { status: response.status, body: tryParseJson(await readStart(response)) };
    },
    upgrade: signal =>
      new Promise((resolve, reject) => {
        const url = addressOf('/responses');
        const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
        const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
          headers: { ...all, ...upgrade, 'sec-websocket-key': 'a2VsaXZvLXJlc3BvbnNlcw==' },
          signal,
        });
        request.on('error', reject);
        request.on('upgrade', (_response, socket) => {
          socket.destroy();
          resolve(101);
        });
        request.on('response', response => {
          response.destroy();
          resolve(response.statusCode ?? 0);
        });
        request.end();
      }),
  };
}

/** Reads a body that may have no end. */
async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > 4_000_000) break;
  }
  return text;
}
