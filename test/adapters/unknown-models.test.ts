import type { LanguageModelV2, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { adaptModel, type AdaptModelOptions } from '../../src/adapters/adapt-model.js';
import { createRandom } from '../_chunking.js';
import { isWhole } from '../_products.js';
import { detectedSyntax } from '../../src/adapters/text-tools/formats/detected.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { startResponsesEmulator } from '../../src/testing/index.js';
import { WRITTEN_CALLS } from '../bench/_written-calls.js';
import { finish, generate, scriptedModel, start, stream } from '../tool-loop/_scripted-model.js';

const detectedFormats = detectedSyntax.formats;

const tools = ['search', 'write_file'].map(name => ({
  type: 'function' as const,
  name,
  inputSchema: {
    type: 'object' as const,
    properties: { query: { type: 'string' as const }, content: { type: 'string' as const } },
  },
}));

const unknown = (text: string, length = text.length): LanguageModelV2 => {
  const chunks: LanguageModelV2StreamPart[] = [];
  for (let at = 0; at < text.length; at += length) {
    chunks.push({ type: 'text-delta', id: 't', delta: text.slice(at, at + length) });
  }
  return {
    ...scriptedModel([
      start,
      { type: 'text-start', id: 't' },
      ...chunks,
      { type: 'text-end', id: 't' },
      finish(),
    ]),
    modelId: 'acme/finetune-7b',
  };
};

interface Read {
  text: string;
  reasoning: string;
  calls: { name: string; input: unknown }[];
  metadata: unknown;
}

/** Reads the text of an unknown model, in several chunkings. */
async function read(text: string, options: AdaptModelOptions = {}): Promise<Read> {
  const whole = await generate(adaptModel(unknown(text), options), { tools });
  const result: Read = { text: '', reasoning: '', calls: [], metadata: whole.providerMetadata?.kelivo };
  for (const part of whole.content) {
    if (part.type === 'text') result.text += part.text;
    if (part.type === 'reasoning') result.reasoning += part.text;
    if (part.type === 'tool-call') result.calls.push({ name: part.toolName, input: JSON.parse(part.input) });
  }
  for (const length of [1, 7, text.length]) {
    const streamed: Read = { text: '', reasoning: '', calls: [], metadata: undefined };
    for (const part of await stream(adaptModel(unknown(text, Math.max(1, length)), options), { tools })) {
      if (part.type === 'text-delta') streamed.text += part.delta;
      if (part.type === 'reasoning-delta') streamed.reasoning += part.delta;
      if (part.type === 'tool-call')
        streamed.calls.push({ name: part.toolName, input: JSON.parse(part.input) });
      if (part.type === 'finish') streamed.metadata = part.providerMetadata?.kelivo;
    }
    expect(streamed).toEqual(result);
  }
  return result;
}

/** Openers that other text has too, calls that differ from those of another family, and whole messages. */
const AMBIGUOUS =
  /^(?:claude|gemini|gpt-oss|hyperclova|llama bare|minicpm5|muse|minimax m3 bare|olmo3|phi-4-mini|xlam bare|xlam object)$/;

describe('a model that no adapter is known for', () => {
  it.each(Object.entries(WRITTEN_CALLS).filter(([family]) => !AMBIGUOUS.test(family)))(
    'has its calls read that are written as %s',
    async (_, { call }) => {
      const text = `I write it.\n${call('write_file', 'some text')}`;
      const { calls, metadata } = await read(text);
      expect(calls).toEqual([{ name: 'write_file', input: { content: 'some text' } }]);
      expect(metadata).toEqual({ detectedFormats: [expect.any(String)] });
      const names = detectedFormats.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining((metadata as { detectedFormats: string[] }).detectedFormats),
      );
    },
  );

  it.each(Object.entries(WRITTEN_CALLS))('keeps calls of other tools as text: %s', async (_, { call }) => {
    const text = `I write it.\n${call('remove_everything', 'some text')}Done.`;
    expect(await read(text)).toEqual({ text, reasoning: '', calls: [], metadata: undefined });
  });

  it.each([
    '<invoke name="search"><parameter name="query">x</parameter></invoke>',
    '<function_calls>\n<invoke name="search"><parameter name="query">x</parameter></invoke>\n</function_calls>',
    '<function=search>\n<parameter=query>\nx\n</parameter>\n</function>',
    '{"name": "search", "arguments": {"query": "x"}}',
    '[search(query="x")]',
    'functools[{"name": "search", "arguments": {"query": "x"}}]',
    '<think>Hm.</think>\nAnswer <|im_end|> and </tool_call> and <|eot_id|>',
    '</think> is a tag',
    '<think>\n<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>\n</think>\nNo.',
    '[THINK]<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>[/THINK]',
    'Use `<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>` here.',
    '```\n<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>\n```\n',
    '> <tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>\n',
    '<tool_call>{"name": "search", "arguments": {"query": "x"',
    'The tag <tool_call> starts a call, [TOOL_CALLS] as well.',
    ' \n',
  ])('keeps text that is no call byte for byte: %s', async text => {
    expect(await read(text)).toEqual({ text, reasoning: '', calls: [], metadata: undefined });
  });

  it('keeps random mixtures of markers byte for byte', async () => {
    const random = createRandom(11);
    const pieces = [
      ...detectedFormats.flatMap(({ openers, prefixes = [], closers = [] }) => [
        ...openers,
        ...prefixes,
        ...closers,
      ]),
      ...['<think>', '</think>', ' word ', '\n', '{', '}', '`', '> ', 'unknown', '"', '<', '|', '｜'],
    ];
    for (let round = 0; round < (isWhole ? 60 : 20); round++) {
      let text = '';
      for (let count = 0; count < 12; count++) text += pieces[Math.floor(random() * pieces.length)] ?? '';
      expect(await read(text)).toEqual({ text, reasoning: '', calls: [], metadata: undefined });
    }
  });

  it('is left alone without tools, with `adapters: false` and with a list', async () => {
    const call = '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>';
    const { content } = await generate(adaptModel(unknown(call)), {});
    expect(content).toMatchObject([{ type: 'text', text: call }]);
    for (const adapters of [false, []] as const) {
      expect(await read(call, { adapters })).toMatchObject({ text: call, calls: [] });
    }
    expect((await read(call)).calls).toEqual([{ name: 'search', input: { query: 'x' } }]);
  });

  it('removes complete calls of other tools if the application wants it', async () => {
    const call = '<tool_call>\n{"name": "remove", "arguments": {"query": "x"}}\n</tool_call>';
    expect(await read(`Hm. ${call}`, { undeclared: 'drop' })).toMatchObject({ text: 'Hm. ', calls: [] });
  });

  it('has its calls read in a provider, and not if adapters are off', async () => {
    const text = '[TOOL_CALLS]search[ARGS]{"query": "x"}';
    const emulator = await startResponsesEmulator();
    try {
      for (const [adapters, expected] of [
        [undefined, [{ type: 'tool-call', toolName: 'search', input: '{"query": "x"}' }]],
        [false, [{ type: 'text', text }]],
      ] as const) {
        emulator.enqueue([{ text }]);
        const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, adapters });
        const { content } = await generate(provider('acme-7b'), { tools });
        expect(content).toMatchObject(expected);
      }
    } finally {
      await emulator.close();
    }
  });
});
