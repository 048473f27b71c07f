import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import type * as adapters from '../src/adapters/index.js';
import type * as main from '../src/index.js';
import type * as toolLoop from '../src/tool-loop/index.js';
import { RAW_REQUEST } from './testing/_contract.js';
import { startEmulator } from './testing/_emulator.js';
import { finish, generate, scriptedModel, start, text } from './tool-loop/_scripted-model.js';

/*
 * Measures how far a change reaches: builds a throw-away hosted tool, model family and known server in a copy of the
 * sources, counts the files and lines that this takes, and uses each of them.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const original = path.join(root, 'src');
const copy = path.join(root, 'test-results/reach/src');
const classRegistry = Symbol.for('workflow-class-registry');

const hostedTool = `import { stringOf } from '../../core/shared/json.js';
import type { HostedTool } from './hosted-tool.js';

export const weatherRadarTool: HostedTool = {
  declarations: {
    'openai.weather_radar': {
      type: 'weather_radar',
      choiceFields: [],
    },
  },
  items: {
    weather_radar_call: {
      toolName: 'weather_radar',
      input: ({ region }) => ({ region: stringOf(region) }),
      result: ({ forecast }) => ({ forecast: stringOf(forecast) }),
    },
  },
  history: { toolNames: ['weather_radar'], idPrefixes: ['wr'] },
};
`;

const modelFamily = `import { readName } from '../text-tools/reading/text-cursor.js';
import type { TextToolFormat } from '../text-tools/reading/text-tool-format.js';
import { readCallArguments } from '../text-tools/values/json-call.js';
import { defineFamily } from '../kit/family.js';

const tulipFormat: TextToolFormat = {
  name: 'tulip',
  openers: ['<petal>'],
  closers: ['</petal>'],
  *read(cursor, calls) {
    return yield* readCallArguments(cursor, calls, { name: yield* readName(cursor) });
  },
};

export const tulip = defineFamily('tulip', { formats: [tulipFormat] });
`;

const laterMajor = `import type { AnyLanguageModel } from './specification.js';
import { v4 } from './v4.js';
import type { Version } from './version.js';

/** A language model for a later major of \`ai\`. */
export interface LanguageModelV5 extends AnyLanguageModel {
  readonly specificationVersion: 'v5';
}

/** It has another form of the finish reason. */
export const v5: Version = {
  ...v4,
  name: 'v5',
  writeFinishReason: ({ unified }) => ({ because: unified }),
  readPart: ({ finishReason, ...part }) =>
    finishReason === undefined
      ? part
      : { ...part, finishReason: { unified: (finishReason as { because: string }).because } },
};
`;

/** Adds a line before the first line that matches. */
function insertLine(file: string, { before, line }: { before: RegExp; line: string }): void {
  const lines = readFileSync(path.join(copy, file), 'utf8').split('\n');
  const at = lines.findIndex(existing => before.test(existing));
  if (at < 0) throw new Error(`Expected a line that matches ${before} in ${file}, found none.`);
  writeFileSync(path.join(copy, file), lines.toSpliced(at, 0, line).join('\n'));
}

const changes = {
  'a hosted tool': () => {
    writeFileSync(path.join(copy, 'responses/hosted-tools/weather-radar.ts'), hostedTool);
    insertLine('responses/hosted-tools/tools.ts', {
      before: /web-search/,
      line: "export { weatherRadarTool } from './weather-radar.js';",
    });
  },
  'a model family': () => {
    writeFileSync(path.join(copy, 'adapters/families/tulip.ts'), modelFamily);
    insertLine('adapters/families/index.ts', {
      before: /tags/,
      line: "export { tulip } from './tulip.js';",
    });
  },
  'a major of ai': () => {
    writeFileSync(path.join(copy, 'core/versions/v5.ts'), laterMajor);
    insertLine('core/versions/versions.ts', { before: /^\} satisfies/, line: '  v5,' });
    insertLine('core/versions/versions.ts', {
      before: /import type \{ Version \}/,
      line: "import { v5 } from './v5.js';",
    });
  },
  'a per-call option': () =>
    insertLine('responses/request/options.ts', {
      before: /Maximum number of hosted tool calls/,
      line: "  patience: sentAs('patience', () => z.number()),",
    }),
  'a setting with a per-call option': () =>
    insertLine('responses/request/setting-options.ts', {
      before: /^ {2}systemMessageMode: /,
      line: "  mood: sentAs('mood', () => z.string()),",
    }),
  'a known server': () =>
    insertLine('responses/compatibility/compatibility.ts', {
      before: /^ {2}vllm: \{/,
      line: "  acme: { host: /^api\\.acme\\.example$/, compatibility: { toolOutput: 'string' } },",
    }),
};

const readTree = (folder: string): Map<string, string[]> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .map(file => [file, readFileSync(path.join(folder, file), 'utf8').split('\n')]),
  );

/** Applies a change and returns the new files, and the number of lines added to or removed from the others. */
function reachOf(apply: () => void): { newFiles: string[]; changedLines: Record<string, number> } {
  const before = readTree(copy);
  apply();
  const newFiles: string[] = [];
  const changedLines: Record<string, number> = {};
  for (const [file, lines] of readTree(copy)) {
    const old = before.get(file);
    if (old === undefined) newFiles.push(file);
    else if (old.join('\n') !== lines.join('\n')) {
      const added = lines.filter(line => !old.includes(line)).length;
      const removed = old.filter(line => !lines.includes(line)).length;
      changedLines[file] = added + removed;
    }
  }
  return { newFiles, changedLines };
}

const reach: Record<string, ReturnType<typeof reachOf>> = {};

/** The classes that the copy would replace by its own ones, which cannot load their files after this test. */
const scope = globalThis as { [classRegistry]?: Map<string, unknown> };
const { [classRegistry]: classes } = scope;

beforeAll(() => {
  scope[classRegistry] = new Map(classes);
  rmSync(path.dirname(copy), { recursive: true, force: true });
  mkdirSync(path.dirname(copy), { recursive: true });
  cpSync(original, copy, { recursive: true });
  writeFileSync(path.join(copy, '../tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json' }));
  for (const [name, apply] of Object.entries(changes)) reach[name] = reachOf(apply);
});

afterAll(() => {
  scope[classRegistry] = classes;
  rmSync(path.dirname(copy), { recursive: true, force: true });
});

const load = <Module>(file: string): Promise<Module> =>
  import(/* @vite-ignore */ path.join(copy, file)) as Promise<Module>;

it('a hosted tool takes its file and one line', () => {
  expect(reach['a hosted tool']).toEqual({
    newFiles: ['responses/hosted-tools/weather-radar.ts'],
    changedLines: { 'responses/hosted-tools/tools.ts': 1 },
  });
});

it('a model family takes its file and one line', () => {
  expect(reach['a model family']).toEqual({
    newFiles: ['adapters/families/tulip.ts'],
    changedLines: { 'adapters/families/index.ts': 1 },
  });
});

it('a known server takes one row', () => {
  expect(reach['a known server']).toEqual({
    newFiles: [],
    changedLines: { 'responses/compatibility/compatibility.ts': 1 },
  });
});

it.each([
  { name: 'a per-call option', file: 'responses/request/options.ts' },
  { name: 'a setting with a per-call option', file: 'responses/request/setting-options.ts' },
])('$name takes one row', ({ name, file }) => {
  expect(reach[name]).toEqual({ newFiles: [], changedLines: { [file]: 1 } });
});

it('a major of ai takes its file and the two lines that register it', () => {
  expect(reach['a major of ai']).toEqual({
    newFiles: ['core/versions/v5.ts'],
    changedLines: { 'core/versions/versions.ts': 2 },
  });
});

it('the changes compile', () => {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const files = ['index.ts', 'adapters/index.ts', 'responses/model.ts', 'core/versions/v5.ts'].map(file =>
    path.join(copy, file),
  );
  const issues = ts.getPreEmitDiagnostics(ts.createProgram(files, options));
  expect(issues.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});

const prompt: LanguageModelV2CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Will it rain?' }] },
];

it('the hosted tool is declared, mapped and kept out of function calls', async () => {
  const { createKelivoResponsesProvider } = await load<typeof main>('index.ts');
  const emulator = await startEmulator({ rules: 'none' });
  const item = {
    type: 'weather_radar_call',
    id: 'wr_1',
    status: 'completed',
    region: 'Alps',
    forecast: 'Sun',
  };
  emulator.enqueue([item, { text: 'No.' }]);
  // No published document has the tool.
  const settings = { baseURL: emulator.baseURL, headers: RAW_REQUEST };
  const model = createKelivoResponsesProvider(settings).responses('gpt-5');
  const tools: LanguageModelV2CallOptions['tools'] = [
    { type: 'provider-defined', id: 'openai.weather_radar', name: 'radar', args: { maxRegions: 2 } },
  ];
  const { content } = await model.doGenerate({ prompt, tools });
  expect(emulator.requests[0]?.body).toMatchObject({ tools: [{ type: 'weather_radar', max_regions: 2 }] });
  expect(content).toMatchObject([
    {
      type: 'tool-call',
      toolCallId: 'wr_1',
      toolName: 'radar',
      input: '{"region":"Alps"}',
      providerExecuted: true,
    },
    { type: 'tool-result', toolCallId: 'wr_1', toolName: 'radar', result: { forecast: 'Sun' } },
    { type: 'text', text: 'No.' },
  ]);

  const history: LanguageModelV2CallOptions['prompt'] = [
    ...prompt,
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'wr_1',
          toolName: 'radar',
          input: { region: 'Alps' },
          providerExecuted: true,
        },
        { type: 'text', text: 'No.' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'Thanks.' }] },
  ];
  await model.doGenerate({ prompt: history, tools });
  expect(JSON.stringify(emulator.requests[1]?.body)).not.toContain('function_call');
});

it('the options are validated and sent, and a setting applies to the calls that do not set it', async () => {
  const { createKelivoResponsesProvider } = await load<typeof main>('index.ts');
  const emulator = await startEmulator({ rules: 'none' });
  const settings = { baseURL: emulator.baseURL, mood: 'calm' };
  const model = createKelivoResponsesProvider(settings).responses('gpt-5');
  await model.doGenerate({ prompt, providerOptions: { openai: { patience: 3 } } });
  await model.doGenerate({ prompt, providerOptions: { kelivo: { mood: 'merry' } } });
  expect(emulator.requests.map(({ body }) => body)).toMatchObject([
    { patience: 3, mood: 'calm' },
    { mood: 'merry' },
  ]);
  const wrong = model.doGenerate({ prompt, providerOptions: { openai: { patience: 'much' } } });
  await expect(wrong).rejects.toThrow('`providerOptions.openai.patience`');
});

it('the model family reads its calls from text', async () => {
  const { adaptModel } = await load<typeof adapters>('adapters/index.ts');
  const model = {
    ...scriptedModel([start, ...text('<petal>water {"litres": 2}</petal>'), finish()]),
    modelId: 'garden/Tulip-7B',
  };
  const { content, finishReason } = await generate(adaptModel(model), {
    tools: [{ type: 'function', name: 'water', inputSchema: { type: 'object' } }],
  });
  expect(content).toMatchObject([{ type: 'tool-call', toolName: 'water', input: '{"litres": 2}' }]);
  expect(finishReason).toBe('tool-calls');
});

const toStream = (parts: readonly { type: string }[]) =>
  new ReadableStream<{ type: string }>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

async function readAll<Part>(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

it('the loop wraps a model of the later major, reads its finish reason, and returns the same version', async () => {
  const { withToolLoop } = await load<typeof toolLoop>('tool-loop/index.ts');
  let runs = 0;
  const clock = { inputSchema: z.object({}), execute: () => `${++runs} o'clock` };
  const usage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } };
  const callOf = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'clock', input: '{}' });
  // The second call is truncated and must not run.
  const rounds = ['tool-calls', 'length'].map((because, index) => [
    { type: 'stream-start', warnings: [] },
    callOf(`call_${index}`),
    { type: 'finish', finishReason: { because }, usage },
  ]);
  const model = withToolLoop(
    {
      specificationVersion: 'v5',
      provider: 'later',
      modelId: 'later-1',
      supportedUrls: {},
      doGenerate: async () => ({}),
      doStream: async (_options: never) => ({ stream: toStream(rounds.shift() ?? []) }),
    },
    { tools: { clock } },
  );
  const { stream } = await model.doStream({ prompt } as never);
  const parts = await readAll(stream);
  expect(model.specificationVersion).toBe('v5');
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { because: 'length' } });
  expect(runs).toBe(1);
});

it.each([{ compatibility: 'acme' }, { baseURL: 'https://api.acme.example/v1' }])(
  'the known server is used with %o',
  async settings => {
    const { createKelivoResponsesProvider } = await load<typeof main>('index.ts');
    const emulator = await startEmulator({ rules: 'none' });
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      fetch: (_, init) => fetch(`${emulator.baseURL}/responses`, init),
      ...(settings as object),
    });
    const output = { type: 'content' as const, value: [{ type: 'text' as const, text: 'Sun' }] };
    const toolCallId = 'call_1';
    await provider.responses('gpt-5').doGenerate({
      prompt: [
        ...prompt,
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId, toolName: 'get_weather', input: {} }],
        },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'get_weather', output }] },
      ],
    });
    const { input } = emulator.requests[0]?.body as { input: { type?: string; output?: unknown }[] };
    expect(input.find(({ type }) => type === 'function_call_output')?.output).toBe('Sun');
  },
);
