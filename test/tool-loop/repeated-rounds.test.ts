import type { LanguageModelV3, LanguageModelV3StreamPart } from 'provider3';
import { describe, expect, it } from 'vitest';
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
import { serverError } from './_server-error.js';
import { gate, scriptedTools } from './_tools.js';

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
