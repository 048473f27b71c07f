import { describe, expect, it, onTestFinished } from 'vitest';
import type { LanguageModelV2Prompt } from '@ai-sdk/provider';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../../src/index.js';
import { createLocalTools } from '../../../src/tools/local-tools.js';
import { serve } from '../../_server.js';
import { message, toResponse } from '../stream/_fixtures/wire-events.js';

type Item = Readonly<Record<string, unknown>>;

interface Answer {
  readonly headers?: Record<string, string>;
  /** Rejects the request with this text if it is true for the input. */
  readonly rejects?: (input: readonly Item[], model: string) => string | undefined;
  readonly owner?: string;
  readonly id?: string;
}

async function start(answer: Answer, settings: KelivoResponsesSettings = {}) {
  const { headers = {}, rejects, owner, id = 'resp_1' } = answer;
  const { url, requests } = await serve((response, { path, body }) => {
    const send = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(value));
    };
    if (path.endsWith('/models')) return send(200, { data: [{ id: 'm', owned_by: owner }] });
    const error = rejects?.(body.input as Item[], String(body.model));
    if (error !== undefined) return send(400, { error: { message: error } });
    return send(200, { ...toResponse([message(['Hello.'])]), id });
  });
  const provider = createKelivoResponsesProvider({ baseURL: url, ...settings });
  onTestFinished(() => provider.close());
  const ask = (prompt: LanguageModelV2Prompt, modelId = 'qwen3') => provider(modelId).doGenerate({ prompt });
  const inputs = () =>
    requests.flatMap(({ body }) => (body?.input === undefined ? [] : [body.input as Item[]]));
  return { ask, inputs, requests };
}

const fresh: LanguageModelV2Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }];
const elsewhere: LanguageModelV2Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Else.' }] }];
const history: LanguageModelV2Prompt = [
  ...fresh,
  {
    role: 'assistant',
    content: [
      {
        type: 'reasoning',
        text: 'Look.',
        providerOptions: { openai: { itemId: 'rs_1' }, kelivo: { reasoningChannel: 'text' } },
      },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: {} },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'call_1',
        toolName: 'look',
        output: { type: 'content', value: [{ type: 'media', data: 'AAAA', mediaType: 'image/png' }] },
      },
    ],
  },
];
const encrypted: LanguageModelV2Prompt = history.map(message =>
  message.role === 'assistant'
    ? {
        ...message,
        content: message.content.map(part =>
          part.type === 'reasoning'
            ? { ...part, providerOptions: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'gAAA' } } }
            : part,
        ),
      }
    : message,
);
const typesOf = (input: readonly Item[] = []) => input.map(({ type }) => type);
const hasReasoning = (input: readonly Item[] = []) => typesOf(input).includes('reasoning');

describe('llama.cpp', () => {
  it('is recognized by its header from the first response on: reasoning is replayed, and images stay in outputs', async () => {
    const { ask, inputs } = await start({ headers: { Server: 'llama.cpp' } });
    await ask(history);
    await ask(history);
    expect(inputs().map(hasReasoning)).toEqual([false, true]);
    expect(JSON.stringify(inputs()[1]?.at(-1))).toContain('input_image');
    // Another model of the address, which has not answered yet.
    await ask(history, 'gemma');
    expect(hasReasoning(inputs()[2])).toBe(true);
  });

  it.each([{ headers: { Server: 'not-llama.cpp' } }, { headers: { Server: 'nginx' } }])(
    'is not recognized by %j',
    async answer => {
      const { ask, inputs, requests } = await start(answer);
      await ask(history);
      await ask(history);
      expect(inputs().map(hasReasoning)).toEqual([false, false]);
      expect(requests).toHaveLength(2);
    },
  );

  it('is recognized by its errors behind a proxy that replaces the header', async () => {
    const { ask, inputs } = await start({
      headers: { Server: 'nginx' },
      rejects: input =>
        input.some(({ type, content }) => type === 'reasoning' && content === undefined)
          ? "item['content'] is not an array"
          : undefined,
    });
    await ask(encrypted);
    await ask(history);
    // The second conversation confirms it.
    await ask([...elsewhere, ...encrypted]);
    await ask(history);
    expect(inputs().map(hasReasoning)).toEqual([true, false, false, true, false, true]);
  });

  it('receives strings if it is older than 0.7, from then on', async () => {
    const rejects = (input: readonly Item[]) =>
      input.some(({ output }) => Array.isArray(output)) ? 'output must be a string' : undefined;
    const { ask, inputs } = await start({ headers: { Server: 'llama.cpp' }, rejects });
    await ask(history);
    await ask([...elsewhere, ...history]);
    await ask(history);
    expect(inputs().map(input => input.some(({ output }) => Array.isArray(output)))).toEqual([
      ...[true, false, true],
      ...inputs()
        .slice(3)
        .map(() => false),
    ]);
  });

  it('is not assumed against an explicit setting', async () => {
    const { ask, inputs } = await start({ headers: { Server: 'llama.cpp' } }, { compatibility: 'openai' });
    await ask(history);
    await ask(history);
    expect(inputs().map(hasReasoning)).toEqual([false, false]);
    const single = await start(
      { headers: { Server: 'llama.cpp' } },
      { compatibility: { toolOutput: 'string' } },
    );
    await single.ask(fresh);
    await single.ask(history);
    expect(hasReasoning(single.inputs()[1])).toBe(true);
    expect(typeof single.inputs()[1]?.at(-1)?.output).toBe('string');
  });
});

it('asks a server that rejects a history once for the owner of its models', async () => {
  const { ask, inputs, requests } = await start({
    owner: 'vllm',
    rejects: input =>
      input.some(({ output }) => Array.isArray(output)) ? '17 validation errors' : undefined,
  });
  await ask(history);
  await ask(history);
  expect(requests.map(({ path }) => path.replace(/.*\//, ''))).toEqual([
    'responses',
    'models',
    'responses',
    'responses',
  ]);
  expect(inputs().map(input => input.some(({ status }) => status === 'completed'))).toEqual([
    false,
    true,
    true,
  ]);
});

it('recognizes OpenRouter behind a gateway by the ids of its responses', async () => {
  const { ask, inputs } = await start({ id: 'gen-1762345678-AbCdEf' });
  await ask(history);
  await ask(history);
  expect(inputs().map(input => input.some(({ status }) => status === 'completed'))).toEqual([false, true]);
});

it('keeps the servers of two models apart', async () => {
  const servers: Record<string, Record<string, string>> = { a: { Server: 'llama.cpp' }, b: {} };
  const { url, requests } = await serve((response, { body }) => {
    response.writeHead(200, { 'content-type': 'application/json', ...servers[String(body.model)] });
    response.end(JSON.stringify(toResponse([message(['Hello.'])])));
  });
  const provider = createKelivoResponsesProvider({ baseURL: url });
  for (const modelId of ['b', 'a', 'a', 'b']) await provider(modelId).doGenerate({ prompt: history });
  expect(requests.map(({ body }) => hasReasoning(body.input as Item[]))).toEqual([false, false, true, false]);
});

it('replaces an effort that responses.js does not have', async () => {
  const { url, requests } = await serve((response, { body }) => {
    const { effort } = (body.reasoning ?? {}) as { effort?: string };
    const error = [
      {
        received: effort,
        code: 'invalid_enum_value',
        options: ['low', 'medium', 'high'],
        path: ['reasoning', 'effort'],
        message: "Invalid enum value. Expected 'low' | 'medium' | 'high', received 'xhigh'",
      },
    ];
    const isAccepted = effort !== 'xhigh';
    response.writeHead(isAccepted ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAccepted ? toResponse([message(['Hello.'])]) : { success: false, error }));
  });
  const provider = createKelivoResponsesProvider({ baseURL: url, tools: createLocalTools({}) });
  onTestFinished(() => provider.close());
  const providerOptions = { openai: { reasoningEffort: 'xhigh', forceReasoning: true } };
  const { warnings } = await provider('qwen3').doGenerate({ prompt: fresh, providerOptions });
  expect(JSON.stringify(warnings)).toContain('high');
  for (const prompt of [[...elsewhere, ...fresh], fresh])
    await provider('qwen3').doGenerate({ prompt, providerOptions });
  expect(requests.map(({ body }) => (body.reasoning as { effort: string }).effort)).toEqual([
    'xhigh',
    'high',
    'xhigh',
    'high',
    'high',
  ]);
});
