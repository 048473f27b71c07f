import type { ModelMessage } from 'ai';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyValue } from '../_products.js';
import { z } from 'zod';
import { createKelivoResponsesProvider, type OpenResponsesExtension } from '../../src/index.js';
import { hosts, modes } from '../host-matrix/_host.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { type ItemScript, message, toResponse, toStream } from '../responses/stream/_fixtures/wire-events.js';

type Item = Readonly<Record<string, unknown>>;

const receipt = {
  type: 'acme:search_receipt',
  id: 'ar_1',
  status: 'completed',
  call_id: 'call_s1',
  query: { text: 'docs' },
  result: { found: 2 },
  created_by: 'acme',
  opaque: { camelCase: [1, null] },
};

const search: OpenResponsesExtension = {
  id: 'acme.document_search',
  toolType: 'acme:document_search',
  itemTypes: ['acme:search_receipt'],
  encodeTool: ({ name, args }) => ({ name, index: args.index }),
  encodeToolChoice: async ({ name }) => ({ name }),
  async decodeItem({ item }) {
    const call = { toolCallId: String(item.call_id), toolName: 'search' };
    return [
      { type: 'tool-call', ...call, input: JSON.stringify(item.query), providerExecuted: true },
      { type: 'tool-result', ...call, result: item.result ?? {} },
    ];
  },
  eventTypes: ['acme:progress'],
  decodeEvent({ event, state }) {
    const count = Number(state.get('count') ?? 0) + 1;
    state.set('count', count);
    return [
      { type: 'source', sourceType: 'url', id: `s${count}`, url: `https://acme.test/${String(event.page)}` },
    ];
  },
};

const said: ItemScript = message(['Found.']);
const scripts: readonly ItemScript[] = [
  {
    begun: { ...receipt, status: 'in_progress' },
    item: receipt,
    deltas: [{ type: 'acme:progress', page: 1, item_id: 'ar_1' }],
  },
  said,
];

async function start(extensions?: readonly OpenResponsesExtension[]) {
  const { url, requests } = await serve((response, { body }) => {
    const isStream = body.stream === true;
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? toSse(toStream(scripts)) : JSON.stringify(toResponse(scripts)));
  });
  const settings = {
    baseURL: url,
    api: 'open-responses' as const,
    ...(extensions && { extensions: [...extensions] }),
  };
  const bodies = () => requests.map(({ body }) => body as Item & { input: Item[]; tools?: Item[] });
  return { settings, bodies };
}

const rows = hosts.flatMap(host =>
  modes.flatMap(mode => [true, false].map(hasCodec => ({ name: host.name, host, mode, hasCodec }))),
);

describe.each(everyValue(rows))(
  'an extension item: $name, $mode, with a codec: $hasCodec',
  ({ host, mode, hasCodec }) => {
    it('is sent back once, as it was received, also after a copy of the history as JSON', async () => {
      const { settings, bodies } = await start(hasCodec ? [search] : undefined);
      const provider = host.createProvider(settings);
      onTestFinished(() => provider.close());
      const ask = async (messages: ModelMessage[]) => {
        const options = { model: provider('acme-1'), messages, providerOptions: { openai: { store: true } } };
        if (mode === 'generate') return (await host.sdk.generateText(options)).response.messages;
        const result = host.sdk.streamText(options);
        await result.consumeStream();
        return (await result.response).messages;
      };
      const first: ModelMessage[] = [{ role: 'user', content: 'Find.' }];
      const answer = JSON.parse(JSON.stringify(await ask(first))) as ModelMessage[];
      await ask([...first, ...answer, { role: 'user', content: 'And?' }]);
      const { input = [] } = bodies().at(-1) ?? {};
      expect(input.map(({ type, role }) => role ?? type)).toEqual([
        'user',
        'acme:search_receipt',
        'assistant',
        'user',
      ]);
      expect(input[1]).toEqual(receipt);
    });
  },
);

describe.each(modes)('a codec: %s', mode => {
  it('shows items and events, and encodes the tool and its choice', async () => {
    const { settings, bodies } = await start([search]);
    const model = createKelivoResponsesProvider(settings)('acme-1');
    const call = {
      prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Find.' }] }],
      tools: [
        {
          type: 'provider-defined' as const,
          id: 'acme.document_search' as const,
          name: 'search',
          args: { index: 'a' },
        },
        { type: 'function' as const, name: 'lookup', inputSchema: { type: 'object' as const } },
      ],
      toolChoice: { type: 'tool' as const, toolName: 'search' },
    };
    const types: string[] = [];
    if (mode === 'generate') types.push(...(await model.doGenerate(call)).content.map(({ type }) => type));
    else
      for await (const { type } of (await model.doStream(call)).stream as unknown as AsyncIterable<{
        type: string;
      }>)
        types.push(type);
    expect(types.filter(type => ['tool-call', 'tool-result', 'source'].includes(type)).toSorted()).toEqual(
      mode === 'stream' ? ['source', 'tool-call', 'tool-result'] : ['tool-call', 'tool-result'],
    );
    expect(bodies()[0]?.tools).toMatchObject([
      { type: 'acme:document_search', name: 'search', index: 'a' },
      { type: 'function', name: 'lookup' },
    ]);
    expect(bodies()[0]?.tool_choice).toEqual({ type: 'acme:document_search', name: 'search' });
  });
});

it('sends a tool without a codec with its arguments unchanged, and leaves out tools of other providers', async () => {
  const { settings, bodies } = await start();
  const provider = createKelivoResponsesProvider(settings);
  const declare = (id: `${string}.${string}`) => ({
    type: 'provider-defined' as const,
    id,
    name: id.replace('.', '_'),
    args: { topK: 1, nested: { someKey: 2 } },
  });
  const { warnings } = await provider('acme-1').doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Find.' }] }],
    tools: [declare('acme.document_search'), declare('anthropic.computer_20250124')],
  });
  expect(bodies()[0]?.tools).toEqual([{ type: 'acme:document_search', topK: 1, nested: { someKey: 2 } }]);
  expect(warnings).toHaveLength(1);
});

it('encodes the result of a call that the host ran', async () => {
  const client: OpenResponsesExtension = {
    id: 'acme.client',
    itemTypes: ['acme:search_receipt'],
    decodeItem: ({ item }) => [
      { type: 'tool-call', toolCallId: String(item.call_id), toolName: 'search', input: '{}' },
    ],
    encodeInputItem: ({ part }) => ({
      type: 'acme:search_receipt',
      id: 'out_1',
      status: 'completed',
      call_id: part.toolCallId,
    }),
  };
  const { settings, bodies } = await start([client]);
  const provider = createKelivoResponsesProvider({
    ...settings,
    tools: { search: tool({ inputSchema: z.object({}), execute: async () => 'ran' }) },
    toolLoop: { maxRounds: 2 },
  });
  onTestFinished(() => provider.close());
  await provider('acme-1').doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Find.' }] }],
  });
  expect(bodies()[1]?.input.map(({ type, id }) => [type, id])).toEqual([
    ['message', undefined],
    ['acme:search_receipt', 'ar_1'],
    ['message', undefined],
    ['acme:search_receipt', 'out_1'],
  ]);
});

it.each<[string, object]>([
  ['beginning with "acme:"', { id: 'acme.x', toolType: 'other:x' }],
  ['`itemTypes` together with `decodeItem`', { id: 'acme.x', itemTypes: ['acme:x'] }],
  ['of the form', { id: 'acme', toolType: 'acme:x' }],
])('rejects an extension without types %s', (_text, extension) => {
  expect(() =>
    createKelivoResponsesProvider({
      baseURL: 'http://127.0.0.1:1',
      extensions: [extension as OpenResponsesExtension],
    }),
  ).toThrow('the extension "acme');
});
