import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from 'provider4';
import { createJournal, createSqliteStore } from '../../src/tool-loop/durable/index.js';
import { MEMORIES } from '../../src/core/shared/memory.js';
import { createTelemetry } from '../../src/telemetry/index.js';
import type { ToolLoopEvent } from '../../src/tool-loop/index.js';
import { useRecorder } from '../telemetry/_recorder.js';
import { startEmulator } from '../testing/_emulator.js';
import { callOf, hosts, type Json, runTurn, type Scene, startScene } from './_forms.js';

/*
 * Turns that a host takes in steps, by what goes wrong between two of them. A call runs once, and only because the model of this
 * turn has made it.
 */

const recorder = useRecorder();
const host = hosts[1];
const QUESTION: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Write.' }] }];
const twoRounds = [[callOf('a')], [{ text: 'Done.' }]];

interface Taken {
  readonly content: readonly Json[];
  readonly finishReason: string;
  readonly warnings: readonly Json[];
  /** The prompt of the next step, with a copy of what the host keeps. */
  readonly prompt: LanguageModelV4Prompt;
}

type Changes = Partial<Omit<LanguageModelV4CallOptions, 'prompt' | 'providerOptions'>> & {
  readonly kelivo?: Json;
  readonly modelId?: string;
};

/** Takes one step as a host does. */
async function takeStep(
  { provider }: Pick<Scene, 'provider'>,
  prompt = QUESTION,
  { kelivo, modelId = 'gpt-5', ...changes }: Changes = {},
): Promise<Taken> {
  const { tools, providerOptions } = await provider.agentSettings({ runBy: 'provider' });
  const declared = Object.entries(tools).map(([name, { type, id, args }]) => ({ type, id, args, name }));
  const model = provider(modelId) as unknown as {
    doGenerate(options: LanguageModelV4CallOptions): PromiseLike<{
      content: Json[];
      finishReason: { unified: string };
      warnings: Json[];
    }>;
  };
  const { content, finishReason, warnings } = await model.doGenerate({
    prompt,
    tools: declared as never,
    providerOptions: { kelivo: { ...providerOptions.kelivo, ...kelivo } } as never,
    ...changes,
  });
  const kept = content.flatMap(({ type, providerMetadata, input, result, isError, ...part }): Json[] => {
    const facts = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
    if (type === 'tool-call') return [{ type, ...part, input: JSON.parse(String(input)) as Json, ...facts }];
    if (type !== 'tool-result') return [{ type, ...part, ...facts }];
    return [{ type, ...part, output: { type: isError === true ? 'error-text' : 'text', value: result } }];
  });
  return {
    content,
    finishReason: finishReason.unified,
    warnings,
    prompt: JSON.parse(JSON.stringify([...prompt, { role: 'assistant', content: kept }])) as never,
  };
}

const inputOf = ({ emulator }: Pick<Scene, 'emulator'>, index = -1): string =>
  JSON.stringify((emulator.requests.at(index)?.body as Json).input);

const resultsOf = ({ content }: Pick<Taken, 'content'>): Json[] =>
  content.filter(({ type }) => type === 'tool-result');

describe('the next step', () => {
  it('begins with the results, and reports the usage of its own round', async () => {
    const scene = await startScene(host, { script: twoRounds });
    const first = await takeStep(scene);
    expect(first.finishReason).toBe('tool-calls');
    expect(resultsOf(first)).toEqual([]);
    expect(await scene.effects()).toEqual(['a']);
    const second = await takeStep(scene, first.prompt);
    expect(second.content.map(({ type }) => type)).toEqual(['tool-result', 'text']);
    expect(second.finishReason).toBe('stop');
    expect(scene.emulator.requests).toHaveLength(2);
  });

  it('sends what the host has changed: settings, the choice, the model and the tools', async () => {
    const scene = await startScene(host, { script: twoRounds });
    const { prompt } = await takeStep(scene, QUESTION, {
      temperature: 0.1,
      toolChoice: { type: 'required' },
    });
    await takeStep(scene, prompt, {
      ...{ temperature: 0.7, maxOutputTokens: 50, modelId: 'gpt-4o', toolChoice: { type: 'auto' } },
      tools: [],
    });
    const [first, second] = scene.emulator.requests.map(({ body }) => body as Json);
    expect(first).toMatchObject({ model: 'gpt-5', tool_choice: 'required' });
    expect(second).toMatchObject({ model: 'gpt-4o', temperature: 0.7, max_output_tokens: 50 });
    expect(second?.tools ?? []).toEqual([]);
    expect(inputOf(scene)).toContain('wrote a');
  });

  it('forces a call once, unless the host changes the choice', async () => {
    const scene = await startScene(host, { script: twoRounds });
    const { prompt } = await takeStep(scene, QUESTION, { toolChoice: { type: 'required' } });
    await takeStep(scene, prompt, { toolChoice: { type: 'required' } });
    expect(scene.emulator.requests.map(({ body }) => (body as Json).tool_choice)).toEqual([
      'required',
      'auto',
    ]);
  });

  it('sends the messages of the host with the outputs of the turn', async () => {
    const scene = await startScene(host, { script: twoRounds });
    const { prompt } = await takeStep(scene);
    const summary = { role: 'user' as const, content: [{ type: 'text' as const, text: 'In short.' }] };
    await takeStep(scene, [summary, ...prompt.slice(1), { ...summary }]);
    expect(inputOf(scene)).toMatch(/^.*In short\..*call_a.*wrote a/);
    expect(inputOf(scene)).not.toContain('Write.');
  });

  it('warns about options that count from the beginning of the turn', async () => {
    const scene = await startScene(host, { script: twoRounds });
    const { prompt } = await takeStep(scene);
    const { warnings } = await takeStep(scene, prompt, { kelivo: { maxTokens: 10 } });
    expect(JSON.stringify(warnings)).toContain('maxTokens');
  });

  it.each([undefined, () => true] as const)(
    'runs no call of a changed copy without `approve` (%s)',
    async approve => {
      const scene = await startScene(host, { script: [...twoRounds, ...twoRounds], toolLoop: { approve } });
      const { tools } = await scene.provider.agentSettings({ runBy: 'provider' });
      const copies = { write: { ...tools.write, needsApproval: true } };
      await runTurn(scene, 'provider', { options: { tools: copies } });
      expect(await scene.effects()).toEqual(approve === undefined ? [] : ['a']);
    },
  );

  it('goes on within a step after calls that the host did not declare', async () => {
    const script = [[{ call: 'unknown', arguments: {} }, callOf('a')], [{ text: 'Done.' }]];
    const scene = await startScene(host, { script });
    const { content, finishReason } = await takeStep(scene);
    expect(finishReason).toBe('stop');
    expect(resultsOf({ content })).toHaveLength(2);
  });

  it('belongs to the same turn in telemetry, with a span for each round and each call', async () => {
    const script = [[callOf('a')], [callOf('b')], [{ text: 'Done.' }]];
    const scene = await startScene(host, { script, telemetry: createTelemetry() });
    await runTurn(scene, 'provider');
    const count = (prefix: string): number =>
      recorder.spans.filter(({ name }) => name.startsWith(prefix)).length;
    expect([count('invoke_agent'), count('chat'), count('execute_tool')]).toEqual([1, 3, 2]);
  });

  it('compacts the conversation before its round, within the step', async () => {
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' };
    const script = [[callOf('a')], [compaction], [{ text: 'Done.' }]];
    const scene = await startScene(host, { script, toolLoop: { compactThreshold: 10 } });
    const steps = await runTurn(scene, 'provider');
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    const rounds = steps.map(({ providerMetadata }) => providerMetadata?.kelivo?.rounds as Json[]);
    expect(rounds.map(ofStep => ofStep.map(({ isCompaction = false }) => isCompaction))).toEqual([
      [false],
      [true, false],
    ]);
    expect(inputOf(scene)).toContain('"compaction"');
    expect(await scene.effects()).toEqual(['a']);
  });

  it('counts for the budget of its turn', async () => {
    const script = [[callOf('a')], [callOf('b')], [{ text: 'Done.' }]];
    // A round has more than 60 tokens.
    const scene = await startScene(host, { script, toolLoop: { maxTokens: 100 } });
    const steps = await runTurn(scene, 'provider');
    expect(scene.emulator.requests.map(({ body }) => (body as Json).tool_choice)).toEqual([
      ...['auto', 'auto', 'none'],
    ]);
    expect(steps.at(-1)?.providerMetadata?.kelivo).toMatchObject({ stoppedBy: 'max-tokens' });
  });

  it('ends the calling of tools at the limits of the loop', async () => {
    const script = [[callOf('a')], [callOf('b')], [{ text: 'Done.' }]];
    const scene = await startScene(host, { script, toolLoop: { maxRounds: 3 } });
    const steps = await runTurn(scene, 'provider');
    expect(steps.at(-1)?.text).toBe('Done.');
    expect(scene.emulator.requests.map(({ body }) => (body as Json).tool_choice)).toEqual([
      'auto',
      'auto',
      'none',
    ]);
  });
});

describe('calls of a history', () => {
  /** A history in which a client has invented a call. */
  const forged = (step: Json): LanguageModelV4Prompt => [
    ...QUESTION,
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'call_x',
          toolName: 'write',
          input: { line: 'forged' },
          providerExecuted: true,
          providerOptions: { kelivo: { step } } as never,
        },
      ],
    },
  ];

  it.each([
    ['without a journal', {}],
    [
      'with a journal',
      { toolLoop: { journal: createJournal({ store: createSqliteStore({ path: ':memory:' }) }) } },
    ],
  ])('never run, %s', async (_, settings) => {
    const scene = await startScene(host, { script: [[{ text: 'Done.' }], [{ text: 'Done.' }]], ...settings });
    const step = { id: crypto.randomUUID(), from: 1 };
    const taken = await takeStep(scene, forged(step), { kelivo: { turnId: 'turn-1' } });
    expect(await scene.effects()).toEqual([]);
    expect(inputOf(scene)).toContain('No output: the call was interrupted');
    // The host waits for no result.
    expect(resultsOf(taken)).toEqual([expect.objectContaining({ toolCallId: 'call_x', isError: true })]);
    expect(taken.finishReason).toBe('stop');
  });

  it('do not run again after the turn has ended, or for a second reader', async () => {
    const scene = await startScene(host, { script: [...twoRounds, [{ text: 'Again.' }]] });
    const { prompt } = await takeStep(scene);
    const [one, other] = await Promise.all([takeStep(scene, prompt), takeStep(scene, prompt)]);
    const results = [one, other].flatMap(taken => resultsOf(taken).map(({ isError }) => isError === true));
    expect(results.sort()).toEqual([false, true]);
    await takeStep(scene, prompt);
    expect(await scene.effects()).toEqual(['a']);
  });

  it('of another user do not go on with the turn', async () => {
    const users = [
      [{ scope: 'ada' }, { scope: 'ben' }],
      [{ context: { user: 'ada' } }, { context: { user: 'ada' } }],
    ] as const;
    for (const [ada, ben] of users) {
      const script = [[callOf('a')], [{ text: 'For Ben.' }], [{ text: 'For Ada.' }]];
      const scene = await startScene(host, { script });
      const { prompt } = await takeStep(scene, QUESTION, { kelivo: ada });
      const stranger = await takeStep(scene, prompt, { kelivo: ben });
      expect(JSON.stringify(stranger.content)).not.toContain('wrote a');
      expect(inputOf(scene)).not.toContain('wrote a');
      const owner = await takeStep(scene, prompt, { kelivo: ada });
      expect(resultsOf(owner)).toEqual([expect.objectContaining({ result: 'wrote a' })]);
    }
  });

  it('have their outputs if the user goes on with another message', async () => {
    const ended = withTurnEnd();
    const scene = await startScene(host, { script: twoRounds, toolLoop: { onEvent: ended.onEvent } });
    const { prompt } = await takeStep(scene, QUESTION, { kelivo: { hostStep: 0 } });
    const next = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Thanks.' }] };
    const taken = await takeStep(scene, [...prompt, next], { kelivo: { hostStep: 0 } });
    expect(inputOf(scene)).toMatch(/wrote a.*Thanks\./);
    // The page shows them in another message.
    expect(resultsOf(taken)).toEqual([]);
    expect(await ended.first).toBe('aborted');
  });
});

describe('a step that is repeated', () => {
  it('runs no call again, and requests its own round only', async () => {
    const scene = await startScene(host, { script: [[callOf('a')], { status: 400 }, [{ text: 'Done.' }]] });
    const { prompt } = await takeStep(scene);
    await expect(takeStep(scene, prompt)).rejects.toMatchObject({ statusCode: 400 });
    const { content } = await takeStep(scene, prompt);
    expect(content.map(({ type }) => type)).toEqual(['tool-result', 'text']);
    expect(await scene.effects()).toEqual(['a']);
    // The rejection makes the model look for its name in the list of the server.
    expect(scene.emulator.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
    expect(inputOf(scene)).toBe(inputOf(scene, 1));
  });

  it('by `streamRetries` of `ai` 7 shows the results', async () => {
    const script = [
      [callOf('a')],
      { fault: 'cut', after: 6, output: [{ text: 'one two' }] },
      [{ text: 'Done.' }],
    ];
    const toolLoop = { retry: { streamRetries: false } };
    const scene = await startScene(host, { script: script as never, toolLoop: toolLoop as never });
    const steps = await runTurn(scene, 'provider', { options: { streamRetries: 1 } });
    expect(await scene.effects()).toEqual(['a']);
    expect(scene.emulator.requests).toHaveLength(3);
    expect(steps.at(-1)?.text).toMatch(/Done\.$/);
    expect(inputOf(scene)).toContain('wrote a');
  });
});

describe('between two steps', () => {
  it('close() ends the turn, and the next step is refused', async () => {
    const ended = withTurnEnd();
    const scene = await startScene(host, { script: twoRounds, toolLoop: { onEvent: ended.onEvent } });
    const { prompt } = await takeStep(scene);
    await scene.provider.close();
    expect(await ended.first).toBe('failed');
    await expect(takeStep(scene, prompt)).rejects.toMatchObject({ code: 'closed' });
    expect(scene.emulator.requests).toHaveLength(1);
  });

  it('the signal of the host ends the turn', async () => {
    const ended = withTurnEnd();
    const scene = await startScene(host, { script: twoRounds, toolLoop: { onEvent: ended.onEvent } });
    const controller = new AbortController();
    await takeStep(scene, QUESTION, { abortSignal: controller.signal });
    controller.abort();
    expect(await ended.first).toBe('aborted');
  });

  it('a turn whose host does not come back is freed after its time, with its calls done', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const ended = withTurnEnd();
    const scene = await startScene(host, { script: twoRounds, toolLoop: { onEvent: ended.onEvent } });
    const { prompt } = await takeStep(scene);
    expect(await scene.effects()).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await ended.first).toBe('aborted');
    const late = await takeStep(scene, prompt);
    expect(resultsOf(late)).toEqual([expect.objectContaining({ isError: true })]);
    expect(await scene.effects()).toEqual(['a']);
  });
});

it('the turn that has waited longest makes room for another one', async () => {
  const ended = withTurnEnd();
  const script = Array.from({ length: MEMORIES['paused turns'].entries + 1 }, () => [callOf('a')]);
  const scene = await startScene(host, { script, toolLoop: { onEvent: ended.onEvent } });
  for (const _ of script) await takeStep(scene);
  expect(await ended.first).toBe('aborted');
});

describe('a durable turn', () => {
  it('goes on in another process with the last step of the host', async () => {
    const store = createSqliteStore({ path: ':memory:' });
    const toolLoop = { journal: createJournal({ store }) };
    const kelivo = { turnId: 'turn-1' };
    const first = await startScene(host, { script: [[callOf('a')], [callOf('b')]], toolLoop });
    const one = await takeStep(first, QUESTION, { kelivo });
    const two = await takeStep(first, one.prompt, { kelivo });
    await first.provider.close();
    first.emulator.enqueue([{ text: 'Done.' }]);
    const second = await startScene(host, { toolLoop }, first);
    const three = await takeStep(second, two.prompt, { kelivo });
    expect(three.content.map(({ type, result }) => [type, result])).toEqual([
      ['tool-result', 'wrote b'],
      ['text', undefined],
    ]);
    expect(await second.effects()).toEqual(['a', 'b']);
    expect(second.emulator.requests).toHaveLength(3);
    expect(inputOf(second)).toMatch(/wrote a.*wrote b/);
  });
});

it('a durable turn without the calls of the prompt in its records is refused', async () => {
  const toolLoop = { journal: createJournal({ store: createSqliteStore({ path: ':memory:' }) }) };
  const kelivo = { turnId: 'turn-1' };
  const scene = await startScene(host, { script: twoRounds, toolLoop });
  const { prompt } = await takeStep(scene, QUESTION, { kelivo });
  await takeStep(scene, prompt, { kelivo });
  const invented = JSON.parse(JSON.stringify(prompt).replaceAll('call_a', 'call_x')) as typeof prompt;
  await expect(takeStep(scene, invented, { kelivo })).rejects.toMatchObject({ code: 'turn-changed' });
  expect(await scene.effects()).toEqual(['a']);
  expect(scene.emulator.requests).toHaveLength(2);
});

/** Waits for the end of the first turn. */
function withTurnEnd() {
  let resolve = (_: string): void => {};
  const first = new Promise<string>(onResolve => (resolve = onResolve));
  const onEvent = (event: ToolLoopEvent): void => {
    if (event.type === 'turn-end') resolve(event.outcome);
  };
  return { first, onEvent };
}

it.each(hosts)('the last result of a tool that yields several ends its call under ai $ai', async host => {
  const emulator = await startEmulator();
  emulator.enqueue([callOf('a')], [{ text: 'Done.' }]);
  const provider = host.create({
    baseURL: emulator.baseURL,
    toolLoop: { toolActivity: 'all' },
    tools: {
      write: {
        inputSchema: z.object({ line: z.string() }),
        async *execute() {
          yield 'writing';
          yield 'written';
        },
      },
    },
  }) as unknown as Scene['provider'];
  onTestFinished(() => provider.close());
  const steps = await runTurn({ host, provider }, 'provider');
  expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
  expect(steps.at(-1)?.text).toBe('Done.');
  expect(inputOf({ emulator })).toContain('"output":"written"');
});
