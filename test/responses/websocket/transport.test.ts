import { getEventListeners } from 'node:events';
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { RequestLogEntry } from '../../../src/core/http/request-log.js';
import { createKelivoResponsesProvider, type KelivoResponsesSettings } from '../../../src/index.js';
import { createWebSocketTransport } from '../../../src/responses/websocket/transport.js';
import type { EmulatorRequest, ResponsesEmulator } from '../../../src/testing/index.js';
import {
  type Received,
  sendEvents,
  sendText,
  serveWebSocket,
  toTextEvents,
} from '../../_websocket-server.js';
import { collect } from '../../_parts.js';
import type { MultiApiEmulatorOptions } from '../../_emulators/start-emulator.js';
import { startEmulator } from '../../testing/_emulator.js';

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
const count = [{ call: 'count', arguments: {} }];

/** Starts an emulator and a provider with the tool `count`. */
async function setUp({
  emulator: options,
  ...settings
}: KelivoResponsesSettings & { emulator?: MultiApiEmulatorOptions } = {}) {
  const emulator = await startEmulator(options);
  let runs = 0;
  const provider = createProvider(emulator, {
    tools: {
      count: tool({ inputSchema: z.object({}).loose(), execute: async () => `count ${++runs}` }),
    },
    ...settings,
  });
  return { emulator, provider };
}

function createProvider({ baseURL }: { baseURL: string }, settings: KelivoResponsesSettings = {}) {
  const provider = createKelivoResponsesProvider({
    baseURL,
    apiKey: 'sk-test-12345',
    transport: 'websocket',
    toolLoop: { retry: { initialDelay: 1 } },
    ...settings,
  });
  onTestFinished(() => provider.close());
  return provider;
}

interface Frame {
  readonly input: readonly { type?: string; role?: string }[];
  readonly previous_response_id?: string;
  readonly stream_id?: string;
}

/** Responds with the id of the lane, if the request has one. */
const respondOnLane = ({ socket, body: { stream_id: id } }: Received): void =>
  sendEvents(
    socket,
    toTextEvents('over a WebSocket').map(event => (id === undefined ? event : { ...event, stream_id: id })),
  );

const bodyOf = ({ body }: EmulatorRequest): Frame => body as Frame;

/** Describes each request: its connection, the types of its items, and whether it continues a response. */
const describeRequests = ({ requests }: ResponsesEmulator): string[] =>
  requests.map(request => {
    const { input, previous_response_id: previous } = bodyOf(request);
    const place = request.connection === undefined ? request.method : `#${request.connection}`;
    const items = input.map(({ type, role }) => (role === 'user' ? role : type)).join(' ');
    return `${place}${previous === undefined ? '' : ' continues'}: ${items}`;
  });

describe('rounds', () => {
  it('send only new items on one connection', async () => {
    const { emulator, provider } = await setUp();
    emulator.enqueue([{ reasoning: 'First.' }, ...count, ...count], count, [{ text: 'Done.' }]);
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Count.' });
    expect(text).toBe('Done.');
    expect(describeRequests(emulator)).toEqual([
      '#1: user',
      '#1 continues: function_call_output function_call_output',
      '#1 continues: function_call_output',
    ]);
    expect(emulator.requests.map(request => 'stream' in bodyOf(request))).toEqual([false, false, false]);
  });

  it('send bytes that grow linearly, at most a fifth of those over HTTP in 20 rounds', async () => {
    const output = 'x'.repeat(20_000);
    const sizes = await Promise.all(
      (['http', 'websocket'] as const).map(async transport => {
        let runs = 0;
        const { emulator, provider } = await setUp({
          transport,
          tools: { count: tool({ inputSchema: z.object({}), execute: async () => `${++runs}${output}` }) },
          toolLoop: { maxRounds: 30 },
        });
        emulator.enqueue(...Array.from({ length: 20 }, () => count), [{ text: 'Done.' }]);
        await collect((await provider('gpt-5').doStream({ prompt })).stream);
        return emulator.requests.map(({ bodyLength }) => bodyLength);
      }),
    );
    const [http = [], frames = []] = sizes;
    expect(frames.length).toBe(21);
    expect(Math.max(...frames.slice(1)) - Math.min(...frames.slice(1))).toBeLessThan(100);
    expect(sum(frames)).toBeLessThanOrEqual(sum(http) / 5);
  });

  it('send the complete input after a change of other fields', async () => {
    const { emulator, provider } = await setUp({ toolLoop: { maxRounds: 2 } });
    emulator.enqueue(count, [{ text: 'Done.' }]);
    await generateText({ model: provider('gpt-5'), prompt: 'Count.' });
    // Calls are forbidden in the last round.
    expect(describeRequests(emulator)).toEqual(['#1: user', '#1: user function_call function_call_output']);
  });

  it.each(['gpt-5', 'qwen3-coder-30b'])('emit the same parts as over HTTP (%s)', async modelId => {
    const turns = await Promise.all(
      (['http', 'websocket'] as const).map(async transport => {
        const { emulator, provider } = await setUp({
          transport,
          emulator: { toolCallFormat: id => (id.startsWith('qwen') ? 'qwen-xml' : undefined) as never },
        });
        emulator.enqueue(
          [{ reasoning: ['One.', 'Two.'] }, { text: 'I count.' }, { call: 'count', callId: 'call_1' }],
          [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }, { text: 'Done.' }],
        );
        return collect((await provider(modelId).doStream({ prompt })).stream);
      }),
    );
    const [http, frames] = turns.map(parts =>
      parts.map(({ type, ...part }) => [
        type,
        'delta' in part ? part.delta : 'toolName' in part ? part.toolName : undefined,
      ]),
    );
    expect(frames).toEqual(http);
    expect(frames?.length).toBeGreaterThan(8);
  });
});

describe('conversations', () => {
  it('continue over several turns of a host, and start again when their history was edited', async () => {
    const { emulator, provider } = await setUp();
    const tools = await provider.tools();
    const messages: ModelMessage[] = [];
    const ask = async (content: string) => {
      messages.push({ role: 'user', content });
      const { response } = await generateText({ model: provider('gpt-5'), messages, tools });
      messages.push(...response.messages);
    };
    emulator.enqueue(
      [{ reasoning: 'Hm.' }, ...count],
      [{ text: 'One.' }],
      [{ text: 'Two.' }],
      [{ text: 'Three.' }],
    );
    await ask('Count.');
    await ask('Again.');
    messages[0] = { role: 'user', content: 'Count slowly.' };
    await ask('And again.');
    expect(describeRequests(emulator)).toEqual([
      '#1: user',
      '#1 continues: function_call_output',
      '#1 continues: user',
      expect.stringMatching(/^#1: user reasoning function_call function_call_output .* user$/),
    ]);
  });

  it('chain the steps of a host that runs the tools itself', async () => {
    const { emulator, provider } = await setUp({ toolLoop: false, tools: undefined });
    emulator.enqueue([{ reasoning: 'Hm.' }, ...count], [{ text: 'Done.' }]);
    const own = tool({ inputSchema: z.object({}), execute: async () => 1 });
    const result = streamText({
      model: provider('gpt-5'),
      prompt: 'Count.',
      tools: { count: own },
      stopWhen: stepCountIs(3),
    });
    expect(await result.text).toBe('Done.');
    expect(describeRequests(emulator)).toEqual(['#1: user', '#1 continues: function_call_output']);
  });

  it('are continued with well-formed JSON, as over HTTP', async () => {
    const { emulator, provider } = await setUp({ toolLoop: false, tools: undefined });
    emulator.enqueue(count, [{ text: 'Done.' }]);
    const execute = async () => '\ud83d cut';
    const result = streamText({
      model: provider('gpt-5'),
      prompt: 'Count.',
      tools: { count: tool({ inputSchema: z.object({}), execute }) },
      stopWhen: stepCountIs(3),
    });
    expect(await result.text).toBe('Done.');
    expect(describeRequests(emulator)[1]).toBe('#1 continues: function_call_output');
    expect(emulator.requests[1]?.body).toMatchObject({ input: [{ output: '\ufffd cut' }] });
  });

  it('name a value that JSON cannot represent, and are not retried', async () => {
    const { emulator, provider } = await setUp({ toolLoop: false, tools: undefined });
    const model = provider('gpt-5');
    emulator.enqueue([{ text: 'Hello.' }]);
    const { content } = await model.doGenerate({ prompt });
    const answer = content.flatMap(part =>
      part.type === 'text' ? [{ ...part, providerOptions: part.providerMetadata }] : [],
    );
    const next = model.doGenerate({
      prompt: [
        ...prompt,
        { role: 'assistant', content: answer },
        {
          role: 'user',
          content: [
            {
              ...{ type: 'text', text: 'And?' },
              providerOptions: { openai: { promptCacheBreakpoint: { size: 1n } as never } },
            },
          ],
        },
      ],
    });
    await expect(next).rejects.toMatchObject({
      message: expect.stringContaining('that JSON can represent'),
      isRetryable: false,
    });
    expect(emulator.requests).toHaveLength(1);
  });

  it('go on after an approval by the host', async () => {
    const { emulator, provider } = await setUp({
      toolLoop: { approvals: 'always', approve: async () => true },
    });
    emulator.enqueue(count, [{ text: 'Done.' }]);
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Count.' });
    expect(text).toBe('Done.');
    expect(describeRequests(emulator)).toEqual(['#1: user', '#1 continues: function_call_output']);
  });
});

describe('several turns at once', () => {
  it.each([
    { multiplex: false, connections: 2, streams: [undefined] },
    { multiplex: true, connections: 1, streams: [undefined, 'lane-1'] },
  ])('run without mixing (multiplex: $multiplex)', async ({ multiplex, connections, streams }) => {
    const { emulator, provider } = await setUp({ transport: 'websocket', webSocket: { multiplex } });
    const ask = async (prompt: string) => {
      const { text } = await generateText({ model: provider('gpt-5'), prompt });
      return text;
    };
    // Text that the emulator's model repeats.
    const [one, two] = await Promise.all([ask('Say "one".'), ask('Say "two".')]);
    expect([one, two]).toEqual([expect.stringContaining('one'), expect.stringContaining('two')]);
    expect(new Set(emulator.requests.map(({ connection }) => connection)).size).toBe(connections);
    expect([...new Set(emulator.requests.map(request => bodyOf(request).stream_id))].sort()).toEqual(
      [...streams].sort(),
    );
  });

  it('keep the connection of a turn while its tool runs', async () => {
    let release = (): void => {};
    const isReleased = new Promise<void>(resolve => {
      release = resolve;
    });
    const { emulator, provider } = await setUp({
      tools: { count: tool({ inputSchema: z.object({}), execute: () => isReleased.then(() => 1) }) },
    });
    emulator.enqueue(count, [{ text: 'Other.' }], [{ text: 'Done.' }]);
    const first = generateText({ model: provider('gpt-5'), prompt: 'Count.' });
    await until(() => emulator.requests.length === 1);
    await generateText({ model: provider('gpt-5'), prompt: 'Something else.' });
    release();
    expect((await first).text).toBe('Done.');
    expect(describeRequests(emulator)).toEqual([
      '#1: user',
      '#2: user',
      '#1 continues: function_call_output',
    ]);
  });

  it('complete when more of them run than one connection accepts', async () => {
    const { emulator, provider } = await setUp({ transport: 'websocket', webSocket: { multiplex: true } });
    const model = provider('gpt-5');
    const turns = Array.from({ length: 40 }, (_, turn) => generateText({ model, prompt: `Say "${turn}".` }));
    const texts = (await Promise.all(turns)).map(({ text }) => text);
    expect(texts).toEqual(texts.map((_, turn) => expect.stringContaining(`"${turn}"`)));
    const connections = emulator.requests.map(({ connection }) => connection);
    expect([1, 2, 3].map(number => connections.filter(other => other === number).length)).toEqual([
      16, 16, 8,
    ]);
  });

  it('complete when tools of more of them run than a connection has lanes', async () => {
    let release = (): void => {};
    const isReleased = new Promise<void>(resolve => {
      release = resolve;
    });
    let waiting = 0;
    const execute = () => {
      waiting++;
      return isReleased.then(() => 1);
    };
    const { emulator, provider } = await setUp({
      transport: 'websocket',
      webSocket: { multiplex: true },
      tools: { count: tool({ inputSchema: z.object({}), execute }) },
    });
    emulator.enqueue(...Array.from({ length: 40 }, () => count));
    const turns: Promise<{ text: string }>[] = [];
    for (let turn = 1; turn <= 40; turn++) {
      turns.push(generateText({ model: provider('gpt-5'), prompt: 'Count.', maxRetries: 0 }));
      await until(() => waiting === turn);
    }
    emulator.enqueue(...Array.from({ length: 40 }, () => [{ text: 'Done.' }]));
    release();
    const texts = (await Promise.all(turns)).map(({ text }) => text);
    expect(new Set(texts)).toEqual(new Set(['Done.']));
    // The lane without a name and 32 others.
    const first = emulator.requests.slice(0, 40).map(({ connection }) => connection);
    expect(first).toEqual([...Array.from({ length: 33 }, () => 1), ...Array.from({ length: 7 }, () => 2)]);
    expect(emulator.requests.slice(40).every(request => 'previous_response_id' in bodyOf(request))).toBe(
      true,
    );
    expect(emulator.requests).toHaveLength(80);
  });

  it('leave the others on a shared connection alone when one is aborted', async () => {
    const { emulator, provider } = await setUp({ transport: 'websocket', webSocket: { multiplex: true } });
    emulator.enqueue({ fault: 'stall', after: 6, output: [{ text: 'one two three four' }] }, [
      { text: 'Done.' },
    ]);
    const abort = new AbortController();
    const model = provider.responses('gpt-5');
    const { stream } = await model.doStream({ prompt, abortSignal: abort.signal });
    const second = model.doGenerate({ prompt });
    await until(() => emulator.requests.length === 2);
    abort.abort(new Error('stopped'));
    await expect(collect(stream)).rejects.toThrow('stopped');
    expect((await second).content).toMatchObject([{ type: 'text', text: 'Done.' }]);
    await until(() => emulator.requests[0]?.aborted === true);
    emulator.enqueue([{ text: 'New.' }]);
    await model.doGenerate({ prompt });
    expect(emulator.requests.map(({ connection }) => connection)).toEqual([1, 1, 2]);
  });
});

describe('aborts', () => {
  it('close the connection in mid-round, and leave no listeners', async () => {
    const { emulator, provider } = await setUp();
    emulator.enqueue(count, { fault: 'stall', after: 6, output: [{ text: 'one two three four' }] });
    const abort = new AbortController();
    const { stream } = await provider('gpt-5').doStream({ prompt, abortSignal: abort.signal });
    const reading = collect(stream);
    await until(() => emulator.requests.length === 2);
    abort.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
    await until(() => emulator.requests[1]?.aborted === true);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    emulator.enqueue([{ text: 'New.' }]);
    await generateText({ model: provider('gpt-5'), prompt: 'Count.' });
    expect(emulator.requests.at(-1)?.connection).toBe(2);
  });

  it('end the wait for a handshake', async () => {
    const server = await serveWebSocket({ refuse: () => true });
    const abort = new AbortController();
    const asked = generateText({
      model: createProvider(server)('gpt-5'),
      prompt: 'Hi',
      abortSignal: abort.signal,
      maxRetries: 0,
    });
    asked.catch(() => {});
    await until(() => server.upgrades.length === 1);
    abort.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
    expect(server.posts).toEqual([]);
  });
});

describe('lost responses and limits', () => {
  it('send the complete input once after `previous_response_not_found`', async () => {
    let requests = 0;
    const server = await serveWebSocket({
      respond(received) {
        if (++requests !== 2) return sendText(received);
        const error = {
          code: 'previous_response_not_found',
          message: 'Not found.',
          type: 'invalid_request_error',
        };
        return sendEvents(received.socket, [{ type: 'error', status: 400, error }]);
      },
    });
    const model = createProvider(server)('gpt-5');
    const first = await generateText({ model, prompt: 'Hi' });
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hi' },
      ...first.response.messages,
      { role: 'user', content: 'Go on.' },
    ];
    await generateText({ model, messages, maxRetries: 0 });
    expect(
      server.frames.map(({ body }) => [body.previous_response_id !== undefined, lengthOf(body)]),
    ).toEqual([
      [false, 1],
      [true, 1],
      [false, 3],
    ]);
    expect(server.frames.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  it('report `previous_response_not_found` for an id of the caller', async () => {
    const { emulator, provider } = await setUp();
    const options = { kelivo: { previousResponseId: 'resp_unknown' } };
    await expect(
      generateText({ model: provider('gpt-5'), prompt: 'Hi', providerOptions: options, maxRetries: 0 }),
    ).rejects.toThrow("Previous response with id 'resp_unknown' not found.");
    expect(emulator.requests.length).toBe(1);
  });

  it('continue on a new connection at the limit of a connection', async () => {
    const { emulator, provider } = await setUp();
    const message =
      'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.';
    const error = {
      message,
      type: 'invalid_request_error',
      param: null,
      code: 'websocket_connection_limit_reached',
    };
    emulator.enqueue(count, count, { status: 400, body: { error } }, [{ text: 'Done.' }]);
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Count.', maxRetries: 0 });
    expect(text).toBe('Done.');
    expect(describeRequests(emulator)).toEqual([
      '#1: user',
      '#1 continues: function_call_output',
      '#1 continues: function_call_output',
      '#2: user function_call function_call_output function_call function_call_output',
    ]);
  });

  it('send the complete input on a new connection if the server closes it between rounds or upon a request', async () => {
    const { emulator, provider } = await setUp();
    emulator.enqueue([{ text: 'One.' }], { fault: 'cut', after: 0, output: [] }, [{ text: 'Two.' }]);
    const first = await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hi' },
      ...first.response.messages,
      { role: 'user', content: 'Go on.' },
    ];
    const { text } = await generateText({ model: provider('gpt-5'), messages, maxRetries: 0 });
    expect(text).toBe('Two.');
    expect(describeRequests(emulator)).toEqual(['#1: user', '#1 continues: user', '#2: user message user']);
  });

  it('do not take a late frame for the next response', async () => {
    const server = await serveWebSocket({
      respond(received) {
        sendText(received);
        sendEvents(received.socket, toTextEvents('late').slice(0, 1));
      },
    });
    const model = createProvider(server)('gpt-5');
    await generateText({ model, prompt: 'Hi' });
    await until(() => server.sockets.size === 0);
    expect((await generateText({ model, prompt: 'Hi' })).text).toBe('over a WebSocket');
    expect(server.frames.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  it.each([
    { code: 'websocket_stream_limit_reached', requests: 2, resent: 1 },
    { code: 'websocket_stream_limit_reached', requests: 3, resent: 3 },
  ])(
    'end no request without a response when $code names none of $requests requests',
    async ({ code, requests, resent }) => {
      const held: Received[] = [];
      const server = await serveWebSocket({
        respond(received) {
          const { body, connection, socket } = received;
          if (connection > 1 || server.frames.length === 1) return respondOnLane(received);
          held.push(received);
          if (held.length < requests) return undefined;
          const error = { type: 'invalid_request_error', code, message: 'Limit.' };
          sendEvents(socket, [{ type: 'error', status: 400, error }]);
          const first = held.find(({ body: { stream_id: id } }) => id === undefined);
          if (requests === 2 && first !== undefined && body.stream_id !== undefined) respondOnLane(first);
          return undefined;
        },
      });
      const model = createProvider(server, { transport: 'websocket', webSocket: { multiplex: true } })(
        'gpt-5',
      );
      const ask = () => generateText({ model, prompt: 'Hi', maxRetries: 0 });
      await ask();
      const results = await Promise.allSettled(Array.from({ length: requests }, ask));
      expect(results.map(result => result.status === 'fulfilled' && result.value.text)).toEqual(
        Array.from({ length: requests }, () => 'over a WebSocket'),
      );
      expect(server.frames.filter(({ connection }) => connection > 1)).toHaveLength(resent);
    },
  );

  it('ignore what the server still sends for one that was aborted', async () => {
    const held: Received[] = [];
    const server = await serveWebSocket({ respond: received => void held.push(received) });
    const model = createProvider(server, { transport: 'websocket', webSocket: { multiplex: true } })('gpt-5');
    const abort = new AbortController();
    const aborted = generateText({ model, prompt: 'Hi', maxRetries: 0, abortSignal: abort.signal });
    await until(() => held.length === 1);
    const other = generateText({ model, prompt: 'Hi', maxRetries: 0 });
    await until(() => held.length === 2);
    abort.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
    // The first one has the lane without an id.
    for (const received of held) respondOnLane(received);
    expect((await other).text).toBe('over a WebSocket');
    expect(server.frames.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  it('end when responses of several requests arrive without the ids of their lanes', async () => {
    const held: Received[] = [];
    const server = await serveWebSocket({
      respond(received) {
        if (received.connection > 1 || server.frames.length === 1) return respondOnLane(received);
        held.push(received);
        if (held.length < 2) return undefined;
        const [one, two] = [toTextEvents('one'), toTextEvents('two')];
        return sendEvents(
          received.socket,
          one.flatMap((event, index) => [event, two[index] ?? {}]),
        );
      },
    });
    const model = createProvider(server, { transport: 'websocket', webSocket: { multiplex: true } })('gpt-5');
    const ask = () => generateText({ model, prompt: 'Hi', maxRetries: 0 });
    await ask();
    const [first, second] = await Promise.allSettled([ask(), ask()]);
    expect(first).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('expected frames of the response') },
    });
    expect(second).toMatchObject({ status: 'fulfilled', value: { text: 'over a WebSocket' } });
    await until(() => server.sockets.size === 1);
  });

  it('are rejected by the emulator with the ids of their lanes', async () => {
    const emulator = await startEmulator();
    const socket = new WebSocket(`${emulator.baseURL.replace('http', 'ws')}/responses`, {
      headers: { authorization: 'Bearer sk-test-12345' },
    });
    onTestFinished(() => socket.terminate());
    const errors: unknown[] = [];
    socket.on('message', data => {
      const frame = JSON.parse(String(data));
      if (frame.type === 'error') errors.push([frame.error.code, frame.stream_id]);
    });
    await new Promise(resolve => socket.once('open', resolve));
    for (let lane = 1; lane <= 33; lane++) {
      const body = { model: 'gpt-5', input: 'Hi', store: false, stream_id: `lane-${lane}` };
      socket.send(JSON.stringify({ type: 'response.create', ...body }));
    }
    await until(() => errors.length > 0);
    expect(errors).toEqual([['websocket_stream_limit_reached', 'lane-33']]);
  });

  it('end a response when the server does not answer pings', async () => {
    const server = await serveWebSocket({ respond: () => {}, server: { autoPong: false } });
    const transport = createWebSocketTransport({ pingInterval: 10 }, (_request, send) => send());
    onTestFinished(() => transport.close());
    const opening = transport.open({
      url: `${server.baseURL}/responses`,
      headers: [],
      body: { model: 'm', input: [], store: false },
      fetch,
      call: {},
      warn() {},
      timeouts: {},
    });
    await expect(opening).rejects.toThrow('does not answer pings');
  });
});

describe('keys', () => {
  it('are rotated after a refused upgrade and after a refused request', async () => {
    const { emulator, provider } = await setUp({
      emulator: { apiKey: ['sk-second', 'sk-third'] },
      apiKey: ['sk-first-wrong', 'sk-second', 'sk-third'],
    });
    emulator.enqueue({ status: 429, retryAfter: 60 }, [{ text: 'Done.' }]);
    const { text } = await generateText({ model: provider('gpt-5'), prompt: 'Hi', maxRetries: 0 });
    expect(text).toBe('Done.');
    expect(emulator.requests.map(({ apiKeyIndex }) => apiKeyIndex)).toEqual([0, 1]);
  });

  it('do not appear in the log', async () => {
    const entries: RequestLogEntry[] = [];
    const { provider } = await setUp({ logger: entry => entries.push(entry) });
    await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(entries.map(({ phase, method, status }) => [phase, method, status])).toEqual([
      ['request', 'response.create', undefined],
      ['response', 'response.create', 200],
    ]);
    expect(entries[0]).toMatchObject({ url: expect.stringMatching(/^ws:/), round: 1 });
    expect(JSON.stringify(entries)).not.toContain('sk-test-12345');
  });
});

describe('HTTP', () => {
  it('replaces refused WebSockets with one warning, until the provider is closed', async () => {
    const server = await serveWebSocket({
      refuse(socket) {
        socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
        return true;
      },
    });
    const provider = createProvider(server);
    const ask = () => generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    const first = await ask();
    const upgrades = server.upgrades.length;
    const second = await ask();
    expect([first.text, second.text]).toEqual(['over HTTP', 'over HTTP']);
    expect(first.warnings).toEqual([
      { type: 'other', message: expect.stringContaining('refused the WebSocket with status 404') },
    ]);
    expect(second.warnings).toEqual([]);
    expect(server.upgrades.length).toBe(upgrades);
    await provider.close();
    await ask();
    expect(server.upgrades.length).toBeGreaterThan(upgrades);
  });

  it('replaces a client that cannot send headers', async () => {
    const server = await serveWebSocket({});
    const provider = createProvider(server, {
      transport: 'websocket',
      webSocket: {
        WebSocket: class {
          constructor() {
            throw new SyntaxError('Invalid protocol');
          }
        },
      },
    });
    const { text, warnings } = await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect([text, server.upgrades.length]).toEqual(['over HTTP', 0]);
    expect(JSON.stringify(warnings)).toContain('install the package `ws`');
  });

  it('is used for models that are excepted and for responses in background mode', async () => {
    const { emulator, provider } = await setUp({ models: { 'gpt-4*': { transport: 'http' } } });
    await generateText({ model: provider('gpt-4.1'), prompt: 'Hi' });
    const options = { kelivo: { background: true, store: true } };
    await generateText({ model: provider('gpt-5'), prompt: 'Hi', providerOptions: options });
    expect(emulator.requests.every(({ method }) => method !== 'response.create')).toBe(true);
  });
});

describe('connections', () => {
  it('are opened by the client of the settings', async () => {
    const server = await serveWebSocket({});
    const addresses: string[] = [];
    class Client extends WebSocket {
      constructor(url: string, options: object) {
        super(url, options);
        addresses.push(url);
      }
    }
    const provider = createProvider(server, { transport: 'websocket', webSocket: { WebSocket: Client } });
    expect((await generateText({ model: provider('gpt-5'), prompt: 'Hi' })).text).toBe('over a WebSocket');
    expect(addresses).toEqual([`${server.baseURL.replace('http', 'ws')}/responses`]);
  });

  it('work with a client of the platform', async () => {
    const server = await serveWebSocket({});
    /** Has only the members of the standard. */
    class Client {
      readonly #client: WebSocket;
      constructor(url: string, { headers }: { headers: Record<string, string> }) {
        this.#client = new WebSocket(url, { headers });
      }
      send(text: string) {
        this.#client.send(text);
      }
      close() {
        this.#client.close();
      }
      addEventListener(type: 'message', listener: (event: object) => void) {
        this.#client.addEventListener(type, listener as never);
      }
    }
    const provider = createProvider(server, { transport: 'websocket', webSocket: { WebSocket: Client } });
    expect((await generateText({ model: provider('gpt-5'), prompt: 'Hi' })).text).toBe('over a WebSocket');
    expect(server.upgrades[0]?.headers.authorization).toBe('Bearer sk-test-12345');
  });

  it('are closed after their idle time and by the provider', async () => {
    const server = await serveWebSocket({});
    const brief = createProvider(server, { transport: 'websocket', webSocket: { keepAlive: 1 } });
    await generateText({ model: brief('gpt-5'), prompt: 'Hi' });
    await until(() => server.sockets.size === 0);
    const provider = createProvider(server);
    await generateText({ model: provider('gpt-5'), prompt: 'Hi' });
    expect(server.sockets.size).toBe(1);
    await provider.close();
    await until(() => server.sockets.size === 0);
  });

  it('are replaced before the age at which the API closes them', async () => {
    // Only the clock: the sockets need the other timers.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await serveWebSocket({});
    const model = createProvider(server)('gpt-5');
    const messages: ModelMessage[] = [];
    const ask = async () => {
      messages.push({ role: 'user', content: 'Hi' });
      messages.push(...(await generateText({ model, messages })).response.messages);
    };
    await ask();
    vi.advanceTimersByTime(50 * 60_000);
    await ask();
    vi.advanceTimersByTime(10 * 60_000);
    await ask();
    expect(
      server.frames.map(({ connection, body }) => [
        connection,
        lengthOf(body),
        'previous_response_id' in body,
      ]),
    ).toEqual([
      [1, 1, false],
      [1, 1, true],
      [2, 5, false],
    ]);
    await until(() => server.sockets.size === 1);
  });

  it('are opened before the request is built', async () => {
    const server = await serveWebSocket({});
    const provider = createProvider(server);
    // An invalid option is found while the request is built.
    const options = { kelivo: { reasoningEffort: 1 } };
    await expect(
      generateText({ model: provider('gpt-5'), prompt: 'Hi', providerOptions: options, maxRetries: 0 }),
    ).rejects.toThrow('reasoningEffort');
    await until(() => server.upgrades.length === 1);
  });
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const lengthOf = ({ input }: Record<string, unknown>): number => (Array.isArray(input) ? input.length : 0);

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise(resolve => setTimeout(resolve, 2));
}
