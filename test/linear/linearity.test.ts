import { expect, it } from 'vitest';
import { adaptModel, families } from '../../src/adapters/index.js';
import { createKelivoResponsesProvider, redactSecrets } from '../../src/index.js';
import { parseToolArguments } from '../../src/core/tool-calls/index.js';
import { yamlToJson } from '../../src/adapters/text-tools/values/yaml-block.js';
import { toFilename } from '../../src/core/tool-calls/mcp-output.js';

/*
 * Reads runs of every character, and of openers and their combinations, at a length and at eight times that length. A linear
 * reader takes eight times as long, a quadratic one 64 times. The lengths begin small, so that a slow reader does not block the
 * suite.
 */

type Reader = (run: string) => unknown;

const SHORTEST = 500;
const LONGEST = 4_000;
const FACTOR = 8;
/** Three times of what is linear: other work of a machine can double a time, and collecting garbage too. */
const MAX_RATIO = 24;
/** Processor time in milliseconds from which on it says something. Less may be that of a compiler or a collection of garbage. */
const NOTICEABLE = 30;

const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const whiteSpace = ['\t', '\n', '\r', '\r\n', '\v', '\0', '\u00a0', '\u2028', '\u3000', '\ufeff'];
const wide = ['é', '“', '｜', '▁', '🙂', '\ud83d'];
const openers = [
  ...[
    '{',
    '[',
    '(',
    '{"a":',
    '{"a":"',
    '{"a":[',
    '{a:',
    '"\\u12',
    '\\"',
    '/*',
    '//',
    '#',
    '```json\n',
    '```',
  ],
  ...[
    '"#',
    '"/*',
    '"//\n',
    '//"\n',
    '", “',
    "'a' ",
    '"a"b" ',
    'c:\\x ',
    'x, y: ',
    '" ,',
    '1.',
    '-',
    'tru',
    'x //',
  ],
  ...[
    '<tool_call>',
    '<function=f><parameter=a>',
    '[TOOL_CALLS]f[ARGS]{',
    '<|python_tag|>',
    '<think>',
    '</think>',
  ],
  ...[
    '<|channel|>commentary to=functions.f<|message|>',
    '<invoke name="f"><parameter name="a">',
    '<|',
    '<a>',
  ],
  ...['</a>', '</tool_call> ', '[f(a="', '{"name": "f", "arguments": {', '<tools>', '｜DSML｜', '<|end|> '],
];
const runs = [...characters, ...whiteSpace, ...wide, ...openers];

const schema = {
  type: 'object',
  properties: { a: { type: 'string' }, n: { type: 'integer' }, list: { type: 'array' } },
} as const;
const ofArguments =
  (write: (run: string) => string): Reader =>
  run =>
    parseToolArguments(write(run), { schema });

const readers: Readonly<Record<string, Reader>> = {
  'arguments that are the run': ofArguments(run => run),
  'arguments that end with the run': ofArguments(run => `{${run}`),
  'a string with the run': ofArguments(run => `{"a":"x${run}`),
  'a string that continues after the run': ofArguments(run => `{"a":"${run}\nz"`),
  'a value without quotes': ofArguments(run => `{"a": x${run}y, "n": 1}`),
  'a truncated object before the run': ofArguments(run => `{"a":"x",${run}`),
  'JSON after the run': ofArguments(run => `${run}{"a":"x"}`),
  'JSON before the run': ofArguments(run => `{'a':'x'}${run}z"`),
  'a list with the run': ofArguments(run => `{"list":["x",${run}`),
  'markers after the run': ofArguments(run => `{"a":1}${run}</tool_call>`),
  'YAML with the run': run => yamlToJson(`a: ${run}\nb: |\n  ${run}\nc: x`, schema),
  'lines of YAML that are the run': run => yamlToJson(`${run}\n`.repeat(2), schema),
  'a log line': run => redactSecrets(`key: ${run}`),
  'the address of a resource': run => toFilename(`file:///${run}!`),
};

const timeOf = async (read: Reader, text: string): Promise<number> => {
  const before = process.cpuUsage();
  await read(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** Returns the ratio of the times for one length and for the longer one, at the first length at which they are noticeable. */
async function ratioOf(read: Reader, unit: string): Promise<number> {
  const toRun = (length: number): string => unit.repeat(Math.ceil(length / unit.length));
  let length = SHORTEST;
  while (length < LONGEST && (await timeOf(read, toRun(length))) < NOTICEABLE) length *= FACTOR;
  // Other work only adds time, so that one linear attempt is a proof.
  let least = Infinity;
  for (let attempt = 0; attempt < 5 && least >= MAX_RATIO; attempt++) {
    const short = await timeOf(read, toRun(length));
    const long = await timeOf(read, toRun(FACTOR * length));
    least = Math.min(least, long / Math.max(short, NOTICEABLE / FACTOR));
  }
  return least;
}

async function slowRuns(read: Reader, units: readonly string[]): Promise<string[]> {
  const slow: string[] = [];
  for (const unit of units) {
    const ratio = await ratioOf(read, unit);
    if (ratio >= MAX_RATIO) slow.push(`${JSON.stringify(unit)}: ${ratio.toFixed(1)}`);
  }
  return slow;
}

it('finds a reader that takes more than linear time', async () => {
  const search = /(?:\s*<\/[a-z]+>)+\s*$/;
  const read: Reader = text => void search.test(`${text}x`);
  expect(await slowRuns(read, [' ', 'a'])).toEqual([expect.stringMatching(/^" ": /)]);
});

it.each(Object.entries(readers))('reads %s in linear time', async (_, read) => {
  expect(await slowRuns(read, runs)).toEqual([]);
});

it.each<[string, string]>([
  ['short lines', 'abcd\n'],
  ['long lines', `${'x'.repeat(59)}\n`],
  ['code', '\t\tsay("hi");\n'],
])('reads raw line breaks in a megabyte of %s almost as fast as valid JSON', async (_, line) => {
  const valid = JSON.stringify({ a: line.repeat(1_000_000 / line.length) });
  const raw = valid.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  const read = ofArguments(text => text);
  const ratios: number[] = [];
  while (ratios.length < 9 && !ratios.some(ratio => ratio < 3)) {
    const control = await timeOf(read, valid);
    ratios.push((await timeOf(read, raw)) / control);
  }
  expect(Math.min(...ratios)).toBeLessThan(3);
});

async function drain(stream: ReadableStream<unknown>): Promise<void> {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

const pieces = (text: string): string[] => text.match(/[^]{1,200}/g) ?? [];

const model = (chunks: readonly string[]) => ({
  specificationVersion: 'v2' as const,
  provider: 'test',
  modelId: 'm',
  supportedUrls: {},
  doGenerate: (_options: object) => Promise.reject(new Error('Only streams are read here.')),
  doStream: (_options: object) =>
    Promise.resolve({
      stream: new ReadableStream({
        start(controller) {
          controller.enqueue({ type: 'stream-start' as const, warnings: [] });
          controller.enqueue({ type: 'text-start' as const, id: 't' });
          for (const delta of chunks) controller.enqueue({ type: 'text-delta' as const, id: 't', delta });
          controller.enqueue({ type: 'text-end' as const, id: 't' });
          controller.enqueue({
            type: 'finish' as const,
            finishReason: 'stop' as const,
            usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
          });
          controller.close();
        },
      }),
    }),
});

const call = {
  prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }],
  tools: [{ type: 'function' as const, name: 'f', inputSchema: { ...schema } }],
  toolChoice: { type: 'auto' as const },
};

const few = [' ', '\n', '"', '`', '\\', '{', '[', '<', '|', 'a', '\u3000', ...openers];

it.each(Object.entries(families))('reads the text of the family %s in linear time', async (_, adapter) => {
  const read: Reader = async run => {
    const { stream } = await adaptModel(model(pieces(run)), { adapters: [adapter] }).doStream(call);
    await drain(stream);
  };
  expect(await slowRuns(read, few)).toEqual([]);
});

it.each(['tool-elements', 'yaml-elements'])('reads calls in %s in linear time', async toolPrompting => {
  const read: Reader = async run => {
    const { stream } = await adaptModel(model(pieces(run)), { toolPrompting }).doStream(call);
    await drain(stream);
  };
  const elements = ['<f>', '<f><a>', '<f>\na: x\n', '</f>', '</f>\n', '<f><a></a>', '<f><a>x</a></f>'];
  expect(await slowRuns(read, [...few, ...elements])).toEqual([]);
});

const toEvent = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const messageEvents = (run: string): string =>
  pieces(run)
    .map(delta => toEvent({ type: 'response.output_text.delta', output_index: 0, item_id: 'm', delta }))
    .join('');

it.each([
  ['one line', (run: string) => `data: ${run}\n\n`],
  [
    'text between events',
    (run: string) => `${run}\n${toEvent({ type: 'response.created', response: { id: 'r' } })}${run}`,
  ],
  ['the text of a message', messageEvents],
  [
    'a message that ends with another text',
    (run: string) =>
      messageEvents(run) +
      toEvent({ type: 'response.output_text.done', output_index: 0, item_id: 'm', text: `x${run}` }),
  ],
])('reads a response with %s in linear time', async (_, write) => {
  const read: Reader = async run => {
    const provider = createKelivoResponsesProvider({
      baseURL: 'http://localhost/v1',
      apiKey: 'k',
      toolLoop: false,
      fetch: () =>
        Promise.resolve(new Response(write(run), { headers: { 'content-type': 'text/event-stream' } })),
    });
    try {
      const { stream } = await provider('m').doStream(call);
      await drain(stream);
    } catch {
      // An error is an answer.
    }
    await provider.close();
  };
  expect(await slowRuns(read, few)).toEqual([]);
});
