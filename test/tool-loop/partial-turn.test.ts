import type { LanguageModelV2 } from '@ai-sdk/provider';
import * as ai5 from 'ai';
import * as ai7 from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newest } from '../_products.js';
import type * as v2 from '../../src/index.js';
import * as v4 from '../../src/v4.js';
import {
  continueTurn,
  partialTurnOf,
  type ToolLoopEvent,
  type ToolLoopJournal,
  withToolLoop,
} from '../../src/tool-loop/index.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { createJournal } from '../../src/tool-loop/durable/index.js';
import { serve } from '../_server.js';
import { toSse } from '../_sse.js';
import { majors } from './_hosts.js';
import { openStore } from './durable/_application.js';

const ROUNDS = 10;
const FAILING = 9;

const reasoning = (round: number) => ({
  type: 'reasoning',
  id: `rs_${round}`,
  summary: [{ type: 'summary_text', text: `Thinking ${round}.` }],
  encrypted_content: `secret ${round}`,
});

const itemsOf = (round: number) =>
  round === ROUNDS
    ? [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'All is paid.', annotations: [] }],
        },
      ]
    : [
        reasoning(round),
        {
          type: 'function_call',
          id: `fc_${round}`,
          call_id: `call_${round}`,
          name: 'pay',
          arguments: JSON.stringify({ of: round }),
          status: 'completed',
        },
      ];

const responseOf = (round: number) => ({
  id: `resp_${round}`,
  object: 'response',
  status: 'completed',
  output: itemsOf(round),
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
});

/** Starts a server that answers one round per output in the request, and fails in the ninth until `repair` is called. */
async function startServer() {
  let isBroken = true;
  const server = await serve((response, { body }) => {
    const input = body.input as { type?: string }[];
    const round = input.filter(({ type }) => type === 'function_call_output').length + 1;
    if (round === FAILING && isBroken) {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Broken for good.', type: 'server_error' } }));
      return;
    }
    if (body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(responseOf(round)));
      return;
    }
    const { output, ...fields } = responseOf(round);
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(
        toSse([
          { type: 'response.created', response: { ...fields, status: 'in_progress', output: [] } },
          ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
          { type: 'response.completed', response: responseOf(round) },
        ]),
      );
  });
  return { ...server, repair: () => void (isBroken = false) };
}

/** Creates the model of a provider with one paid tool. */
function createModel(
  { createKelivoResponsesProvider }: typeof v2,
  url: string,
  {
    onEvent,
    onPay = () => {},
    journal,
  }: {
    onEvent?: (event: ToolLoopEvent) => void;
    onPay?: (of: number) => void;
    journal?: ToolLoopJournal;
  } = {},
) {
  const paid: number[] = [];
  const provider = createKelivoResponsesProvider({
    baseURL: `${url}/v1`,
    apiKey: 'test-key',
    tools: {
      pay: {
        inputSchema: ai5.jsonSchema<{ of: number }>({
          type: 'object',
          properties: { of: { type: 'number' } },
        }),
        execute: async ({ of }) => {
          paid.push(of);
          onPay(of);
          return { paid: of };
        },
      },
    },
    toolLoop: {
      retry: { initialDelay: 0, maxRetries: 0 },
      ...(onEvent !== undefined && { onEvent }),
      ...(journal !== undefined && { journal }),
    },
  });
  return { model: provider('gpt-5'), paid };
}

const messages = [{ role: 'user' as const, content: 'Pay nine times.' }];
const each = Array.from({ length: ROUNDS - 1 }, (_, index) => index + 1);
const before = each.slice(0, FAILING - 1);

describe.each(newest(majors))('a turn of ten rounds that fails in the ninth, under %s', (_, ai, entry) => {
  it('continues from the error of generateText without running a tool again', async () => {
    const server = await startServer();
    const { model, paid } = createModel(entry, server.url);
    const error = await ai.generateText({ model, messages, maxRetries: 2 }).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(ai.APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 500, isRetryable: false });
    const turn = partialTurnOf(error);
    expect(turn?.rounds).toHaveLength(FAILING - 1);
    expect(turn?.calls.map(({ input, output }) => [input, output])).toEqual(
      before.map(of => [{ of }, { type: 'json', value: { paid: of } }]),
    );
    expect(turn?.usage).toMatchObject({ inputTokens: 80, outputTokens: 40 });
    expect(JSON.stringify(turn)).not.toContain('test-key');

    server.repair();
    const stored = JSON.parse(JSON.stringify(continueTurn(messages, error))) as typeof messages;
    expect(stored).toHaveLength(2);
    const { text } = await ai.generateText({
      model,
      messages: [...stored, { role: 'user', content: 'Go on.' }],
    });
    expect(text).toBe('All is paid.');
    expect(paid).toEqual(each);
    // The reasoning precedes each call.
    const input = server.requests.at(-1)?.body.input as { type?: string }[];
    expect(input.filter(({ type }) => type === 'reasoning').length).toBe(FAILING);
  });

  it('continues from the metadata of streamText, and the error has the same', async () => {
    const server = await startServer();
    const { model, paid } = createModel(entry, server.url);
    const errors: unknown[] = [];
    const result = ai.streamText({ model, messages, onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    const metadata = await result.providerMetadata;
    expect(partialTurnOf(errors[0])).toEqual(partialTurnOf(metadata));
    server.repair();
    const next = ai.streamText({ model, messages: continueTurn(messages, metadata) });
    expect(await next.text).toBe('All is paid.');
    expect(paid).toEqual(each);
  });

  it.each(['generateText', 'streamText'] as const)(
    'continues from the journal in %s, by the repeated call and by what the failure returned',
    async name => {
      const server = await startServer();
      const journal = createJournal({ store: await openStore() });
      const { model, paid } = createModel(entry, server.url, { journal });
      const call = async (turnId: string, conversation = messages): Promise<string> => {
        const providerOptions = { kelivo: { turnId } };
        const options = { model, messages: conversation, providerOptions, maxRetries: 0 };
        if (name === 'generateText') return (await ai.generateText(options)).text;
        let failure: unknown;
        const { text } = ai.streamText({ ...options, onError: ({ error }) => void (failure ??= error) });
        return text.then(
          value => (failure === undefined ? value : Promise.reject(failure)),
          () => Promise.reject(failure),
        );
      };
      const failures = await Promise.all(['repeated', 'continued'].map(id => call(id).catch(error => error)));
      expect(failures.map(error => partialTurnOf(error)?.rounds.length)).toEqual([FAILING - 1, FAILING - 1]);
      expect(paid.toSorted((one, other) => one - other)).toEqual(before.flatMap(of => [of, of]));

      server.repair();
      expect(await call('repeated')).toBe('All is paid.');
      expect(await call('continued', continueTurn(messages, failures[1]))).toBe('All is paid.');
      expect(paid.slice(-2)).toEqual([FAILING, FAILING]);
      expect(paid).toHaveLength(2 * each.length);
    },
  );

  it('reports an aborted turn in an event, with the call that was interrupted', async () => {
    const server = await startServer();
    const abort = new AbortController();
    const events: ToolLoopEvent[] = [];
    const { model, paid } = createModel(entry, server.url, {
      onEvent: event => events.push(event),
      onPay: of => {
        if (of === 3) abort.abort(new Error('Stop.'));
      },
    });
    await expect(ai.generateText({ model, messages, abortSignal: abort.signal })).rejects.toThrow('Stop.');
    const ends = events.filter(({ type }) => type === 'turn-end');
    expect(ends).toMatchObject([{ outcome: 'aborted' }]);
    expect(partialTurnOf(ends[0])?.calls).toMatchObject([
      { isError: false },
      { isError: false },
      { isInterrupted: true, output: { value: expect.stringMatching(/may or may not have taken effect/) } },
    ]);
    server.repair();
    const { text } = await ai.generateText({ model, messages: continueTurn(messages, ends[0]) });
    expect(text).toBe('All is paid.');
    expect(paid).toEqual(each);
  });
});

it('gives each of two turns that fail with the same error its own', async () => {
  const shared = new Error('Shared.');
  const failures = await Promise.all(
    [1, 2].map(async of => {
      let round = 0;
      const inner: LanguageModelV2 = {
        specificationVersion: 'v2',
        provider: 'test',
        modelId: 'test',
        supportedUrls: {},
        doStream: () => Promise.reject(new Error('Not used.')),
        doGenerate: async () => {
          if (++round > 1) throw shared;
          return {
            content: [{ type: 'tool-call', toolCallId: `c${of}`, toolName: 'pay', input: '{}' }],
            finishReason: 'tool-calls',
            usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
            warnings: [],
          };
        },
      };
      const tools = createLocalTools({
        pay: { inputSchema: ai5.jsonSchema({ type: 'object' }), execute: async () => of },
      });
      return withToolLoop(inner, { tools })
        .doGenerate({ prompt: [] })
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    }),
  );
  expect(failures.map(error => partialTurnOf(error)?.calls.map(({ toolCallId }) => toolCallId))).toEqual([
    ['c1'],
    ['c2'],
  ]);
  for (const error of failures) expect(error).toMatchObject({ message: 'Shared.' });
});

it('an aborted turn has the calls of an earlier turn that it has run after their approval', async () => {
  const server = await serve((response, { body }) => {
    const isAsked = JSON.stringify(body.input).includes('function_call');
    const calls = ['a', 'b'].map(id => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name: 'pay',
      arguments: JSON.stringify({ id }),
      status: 'completed',
    }));
    const output = isAsked ? itemsOf(ROUNDS) : calls;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...responseOf(1), output }));
  });
  const controller = new AbortController();
  const events: ToolLoopEvent[] = [];
  const provider = v4.createKelivoResponsesProvider({
    baseURL: `${server.url}/v1`,
    apiKey: 'test-key',
    tools: {
      pay: {
        inputSchema: ai5.jsonSchema<{ id: string }>({
          type: 'object',
          properties: { id: { type: 'string' } },
        }),
        execute: ({ id }) => {
          if (id === 'a') return 'receipt 1';
          controller.abort(new Error('Stop.'));
          return new Promise(() => {});
        },
      },
    },
    toolLoop: { approve: 'host', onEvent: event => void events.push(event) },
  });
  onTestFinished(() => provider.close());
  const question = { role: 'user' as const, content: 'Pay.' };
  const model = provider('gpt-5') as never;
  const asked = await ai7.generateText({ model, messages: [question] });
  const requests = asked.content.filter(part => part.type === 'tool-approval-request');
  const answers = requests.map(({ approvalId }) => ({
    type: 'tool-approval-response' as const,
    approvalId,
    approved: true,
    providerExecuted: true,
  }));
  const conversation = [question, ...asked.response.messages, { role: 'tool' as const, content: answers }];
  events.length = 0;
  const abortSignal = controller.signal;
  await expect(ai7.generateText({ model, messages: conversation, abortSignal })).rejects.toThrow('Stop.');
  const end = events.find(event => event.type === 'turn-end');
  expect(end?.turn?.calls).toMatchObject([
    { toolCallId: 'a', output: { value: 'receipt 1' } },
    { toolCallId: 'b', isError: true, isInterrupted: true },
  ]);
  // The messages of the turn answer the calls, which the conversation has.
  expect(end?.turn?.messages.map(({ role }) => role)).toEqual(['tool']);
});
