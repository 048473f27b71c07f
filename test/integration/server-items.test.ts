import type { ModelMessage, ToolSet } from 'ai';
import * as ai7 from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newest } from '../_products.js';
import { z } from 'zod';
import type { KelivoResponsesProvider } from '../../src/index.js';
import type { KelivoResponsesSettings } from '../../src/provider/settings.js';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { toProviderV4 } from '../../src/v4.js';
import { type AiSdk, hosts as earlierHosts, modes, type Mode } from '../host-matrix/_host.js';
import { startEmulator } from '../testing/_emulator.js';
import { inputOf, shapeOf } from './_provider.js';
import { loopTools } from './_tools.js';

const hosts = [
  ...earlierHosts,
  {
    name: 'ai 7 · V4',
    major: 7 as const,
    sdk: ai7 as unknown as AiSdk,
    createProvider: (settings: KelivoResponsesSettings) =>
      toProviderV4(createKelivoResponsesProvider(settings)) as unknown as KelivoResponsesProvider,
  },
];

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const user = (content: string): ModelMessage => ({ role: 'user', content });
const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAA-compacted' };

/** A tool that the host declares as the official provider of its version does. */
const hosted = (major: number, id: string): ToolSet => {
  const name = id.slice('openai.'.length);
  const tool = {
    type: major === 5 ? 'provider-defined' : 'provider',
    ...(major > 5 && { isProviderExecuted: true }),
    id,
    name,
    args: {},
    inputSchema: z.looseObject({}),
    outputSchema: z.unknown(),
  };
  return { [name]: tool } as unknown as ToolSet;
};

describe.each(newest(hosts))('$name', ({ sdk, major, createProvider }) => {
  async function start(settings: KelivoResponsesSettings = {}) {
    const emulator = await startEmulator();
    const provider = createProvider({ baseURL: emulator.baseURL, ...settings });
    onTestFinished(() => provider.close());
    const model = provider('gpt-5');
    let messages: ModelMessage[] = [];
    return {
      emulator,
      /** Sends a message of the user, as a host that keeps its history as JSON. */
      async send(
        text: string,
        { mode, tools, store = false }: { mode: Mode; tools?: ToolSet; store?: boolean },
      ) {
        messages.push(user(text));
        const options = { model, messages, tools, providerOptions: { openai: { store } } };
        const before = emulator.requests.length;
        const result = mode === 'generate' ? await sdk.generateText(options) : sdk.streamText(options);
        if (mode === 'stream') await (result as ReturnType<AiSdk['streamText']>).consumeStream();
        const { messages: added } = await result.response;
        messages = [...messages, ...(JSON.parse(JSON.stringify(added)) as ModelMessage[])];
        return { requests: emulator.requests.slice(before), text: await result.text };
      },
    };
  }

  describe.each(modes)('%s', mode => {
    it.each([false, true])(
      'continues a conversation that is compacted within a tool loop (store %s)',
      async store => {
        const { emulator, send } = await start({ tools: loopTools });
        emulator.enqueue(
          [{ text: 'Hi.' }],
          [
            { text: 'I look.' },
            compaction,
            { reasoning: 'Now I call.' },
            { call: 'find_book', arguments: { title: 'Emma' }, callId: 'call_1' },
          ],
          [{ text: 'On shelf 7.' }],
          [{ text: 'You are welcome.' }],
        );
        await send('Hello', { mode, store });
        const { requests, text } = await send('Find Emma', { mode, store });
        expect(text).toContain('On shelf 7.');
        expect(shapeOf(requests[1])).toEqual([
          'compaction',
          'reasoning',
          'function_call',
          'function_call_output',
        ]);
        expect(inputOf(requests[1])[0]).toEqual(compaction);
        const last = await send('Thanks', { mode, store });
        const sent = inputOf(last.requests[0]);
        expect(sent[0]).toEqual(store ? { type: 'item_reference', id: 'cmp_1' } : compaction);
        expect(shapeOf(last.requests[0]).slice(1)).toEqual([
          'reasoning',
          'function_call',
          'function_call_output',
          'assistant',
          'user',
        ]);
      },
    );

    it.each([false, true])('keeps generated images across turns (store %s)', async store => {
      const tools = hosted(major, 'openai.image_generation');
      const { emulator, send } = await start();
      emulator.enqueue(
        [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png }, { text: 'A cat.' }],
        [{ text: 'Bluer.' }],
      );
      await send('Draw a cat', { mode, tools, store });
      const { requests } = await send('Make it bluer', { mode, tools, store });
      expect(inputOf(requests[0])[1]).toEqual(
        store
          ? { type: 'item_reference', id: 'ig_1' }
          : { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: png },
      );
    });
  });
});
