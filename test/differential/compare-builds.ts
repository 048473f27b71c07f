/**
 * Compares two builds of the package: the parts of every stream, and the bodies of the requests that follow. A refactoring
 * changes nothing.
 *
 *     npx tsx test/differential/compare-builds.ts --before ../before --after . --runs 20000 --recordings ../recordings
 *
 * Differences are counted by kind: the place of the first one, and what is there. `--ignore warnings` leaves out members of
 * that name, so that what a kind hides can be seen.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { splitRandomly, toBody } from '../_chunking.js';
import { toSse } from '../_sse.js';
import { createMutator } from '../fuzz/stream-mutations.js';
import { CONVERSATIONS } from '../parity/_conversations.js';
import { RESPONSE_FIXTURES } from '../responses/stream/_fixtures/responses.js';

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: '.' },
    recordings: { type: 'string', multiple: true, default: [] },
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    ignore: { type: 'string', multiple: true, default: [] },
  },
});
if (values.before === undefined) throw new Error('Expected --before to name the folder of a built package.');

interface Model {
  doGenerate(options: object): Promise<object>;
  doStream(options: object): Promise<{ stream: ReadableStream<object>; request?: unknown }>;
}
interface Entry {
  createKelivoResponsesProvider(
    settings: object,
  ): { responses(modelId: string): Model } & ((id: string) => Model);
}

const ENTRIES = { v2: 'index.js', v3: 'v3.js', v4: 'v4.js' };
const load = async (folder: string): Promise<Record<string, Entry>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(ENTRIES).map(async ([version, file]) => [
        version,
        (await import(pathToFileURL(path.resolve(folder, 'dist', file)).href)) as Entry,
      ]),
    ),
  );
const builds = await Promise.all([values.before, values.after].map(load));

const user = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const tools = [{ type: 'function', name: 'weather', inputSchema: { type: 'object', properties: {} } }];

/** What a caller sees of a stream and sends after it, as text. */
async function observe(entry: Entry | undefined, body: Uint8Array, seed: number): Promise<string> {
  const sent: unknown[] = [];
  const provider = entry?.createKelivoResponsesProvider({
    apiKey: 'test',
    baseURL: 'http://server.test/v1',
    fetch: async (_url: unknown, init: RequestInit) => {
      sent.push(JSON.parse(String(init.body)));
      const chunks = splitRandomly(body, { seed, longest: 2000 });
      return new Response(toBody(chunks), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const model = provider?.responses('gpt-5');
  const seen: unknown[] = [];
  try {
    const result = await model?.doStream({ prompt: [user], tools });
    if (result !== undefined) for await (const part of result.stream) seen.push(part);
  } catch (error) {
    seen.push(error);
  }
  try {
    const result = (await model?.doGenerate({ prompt: [user], tools })) as { content?: object[] } | undefined;
    seen.push(result);
    const history = (result?.content ?? []).flatMap(toHistory);
    await model?.doGenerate({ prompt: [user, { role: 'assistant', content: history }, user], tools });
  } catch (error) {
    seen.push(error);
  }
  return toText({ seen, sent });
}

/** The content of a response as a host keeps it. */
const toHistory = (part: object): object[] => {
  const { type, providerMetadata, input, ...rest } = part as Record<string, unknown>;
  if (type === 'source' || type === 'tool-approval-request') return [];
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === 'tool-result') {
    const { result, ...others } = rest;
    return [{ type, ...others, output: { type: 'json', value: result ?? null }, ...options }];
  }
  if (type !== 'tool-call') return [{ type, ...rest, ...options }];
  try {
    return [{ type, ...rest, input: JSON.parse(String(input)), ...options }];
  } catch {
    return [{ type, ...rest, input, ...options }];
  }
};

/** Ids that the package generates, and stack traces, are not compared. */
function toText(value: unknown): string {
  const ids = new Map<string, string>();
  return JSON.stringify(value, (key, one: unknown) => {
    if (one instanceof Error) {
      const { stack, cause, ...rest } = Object.getOwnPropertyDescriptors(one);
      return {
        message: one.message,
        ...Object.fromEntries(Object.entries(rest).map(([name, { value: own }]) => [name, own])),
      };
    }
    if (key === 'timestamp' || key === 'responseHeaders' || values.ignore.includes(key)) return undefined;
    return one instanceof Uint8Array ? Buffer.from(one).toString('base64') : one;
  }).replace(/\b(?:[a-z]{2,6}_)?(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{16}\b/g, id => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size}`);
    return ids.get(id) ?? id;
  });
}

let compared = 0;
/** Kinds of differences, with the names of the comparisons that have them. */
const kinds = new Map<string, string[]>();
async function compare(name: string, run: (entry: Entry | undefined) => Promise<string>): Promise<void> {
  for (const version of Object.keys(ENTRIES)) {
    const [before = '', after = ''] = await Promise.all(builds.map(build => run(build[version])));
    compared += 1;
    if (before === after) continue;
    const kind = toDifference(JSON.parse(before), JSON.parse(after)) ?? 'the order of members';
    kinds.set(kind, [...(kinds.get(kind) ?? []), `${name} (${version})`]);
  }
}

/** Returns the place of the first difference and both values. Numbers of entries, and ids, are left out. */
function toDifference(before: unknown, after: unknown, place = ''): string | undefined {
  const isContainer = [before, after].every(one => typeof one === 'object' && one !== null);
  if (!isContainer || Array.isArray(before) !== Array.isArray(after))
    return before === after
      ? undefined
      : `${place}\n  before: ${toExcerpt(before)}\n  after:  ${toExcerpt(after)}`;
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const type = typeof old.type === 'string' && old.type === now.type ? `<${old.type}>` : '';
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const step = Array.isArray(before) ? '[]' : `.${name}`;
    const difference = toDifference(old[name], now[name], `${place}${type}${step}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const toExcerpt = (value: unknown): string =>
  (JSON.stringify(value) ?? 'nothing').replace(/\b\w*\d\w*\b/g, '#').slice(0, 200);

const encode = (text: string) => new TextEncoder().encode(text);
const recorded = values.recordings.flatMap(folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.sse'))
    .map(name => [name, readFileSync(path.join(folder, name), 'utf8')] as const),
);
for (const [name, body] of recorded) await compare(name, entry => observe(entry, encode(body), 7));

const fixtures = RESPONSE_FIXTURES.map(({ events }) => toSse(events));
const bodies = [...fixtures, ...recorded.map(([, body]) => body).filter(body => body.length < 100_000)];
for (let run = 0; run < Number(values.runs); run++) {
  const seed = Number(values.seed) + run;
  const body = createMutator(seed).stream(bodies[run % bodies.length] ?? '');
  await compare(`fuzzed stream of seed ${seed}`, entry => observe(entry, body, seed));
}

for (const [name, options] of Object.entries(CONVERSATIONS)) {
  await compare(`the conversation ${name}`, async entry => {
    const sent: unknown[] = [];
    const provider = entry?.createKelivoResponsesProvider({
      apiKey: 'test',
      fetch: async (_url: unknown, init: RequestInit) => {
        sent.push(JSON.parse(String(init.body)));
        return Response.json({ id: 'resp_1', object: 'response', status: 'completed', output: [] });
      },
    });
    try {
      const prompt = options.prompt ?? [user];
      return toText({ sent, result: await provider?.responses('gpt-5').doGenerate({ ...options, prompt }) });
    } catch (error) {
      return toText({ sent, error });
    }
  });
}

let different = 0;
for (const [kind, names] of [...kinds].sort(([, a], [, b]) => b.length - a.length)) {
  console.log(`${names.length} × ${kind}\n  in ${names.slice(0, 3).join(', ')}`);
  different += names.length;
}
console.log(`${compared} compared, ${different} different in ${kinds.size} kinds`);
process.exitCode = different > 0 ? 1 : 0;
