import { expect, it } from 'vitest';
import type { TraceSummary } from '../../../playground/shared/trace-summary.js';
import { openPlayground, type TestPlayground } from './_playground.js';
import { secrets, secretTexts } from './_secrets.js';

const all = secretTexts.join(' and ');

/** Divides the text of all secrets, so that none of them is whole. */
const divide = <Made>(make: (piece: string) => Made): Made[] => (all.match(/[^]{1,7}/g) ?? []).map(make);

const part = (type: string, more: object) => ({
  ...{ type: 'part', call: 1, at: 1 },
  part: { type, ...more },
});
const raw = (rawValue: object) => part('raw', { rawValue });
const toText = (text: string) => ({ type: 'text', text });

const stop = { finishReason: 'stop', usage: {} };
const call = { toolCallId: '1', toolName: 'read', providerExecuted: true };
const callPart = part('tool-call', { ...call, input: '{}' });

/** What an application sends between the start and the end of a call. */
const streams: Readonly<Record<string, readonly object[]>> = {
  'text of parts': divide(delta => part('text-delta', { id: '1', delta })),
  'text with an id per delta': divide(delta => part('text-delta', { id: crypto.randomUUID(), delta })),
  reasoning: divide(delta => part('reasoning-delta', { id: '1', delta })),
  'arguments of a call': [
    part('tool-input-start', { id: '1', toolName: 'read', providerExecuted: true }),
    ...divide(piece => part('tool-input-delta', { id: '1', delta: JSON.stringify(piece).slice(1, -1) })),
    part('tool-input-end', { id: '1' }),
  ],
  'a result in parts': [callPart, part('tool-result', { ...call, result: { content: divide(toText) } })],
  'a result with names': [
    callPart,
    part('tool-result', { ...call, result: Object.fromEntries(secretTexts.map(text => [text, { text }])) }),
  ],
  'events of the Responses API': divide(delta =>
    raw({ type: 'response.output_text.delta', item_id: '1', content_index: 0, delta }),
  ),
  'events of chat completions': divide(content => raw({ choices: [{ delta: { content } }] })),
  'thinking of Claude': divide(thinking =>
    raw({ type: 'content_block_delta', index: 0, delta: { thinking } }),
  ),
  'thinking of Ollama': divide(thinking => raw({ message: { role: 'assistant', thinking } })),
  'texts of Gemini': divide(text => raw({ candidates: [{ content: { parts: [{ text }] } }] })),
  'a warning and an error': [
    part('stream-start', { warnings: [{ type: 'other', message: all }] }),
    part('error', { error: { message: all } }),
  ],
};

/** How a call ends, or what it begins with. */
const calls: Readonly<Record<string, { start?: object; end?: object }>> = {
  'a prompt in parts': { start: { prompt: [{ role: 'user', content: divide(toText) }] } },
  'tools and settings': {
    start: {
      tools: [{ type: 'function', name: 'x', description: all, inputSchema: { properties: { [all]: {} } } }],
      settings: { headers: { 'x-more': all } },
      provider: all,
    },
  },
  'a result that was not streamed': {
    end: { result: { content: divide(toText), ...stop }, response: { headers: { 'x-more': all } } },
  },
  'a rejected request': {
    end: {
      error: {
        ...{ message: all, statusCode: 422, url: `http://127.0.0.1/?a=${encodeURIComponent(all)}` },
        ...{ responseBody: JSON.stringify({ error: all }), responseHeaders: { 'x-more': all } },
        requestBodyValues: { input: divide(toText) },
      },
    },
  },
};

async function openReceiver() {
  const environment = { OPENAI_API_KEY: secrets.typed.join('') };
  const playground = await openPlayground({ environment });
  const token = new URL(playground.appUrl).pathname.split('/').at(-1) ?? '';
  const send = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    expect((await fetch(playground.url + path, init)).status).toBe(200);
  };
  return { playground, send };
}

/** Returns everything that a page shows and exports of the newest turn, each followed by its strings with the same name. */
async function readEverything({ call: read }: TestPlayground): Promise<readonly string[]> {
  const [turn] = (await read('/api/traces')).json as readonly TraceSummary[];
  const trace = `/api/traces/${turn?.messageId}`;
  const chat = `/api/conversations/${turn?.conversationId}`;
  const exports = [`${trace}/otlp`, `${trace}/test`, chat, `${chat}/export`, `${chat}/fixture`];
  const texts = await Promise.all(
    ['/api/traces', trace, ...exports].map(async path => (await read(path)).text),
  );
  return texts.map(text => {
    const byName = new Map<string, string>();
    // Also in JSON that is a string of JSON.
    for (const [, name = '', value = ''] of text.matchAll(/"([\w-]+)\\*":\s*\\*"((?:[^"\\]|\\\\*[^"])*)/g))
      byName.set(name, (byName.get(name) ?? '') + value);
    return [text, ...byName.values()].join('\n');
  });
}

const findLeaks = (texts: readonly string[]): readonly string[] =>
  secretTexts.filter(secret =>
    texts.some(text => text.includes(secret) || text.includes(secret.slice(4, 20))),
  );

it.each([...Object.keys(streams), ...Object.keys(calls)])(
  'shows and exports no secret that an application sent as %s',
  async name => {
    const { playground, send } = await openReceiver();
    const app = { id: '1', name: `app ${secrets.github.join('')}` };
    const { start, end } = calls[name] ?? {};
    const settings = {
      includeRawChunks: (streams[name] ?? []).some(one => JSON.stringify(one).includes('"raw"')),
    };
    const messages = [
      { type: 'call-start', call: 1, at: 1, modelId: 'm', prompt: 'Hello', settings, ...start },
      ...(streams[name] ?? []),
    ];
    await send('/v1/devtools', { app, lost: 0, messages });
    const running = await readEverything(playground);
    const ending = [part('finish', stop), { type: 'call-end', call: 1, at: 2, ...end }];
    await send('/v1/devtools', { app, lost: 0, messages: ending });
    const ended = await readEverything(playground);

    expect(findLeaks(running)).toEqual([]);
    expect(findLeaks(ended)).toEqual([]);
    expect(ended[1]).toContain('[redacted]');
    expect(ended[1]).toContain('"turn-end"');
  },
);

it('shows and exports no secret of a span: names, messages, arguments, results and errors', async () => {
  const { playground, send } = await openReceiver();
  const text = (key: string, value: unknown) => ({
    key,
    value: { stringValue: typeof value === 'string' ? value : JSON.stringify(value) },
  });
  const toSpan = (id: string, attributes: object[]) => ({
    ...{ traceId: 'a'.repeat(32), spanId: id.repeat(16), name: `chat ${all}`, attributes },
    ...{ startTimeUnixNano: '1900000000000000000', endTimeUnixNano: '1900000001000000000' },
    ...(id !== 'b' && { parentSpanId: 'b'.repeat(16) }),
    status: { code: 2, message: all },
  });
  const parts = divide(content => ({ type: 'text', content }));
  const spans = [
    toSpan('b', [text('gen_ai.operation.name', 'invoke_agent')]),
    toSpan('c', [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', `m ${all}`),
      text('gen_ai.provider.name', all),
      text('gen_ai.input.messages', [{ role: 'user', parts: [{ type: 'text', content: all }] }]),
      text('gen_ai.output.messages', [{ role: 'assistant', parts }]),
    ]),
    toSpan('d', [
      text('gen_ai.operation.name', 'execute_tool'),
      text('gen_ai.tool.name', all),
      text('gen_ai.tool.call.arguments', { text: all }),
      text('gen_ai.tool.call.result', all),
    ]),
  ];
  const resource = { attributes: [text('service.name', `shop ${all}`)] };
  await send('/v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
  const running = await readEverything(playground);
  await playground.close();
  const restarted = await openPlayground({
    folder: playground.folder,
    environment: { OPENAI_API_KEY: secrets.typed.join('') },
  });

  expect(findLeaks(running)).toEqual([]);
  expect(findLeaks(await readEverything(restarted))).toEqual([]);
  expect(running[1]).toContain('[redacted]');
});
