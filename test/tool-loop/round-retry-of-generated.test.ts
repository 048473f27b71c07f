import type { ServerResponse } from 'node:http';
import * as ai5 from 'ai';
import { describe, expect, it } from 'vitest';
import { skipHostDelays } from '../_host-delays.js';
import { everyNth } from '../_products.js';
import { serve } from '../_server.js';
import { createExecutions, cutOnce, eventsOf, roundOf, toPayingSettings } from './_cut-rounds.js';
import { majors } from './_hosts.js';

skipHostDelays();

const inputSchema = ai5.jsonSchema({ type: 'object', properties: {} });

/** The response of a round as one document. */
const documentOf = (round: number): Record<string, unknown> => ({
  ...(eventsOf(round).at(-1)?.response as Record<string, unknown>),
});

const send = (response: ServerResponse, body: unknown, status = 200): void => {
  // Hosts wait for seconds by default.
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

const errorOf = (code: string) => ({ error: { message: 'Broken.', type: 'server_error', code } });

/** The ways in which a server breaks the response of a round. */
const failures: Readonly<Record<string, (response: ServerResponse, round: number) => void>> = {
  'the status 500': response => send(response, errorOf('server_error'), 500),
  'an overload': response => send(response, errorOf('server_is_overloaded'), 503),
  'a closed connection': response => response.destroy(),
  ...Object.fromEntries(
    [0.1, 0.9].flatMap(share => [
      [
        `a body that is cut at ${share}`,
        (response: ServerResponse, round: number) => {
          const text = JSON.stringify(documentOf(round));
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
          response.write(text.slice(0, share * text.length), () => response.destroy());
        },
      ],
      [
        `JSON that ends at ${share}`,
        (response: ServerResponse, round: number) => {
          const text = JSON.stringify(documentOf(round));
          send(response, text.slice(0, share * text.length));
        },
      ],
    ]),
  ),
  'the status failed': (response, round) =>
    send(response, {
      ...documentOf(round),
      ...{ status: 'failed', output: [], error: { code: 'server_error', message: 'Failed.' } },
    }),
  'the status failed after its calls': (response, round) =>
    send(response, {
      ...documentOf(round),
      ...{ status: 'failed', error: { code: 'server_error', message: 'Failed.' } },
    }),
};

const ROUNDS = [0, 1, 2, 3];

async function run(
  [, ai, entry]: (typeof majors)[number],
  round: number,
  fail: (response: ServerResponse, round: number) => void,
) {
  const isBroken = cutOnce(round);
  const { url, requests } = await serve((response, { body }) => {
    const requested = roundOf(body);
    if (isBroken(requested)) fail(response, requested);
    else send(response, documentOf(requested));
  });
  const executions = createExecutions();
  const provider = entry.createKelivoResponsesProvider({
    ...toPayingSettings(url, executions),
    toolLoop: { retry: { initialDelay: 0 } },
  });
  const result = await ai.generateText({
    model: provider('gpt-5'),
    prompt: 'Pay twice.',
    maxRetries: 2,
    stopWhen: ai.stepCountIs(5),
    tools: { ask: ai.tool({ inputSchema, execute: async () => executions.run('ask') }) },
  });
  return { result, executions, requests };
}

const broken = Object.keys(failures).flatMap(failure => ROUNDS.map(round => [failure, round] as const));

describe.each(majors)('a generated round under %s', (...host) => {
  const place = majors.findIndex(([name]) => name === host[0]);
  it.each(everyNth(broken, majors.length, place))(
    'that breaks with %s is requested again, and each paid call runs once: round %i',
    async (failure, round) => {
      const { result, executions, requests } = await run(host, round, failures[failure] ?? (() => {}));
      expect(['look', 'pay', 'ask'].map(name => executions.count(name))).toEqual([1, 2, 1]);
      expect(result.text).toBe('All is paid.');
      expect(result.totalUsage.totalTokens).toBe(60);
      expect(requests).toHaveLength(5);
    },
  );

  it.each(everyNth(ROUNDS, majors.length, place))(
    'that ends as incomplete ends the turn, and its calls do not run: round %i',
    async round => {
      const { result, executions, requests } = await run(host, round, (response, requested) =>
        send(response, {
          ...documentOf(requested),
          ...{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
        }),
      );
      expect(result.finishReason).toBe('length');
      expect(requests).toHaveLength(round + 1);
      expect(executions.count('pay')).toBe(Math.min(round, 2));
      expect(executions.count('ask')).toBe(round === 3 ? 1 : 0);
    },
  );
});
