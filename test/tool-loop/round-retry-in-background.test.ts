import { jsonSchema, stepCountIs, streamText, tool } from 'ai7';
import { describe, expect, it } from 'vitest';
import { createKelivoResponsesProvider } from '../../src/v4.js';
import { everyNth } from '../_products.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { createExecutions, cutOnce, cuts, eventsOf, roundOf, toPayingSettings } from './_cut-rounds.js';

const inputSchema = jsonSchema({ type: 'object', properties: {} });

/** The answers to requests for the rest of a response that broke. */
const rests: Readonly<Record<string, number>> = {
  'lets it be resumed': 200,
  'has lost it': 404,
  'does not return responses': 405,
};

describe.each(
  [
    ...Object.keys(rests).map(rest => [rest, 'a host', {}] as const),
    ['has lost it', 'a host that repeats turns', { streamRetries: 2 }] as const,
  ].map((scene, number) => [...scene, number] as const),
)(
  'a response in the background that breaks at a server that %s, under %s',
  (rest, _host, options, number) => {
    it.each(everyNth(cuts, 5, number))('runs each paid call once: round %i, event %i', async (round, cut) => {
      const isCut = cutOnce(round);
      const created = new Map<string, ReturnType<typeof eventsOf>>();
      const { url, requests } = await serve((response, { path, body }) => {
        const { searchParams, pathname } = new URL(path, 'http://server');
        const status = rests[rest] ?? 200;
        const [, id] = /\/responses\/(\w+)/.exec(pathname) ?? [];
        if (id !== undefined && status !== 200) {
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ error: { message: 'Not here.', type: 'invalid_request_error' } }));
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (id !== undefined) {
          const after = Number(searchParams.get('starting_after'));
          response.end(toSse((created.get(id) ?? []).slice(after + 1) as never));
          return;
        }
        const requested = roundOf(body);
        const events = eventsOf(requested, { isInBackground: true });
        created.set((events[0]?.response as { id: string }).id, events);
        response.end(toSse((isCut(requested) ? events.slice(0, cut) : events) as never));
      });
      const executions = createExecutions();
      const provider = createKelivoResponsesProvider({
        ...toPayingSettings(url, executions),
        toolLoop: { retry: { initialDelay: 0 } },
      });
      const errors: unknown[] = [];
      const result = streamText({
        ...options,
        model: provider('gpt-5'),
        prompt: 'Pay twice.',
        abortSignal: new AbortController().signal,
        stopWhen: stepCountIs(5),
        tools: { ask: tool({ inputSchema, execute: async () => executions.run('ask') }) },
        providerOptions: { kelivo: { background: { pollInterval: 1 } } },
        onError: ({ error }) => void errors.push(error),
      });
      await result.consumeStream();
      expect(executions.count('pay')).toBe(2);
      expect(executions.count('look')).toBeLessThanOrEqual(2);
      const isResumed = rests[rest] === 200;
      // Only the host can repeat a response whose call it may have run.
      if (round === 2 && cut >= 5 && !isResumed && !('streamRetries' in options)) {
        expect(errors).toMatchObject([{ isRetryable: false }]);
        return;
      }
      expect(executions.count('ask')).toBe(1);
      expect(await result.text).toMatch(/All is paid\.$/);
      expect((await result.totalUsage).totalTokens).toBe(60);
      expect(requests.filter(({ path }) => path === '/v1/responses')).toHaveLength(isResumed ? 4 : 5);
      expect(requests.every(({ path, body }) => path !== '/v1/responses' || body.background === true)).toBe(
        true,
      );
    });
  },
);
