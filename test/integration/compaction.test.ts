import { tool } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type ResponsesEmulator, startResponsesEmulator } from '../../src/testing/index.js';
import { combine } from '../_products.js';
import { hosts, type Mode, modes } from '../host-matrix/_host.js';

type Item = Record<string, unknown>;

const emulators: ResponsesEmulator[] = [];

afterEach(async () => {
  await Promise.all(emulators.splice(0).map(emulator => emulator.close()));
});

/** A result that exceeds the threshold, so that the next response begins with a compaction. */
const LONG_RESULT = 'sunny '.repeat(800);

const tools = {
  get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => LONG_RESULT }),
  get_time: tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'noon' }),
};

const question = 'Get the weather in Oslo, then get the time in Oslo';

const rows = combine({ host: hosts, mode: modes, owner: ['host', 'provider'], store: [false, true] });

/** Runs a turn with two rounds of tools and a second turn. Returns their texts and the input of each request. */
async function converse({ host, mode, owner, store }: (typeof rows)[number]) {
  const emulator = await startResponsesEmulator();
  emulators.push(emulator);
  const provider = host.createProvider({
    baseURL: emulator.baseURL,
    apiKey: 'test',
    store,
    ...(owner === 'provider' && { tools }),
  });
  const ask = async (messages: object[]) => {
    const call = {
      model: provider('gpt-5'),
      messages: messages as never,
      ...(owner === 'host' && { tools }),
      stopWhen: host.sdk.stepCountIs(5),
      maxRetries: 0,
      providerOptions: {
        openai: {
          contextManagement: [{ type: 'compaction', compactThreshold: 1000 }],
          reasoningSummary: 'auto',
        },
      },
    };
    return run(host.sdk, mode, call);
  };
  const user = { role: 'user', content: question };
  const first = await ask([user]);
  const second = await ask([user, ...first.messages, { role: 'user', content: 'Thank you' }]);
  const inputs = emulator.requests.map(({ body }) => (body as { input: Item[] }).input);
  return { first, second, inputs, requests: emulator.requests };
}

async function run(
  sdk: (typeof hosts)[number]['sdk'],
  mode: Mode,
  call: Parameters<typeof sdk.generateText>[0] & Parameters<typeof sdk.streamText>[0],
) {
  if (mode === 'generate') {
    const result = await sdk.generateText(call);
    return { text: result.text, messages: await messagesOf(result) };
  }
  const errors: unknown[] = [];
  const result = sdk.streamText({ ...call, onError: ({ error }) => void errors.push(error) });
  await result.consumeStream();
  expect(errors).toEqual([]);
  return { text: await result.text, messages: await messagesOf(result) };
}

/** Returns the messages of all steps. `response` of `ai@7` contains those of the last step only. */
async function messagesOf(result: object): Promise<object[]> {
  const { response, responseMessages } = result as {
    response: PromiseLike<{ messages: object[] }>;
    responseMessages?: PromiseLike<object[]>;
  };
  return (await responseMessages) ?? (await response).messages;
}

const typesOf = (input: readonly Item[] | undefined) =>
  input?.map(({ type, role }) => (role === 'user' ? role : type));

describe('a conversation that is compacted in the middle of a tool loop', () => {
  it.each(rows)(
    'continues with the compaction item: $host.name, $mode, tools of the $owner, store: $store',
    async row => {
      const { first, second, inputs } = await converse(row);
      expect(first.text).toContain('The tool get_time returned: noon');
      expect(second.text).toContain('You said: Thank you');
      // The request after the compaction, and the second turn. The emulator has validated both.
      expect(inputs).toHaveLength(4);
      for (const input of inputs.slice(2)) {
        const position = input.findIndex(isCompaction);
        expect(position).toBeGreaterThanOrEqual(0);
        const after = input.slice(position + 1);
        const call = after.find(({ type }) => type === 'function_call');
        expect(call).toMatchObject({ name: 'get_time' });
        expect(after).toContainEqual(
          expect.objectContaining({ type: 'function_call_output', call_id: call?.call_id }),
        );
        if (!row.store)
          expect(input[position]).toMatchObject({ encrypted_content: expect.stringMatching(/^gAAAAA/) });
        // A compaction is never sent as an invented call.
        expect(input.filter(({ name }) => name === 'compaction')).toEqual([]);
      }
      expect(typesOf(inputs[1])).not.toContain('compaction');
    },
  );
});

const isCompaction = ({ type, id }: Item): boolean =>
  type === 'compaction' || (type === 'item_reference' && String(id).startsWith('cmp_'));
