import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from 'provider4';
import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import { toLanguageModelV2, toLanguageModelV3 } from '../../../src/v3.js';
import { toLanguageModelV4 } from '../../../src/v4.js';
import { scriptedTools } from '../../tool-loop/_tools.js';

const userMessage = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Go.' }] };
const usage = {
  inputTokens: { total: 100, noCache: 50, cacheRead: 20, cacheWrite: 30 },
  outputTokens: { total: 50, text: 40, reasoning: 10 },
  raw: { input_tokens: 100 },
};
const stop = { unified: 'stop' as const, raw: undefined };

/** A model of version 4 with one script for each request. */
function modelV4(...script: LanguageModelV4StreamPart[][]) {
  const requests: LanguageModelV4CallOptions[] = [];
  const take = (options: LanguageModelV4CallOptions) => script[requests.push(options) - 1] ?? [];
  return {
    requests,
    specificationVersion: 'v4' as const,
    provider: 'later',
    modelId: 'later-1',
    supportedUrls: { 'image/*': [/^https:/] },
    async doStream(options: LanguageModelV4CallOptions) {
      const parts = take(options);
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
    async doGenerate(options: LanguageModelV4CallOptions) {
      const parts = take(options);
      const end = parts.find(part => part.type === 'finish');
      const content = parts.flatMap((part): LanguageModelV4Content[] => {
        if (part.type === 'text-delta') return [{ type: 'text', text: part.delta }];
        return /^(?:custom|file|reasoning-file|source|tool-call|tool-result|tool-approval-request)$/.test(
          part.type,
        )
          ? [part as LanguageModelV4Content]
          : [];
      });
      const start = parts.find(part => part.type === 'stream-start');
      const { finishReason = stop, ...rest } = end ?? {};
      return { content, finishReason, usage, ...rest, warnings: start?.warnings ?? [] };
    },
  };
}

const text = (delta: string): LanguageModelV4StreamPart[] => [
  { type: 'text-start', id: 't1' },
  { type: 'text-delta', id: 't1', delta },
  { type: 'text-end', id: 't1' },
];
const finish: LanguageModelV4StreamPart = { type: 'finish', finishReason: stop, usage };

async function readAll<Part>({ stream }: { stream: ReadableStream<Part> }): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const compaction = {
  type: 'custom' as const,
  kind: 'openai.compaction' as const,
  providerMetadata: { openai: { type: 'compaction', itemId: 'cmp_1', encryptedContent: 'gAAA' } },
};
const carried = {
  openai: { itemId: 'cmp_1' },
  kelivo: { item: { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' } },
};

/** The options that the model receives for a prompt of version 2. */
async function givenTo(version: 'v3' | 'v4', options: Partial<LanguageModelV2CallOptions>) {
  const model = { ...modelV4([finish]), specificationVersion: version };
  await toLanguageModelV2(model).doGenerate({ prompt: [userMessage], ...options });
  return model.requests[0] as LanguageModelV4CallOptions;
}

describe('the response of a later model', () => {
  it('has the names of the model', () => {
    const model = modelV4();
    expect(toLanguageModelV2(model)).toMatchObject({
      specificationVersion: 'v2',
      provider: 'later',
      modelId: 'later-1',
      supportedUrls: model.supportedUrls,
    });
  });

  it('has the finish reason and the usage of version 2, and converted back those of the model', async () => {
    const end: LanguageModelV4StreamPart = {
      type: 'finish',
      finishReason: { unified: 'length', raw: 'max_tokens' },
      usage,
      providerMetadata: { later: { id: 'r1' } },
    };
    const counts = {
      inputTokens: 100,
      outputTokens: 50,
      totalTokens: 150,
      reasoningTokens: 10,
      cachedInputTokens: 20,
    };
    const model = toLanguageModelV2(modelV4([end], [end]));
    const options = { prompt: [userMessage] };
    const v2 = await model.doGenerate(options);
    expect(v2.finishReason).toBe('length');
    expect(v2.usage).toEqual(counts);
    expect(v2.providerMetadata).toEqual({ later: { id: 'r1' } });
    const [v3] = await readAll(await toLanguageModelV3(model).doStream(options));
    expect(v3).toMatchObject({
      finishReason: end.finishReason,
      usage,
      providerMetadata: { later: { id: 'r1' } },
    });
  });

  it('carries a custom part in an empty reasoning block, streamed and generated', async () => {
    const model = toLanguageModelV2(modelV4([compaction, finish], [compaction, finish]));
    const parts = await readAll(await model.doStream({ prompt: [userMessage] }));
    expect(parts.slice(0, 2)).toMatchObject([
      { type: 'reasoning-start', id: 'custom-0', providerMetadata: carried },
      { type: 'reasoning-end', id: 'custom-0', providerMetadata: carried },
    ]);
    const { content } = await model.doGenerate({ prompt: [userMessage] });
    expect(content).toMatchObject([{ type: 'reasoning', text: '', providerMetadata: carried }]);
  });

  it('has plain files, and leaves out parts that hosts do not know', async () => {
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'ping' },
      { type: 'later-part' } as never,
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://a.test/b.png') } },
      finish,
    ];
    const converted = await readAll(
      await toLanguageModelV2(modelV4(parts)).doStream({ prompt: [userMessage] }),
    );
    expect(converted.slice(0, -1)).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'AAAA' },
      { type: 'source', sourceType: 'url', id: 'https://a.test/b.png', url: 'https://a.test/b.png' },
    ]);
  });

  it('reports warnings of types that the host does not know as messages', async () => {
    const warnings = [
      { type: 'unsupported' as const, feature: 'seed', details: 'No.' },
      { type: 'compatibility' as const, feature: 'reasoning', details: 'Mapped.' },
      { type: 'deprecated' as const, setting: 'user', message: 'Use another.' },
    ];
    const start: LanguageModelV4StreamPart = { type: 'stream-start', warnings };
    const model = () => toLanguageModelV2(modelV4([start, finish]));
    expect((await model().doGenerate({ prompt: [userMessage] })).warnings).toEqual([
      { type: 'unsupported-setting', setting: 'seed', details: 'No.' },
      { type: 'other', message: 'reasoning: Mapped.' },
      { type: 'other', message: 'user: Use another.' },
    ]);
    const { warnings: v4 } = await toLanguageModelV4(model()).doGenerate({ prompt: [userMessage] });
    expect(v4).toEqual(warnings);
    const { warnings: v3 } = await toLanguageModelV3(model()).doGenerate({ prompt: [userMessage] });
    expect(v3).toEqual([...warnings.slice(0, 2), { type: 'other', message: 'user: Use another.' }]);
  });
});

describe('the prompt for a later model', () => {
  it('has custom parts of version 4, and reasoning blocks of version 3', async () => {
    const { content } = await toLanguageModelV2(modelV4([compaction, finish])).doGenerate({
      prompt: [userMessage],
    });
    const [carrier] = content;
    const providerOptions = carrier?.type === 'reasoning' ? carrier.providerMetadata : undefined;
    const block = { type: 'reasoning' as const, text: '', ...(providerOptions && { providerOptions }) };
    const prompt = [userMessage, { role: 'assistant' as const, content: [block] }];
    const v4 = await givenTo('v4', { prompt });
    expect(v4.prompt[1]?.content).toEqual([
      { type: 'custom', kind: 'openai.compaction', providerOptions: compaction.providerMetadata },
    ]);
    const v3 = await givenTo('v3', { prompt });
    expect(v3.prompt[1]?.content).toEqual([{ ...block, providerOptions: carried }]);
  });

  it('has the files and outputs of the version', async () => {
    const media = { type: 'media' as const, data: 'AAAA', mediaType: 'image/png' };
    const prompt = [
      {
        role: 'user' as const,
        content: [
          { type: 'file' as const, mediaType: 'image/*', data: 'AAAA' },
          { type: 'file' as const, mediaType: 'image/*', data: new URL('https://a.test/b') },
        ],
      },
      {
        role: 'assistant' as const,
        content: [{ type: 'tool-call' as const, toolCallId: 'c1', toolName: 'see', input: {} }],
      },
      {
        role: 'tool' as const,
        content: [
          {
            type: 'tool-result' as const,
            toolCallId: 'c1',
            toolName: 'see',
            output: { type: 'content' as const, value: [media] },
          },
        ],
      },
    ];
    const v4 = await givenTo('v4', { prompt });
    expect(v4.prompt[0]?.content).toMatchObject([
      { data: { type: 'data', data: 'AAAA' } },
      { data: { type: 'url', url: new URL('https://a.test/b') } },
    ]);
    expect(v4.prompt[2]?.content).toMatchObject([
      { output: { value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }] } },
    ]);
    const v3 = await givenTo('v3', { prompt });
    expect(v3.prompt[0]).toEqual(prompt[0]);
    expect(v3.prompt[2]?.content).toMatchObject([
      { output: { value: [{ type: 'image-data', mediaType: 'image/png', data: 'AAAA' }] } },
    ]);
  });

  it('names provider tools as later versions do, and keeps the other options', async () => {
    const given = await givenTo('v4', {
      temperature: 0.5,
      tools: [
        { type: 'provider-defined', id: 'openai.web_search', name: 'search', args: {} },
        { type: 'provider-defined', id: 'openai.mcp_approval_request', name: 'approve', args: {} },
      ],
      ...{ reasoning: 'high' },
    });
    expect(given).toMatchObject({ temperature: 0.5, reasoning: 'high' });
    expect(given.tools).toEqual([{ type: 'provider', id: 'openai.web_search', name: 'search', args: {} }]);
  });
});

describe('a later model in a tool loop', () => {
  const request: LanguageModelV4StreamPart[] = [
    {
      type: 'tool-call',
      toolCallId: 'dummy',
      toolName: 'mcp.roll',
      input: '{"sides":6}',
      providerExecuted: true,
      dynamic: true,
    },
    { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'dummy' },
    finish,
  ];

  it('keeps custom parts between the rounds and shows them to the host', async () => {
    const call: LanguageModelV4StreamPart = {
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'echo',
      input: '{}',
    };
    const calls: LanguageModelV4StreamPart = {
      type: 'finish',
      finishReason: { unified: 'tool-calls', raw: undefined },
      usage,
    };
    const inner = modelV4([compaction, call, calls], [...text('Done.'), finish]);
    const tools = scriptedTools({ echo: () => 'echo' });
    const model = toLanguageModelV4(withToolLoop(toLanguageModelV2(inner), { tools }));
    const parts = await readAll(await model.doStream({ prompt: [userMessage] }));
    expect(parts.find(({ type }) => type === 'custom')).toEqual(compaction);
    expect(parts.at(-1)).toMatchObject({
      usage: {
        inputTokens: { total: 200, noCache: 100, cacheRead: 40, cacheWrite: 60 },
        raw: { input_tokens: 200 },
      },
    });
    expect(inner.requests[1]?.prompt[1]?.content).toContainEqual({
      type: 'custom',
      kind: 'openai.compaction',
      providerOptions: compaction.providerMetadata,
    });
  });

  it.each(['generate', 'stream'] as const)('passes approvals of hosted tools (%s)', async mode => {
    const inner = modelV4(request, [...text('Rolled.'), finish]);
    const model = toLanguageModelV4(withToolLoop(toLanguageModelV2(inner), { tools: [] }));
    const tools = [{ type: 'provider' as const, id: 'openai.mcp' as const, name: 'mcp', args: {} }];
    const options = { prompt: [userMessage], tools };
    const parts: readonly { type: string }[] =
      mode === 'stream'
        ? await readAll(await model.doStream(options))
        : (await model.doGenerate(options)).content;
    const shown = parts.filter(({ type }) => type.startsWith('tool-'));
    expect(shown).toMatchObject([
      { type: 'tool-call', toolCallId: 'dummy', toolName: 'mcp.roll', input: '{"sides":6}' },
      { type: 'tool-approval-request', approvalId: 'mcpr_1', toolCallId: 'dummy' },
    ]);
    const { providerMetadata } = shown[0] as { providerMetadata?: Record<string, Record<string, unknown>> };
    await model.doGenerate({
      ...options,
      prompt: [
        userMessage,
        {
          role: 'assistant',
          content: [
            {
              type: 'tool-call',
              toolCallId: 'dummy',
              toolName: 'mcp.roll',
              input: { sides: 6 },
              providerExecuted: true,
              providerOptions: providerMetadata,
            } as never,
          ],
        },
        {
          role: 'tool',
          content: [{ type: 'tool-approval-response', approvalId: 'mcpr_1', approved: true } as never],
        },
      ],
    });
    expect(inner.requests[1]?.tools).toEqual(tools);
    expect(inner.requests[1]?.prompt.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'dummy', toolName: 'mcp.roll', input: { sides: 6 } }],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-approval-response', approvalId: 'mcpr_1', approved: true }],
      },
    ]);
  });
});
