import type { LanguageModelV2CallWarning, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../../src/core/part.js';
import { toUsage } from '../../../src/core/finish.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import type {
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from '../../../src/core/versions/specification.js';
import { toLanguageModelV3 } from '../../../src/v3.js';
import { toLanguageModel } from '../../../src/core/versions/language-model.js';
import {
  callRound,
  call,
  finish,
  textRound,
  scriptedModel,
  type ScriptedRound,
  start,
  text,
} from '../../tool-loop/_scripted-model.js';
import { scriptedTools } from '../../tool-loop/_tools.js';
import { scriptedCore } from './_core-model.js';

type Options = Partial<LanguageModelV3CallOptions>;

const prompt: LanguageModelV3CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] as never },
];

async function readAll(stream: ReadableStream<LanguageModelV3StreamPart>) {
  const parts: LanguageModelV3StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

/** Returns the call that the version 2 model receives, and both results. */
async function run(round: ScriptedRound, options: Options = {}) {
  const model = scriptedModel(round, round);
  const facade = toLanguageModelV3(model);
  const parts = await readAll((await facade.doStream({ prompt, ...options })).stream);
  const result = await facade.doGenerate({ prompt, ...options });
  return { parts, result, given: model.requests[0] };
}

/** Returns a message of the prompt as the version 2 model receives it. */
async function messageOf(content: unknown[], role: 'user' | 'assistant' | 'tool' = 'tool') {
  const asked = { type: 'tool-call', toolCallId: 'c1', toolName: 'see', input: {} };
  const { given, result, parts } = await run(textRound('Hi'), {
    prompt: [
      ...(content.some(part => JSON.stringify(part).includes('"c1"'))
        ? [{ role: 'assistant' as const, content: [asked] }]
        : []),
      { role, content: content as never },
    ],
  });
  return {
    content: given?.prompt.at(-1)?.content,
    prompt: given?.prompt,
    warnings: result.warnings,
    start: parts[0],
  };
}

describe('a version 3 model', () => {
  it('has the names of the model that it wraps', () => {
    const model = scriptedModel();
    expect(toLanguageModelV3(model)).toMatchObject({
      specificationVersion: 'v3',
      provider: 'scripted.responses',
      modelId: 'scripted-1',
      supportedUrls: model.supportedUrls,
    });
  });

  it('reports detailed usage, and the unified and raw finish reason', async () => {
    const end: Part = {
      type: 'finish',
      finishReason: { unified: 'length', raw: 'max_output_tokens' },
      usage: toUsage({ input: 10, cacheRead: 4, output: 7, reasoning: 5, total: 17 }),
    };
    const model = toLanguageModel(scriptedCore([...text('Once'), end] as Part[]), 'v3');
    const parts = await readAll((await model.doStream({ prompt })).stream);
    const result = await model.doGenerate({ prompt });
    const expected = {
      finishReason: { unified: 'length', raw: 'max_output_tokens' },
      usage: {
        inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
        outputTokens: { total: 7, text: 2, reasoning: 5 },
      },
    };
    expect(parts.at(-1)).toMatchObject({ type: 'finish', ...expected });
    expect(result).toMatchObject({ ...expected, content: [{ type: 'text', text: 'Once' }] });
  });

  it('reports unknown values as undefined', async () => {
    const usage = { inputTokens: 10, outputTokens: undefined, totalTokens: undefined };
    const { result } = await run([start, finish('unknown', usage)]);
    expect(result.finishReason).toEqual({ unified: 'other', raw: undefined });
    expect(result.usage).toEqual({
      inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    });
  });

  it.each<[LanguageModelV2CallWarning, object]>([
    [
      { type: 'unsupported-setting', setting: 'seed', details: 'No.' },
      { type: 'unsupported', feature: 'seed', details: 'No.' },
    ],
    [
      { type: 'unsupported-tool', tool: { type: 'function', name: 'dance', inputSchema: {} } },
      { type: 'unsupported', feature: 'tool dance' },
    ],
    [
      { type: 'other', message: 'Careful.' },
      { type: 'other', message: 'Careful.' },
    ],
  ])('converts the warning %o', async (warning, expected) => {
    const { parts, result } = await run([{ type: 'stream-start', warnings: [warning] }, finish()]);
    expect(parts[0]).toEqual({ type: 'stream-start', warnings: [expected] });
    expect(result.warnings).toEqual([expected]);
  });

  it('marks only calls of undeclared tools as dynamic', async () => {
    const ran = (toolCallId: string, toolName: string): LanguageModelV2StreamPart[] => [
      { type: 'tool-input-start', id: toolCallId, toolName, providerExecuted: true },
      { type: 'tool-call', toolCallId, toolName, input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId, toolName, result: null, isError: true, providerExecuted: true },
    ];
    const round = [start, ...ran('c1', 'known'), ...ran('c2', 'unknown'), ...call('c3', 'mine'), finish()];
    const tools = [{ type: 'function' as const, name: 'known', inputSchema: {} }];
    const { parts, result } = await run(round, { tools });
    const marks = parts
      .filter(({ type }) => ['tool-input-start', 'tool-call', 'tool-result'].includes(type))
      .map(part => ['dynamic' in part, 'providerExecuted' in part]);
    const [known, unknown, mine] = [
      [
        [false, true],
        [false, true],
        [false, false],
      ],
      [
        [true, true],
        [true, true],
        [true, false],
      ],
      [
        [false, false],
        [false, false],
      ],
    ];
    expect(marks).toEqual([...known, ...unknown, ...mine]);
    expect(result.content).toEqual([
      { type: 'tool-call', toolCallId: 'c1', toolName: 'known', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'c1', toolName: 'known', result: '', isError: true },
      {
        type: 'tool-call',
        toolCallId: 'c2',
        toolName: 'unknown',
        input: '{}',
        providerExecuted: true,
        dynamic: true,
      },
      {
        type: 'tool-result',
        toolCallId: 'c2',
        toolName: 'unknown',
        result: '',
        isError: true,
        dynamic: true,
      },
      { type: 'tool-call', toolCallId: 'c3', toolName: 'mine', input: '{}' },
    ]);
  });

  it('includes calls of a tool loop, declared and undeclared', async () => {
    const tools = scriptedTools({ echo: () => 'echo' });
    const script = [callRound(call('c1', 'echo')), textRound('Done.')];
    const looped = () => toLanguageModelV3(withToolLoop(scriptedModel(...script), { tools }));
    const shown = [
      expect.objectContaining({ type: 'tool-call', toolName: 'echo', dynamic: true }),
      expect.objectContaining({ type: 'tool-result', result: 'echo', dynamic: true }),
      expect.objectContaining({ type: 'text', text: 'Done.' }),
    ];
    expect((await looped().doGenerate({ prompt })).content).toEqual(shown);
    const parts = await readAll((await looped().doStream({ prompt })).stream);
    expect(parts.filter(({ type }) => type === 'tool-call' || type === 'tool-result')).toEqual(
      shown.slice(0, 2),
    );

    const none = await looped().doGenerate({ prompt, toolChoice: { type: 'none' } });
    expect(none.content.filter(({ type }) => type !== 'text')).toEqual([]);
  });

  it('cancels the stream of the wrapped model', async () => {
    const model = scriptedModel([start, ...text('a'), ...text('b'), finish()]);
    const { stream } = await toLanguageModelV3(model).doStream({ prompt });
    await stream.cancel();
    expect(model.cancelled).toBe(1);
  });
});

describe('the prompt of a call', () => {
  const result = (output: unknown) => ({ type: 'tool-result', toolCallId: 'c1', toolName: 'see', output });
  const media = { type: 'media', data: 'AAAA', mediaType: 'image/png' };

  it.each([
    ['an image of ai 6', { type: 'image-data', data: 'AAAA', mediaType: 'image/png' }, media],
    [
      'a file',
      { type: 'file-data', data: 'AAAA', mediaType: 'image/png', filename: 'a.png' },
      { ...media, filename: 'a.png' },
    ],
    ['a file of ai 7', { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' }, media],
    ['a text as a file', { type: 'file', data: { type: 'text', text: 'Hi' } }, { type: 'text', text: 'Hi' }],
    [
      'an item without a version 2 equivalent',
      { type: 'image-url', url: 'https://a.test/' },
      { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL('https://a.test/') } },
    ],
  ])('converts %s in a tool output', async (_, item, expected) => {
    const { content } = await messageOf([result({ type: 'content', value: [item] })]);
    expect(content).toEqual([result({ type: 'content', value: [expected] })]);
  });

  it.each([
    ['Keep it.', 'Keep it.'],
    [undefined, 'The user did not allow this tool call.'],
  ])('converts a denial of the user to an error with the reason %s', async (reason, value) => {
    const { content } = await messageOf([result({ type: 'execution-denied', reason })]);
    expect(content).toEqual([result({ type: 'error-text', value })]);
  });

  it.each([
    ['data', { type: 'data', data: 'AAAA' }, { type: 'file', mediaType: 'image/*', data: 'AAAA' }],
    [
      'an address',
      { type: 'url', url: new URL('https://a.test/b') },
      { type: 'file', mediaType: 'image/*', data: new URL('https://a.test/b') },
    ],
    ['text', { type: 'text', text: 'Hi' }, { type: 'text', text: 'Hi' }],
    [
      'a reference',
      { type: 'reference', reference: { openai: 'file-1' } },
      { type: 'file', mediaType: 'image/*', data: { type: 'reference', reference: { openai: 'file-1' } } },
    ],
    ['bytes', new Uint8Array([1]), { type: 'file', mediaType: 'image/*', data: new Uint8Array([1]) }],
  ])('converts a file with %s as data', async (_, data, expected) => {
    const { content } = await messageOf([{ type: 'file', mediaType: 'image', data }], 'user');
    expect(content).toEqual([expected]);
  });

  it('removes unsupported content with one warning per type', async () => {
    const warning = (type: string) => ({
      type: 'other',
      message: `Prompt content of type "${type}" is not supported and was not sent.`,
    });
    const approval = { type: 'tool-approval-response', approvalId: 'a1', approved: true };
    const tool = await messageOf([approval, approval]);
    expect(tool.prompt).toEqual([]);
    expect(tool.warnings).toEqual([warning('tool-approval-response')]);
    expect(tool.start).toEqual({ type: 'stream-start', warnings: [warning('tool-approval-response')] });

    const say = { type: 'text', text: 'Hi' };
    const assistant = await messageOf(
      [say, { type: 'reasoning-file', providerOptions: { scripted: {} } }],
      'assistant',
    );
    expect(assistant.content).toEqual([say]);
    expect(assistant.warnings).toEqual([warning('reasoning-file')]);
  });

  it('carries a compaction of the official provider as an item, and custom content of other APIs with its kind', async () => {
    const compaction = {
      type: 'custom',
      kind: 'openai.compaction',
      providerOptions: { openai: { type: 'compaction', itemId: 'cmp_1', encryptedContent: 'gAAA' } },
    };
    const other = { type: 'custom', kind: 'x.y', providerOptions: { x: { id: 1 } } };
    const { content, warnings } = await messageOf([compaction, other], 'assistant');
    const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' };
    expect(content).toEqual([
      {
        type: 'reasoning',
        text: '',
        providerOptions: { openai: { itemId: 'cmp_1' }, kelivo: { item } },
      },
      { type: 'reasoning', text: '', providerOptions: { x: { id: 1 }, kelivo: { custom: 'x.y' } } },
    ]);
    expect(warnings).toEqual([]);
  });

  it('keeps the call options and uses the `ai@5` name for provider tools', async () => {
    const abortSignal = new AbortController().signal;
    const executors = { run: () => 'by reference' };
    const { given } = await run(textRound('Hi'), {
      temperature: 0.5,
      abortSignal,
      tools: [
        { type: 'provider', id: 'openai.web_search', name: 'search', args: {} },
        { type: 'function', name: 'f', inputSchema: {}, strict: true },
      ] as never,
      providerOptions: { openai: { store: true }, kelivo: { executors } },
    });
    expect(given).toMatchObject({
      temperature: 0.5,
      tools: [
        { type: 'provider-defined', id: 'openai.web_search', name: 'search', args: {} },
        { type: 'function', name: 'f', strict: true },
      ],
      providerOptions: { openai: { store: true } },
    });
    expect(given?.abortSignal).toBe(abortSignal);
    expect(given?.providerOptions?.kelivo?.executors).toBe(executors);
  });
});
