import { withOpen } from '../core/source.js';
import type { CoreCall } from '../core/call.js';
import { defineModelAdapter } from '../adapters/kit/model-adapter.js';
import { adapterOf } from '../adapters/kit/middleware.js';
import type { ModelAdapter, ModelAdapterDefinition } from '../adapters/kit/definition.js';
import { textToolsMiddleware } from '../adapters/kit/text-tools-middleware.js';
import { toStableJson, tryParseJson } from '../core/shared/json.js';
import type { TextToolFormat } from '../adapters/text-tools/reading/text-tool-format.js';
import { CALL, checkOrder, Faults, freeze, frozen, partsOf, randomChunks, scripted } from './suite.js';
import { toLanguageModel, wrapSameVersion } from '../core/versions/language-model.js';
import type { VersionName } from '../core/versions/versions.js';

/* Conformance suites for adapters and formats of applications. They need no test framework. */

/** Options of `testAdapter`. */
export interface TestAdapterOptions {
  /** The id of the adapted model. @default the name of the adapter */
  modelId?: string;
  /** The version of the model interface that a `middleware` of the adapter implements. @default 'v2', that of `ai` 5 */
  version?: VersionName;
  /** Responses of the model in addition to those of the suite, such as its calls as text. @default [] */
  responses?: readonly string[];
  /** The tool call ids that the model accepts. @default all */
  toolCallIds?: RegExp;
}

/** A text that a model writes, and its meaning. */
export interface TextFormatVector {
  /** The response of the model. */
  input: string;
  /** The tools of the request. @default [] */
  tools?: readonly { name: string; parameters?: object }[];
  expected: {
    /** The text that remains. White space at its ends is ignored. @default '' */
    text?: string;
    /** The calls in their order. @default [] */
    toolCalls?: readonly { name: string; arguments: object }[];
  };
}

/** A response as a host sees it. */
interface Seen {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { name: string; input: string }[];
  readonly finishReason: unknown;
}

/** The parts of any version, with the fields that this suite reads. */
interface AnyPart {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly text?: string;
  readonly toolName?: string;
  readonly input?: string;
  readonly finishReason?: unknown;
}

interface AnyModel {
  doStream(options: object): PromiseLike<{ stream: ReadableStream<AnyPart> }>;
  doGenerate(options: object): PromiseLike<{ content: AnyPart[]; finishReason: unknown }>;
}

const TOOLS = [
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  { name: 'search', parameters: { type: 'object', properties: { query: { type: 'string' } } } },
];
const PROSE =
  'A < B, [C] {"d": 1} `e` 🙂\n\n```xml\n<f>g</f>\n```\n> quoted <g>\n\nThe end of a longer answer, with 3 words.';
const SEED = 20_261_124;
const PROMPT = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
];
const HISTORY = [
  ...PROMPT,
  ...[['call_abc-0123456789-first', 'call_abc-0123456789-second'], ['toolu_third']].flatMap(ids => [
    {
      role: 'assistant',
      content: ids.map(id => ({ ...CALL, toolCallId: id, input: { query: id } })),
    },
    {
      role: 'tool',
      content: ids.map(id => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: CALL.toolName,
        output: { type: 'text', value: 'Found.' },
      })),
    },
  ]),
];

/**
 * Checks that an adapter keeps the promises of adapters, whatever it changes: equal results for all chunkings, streamed
 * and generated, alone and at once; complete blocks and one `finish`; nothing thrown, and nothing changed in the request;
 * in a conversation, each result under the id of its call, and the same ids in every request.
 *
 * @throws Error that names each promise that is broken.
 */
export async function testAdapter(
  adapter: ModelAdapter | ModelAdapterDefinition,
  { modelId, version = 'v2', responses = [], toolCallIds }: TestAdapterOptions = {},
): Promise<void> {
  const faults = new Faults(`The adapter "${String(adapter.name)}"`);
  const defined = await faults.attempt('is defined', () => defineModelAdapter(adapter));
  const openAs =
    (call: boolean, onRequest?: (request: CoreCall) => void) =>
    (chunks: readonly string[]): AnyModel => {
      const parts = partsOf(chunks, { call, finishReason: 'stop' });
      const inner = toLanguageModel(
        scripted({ modelId: modelId ?? adapter.name, parts, onRequest }),
        version,
      );
      const { middleware } = defined ?? adapter;
      return wrapSameVersion(inner, (core, own) => {
        if (middleware === undefined) return core;
        const adapted = adapterOf(middleware).wrap(core, { version: own });
        return withOpen(adapted, received => adapted.open(frozen(received)));
      }) as unknown as AnyModel;
    };
  for (const text of defined === undefined ? [] : [PROSE, 'Hi', ...responses])
    for (const call of [false, true]) await compare(openAs(call), { text, tools: TOOLS, faults });
  if (defined !== undefined)
    await checkHistory(onRequest => openAs(false, onRequest)(['Hi']), { toolCallIds, faults });
  faults.throwAny();
}

/**
 * Checks that a format reads its calls: those of each vector in all chunkings, streamed and generated; no half call of a
 * truncated response; and no call in code or prose.
 *
 * @throws Error that names each vector that fails, with the expected and the received value.
 */
export async function testTextFormat(
  format: TextToolFormat,
  vectors: readonly TextFormatVector[],
): Promise<void> {
  const faults = new Faults(`The format "${String(format.name)}"`);
  const { wrap } = adapterOf(textToolsMiddleware({ formats: [format] }));
  const openAs =
    (finishReason: 'stop' | 'length') =>
    (chunks: readonly string[]): AnyModel => {
      const model = scripted({ modelId: 'model', parts: partsOf(chunks, { call: false, finishReason }) });
      return toLanguageModel(wrap(model, { version: 'v2' }), 'v2') as unknown as AnyModel;
    };
  if (vectors.length === 0) faults.add('has no vectors to be tested with');
  for (const { input, tools = [], expected } of vectors) {
    const { text = '', toolCalls = [] } = expected;
    const wanted = toolCalls.map(call => `${call.name} ${toStableJson(call.arguments)}`);
    const seen = await compare(openAs('stop'), { text: input, tools, faults });
    if (seen === undefined) continue;
    const at = JSON.stringify(input);
    faults.expectEqual(`reads the calls of ${at}`, seen.calls.map(toShown), wanted);
    faults.expectEqual(`leaves the text of ${at}`, seen.text.trim(), text.trim());
    await truncate(openAs('length'), { input, tools, wanted, faults });
    if (toolCalls.length === 0) continue;
    for (const code of [`Use this:\n\n\`\`\`\n${input}\n\`\`\`\n`, `> ${input.replaceAll('\n', '\n> ')}\n`]) {
      const quoted = await compare(openAs('stop'), { text: code, tools, faults });
      if (quoted !== undefined && format.startOpeners === undefined)
        faults.expectEqual(`leaves a quoted call as text, as in ${JSON.stringify(code)}`, quoted.text, code);
    }
  }
  const prose = await compare(openAs('stop'), { text: PROSE, tools: TOOLS, faults });
  if (prose !== undefined) faults.expectEqual('leaves prose unchanged', prose.text, PROSE);
  faults.throwAny();
}

/** Sends a conversation with calls and results twice, and checks the ids that the model receives. */
async function checkHistory(
  open: (onRequest: (request: CoreCall) => void) => AnyModel,
  { toolCallIds, faults }: Pick<TestAdapterOptions, 'toolCallIds'> & { faults: Faults },
): Promise<void> {
  const send = async (): Promise<{ calls: string[]; results: string[] }> => {
    const calls: string[] = [];
    const results: string[] = [];
    const model = open(request => {
      for (const { content } of request.prompt)
        for (const part of typeof content === 'string' ? [] : content) {
          if (part.type === 'tool-call') calls.push(part.toolCallId);
          if (part.type === 'tool-result') results.push(part.toolCallId);
        }
    });
    await faults.attempt('accepts a conversation with calls', () =>
      read(model, { tools: TOOLS, isStream: true, faults, prompt: HISTORY }),
    );
    return { calls, results };
  };
  const sent = await send();
  faults.expectEqual(
    'sends each result under the id of its call',
    sent.results.toSorted(),
    sent.calls.toSorted(),
  );
  faults.expectEqual('gives each call an id of its own', new Set(sent.calls).size, sent.calls.length);
  faults.expectEqual('sends the same ids in every request', await send(), sent);
  for (const id of sent.calls)
    if (toolCallIds !== undefined && id.search(toolCallIds) < 0)
      faults.add(`sends ids that match ${toolCallIds}: it sends ${JSON.stringify(id)}`);
}

const toShown = ({ name, input }: { name: string; input: string }): string => {
  const value = tryParseJson(input);
  return `${name} ${value === undefined ? input : toStableJson(value)}`;
};

/** Cuts a response at each place. The calls that remain must be those that were complete. */
async function truncate(
  open: (chunks: readonly string[]) => AnyModel,
  {
    input,
    tools,
    wanted,
    faults,
  }: Pick<TextFormatVector, 'input' | 'tools'> & { wanted: string[]; faults: Faults },
): Promise<void> {
  const step = Math.max(1, Math.floor(input.length / 500));
  for (let length = 0; length < input.length; length += step) {
    const cut = input.slice(0, length);
    const seen = await faults.attempt(`reads the truncated ${JSON.stringify(cut)}`, () =>
      read(open([cut]), { tools, isStream: true, faults }),
    );
    // A call whose arguments have started to stream ends with input that is no JSON, and does not run.
    const complete = (seen?.calls ?? []).filter(call => tryParseJson(call.input) !== undefined);
    faults.expectEqual(
      `runs no half call of ${JSON.stringify(cut)}`,
      complete.map(toShown),
      wanted.slice(0, complete.length),
    );
  }
}

/** Reads a response in all chunkings, streamed and generated. The results must be equal. */
async function compare(
  open: (chunks: readonly string[]) => AnyModel,
  { text, tools, faults }: { text: string; tools: TextFormatVector['tools']; faults: Faults },
): Promise<Seen | undefined> {
  const at = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const readAs = (chunks: readonly string[], isStream: boolean, how: string): Promise<Seen | undefined> =>
    faults.attempt(`reads ${at} ${how}`, () => read(open(chunks), { tools, isStream, faults }));
  const whole = await readAs([text], true, 'in one chunk');
  if (whole === undefined) return undefined;
  const variants: [string, () => Promise<Seen | undefined>][] = [
    ['generated', () => readAs([text], false, 'generated')],
    ['one character at a time', () => readAs([...text], true, 'one character at a time')],
    ...[1, 2, 3].map((seed): [string, () => Promise<Seen | undefined>] => [
      'in random chunks',
      () => readAs(randomChunks(text, SEED + seed), true, 'in random chunks'),
    ]),
    ['a second time', () => readAs([text], true, 'a second time')],
  ];
  for (const [how, run] of variants) {
    const seen = await run();
    if (seen !== undefined) faults.expectEqual(`reads ${at} ${how} as in one chunk`, seen, whole);
  }
  const model = open([text]);
  const both = await faults.attempt(`reads ${at} in two calls at once`, () =>
    Promise.all([1, 2].map(() => read(model, { tools, isStream: true, faults }))),
  );
  for (const seen of both ?? []) faults.expectEqual(`reads ${at} in two calls at once as alone`, seen, whole);
  return whole;
}

async function read(
  model: AnyModel,
  {
    tools = [],
    isStream,
    faults,
    prompt = PROMPT,
  }: { tools?: TextFormatVector['tools']; isStream: boolean; faults: Faults; prompt?: readonly object[] },
): Promise<Seen> {
  const options = {
    prompt,
    temperature: 1,
    tools: tools.map(({ name, parameters = { type: 'object' } }) => ({
      type: 'function',
      name,
      inputSchema: parameters,
    })),
  };
  const before = JSON.stringify(options);
  freeze(options);
  const parts: AnyPart[] = [];
  if (isStream) {
    const { stream } = await model.doStream(options);
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
    checkOrder(parts, faults);
  } else {
    const { content, finishReason } = await model.doGenerate(options);
    parts.push(...content, { type: 'finish', finishReason });
  }
  if (JSON.stringify(options) !== before) faults.add('changes the object of the request');
  const failed = parts.find(part => part.type === 'error');
  if (failed !== undefined) throw (failed as { error?: unknown }).error;
  const join = (kind: string): string =>
    parts
      .map(part =>
        part.type === `${kind}-delta` ? (part.delta ?? '') : part.type === kind ? (part.text ?? '') : '',
      )
      .join('');
  return {
    text: join('text'),
    reasoning: join('reasoning'),
    calls: parts.flatMap(part =>
      part.type === 'tool-call' ? [{ name: part.toolName ?? '', input: part.input ?? '' }] : [],
    ),
    finishReason: parts.find(part => part.type === 'finish')?.finishReason,
  };
}
