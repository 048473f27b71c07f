import {
  createProviderRegistry,
  customProvider,
  embed,
  generateObject,
  generateText,
  streamText,
  ToolLoopAgent,
  wrapLanguageModel,
} from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type CarrierPart, itemOf, toCustom } from '../../../src/core/custom.js';
import type { Part } from '../../../src/core/part.js';
import { toCitations } from '../../../src/core/sources.js';
import { NO_USAGE } from '../../../src/core/finish.js';
import { toLanguageModel } from '../../../src/core/versions/language-model.js';
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '../../../src/core/versions/specification.js';
import { createKelivoResponsesProvider } from '../../../src/v4.js';
import { startEmulator } from '../../testing/_emulator.js';
import { scriptedCore } from './_core-model.js';

const prompt: LanguageModelV4CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'Go.' }] as never },
];

const start: Part = { type: 'stream-start', warnings: [] };
const finish = (reason: 'stop' | 'interrupted' = 'stop'): Part => ({
  type: 'finish',
  finishReason: { unified: reason, raw: undefined },
  usage: NO_USAGE,
});

/** Returns the parts of a stream and the generated result for the same response. */
async function run(round: readonly Part[], options: Partial<LanguageModelV4CallOptions> = {}) {
  const core = scriptedCore(round);
  const facade = toLanguageModel(core, 'v4');
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of (await facade.doStream({ prompt, ...options })).stream) parts.push(part);
  const result = await facade.doGenerate({ prompt, ...options });
  return { parts, result, content: result.content, given: core.calls[0] };
}

/** The parts of a text or of reasoning. */
const block = (
  type: 'text' | 'reasoning',
  id: string,
  { text, metadata }: { text: string; metadata: object },
): Part[] => {
  const providerMetadata = metadata as never;
  return [
    { type: `${type}-start`, id, providerMetadata },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, providerMetadata },
  ];
};

describe('a version 4 model', () => {
  it('has custom parts for items without a function form, with a compaction as the official provider writes it', async () => {
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' };
    const program = { type: 'program', id: 'prg_1', call_id: 'c1', code: 'x', fingerprint: 'f' };
    const { parts, content } = await run([
      start,
      toCustom(compaction),
      toCustom(program),
      ...block('reasoning', 'r2', { text: 'Hm.', metadata: { openai: { itemId: 'rs_1' } } }),
      finish(),
    ]);
    const custom = [
      {
        type: 'custom',
        kind: 'openai.compaction',
        providerMetadata: { openai: { type: 'compaction', itemId: 'cmp_1', encryptedContent: 'gAAA' } },
      },
      {
        type: 'custom',
        kind: 'openai.program',
        providerMetadata: { openai: { type: 'program', itemId: 'prg_1' }, kelivo: { item: program } },
      },
    ];
    expect(parts.slice(1, 6)).toEqual([
      ...custom,
      expect.objectContaining({ type: 'reasoning-start' }),
      expect.objectContaining({ type: 'reasoning-delta' }),
      expect.objectContaining({ type: 'reasoning-end' }),
    ]);
    expect(content.slice(0, 2)).toEqual(custom);

    // The host returns the parts, and the model receives the items again.
    const { given } = await run([start, finish()], {
      prompt: [
        {
          role: 'assistant',
          content: custom.map(({ providerMetadata: providerOptions, ...part }) => ({
            ...part,
            providerOptions,
          })),
        },
      ],
    });
    const carried = given?.prompt[0]?.content as readonly CarrierPart[];
    expect(carried.map(itemOf)).toEqual([compaction, program]);
  });

  it('tags the data of files', async () => {
    const tagged = {
      type: 'file' as const,
      mediaType: 'image/png',
      data: { type: 'data' as const, data: 'AAAA' },
    };
    const { parts, content } = await run([start, tagged, finish()]);
    expect(parts[1]).toEqual(tagged);
    expect(content).toEqual([tagged]);
  });

  it('cites the sources of a text, with their ranges', async () => {
    const annotations = [
      { type: 'url_citation', url: 'https://a.test', title: 'A', start_index: 2, end_index: 5 },
      { type: 'file_citation', file_id: 'file-1', filename: 'a.txt', index: 7 },
      { type: 'file_path', file_id: 'file-2', index: 9 },
      // Chat-style servers nest the citation.
      { type: 'url_citation', url_citation: { url: 'https://b.test', start_index: 0, end_index: 1 } },
    ];
    const { parts, content } = await run([
      start,
      ...block('text', 't0', { text: 'It is so.', metadata: { openai: { annotations } } }).slice(0, -1),
      { type: 'text-end', id: 't0', citations: toCitations(annotations) },
      finish(),
    ]);
    const citations = [
      {
        source: {
          type: 'source',
          sourceType: 'url',
          id: 'https://a.test',
          url: 'https://a.test',
          title: 'A',
        },
        startIndex: 2,
        endIndex: 5,
      },
      {
        source: {
          type: 'source',
          sourceType: 'document',
          id: 'file-1',
          mediaType: 'text/plain',
          title: 'a.txt',
          filename: 'a.txt',
          providerMetadata: { openai: { type: 'file_citation', fileId: 'file-1', index: 7 } },
        },
      },
      {
        source: { type: 'source', sourceType: 'url', id: 'https://b.test', url: 'https://b.test' },
        startIndex: 0,
        endIndex: 1,
      },
    ];
    expect(parts.find(({ type }) => type === 'text-end')).toMatchObject({ citations });
    expect(content).toMatchObject([{ type: 'text', citations }]);
  });

  it('has the text of the structured output: the last final answer, else a last message that is JSON', async () => {
    const texts = (...list: { text: string; phase?: string }[]) =>
      list.flatMap(({ text, phase }, index) =>
        block('text', `t${index}`, {
          text,
          metadata: { openai: { itemId: `msg_${index}`, ...(phase !== undefined && { phase }) } },
        }),
      );
    const json = { responseFormat: { type: 'json' as const } };
    const textOf = async (round: Part[], options = {}) =>
      (await run([start, ...round, finish()], options)).result.structuredOutputText;
    const phased = texts({ text: 'I think.', phase: 'commentary' }, { text: '{}', phase: 'final_answer' });
    expect(await textOf(phased, json)).toBe('{}');
    expect(await textOf(phased)).toBeUndefined();
    expect(await textOf(texts({ text: 'I think.' }, { text: '[1]' }), json)).toBe('[1]');
    // Texts that are JSON only together, and a single text, are joined by the host.
    expect(await textOf(texts({ text: '{"a":' }, { text: '1}' }), json)).toBeUndefined();
    expect(await textOf(texts({ text: '{}' }), json)).toBeUndefined();
  });

  it('reports a response that ended without a reason as interrupted', async () => {
    const { parts, result } = await run([start, finish('interrupted')]);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'interrupted' } });
    expect(result.finishReason).toEqual({ unified: 'interrupted', raw: undefined });
  });
});

describe('ai@7 with the version 4 provider', () => {
  async function startProvider() {
    const logged: unknown[] = [];
    const before = globalThis.AI_SDK_LOG_WARNINGS;
    globalThis.AI_SDK_LOG_WARNINGS = (told: unknown) => void logged.push(told);
    const emulator = await startEmulator();
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      tools: { echo: { inputSchema: z.object({}), execute: () => 'echo' } },
    });
    onTestFinished(async () => {
      globalThis.AI_SDK_LOG_WARNINGS = before;
      await provider.close();
    });
    return { emulator, provider, logged };
  }

  it('logs no warning in any use', async () => {
    const { emulator, provider, logged } = await startProvider();
    const registry = createProviderRegistry({ kelivo: provider });
    const custom = customProvider({
      languageModels: { chat: provider('gpt-5') },
      fallbackProvider: provider,
    });
    const wrapped = wrapLanguageModel({
      model: provider('gpt-5'),
      middleware: { specificationVersion: 'v4', wrapStream: ({ doStream }) => doStream() },
    });
    const models = [
      provider('gpt-5'),
      provider.responses('gpt-5'),
      registry.languageModel('kelivo:gpt-5'),
      custom.languageModel('chat'),
      custom.languageModel('gpt-5-mini'),
      wrapped,
    ];
    for (const model of models) {
      expect((await generateText({ model, prompt: 'Hello' })).text).toBe('You said: Hello');
      const streamed = streamText({ model, prompt: 'Hello' });
      await streamed.consumeStream();
      expect(await streamed.text).toBe('You said: Hello');
    }
    const agent = new ToolLoopAgent({ model: provider('gpt-5') });
    expect((await agent.generate({ prompt: 'Use echo' })).text).toBe('The tool echo returned: echo');
    emulator.enqueue([{ text: '{"city":"Oslo"}' }]);
    const schema = z.object({ city: z.string() });
    const { object } = await generateObject({ model: provider('gpt-5'), schema, prompt: 'Where?' });
    expect(object).toEqual({ city: 'Oslo' });
    const { embedding } = await embed({
      model: registry.embeddingModel('kelivo:text-embedding-3-small'),
      value: 'Hi',
    });
    expect(embedding.length).toBeGreaterThan(0);
    // The host deprecates its own function.
    expect(logged).toMatchObject([{ warnings: [{ type: 'deprecated', setting: 'generateObject' }] }]);
  });

  it('shows citations of a streamed text', async () => {
    const { emulator, provider } = await startProvider();
    const annotation = {
      type: 'url_citation',
      url: 'https://a.test',
      title: 'A',
      start_index: 0,
      end_index: 2,
    };
    emulator.enqueue([
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [annotation] }],
      },
    ]);
    const { stream } = await provider('gpt-5').doStream({ prompt });
    let citations: unknown;
    for await (const part of stream) if (part.type === 'text-end') citations = part.citations;
    expect(citations).toMatchObject([{ source: { url: 'https://a.test' }, startIndex: 0, endIndex: 2 }]);
  });

  it('warns about custom content of other APIs', async () => {
    const { emulator, provider } = await startProvider();
    const custom = { type: 'custom' as const, kind: 'other.thing' as const };
    const { warnings } = await generateText({
      model: provider('gpt-5'),
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'assistant', content: [custom] },
        { role: 'user', content: 'Hello' },
      ],
    });
    expect(warnings).toContainEqual({
      type: 'other',
      message: 'Assistant content of type "other.thing" is not supported and not sent.',
    });
    expect(emulator.requests[0]?.body).toMatchObject({ input: [{ role: 'user' }, { role: 'user' }] });
  });

  it('sends the portable reasoning option', async () => {
    const { emulator, provider } = await startProvider();
    await generateText({ model: provider('gpt-5'), prompt: 'Hello', reasoning: 'low' });
    expect(emulator.requests[0]?.body).toMatchObject({ reasoning: { effort: 'low' } });
  });

  it('embeds with the dimensions of the call', async () => {
    const { provider } = await startProvider();
    const model = provider.embeddingModel('text-embedding-3-small');
    const { embeddings } = await model.doEmbed({ values: ['a'], dimensions: 4 });
    expect(embeddings.map(({ length }) => length)).toEqual([4]);
    const providerOptions = { openai: { dimensions: 6 } };
    const overridden = await model.doEmbed({ values: ['a'], dimensions: 4, providerOptions });
    expect(overridden.embeddings.map(({ length }) => length)).toEqual([6]);
  });
});
