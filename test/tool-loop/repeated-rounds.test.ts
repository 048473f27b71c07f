import type { LanguageModelV3, LanguageModelV3StreamPart } from 'provider3';
import * as ai7 from 'ai7';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RoundRetry } from '../../src/tool-loop/turn/round-retry.js';
import type { OpenedTurn } from '../../src/tool-loop/turn/opened-turn.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  call,
  callRound,
  finish,
  finishOf,
  scriptedModel,
  type ScriptedRound,
  start,
  stream,
  text,
  textRound,
} from './_scripted-model.js';
import { createKelivoResponsesProvider as createProviderV4 } from '../../src/v4.js';
import { toSse } from '../_sse.js';
import { startEmulator } from '../testing/_emulator.js';
import { serverError } from './_server-error.js';
import { gate, scriptedTools } from './_tools.js';

const refusal = { status: 500 };
/** The server reports its error in the response. */
const failedResponse = {
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: toSse([{ type: 'error', code: 'server_error', message: 'Busy.' }]),
};

describe('a round that is requested again', () => {
  it('gives each attempt positions of its own, and records all calls that were kept', async () => {
    const keys: unknown[] = [];
    let started = gate();
    const pay = {
      execute(_input: unknown, { idempotencyKey }: { idempotencyKey?: string }) {
        keys.push(idempotencyKey);
        started.open();
        return 'paid';
      },
    };
    const breaking = (id: string): ScriptedRound =>
      async function* () {
        started = gate();
        yield* [start, ...call(id, 'pay', { of: 1 })];
        await started.opened;
        throw serverError();
      };
    const last = callRound(call('p3', 'pay', { of: 1 }));
    const model = scriptedModel(breaking('p1'), breaking('p2'), last, textRound('Done.'));
    const retry = { initialDelay: 0, streamRetries: 3 };
    const tools = scriptedTools({ pay: pay as never });
    const parts = await stream(withToolLoop(model, { tools, retry, startEarly: true }));
    expect(new Set(keys).size).toBe(3);
    expect(finishOf(parts).providerMetadata?.kelivo?.rounds).toMatchObject([
      { attempts: 3, toolCalls: ['p1', 'p2', 'p3'].map(toolCallId => ({ toolCallId })) },
      {},
    ]);
  });

  it('leaves nothing to the round after it', async () => {
    const warnings: unknown[] = [];
    const broken: ScriptedRound = async function* () {
      yield* [start, ...text('I look').slice(0, 2)];
      throw serverError();
    };
    const whole = [start, ...text('I look.'), ...call('c1', 'look', {}), finish('tool-calls')];
    const model = scriptedModel(broken, whole, textRound('Done.'));
    const parts = await stream(
      withToolLoop(model, {
        tools: scriptedTools({ look: () => 'seen' }),
        retry: { initialDelay: 0 },
        onEvent: event => void (event.type === 'warning' && warnings.push(event)),
      }),
    );
    expect(warnings).toEqual([]);
    expect(JSON.stringify(parts)).not.toContain('broken');
    const [first, second] = finishOf(parts).providerMetadata?.kelivo?.rounds as object[];
    expect(first).toMatchObject({ attempts: 2, isUsagePartial: true });
    expect(second).not.toHaveProperty('isUsagePartial');
  });

  it.each([
    { failure: refusal, isStream: true, mark: undefined },
    { failure: refusal, isStream: false, mark: undefined },
    { failure: failedResponse, isStream: true, mark: true },
  ])('has unknown usage only after a response: $failure.status', async ({ failure, isStream, mark }) => {
    const emulator = await startEmulator();
    const provider = createProviderV4({
      baseURL: emulator.baseURL,
      apiKey: 'sk-test',
      tools: scriptedTools({ look: () => 'seen' }),
      toolLoop: { retry: { initialDelay: 0 } },
    });
    onTestFinished(() => provider.close());
    emulator.enqueue([{ call: 'look' }], failure, [{ text: 'Done.' }]);
    const call = { model: provider('gpt-5'), prompt: 'Look.', maxRetries: 0 };
    const { providerMetadata } = isStream ? ai7.streamText(call) : await ai7.generateText(call);
    const { kelivo } = (await providerMetadata) ?? {};
    expect(emulator.requests).toHaveLength(3);
    expect((kelivo?.rounds as { isUsagePartial?: true }[]).map(round => round.isUsagePartial)).toEqual([
      undefined,
      mark,
    ]);
  });

  it('is not one in which the host may have been asked about a call that started', () => {
    const acceptsWith = (hostApprovals: object | undefined) =>
      new RoundRetry({
        lifetime: { signal: new AbortController().signal },
        retries: { streamRetries: 2, initialDelay: 0 },
        hostApprovals,
      } as unknown as OpenedTurn).accepts({ errors: [serverError()], hasCallsElsewhere: false }, {
        hasStarted: true,
      } as never);
    expect([acceptsWith(undefined), acceptsWith({})]).toEqual([true, false]);
  });

  it('is not one in which a server has asked a person', async () => {
    const requests: unknown[] = [];
    const parts: LanguageModelV3StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'm1' },
    ];
    const model: LanguageModelV3 = {
      specificationVersion: 'v3',
      provider: 'scripted.responses',
      modelId: 'scripted-1',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('not streamed')),
      async doStream(options) {
        requests.push(options);
        const rest = [...parts];
        return {
          stream: new ReadableStream({
            pull(controller) {
              const part = rest.shift();
              if (part === undefined) controller.error(serverError());
              else controller.enqueue(part);
            },
          }),
        };
      },
    };
    const loop = withToolLoop(model, {
      tools: scriptedTools({ look: () => 'seen' }),
      retry: { initialDelay: 0 },
    });
    const { stream: read } = await loop.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
    });
    const types: string[] = [];
    for await (const part of read) types.push(part.type);
    expect(types).toContain('tool-approval-request');
    expect(types.slice(-2)).toEqual(['error', 'finish']);
    expect(requests).toHaveLength(1);
  });
});
