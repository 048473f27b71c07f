import { listPrices } from '../../../playground/shared/list-prices.js';
import { describe, expect, it } from 'vitest';
import type { Conversation, Settings } from '../../../playground/shared/playground-state.js';
import { toCost } from '../../../playground/shared/cost.js';
import { startEmulator } from '../../testing/_emulator.js';
import { openPlayground, readTurn, type TestPlayground } from './_playground.js';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const image = {
  type: 'file' as const,
  mediaType: 'image/png',
  filename: 'pixel.png',
  url: `data:image/png;base64,${PIXEL}`,
};
const document = {
  type: 'file' as const,
  mediaType: 'application/pdf',
  filename: 'paper.pdf',
  url: `data:application/pdf;base64,${Buffer.from('%PDF-1.4').toString('base64')}`,
};

async function withEndpoint(settings: Partial<Settings> = {}) {
  const emulator = await startEmulator();
  const playground = await openPlayground();
  const body = { endpoint: emulator.baseURL, ...settings };
  await playground.call('/api/state', { method: 'PATCH', body });
  return { emulator, playground };
}

const read = async ({ call }: TestPlayground, id = 'conversation-1'): Promise<Conversation> =>
  (await call(`/api/conversations/${id}`)).json as Conversation;

describe('files of a message', () => {
  it('reach the model, are stored, and stay in the history of later turns', async () => {
    const { emulator, playground } = await withEndpoint();
    const { text } = await playground.ask('What is this?', { files: [image, document] });
    await playground.ask('And now?');
    const [question] = (await read(playground)).threads.main ?? [];
    const stored = (question?.message.parts ?? []).flatMap(part => (part.type === 'file' ? part.url : []));
    const loaded = await playground.call(stored[0] ?? '');
    const sent = emulator.requests.map(({ body }) => JSON.stringify(body));

    expect(text).toContain('an image (image/png), a file (application/pdf)');
    expect(stored).toEqual(
      Array.from({ length: 2 }, () =>
        expect.stringMatching(/^\/api\/conversations\/conversation-1\/attachments\/[0-9a-f]{32}$/),
      ),
    );
    expect(loaded.headers.get('content-type')).toBe('image/png');
    expect(sent).toHaveLength(2);
    for (const body of sent) expect(body).toContain(PIXEL);
  });

  it('are described in exports and bug reports, which do not contain them', async () => {
    const { playground } = await withEndpoint();
    await playground.ask('What is this?', { files: [{ ...image, filename: `sk-${'a1'.repeat(20)}.png` }] });
    const exported = await playground.call('/api/conversations/conversation-1/export');
    const fixture = await playground.call('/api/conversations/conversation-1/fixture');
    const { messages } = exported.json as { messages: { message: { parts: unknown[] } }[] };

    expect(messages[0]?.message.parts[0]).toMatchObject({
      type: 'file',
      mediaType: 'image/png',
      filename: '[redacted].png',
      bytes: 70,
    });
    for (const { text } of [exported, fixture]) {
      expect(text).not.toContain(PIXEL.slice(0, 30));
      expect(text).toContain('data:image/png;base64,… (96 characters)');
    }
  });

  it.each([
    {
      name: 'too large',
      files: [{ ...image, url: toUrl(10_000_001) }],
      reason: /at most 10\.0 MB, got pixel/,
    },
    {
      name: 'too large together',
      files: [1, 2, 3].map(() => ({ ...image, url: toUrl(7_000_000) })),
      reason: /at most 20\.0 MB in a message, got 21\.0 MB/,
    },
    { name: 'too many', files: Array.from({ length: 11 }, () => image), reason: /at most 10 files, got 11/ },
    {
      name: 'of a type with scripts',
      files: [{ ...image, mediaType: 'image/svg+xml' }],
      reason: /Expected a PNG, JPEG, GIF or WebP image or a PDF/,
    },
    {
      name: 'that claim another type than their URL',
      files: [{ ...image, url: 'data:text/html;base64,PGI+' }],
      reason: /got pixel.png with the type text\/html/,
    },
    {
      name: 'of another conversation',
      files: [{ ...image, url: `/api/conversations/other-conversation/attachments/${'0'.repeat(32)}` }],
      reason: /pixel.png is not stored in this conversation/,
    },
  ])('are rejected with one reason if they are $name, and nothing is stored', async ({ files, reason }) => {
    const playground = await openPlayground();
    const { response } = await playground.begin('Look', { files });

    expect(response).toMatchObject({ status: 400, json: { error: expect.stringMatching(reason) } });
    expect(await read(playground)).toBeNull();
  });
});

const toUrl = (bytes: number): string => `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}`;

describe('the parameters', () => {
  it('are sent if they have a value', async () => {
    const { emulator, playground } = await withEndpoint({
      modelId: 'gpt-5.1',
      temperature: 0.5,
      reasoningEffort: 'none',
      maxOutputTokens: 500,
      verbosity: 'low',
      toolChoice: 'tool:word-count',
      parallelToolCalls: 'off',
    });
    await playground.ask('Hello');

    expect(emulator.requests[0]?.body).toMatchObject({
      temperature: 0.5,
      reasoning: { effort: 'none' },
      max_output_tokens: 500,
      text: { verbosity: 'low' },
      tool_choice: { type: 'function', name: 'word-count' },
      parallel_tool_calls: false,
    });
  });

  it('are not sent without a value', async () => {
    const { emulator, playground } = await withEndpoint();
    await playground.ask('Hello');
    const body = emulator.requests[0]?.body as Record<string, unknown>;
    const names = ['temperature', 'max_output_tokens', 'text', 'parallel_tool_calls'];

    expect(names.filter(name => name in body)).toEqual([]);
    expect(body.reasoning).not.toHaveProperty('effort');
  });

  it.each(['{', '[]', '{"type":"string"}', '{"type":"object","properties":{"a":{"type":"text"}}}'])(
    'reject %s as a schema of the response',
    async responseSchema => {
      const { call } = await openPlayground();
      const { status, json } = await call('/api/state', { method: 'PATCH', body: { responseSchema } });

      expect(status).toBe(400);
      expect(json).toMatchObject({ error: expect.stringContaining('Expected a JSON schema') });
    },
  );
});

describe('a response with a schema', () => {
  const responseSchema = JSON.stringify({
    type: 'object',
    properties: { city: { type: 'string' }, people: { type: 'integer' } },
    required: ['city', 'people'],
    additionalProperties: false,
  });

  it('is requested in this format and compared with the schema', async () => {
    const { emulator, playground } = await withEndpoint({ responseSchema });
    emulator.enqueue([{ text: '{"city":"Rome","people":2700000}' }], [{ text: '{"city":"Rome"}' }]);
    const valid = await playground.ask('Rome');
    const invalid = await playground.ask('Again');

    expect(emulator.requests[0]?.body).toMatchObject({
      text: { format: { type: 'json_schema', schema: JSON.parse(responseSchema) as unknown } },
    });
    expect(valid.text).toBe('{"city":"Rome","people":2700000}');
    expect(valid.trace).toMatchObject({ hasSchema: true, checked: {} });
    expect(valid.trace.checked?.problem).toBeUndefined();
    expect(invalid.trace.checked?.problem).toMatch(/ at people$/);
  });
});

describe('conversations', () => {
  it('are found by their titles and by texts of both roles, without the secrets of responses', async () => {
    const { emulator, playground } = await withEndpoint();
    const secret = `sk-${'b2'.repeat(20)}`;
    emulator.enqueue([{ text: `The capital is Montevideo. The key is ${secret}.` }], [{ text: 'Nothing.' }]);
    await playground.ask('Uruguay', { id: 'conversation-1' });
    await playground.ask('100% of _this_', { id: 'conversation-2' });
    const search = async (text: string) =>
      (await playground.call(`/api/conversations/search?text=${encodeURIComponent(text)}`)).json;

    expect(await search('MONTEVIDEO')).toEqual([
      { id: 'conversation-1', excerpt: expect.stringContaining('The capital is Montevideo.') },
    ]);
    expect(JSON.stringify(await search('Montevideo. The key'))).not.toContain(secret.slice(0, 12));
    expect(await search('0% of _')).toEqual([{ id: 'conversation-2', excerpt: '100% of _this_' }]);
    expect(await search('%')).toHaveLength(1);
    expect(await search('parts')).toEqual([]);
  });

  it('can be restored after they were deleted, until the next start', async () => {
    const first = await openPlayground();
    await first.ask('Hello', { id: 'conversation-1' });
    await first.ask('Hello', { id: 'conversation-2' });
    const before = await read(first);
    await first.call('/api/conversations/conversation-1', { method: 'DELETE' });
    const deleted = {
      conversation: await read(first),
      list: (await first.call('/api/conversations')).json,
      found: (await first.call('/api/conversations/search?text=Hello')).json,
    };
    await first.call('/api/conversations/conversation-1/restore', { method: 'POST' });
    const restored = await read(first);
    const unknown = await first.call('/api/conversations/conversation-1/restore', { method: 'POST' });
    await first.call('/api/conversations/conversation-2', { method: 'DELETE' });
    await first.close();
    const second = await openPlayground({ folder: first.folder });
    const tooLate = await second.call('/api/conversations/conversation-2/restore', { method: 'POST' });

    expect(deleted).toMatchObject({
      conversation: null,
      list: [{ id: 'conversation-2' }],
      found: [{ id: 'conversation-2' }],
    });
    expect(restored).toEqual(before);
    expect([unknown.status, tooLate.status]).toEqual([404, 404]);
  });
});

describe('the cost', () => {
  const prices = { 'gpt-5': { input: 1, cachedInput: 0.1, output: 10 } };

  it('counts cached tokens at their price and all versions of a response', async () => {
    const { emulator, playground } = await withEndpoint();
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 400 },
      output_tokens: 100,
      total_tokens: 1100,
    };
    emulator.enqueue({ output: [{ text: 'One' }], usage }, { output: [{ text: 'Two' }], usage });
    const { request, ended } = await playground.begin('Hello');
    await ended();
    const again = { ...request, responseId: crypto.randomUUID(), parentId: request.message?.id ?? null };
    const channel = await playground.watch();
    await playground.call('/api/turns', { method: 'POST', body: { ...again, message: undefined } });
    await channel.until(event => event.type === 'turn-ended' || undefined);
    const { status } = await playground.call('/api/state/prices', { method: 'PUT', body: prices });
    const { usages, threads } = await read(playground);

    expect(status).toBe(200);
    expect(threads.main).toHaveLength(2);
    expect(usages).toHaveLength(2);
    expect(toCost(usages, prices)).toEqual({
      amount: expect.closeTo((2 * (600 * 1 + 400 * 0.1 + 100 * 10)) / 1e6, 10),
      isPartial: false,
      unknown: 0,
    });
    expect(toCost(usages, {})).toEqual({ amount: 0, isPartial: false, unknown: 2 });
  });

  it.each([{ input: 1, output: 2 }, { input: 1, cachedInput: -1, output: 2 }, 'free'])(
    'rejects %j as a price, because an unknown price is not 0',
    async price => {
      const { call } = await openPlayground();
      const { status } = await call('/api/state/prices', { method: 'PUT', body: { 'gpt-5': price } });

      expect(status).toBe(400);
      expect((await call('/api/state')).json).toMatchObject({ prices: listPrices });
    },
  );
});

describe('a comparison', () => {
  it('runs each side with its provider and model, and later turns of a side with theirs', async () => {
    const { emulator, playground } = await withEndpoint();
    const sides = { left: 'gpt-5', right: 'gpt-5-mini' } as const;
    for (const [thread, modelId] of Object.entries(sides))
      await playground.ask('Hello', {
        thread: thread as keyof typeof sides,
        side: { flag: 'kelivo', modelId },
      });
    const conversation = await read(playground);
    const start = (thread: keyof typeof sides) => readTurn(conversation, { thread }).trace;

    expect(emulator.requests.map(({ body }) => (body as { model?: string }).model)).toEqual(
      Object.values(sides),
    );
    expect(start('left')).toMatchObject({ flag: 'kelivo', modelId: 'gpt-5' });
    expect(start('right')).toMatchObject({ flag: 'kelivo', modelId: 'gpt-5-mini' });
  });
});

describe('the end of a turn', () => {
  it('reaches pages with the stored response, and not before', async () => {
    const playground = await openPlayground();
    const { request, channel, ended } = await playground.begin('Hello');
    await channel.until(event =>
      event.type === 'turn-ended' && event.responseId === request.responseId ? event : undefined,
    );
    const batches = channel.events.flatMap(event => (event.type === 'turn' ? event.turn.events : []));
    const stored = channel.events.findLast(event => event.type === 'conversation');
    await ended();

    expect(batches.map(({ type }) => type)).not.toContain('turn-end');
    expect(readTurn(stored?.conversation as Conversation)).toMatchObject({
      text: 'You said: Hello',
      trace: { end: { end: 'finished' } },
    });
  });
});
