import { jsonSchema, stepCountIs, streamText, tool } from 'ai7';
import { expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { everyNth } from '../_products.js';
import { sendEvents, serveWebSocket } from '../_websocket-server.js';
import { createExecutions, cutOnce, cuts, eventsOf, roundOf } from './_cut-rounds.js';

const inputSchema = jsonSchema({ type: 'object', properties: {} });

it.each(everyNth(cuts, 3))(
  'runs each paid call once over a WebSocket that closes: round %i, event %i',
  async (round, cut) => {
    const isCut = cutOnce(round);
    // A request that continues a response contains only what is new.
    const conversations = new Map<unknown, readonly unknown[]>();
    const { baseURL } = await serveWebSocket({
      respond({ socket, body }) {
        const input = [
          ...(conversations.get(body.previous_response_id) ?? []),
          ...(body.input as readonly unknown[]),
        ];
        const requested = roundOf({ input });
        const events = eventsOf(requested);
        const response = events.at(-1)?.response as { id: string; output: readonly unknown[] };
        if (!isCut(requested)) {
          conversations.set(response.id, [...input, ...response.output]);
          sendEvents(socket, events as never);
          return;
        }
        sendEvents(socket, events.slice(0, cut) as never);
        socket.close(1011);
      },
    });
    const executions = createExecutions();
    const provider = createKelivoResponsesProvider({
      baseURL,
      apiKey: 'test-key',
      transport: 'websocket',
      tools: {
        look: { inputSchema, readOnly: true, execute: async () => executions.run('look') },
        pay: { inputSchema, execute: async () => executions.run('pay') },
      },
      toolLoop: { retry: { initialDelay: 0 } },
    });
    onTestFinished(() => provider.close());
    const result = streamText({
      model: provider('gpt-5'),
      prompt: 'Pay twice.',
      streamRetries: 2,
      maxRetries: 2,
      abortSignal: new AbortController().signal,
      stopWhen: stepCountIs(5),
      tools: { ask: tool({ inputSchema, execute: async () => executions.run('ask') }) },
      onError() {},
    });
    await result.consumeStream();
    expect(await result.text).toMatch(/All is paid\.$/);
    expect(executions.count('pay')).toBe(2);
    expect(executions.count('ask')).toBe(1);
  },
);
