import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { entries, type Entry, root } from '../../package/manifest.js';
import { measureEntry } from '../../package/measure-entry.js';
import { toResponseBody } from '../_responses.js';
import { EVENT_STREAM } from '../_transport.js';
import { compare, type CompareOptions, type Contender } from '../compare.js';
import { type Figure, toShare } from '../figure.js';
import type { Scale } from '../scale.js';

const OFFICIAL = '@ai-sdk/openai';
const MAIN = '.';
const rival = 'official provider';
/** Maximum size of the main entry in kilobytes. */
const SIZE_LIMIT = 92;

/**
 * Measures how long a program waits for the package, and how large its entries are, compared to the official provider.
 * Times are taken in new processes, in turns.
 */
export async function measureStart(scale: Scale): Promise<Figure[]> {
  return [
    ...(await measureImports(scale)),
    ...(await measureFirstCalls(scale)),
    ...(await measureSizes(scale)),
  ];
}

/** Import times after `ai` is loaded, as in every application of the AI SDK. */
async function measureImports({ samples, starts, warmUp, entries: count }: Scale): Promise<Figure[]> {
  const main = entries.filter(({ path }) => path === MAIN);
  const others = entries.filter(({ path }) => path !== MAIN).slice(0, count);
  return [
    ...(await compareImports(main, { samples: starts, warmUp: Math.min(warmUp, 1), atMost: 1.2 })),
    ...(await compareImports(others, { samples: Math.ceil(samples / 3), warmUp: 0 })),
  ];
}

async function compareImports(
  measured: readonly Entry[],
  { atMost, ...options }: CompareOptions & { readonly atMost?: number },
): Promise<Figure[]> {
  const importers = measured.map(({ specifier }) => [specifier, importing(specifier)] as const);
  const times = await compare<string>(
    { [OFFICIAL]: importing(OFFICIAL), ...Object.fromEntries(importers) },
    options,
  );
  const theirs = times[OFFICIAL] ?? [];
  return measured.map(({ specifier }) =>
    toShare(
      { name: `import \`${specifier}\` after \`ai\``, rival, ours: times[specifier] ?? [], theirs },
      atMost,
    ),
  );
}

function importing(specifier: string): Contender {
  return inNewProcess(`
    await import('ai');
    const startedAt = performance.now();
    await import(${JSON.stringify(specifier)});
    console.log(performance.now() - startedAt);`);
}

/** Times from the start of a process to the first text delta of its first call, over a local server. */
async function measureFirstCalls({ starts, warmUp }: Scale): Promise<Figure[]> {
  const body = toResponseBody('text', 20);
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.writeHead(200, EVENT_STREAM).end(body));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const settings = `{ baseURL: 'http://127.0.0.1:${port}/v1', apiKey: 'sk-bench' }`;
  const figures: Figure[] = [];
  try {
    for (const { version, ai, entry, official } of HOSTS) {
      const ours = `import { createKelivoResponsesProvider } from '${entry}';
        const provider = createKelivoResponsesProvider(${settings});`;
      const times = await compare(
        {
          official: firstCall(
            ai,
            `import { createOpenAI } from '${official}';
            const provider = createOpenAI(${settings});`,
            "provider.responses('gpt-4.1')",
          ),
          bare: firstCall(ai, ours, "provider.responses('gpt-4.1')"),
          composed: firstCall(ai, ours, "provider('qwen3-coder-30b')"),
        },
        { samples: starts, warmUp: Math.min(warmUp, 1) },
      );
      const toFigure = (name: string, side: readonly number[], goal: number): Figure =>
        toShare(
          { name: `first text delta, ${version}, ${name}`, rival, ours: side, theirs: times.official },
          goal,
        );
      figures.push(
        toFigure('bare model', times.bare, 1.1),
        toFigure('with tool loop and adapters', times.composed, 1.25),
      );
    }
    return figures;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Hosts with the entry and the official provider of their major. */
const HOSTS = [
  { version: 'V2', ai: 'ai', entry: 'kelivo-responses', official: OFFICIAL },
  { version: 'V4', ai: 'ai7', entry: 'kelivo-responses/v4', official: 'openai4' },
];

const firstCall = (ai: string, setup: string, model: string): Contender =>
  inNewProcess(`
    import { streamText } from '${ai}';
    ${setup}
    const { textStream } = streamText({ model: ${model}, prompt: 'Hello' });
    for await (const delta of textStream) {
      // Counts from the start of the process.
      console.log(performance.now());
      break;
    }
    process.exit();`);

/** Runs a module in a new process. It prints its own time in milliseconds. */
function inNewProcess(script: string): Contender {
  const args = ['--input-type=module', '--eval', script];
  return async () => {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: join(root, 'test'),
      env: {},
    });
    return Number(stdout);
  };
}

/** Sizes of the entries without lazily loaded code, `ai`, its two packages and the peer dependencies. */
async function measureSizes({ entries: count }: Scale): Promise<Figure[]> {
  const official = await sizeOf(fileURLToPath(import.meta.resolve(OFFICIAL)));
  const figures: Figure[] = [];
  for (const { path, specifier, file } of entries.slice(0, count + 1)) {
    const size = await sizeOf(join(root, file));
    figures.push({
      name: `size of \`${specifier}\`, min+gzip`,
      rival,
      value: size,
      unit: 'KB',
      ...(path === MAIN && { goal: { atMost: SIZE_LIMIT } }),
      measured: `${size.toFixed(1)} KB / ${official.toFixed(1)} KB`,
    });
  }
  return figures;
}

const sizeOf = async (file: string): Promise<number> => (await measureEntry(file)).initial / 1000;
