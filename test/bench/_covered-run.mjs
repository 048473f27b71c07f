// Runs one call with the built package in a folder and prints the source files whose functions ran, as JSON.
// Arguments: the folder of the package, and the bodies of the responses.
import { readFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [folder = '', ...bodies] = process.argv.slice(2);
const require = createRequire(path.join(folder, 'package.json'));
const load = name => import(pathToFileURL(require.resolve(name)).href);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { streamText, tool } = await load('ai');
const { z } = await load('zod');
const { createKelivoResponsesProvider } = await load('kelivo-responses');
const remaining = [];
const provider = createKelivoResponsesProvider({
  baseURL: 'https://api.openai.com/v1',
  apiKey: 'sk-bench',
  tools: {
    clock: tool({ description: 'Returns the time.', inputSchema: z.object({}), execute: () => 'noon' }),
  },
  fetch: async () => new Response(remaining.shift(), { headers: { 'content-type': 'text/event-stream' } }),
});
await runCall();
// Discards what ran to load the modules and to create the provider.
await session.post('Profiler.takePreciseCoverage');
await runCall();
const { result } = await session.post('Profiler.takePreciseCoverage');
console.log(JSON.stringify([...new Set(result.flatMap(listSources))].sort()));

async function runCall() {
  remaining.push(...bodies);
  const { textStream } = streamText({ model: provider('gpt-4.1'), prompt: 'Hello' });
  let text = '';
  for await (const delta of textStream) text += delta;
  if (text === '' || remaining.length > 0)
    throw new Error(`Expected text after all responses, got "${text}".`);
}

/** Lists the sources of functions that ran in a built file. Evaluating a module does not count. */
function listSources({ url, functions }) {
  const dist = pathToFileURL(path.join(folder, 'dist/')).href;
  if (!url.startsWith(dist)) return [];
  const file = fileURLToPath(url);
  const code = readFileSync(file, 'utf8');
  const toSource = readSourceMap(file, code);
  return functions
    .filter(
      ({ ranges: [range] }) =>
        range.count > 0 && !(range.startOffset === 0 && range.endOffset === code.length),
    )
    .flatMap(({ ranges: [range] }) => toSource(range.startOffset) ?? []);
}

function readSourceMap(file, code) {
  // Without bundling, each built file has one source.
  if (!code.includes('//# sourceMappingURL=')) {
    return () => path.relative(path.join(folder, 'dist'), file).replace(/\.js$/, '.ts');
  }
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  const lineStarts = [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return offset => {
    const line = lineStarts.findLastIndex(start => start <= offset);
    const { originalSource } = map.findEntry(line, offset - lineStarts[line]);
    if (originalSource === undefined) return undefined;
    return path.relative(path.join(folder, 'src'), path.resolve(path.dirname(file), originalSource));
  };
}
