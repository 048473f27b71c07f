import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { collect } from '../../_parts.js';
import { serveBody, serveJson, type TestServer } from '../../_server.js';
import { toSse } from '../../_sse.js';
import { ofType } from '../../tool-loop/_scripted-model.js';
import { functionCall, type ItemScript, message, toStream } from './_fixtures/wire-events.js';

const usageOf = (output_tokens: number) => ({
  input_tokens: 5,
  output_tokens,
  total_tokens: 5 + output_tokens,
});

/** Starts a server that reports a response as completed, as llama.cpp does when its token limit is reached. */
const servers = {
  streamed: (items: readonly ItemScript[], outputTokens: number) =>
    serveBody(toSse(toStream(items, { usage: usageOf(outputTokens) }))),
  generated: (items: readonly ItemScript[], outputTokens: number) =>
    serveJson({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: items.map(({ item }) => item),
      usage: usageOf(outputTokens),
    }),
};

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];

async function ask({ url }: TestServer, maxOutputTokens: number | undefined) {
  const model = createKelivoResponsesProvider({ baseURL: url, apiKey: 'key' }).responses('some-model');
  const { stream } = await model.doStream({ prompt, maxOutputTokens });
  const parts = await collect(stream);
  const [finish] = ofType(parts, 'finish');
  const result = await model.doGenerate({ prompt, maxOutputTokens });
  expect(result.finishReason).toBe(finish?.finishReason);
  expect(result.providerMetadata?.kelivo).toEqual(finish?.providerMetadata?.kelivo);
  const reason = finish?.providerMetadata?.kelivo?.incompleteReason;
  return { finishReason: finish?.finishReason, reason, calls: ofType(parts, 'tool-call') };
}

describe.each(Object.entries(servers))('a completed response, %s', (_, start) => {
  it.each([
    ['equal to', 20],
    ['above', 21],
  ])('finishes as "length" if its output tokens are %s the requested maximum', async (_, outputTokens) => {
    const server = await start([message(['The weather in'])], outputTokens);
    expect(await ask(server, 20)).toMatchObject({ finishReason: 'length', reason: 'max_output_tokens' });
  });

  it('finishes as "length" if it contains a call', async () => {
    const server = await start([functionCall('pay', '{"amount": 9876}')], 20);
    expect(await ask(server, 20)).toMatchObject({ finishReason: 'length', reason: 'max_output_tokens' });
  });

  it.each([
    ['without a requested maximum', undefined],
    ['below the requested maximum', 21],
  ])('finishes normally %s', async (_, maximum) => {
    const server = await start([message(['Sunny.'])], 20);
    expect(await ask(server, maximum)).toMatchObject({ finishReason: 'stop', reason: undefined });
  });
});

describe('several lifecycles in one stream', () => {
  const second = toStream([message(['In Rome.'], { id: 'msg_2' })], { usage: usageOf(15) }).map(event =>
    'response' in event ? { ...event, response: { ...(event.response as object), id: 'resp_2' } } : event,
  );
  const first = toStream([message(['Let me look.'], { id: 'msg_1' })], { usage: usageOf(15) });
  const tools = { look: { inputSchema: z.object({}), execute: () => 'ran' } };

  it.each([
    ['bare', {}],
    ['a tool loop', { tools }],
  ])('have the maximum each, with %s', async (_, settings) => {
    const { url } = await serveBody(toSse([...first, ...second]));
    const model = createKelivoResponsesProvider({ baseURL: url, apiKey: 'key', ...settings })('some-model');
    const { stream } = await model.doStream({ prompt, maxOutputTokens: 20 });
    expect(ofType(await collect(stream), 'finish')).toMatchObject([
      { finishReason: 'stop', usage: { outputTokens: 30 } },
    ]);
  });
});
