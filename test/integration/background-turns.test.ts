import type { LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createKelivoResponsesProvider } from '../../src/index.js';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import type { ScriptedResponse } from '../../src/testing/index.js';
import { toolLoopCallOptions } from '../../src/tool-loop/index.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { checkParts, collect, summarize } from '../_parts.js';
import { startEmulator } from '../testing/_emulator.js';
import { createEngine, type Engine, type StepRecord } from '../tool-loop/_engine.js';

const ROUNDS: readonly ScriptedResponse[] = [
  [{ text: 'I save it.' }, { call: 'save', arguments: { text: 'a' }, callId: 'call_1' }],
  [{ call: 'save', arguments: { text: 'b' }, callId: 'call_2' }],
  [{ text: 'Everything is saved.' }],
];

async function createScene(responses: readonly ScriptedResponse[] = ROUNDS) {
  const emulator = await startEmulator();
  emulator.enqueue(...responses);
  const saved: string[] = [];
  const save = tool({
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }) => {
      saved.push(text);
      return `saved ${text}`;
    },
  });

  /** Creates the provider of one process. */
  const createProcess = (toolLoop: Omit<ToolLoopOptions, 'tools'> = {}) => {
    const provider = createKelivoResponsesProvider({
      ...{ baseURL: emulator.baseURL, apiKey: 'sk-test', tools: { save }, toolLoop },
    });
    onTestFinished(() => provider.close());
    return provider;
  };
  const call: LanguageModelV2CallOptions = {
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Save a and b.' }] }],
    providerOptions: { kelivo: { background: { pollInterval: 1 }, turnId: 'turn-1' } },
  };
  const requestsOf = (method: string, path = '') =>
    emulator.requests.filter(request => request.method === method && request.path.includes(path));
  return { emulator, saved, call, createProcess, requestsOf };
}

/** Returns the call with the step function of an engine. */
const inSteps = (call: LanguageModelV2CallOptions, step: Engine['step']): LanguageModelV2CallOptions => ({
  ...call,
  providerOptions: { kelivo: { ...call.providerOptions?.kelivo, ...toolLoopCallOptions({ step }) } },
});

const TEXTS = ['I save it.', 'Everything is saved.'];

describe('a turn in the background', () => {
  it('reads each round, whatever breaks its connections', async () => {
    const broken = ROUNDS.map(output => ({ output: output as never, background: { cutAfter: 3 } }));
    const { call, createProcess, saved, emulator } = await createScene(broken);
    const parts = await collect((await createProcess()('gpt-5').doStream(call)).stream);
    checkParts(parts);
    expect(summarize(parts)).toMatchObject({ texts: TEXTS, errors: [], finishReason: 'stop' });
    expect(saved).toEqual(['a', 'b']);
    const bodies = emulator.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(bodies).toMatchObject(ROUNDS.map(() => ({ background: true, store: true })));
  });

  it('requests the state of each round if it is not streamed', async () => {
    const { call, createProcess, saved, requestsOf } = await createScene();
    const result = await createProcess()('gpt-5').doGenerate(call);
    expect(result).toMatchObject({ finishReason: 'stop' });
    expect(saved).toEqual(['a', 'b']);
    expect(requestsOf('POST')).toHaveLength(3);
  });

  it('applies the option `resume` to its first round', async () => {
    const { call, createProcess, saved, requestsOf } = await createScene();
    const provider = createProcess();
    const kelivo = { ...call.providerOptions?.kelivo };
    const submitted = await provider
      .responses('gpt-5')
      .doGenerate({ ...call, providerOptions: { kelivo: { ...kelivo, background: { submit: true } } } });
    const responseId = String(submitted.providerMetadata?.kelivo?.responseId);
    const result = await provider('gpt-5').doGenerate({
      ...call,
      providerOptions: { kelivo: { ...kelivo, resume: { responseId } } },
    });
    expect(result).toMatchObject({ finishReason: 'stop' });
    expect(saved).toEqual(['a', 'b']);
    expect(requestsOf('POST')).toHaveLength(3);
  });
});

describe('a durable turn in the background', () => {
  const STEPS = [1, 2, 3].flatMap(round => [`response of round ${round}`, `round ${round}`]);

  it.each(STEPS.flatMap(name => (['stream', 'generate'] as const).map(mode => ({ name, mode }))))(
    'continues if the process ends before $name is recorded: $mode',
    async ({ name, mode }) => {
      const lost = ROUNDS.findIndex((_, index) => name === `response of round ${index + 1}`);
      const { call, createProcess, saved, requestsOf } = await createScene(
        ROUNDS.flatMap((round, index) => (index === lost ? [round, round] : [round])),
      );
      const records: (StepRecord | undefined)[] = [];
      let isDead = false;
      const first = createEngine(records, { dies: step => (isDead ||= step === name) });
      const run = async ({ step }: Engine) => {
        const model = createProcess()('gpt-5');
        const durable = inSteps(call, step);
        if (mode === 'generate') return summarizeResult(await model.doGenerate(durable));
        const { stream } = await model.doStream(durable);
        return summarize(await collect(stream));
      };
      void run(first).catch(() => {});
      await expect.poll(() => isDead).toBe(true);
      const second = createEngine(records);
      expect(await run(second)).toMatchObject({ texts: TEXTS, finishReason: 'stop' });
      expect(second.names.filter(step => /round/.test(step))).toEqual(STEPS);
      expect(saved).toEqual(['a', 'b']);
      // A response whose id is recorded is read by the other process. Otherwise it is created again.
      expect(requestsOf('POST')).toHaveLength(lost < 0 ? 3 : 4);
      expect(requestsOf('POST', '/cancel')).toEqual([]);
    },
  );

  it.each(['deleted', 'cancelled'] as const)('creates a response again that was %s', async state => {
    const { call, createProcess, saved, requestsOf, emulator } = await createScene([
      ...ROUNDS.slice(0, 1),
      { output: ROUNDS[1] as never, background: { polls: Infinity } },
      ...ROUNDS.slice(1),
    ]);
    const records: (StepRecord | undefined)[] = [];
    const first = createEngine(records, { dies: step => step === 'round 2' });
    const controller = new AbortController();
    const abandoned = createProcess()('gpt-5').doGenerate({
      ...inSteps(call, first.step),
      abortSignal: controller.signal,
    });
    Promise.resolve(abandoned).catch(() => {});
    const findSubmission = () => records.find(record => record?.name === 'response of round 2');
    await expect.poll(findSubmission).toBeDefined();
    const submission = findSubmission();
    const id = /resp_\w+/.exec(submission?.json ?? '')?.[0] ?? '';
    const url = `${emulator.baseURL}/responses/${id}`;
    controller.abort();
    await expect.poll(() => requestsOf('POST', '/cancel').length).toBeGreaterThan(0);
    if (state === 'deleted') await fetch(url, { method: 'DELETE' });
    const second = createEngine([...records]);
    const result = await createProcess()('gpt-5').doGenerate(inSteps(call, second.step));
    expect(summarizeResult(result)).toEqual({ finishReason: 'stop', texts: TEXTS });
    expect(saved).toEqual(['a', 'b']);
  });

  it('creates a response again that fails', async () => {
    const failing = { fault: 'failed', output: ROUNDS[1] as never } as const;
    const { call, createProcess, saved } = await createScene([
      ...ROUNDS.slice(0, 1),
      failing,
      ...ROUNDS.slice(1),
    ]);
    const { step } = createEngine([]);
    const result = await createProcess()('gpt-5').doGenerate(inSteps(call, step));
    expect(summarizeResult(result)).toEqual({ finishReason: 'stop', texts: TEXTS });
    expect(saved).toEqual(['a', 'b']);
  });

  it('is left to the next process when the provider closes', async () => {
    const { call, createProcess, requestsOf } = await createScene([
      { output: ROUNDS[2] as never, background: { cutAfter: 5 } },
    ]);
    const store = createSqliteStore({ path: ':memory:' });
    onTestFinished(() => store.close());
    const journal = createJournal({ store });
    const provider = createProcess({ journal });
    const { stream } = await provider('gpt-5').doStream(call);
    const reader = stream.getReader();
    await reader.read();
    await provider.close();
    await reader.cancel().catch(() => {});
    const parts = await collect((await createProcess({ journal })('gpt-5').doStream(call)).stream);
    expect(summarize(parts)).toMatchObject({ texts: TEXTS.slice(1), errors: [] });
    expect(requestsOf('POST').map(({ path }) => path)).toEqual(['/v1/responses']);
  });
});

function summarizeResult({
  content,
  finishReason,
}: {
  content: readonly { type: string; text?: string }[];
  finishReason: string;
}) {
  return { texts: content.flatMap(part => (part.type === 'text' ? [part.text] : [])), finishReason };
}
