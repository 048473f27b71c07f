import type { LanguageModelV2 } from '@ai-sdk/provider';
import {
  generateText as generateText5,
  streamText as streamText5,
  stepCountIs,
  type UserModelMessage,
} from 'ai';
import { generateText as generateText6, streamText as streamText6 } from 'ai6';
import {
  experimental_createSteering,
  generateText as generateText7,
  type ModelMessage,
  streamText as streamText7,
} from 'ai7';
import { describe, expect, it } from 'vitest';
import { isWhole, newest } from '../_products.js';
import { createSteering } from '../../src/tool-loop/features/steering/steering.js';
import { toolLoopCallOptions, type ToolLoopCallOptions } from '../../src/tool-loop/index.js';
import type { ToolLoopOptions } from '../../src/tool-loop/options.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { continueTurn, partialTurnOf } from '../../src/tool-loop/turn/partial-turn.js';
import type { ToolLoopEvent } from '../../src/tool-loop/turn/turn-reports.js';
import { fromLanguageModel, toLanguageModel } from '../../src/core/versions/language-model.js';
import { createEngine, type StepRecord } from './_engine.js';
import {
  call,
  callRound,
  finishOf,
  type ScriptedRound,
  scriptedModel,
  start,
  stream,
  textRound,
  user,
} from './_scripted-model.js';
import { serverError } from './_server-error.js';
import { declareTool, scriptedTools } from './_tools.js';

const kelivo = (options: ToolLoopCallOptions) => ({ kelivo: toolLoopCallOptions(options) });

type Messages = readonly { readonly role: string; readonly content: unknown }[];

/** Returns the conversation as texts: each text with its role, each call and each output. */
const outline = (prompt: Messages = []): string[] =>
  prompt.flatMap(({ role, content }) =>
    (content as { type: string; text?: string; toolCallId?: string }[]).map(part =>
      part.type === 'text' ? `${role}: ${part.text}` : `${part.type} ${part.toolCallId ?? ''}`.trim(),
    ),
  );

function loop(
  rounds: ScriptedRound[],
  { during = () => {}, ...options }: Omit<ToolLoopOptions, 'tools'> & { during?: () => void } = {},
) {
  const model = scriptedModel(...rounds);
  const look = () => {
    during();
    return 'seen';
  };
  const tools = scriptedTools({ look });
  return { model, tools, looping: withToolLoop(model, { tools, retry: { initialDelay: 0 }, ...options }) };
}

const twoRounds = () => [callRound(call('1', 'look')), textRound('Done.')];

describe('a message during the tools of a round', () => {
  it('is the last message of the next request, once, and its outcome names the round', async () => {
    const steering = createSteering();
    const outcomes: unknown[] = [];
    const { model, looping } = loop(
      [callRound(call('1', 'look')), callRound(call('2', 'look')), textRound('Done.')],
      {
        during: () => void steering.steer('Texas.', { id: 'm' }).then(outcome => outcomes.push(outcome)),
      },
    );
    await stream(looping, { providerOptions: kelivo({ steering }) });
    expect(outline(model.requests[1]?.prompt)).toEqual([
      'user: Go.',
      'tool-call 1',
      'tool-result 1',
      'user: Texas.',
    ]);
    expect(outline(model.requests[2]?.prompt)).toEqual([
      'user: Go.',
      'tool-call 1',
      'tool-result 1',
      'user: Texas.',
      'tool-call 2',
      'tool-result 2',
    ]);
    expect(outcomes[0]).toEqual({
      type: 'delivered',
      id: 'm',
      message: { role: 'user', content: 'Texas.' },
      round: 2,
    });
  });

  it('may contain images', async () => {
    const steering = createSteering();
    const { model, looping } = loop(twoRounds(), {
      during: () =>
        void steering.steer({ role: 'user', content: [{ type: 'image', image: new Uint8Array([1, 2]) }] }),
    });
    await stream(looping, { providerOptions: kelivo({ steering }) });
    expect(model.requests[1]?.prompt.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'file', mediaType: 'image/*', data: new Uint8Array([1, 2]) }],
    });
  });

  it('is in the repeated request of a broken round', async () => {
    const steering = createSteering();
    const broken: ScriptedRound = async function* () {
      yield start;
      throw serverError();
    };
    const { model, looping } = loop([callRound(call('1', 'look')), broken, textRound('Done.')], {
      during: () => void steering.steer('Texas.'),
    });
    await stream(looping, { providerOptions: kelivo({ steering }) });
    expect(outline(model.requests[1]?.prompt)).toEqual(outline(model.requests[2]?.prompt));
  });
});

describe('a message during the last round', () => {
  const answering = (send: () => void): ScriptedRound =>
    async function* () {
      yield* textRound('First.').slice(0, -1);
      send();
      yield* textRound('First.').slice(-1);
    };

  it('continues the turn', async () => {
    const steering = createSteering();
    const { model, looping } = loop([answering(() => void steering.steer('And now?')), textRound('Second.')]);
    const parts = await stream(looping, { providerOptions: kelivo({ steering }) });
    expect(outline(model.requests[1]?.prompt)).toEqual(['user: Go.', 'assistant: First.', 'user: And now?']);
    expect(finishOf(parts).finishReason).toBe('stop');
  });

  it('is reported if a limit or a condition ends the turn', async () => {
    for (const [options, reason] of [
      [{ maxRounds: 1 }, 'limit'],
      [{ stopWhen: stepCountIs(1) }, 'stop-condition'],
    ] as const) {
      const steering = createSteering();
      let outcome: Promise<unknown> | undefined;
      const { model, looping } = loop([answering(() => (outcome = steering.steer('And now?')))], options);
      await stream(looping, { providerOptions: kelivo({ steering }) });
      expect(await outcome).toMatchObject({ type: 'not-delivered', reason });
      expect(model.requests).toHaveLength(1);
    }
  });

  it('waits in the queue until the model has answered, one message for each answer', async () => {
    const steering = createSteering();
    const outcomes = [steering.queue('A?'), steering.queue('B?')];
    const { model, looping } = loop([...twoRounds(), textRound('A.'), textRound('B.')]);
    await stream(looping, { providerOptions: kelivo({ steering }) });
    expect(await Promise.all(outcomes)).toMatchObject([{ round: 3 }, { round: 4 }]);
    expect(outline(model.requests[3]?.prompt).slice(-4)).toEqual(
      ['user: A?', 'assistant: A.', 'user: B?'].toSpliced(0, 0, 'assistant: Done.'),
    );
  });
});

describe('a steering object', () => {
  it('delivers earlier messages in the first round, and returns the first outcome of an id', async () => {
    const steering = createSteering();
    const first = steering.steer('Early.', { id: 'm' });
    expect(steering.steer('Other.', { id: 'm' })).toBe(first);
    const { model, looping } = loop([textRound('Done.')]);
    await stream(looping, { providerOptions: kelivo({ steering }) });
    expect(outline(model.requests[0]?.prompt)).toEqual(['user: Go.', 'user: Early.']);
    expect(await first).toMatchObject({ type: 'delivered', round: 1 });
  });

  it('belongs to one turn, and resolves at once afterwards', async () => {
    const steering = createSteering();
    const { looping } = loop([textRound('Done.'), textRound('Done.')]);
    await stream(looping, { providerOptions: kelivo({ steering }) });
    expect(await steering.steer('Late.')).toMatchObject({ type: 'not-delivered', reason: 'finished' });
    await expect(stream(looping, { providerOptions: kelivo({ steering }) })).rejects.toThrow(/already used/);
  });

  it('goes on with the turn that follows the calls of the host', async () => {
    const steering = createSteering();
    const { model, looping } = loop([callRound(call('1', 'ask')), textRound('Done.'), textRound('More.')]);
    const options = { tools: [declareTool('ask')], providerOptions: kelivo({ steering }) };
    await stream(looping, options);
    expect(await steering.steer('Now.')).toMatchObject({ reason: 'waiting-for-tool-results' });
    const { stream: second } = await looping.doStream({
      ...options,
      prompt: model.requests[0]?.prompt ?? [],
    });
    const outcome = steering.steer('Later.');
    for await (const _ of second);
    expect(await outcome).toMatchObject({ type: 'delivered', round: 2 });
  });

  it('reports an abort, an error and a message that prepareRound removes', async () => {
    const aborted = createSteering();
    const controller = new AbortController();
    let outcome: Promise<unknown> | undefined;
    const first = loop(twoRounds(), {
      during() {
        outcome = aborted.steer('A.');
        controller.abort(new Error('Stop.'));
      },
    });
    await stream(first.looping, {
      abortSignal: controller.signal,
      providerOptions: kelivo({ steering: aborted }),
    }).catch(() => {});
    expect(await outcome).toMatchObject({ reason: 'aborted' });

    const failed = createSteering();
    const queued = failed.queue('B.');
    const second = loop([
      () => {
        throw new Error('Down.');
      },
    ]);
    await stream(second.looping, { providerOptions: kelivo({ steering: failed }) }).catch(() => {});
    expect(await queued).toMatchObject({ reason: 'error' });

    const removed = createSteering();
    const third = loop([textRound('Done.')], {
      prepareRound: ({ messages }) => ({ messages: messages.slice(0, 1) }),
    });
    const early = removed.steer('C.');
    await stream(third.looping, { providerOptions: kelivo({ steering: removed }) });
    expect(await early).toMatchObject({ reason: 'removed-by-prepare-round' });
    expect(outline(third.model.requests[0]?.prompt)).toEqual(['user: Go.']);
  });

  it('is delivered if a summary joins it with other messages', async () => {
    const steering = createSteering();
    const early = steering.steer('Early.');
    const { model, looping } = loop([textRound('The summary.'), textRound('Done.')], {
      compactThreshold: 100,
      compaction: 'model',
    });
    const prompt = [
      ...user('A long question. '.repeat(100)),
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'A long answer.' }] },
      ...user('Go.'),
    ];
    await stream(looping, { prompt, providerOptions: kelivo({ steering }) });
    expect(outline(model.requests[1]?.prompt).join()).toContain('Early.');
    expect(await early).toMatchObject({ type: 'delivered', round: 1 });
  });

  it('delivers its messages again if the host repeats a request that failed', async () => {
    const steering = createSteering();
    const early = steering.steer('Early.');
    const failing: ScriptedRound = () => {
      throw serverError();
    };
    const { model, looping } = loop([failing, textRound('Done.')]);
    const options = { providerOptions: kelivo({ steering }) };
    await expect(stream(looping, options)).rejects.toThrow();
    await stream(looping, options);
    expect(await early).toMatchObject({ type: 'delivered' });
    expect(outline(model.requests[1]?.prompt)).toEqual(['user: Go.', 'user: Early.']);
  });

  it('rejects other objects', async () => {
    const { looping } = loop([textRound('Done.')]);
    await expect(stream(looping, { providerOptions: kelivo({ steering: {} }) })).rejects.toThrow(
      /createSteering/,
    );
  });
});

const hosts = [
  ['ai 5', 'v2', generateText5, streamText5],
  ['ai 6', 'v3', generateText6, streamText6],
  ['ai 7', 'v4', generateText7, streamText7],
] as const;
type Host = { generateText: typeof generateText5; streamText: typeof streamText5 };

/** Every position of a cut occurs several times in them. */
const TURNS = isWhole ? 200 : 24;

describe.each(hosts)('with %s', (_name, version, generateText, streamText) => {
  const host = { generateText, streamText } as unknown as Host;
  const modelOf = (looping: LanguageModelV2) => toLanguageModel(fromLanguageModel(looping), version) as never;

  it.each(['generate', 'stream'])('the next turn has the message at its place, once (%s)', async kind => {
    const steering = createSteering();
    const rounds = [
      callRound(call('1', 'look')),
      callRound(call('2', 'look')),
      textRound('Done.'),
      textRound('Yes.'),
    ];
    let count = 0;
    const { model, looping } = loop(rounds, {
      during: () => void (count++ === 0 && steering.steer('Texas.')),
    });
    const options = { model: modelOf(looping), providerOptions: kelivo({ steering }) };
    const messages: ModelMessage[] = [{ role: 'user', content: 'Go.' }];
    const result =
      kind === 'generate'
        ? await host.generateText({ ...options, prompt: 'Go.' })
        : host.streamText({ ...options, prompt: 'Go.' });
    if ('consumeStream' in result) await result.consumeStream();
    const response = await result.response;
    const kept = JSON.parse(JSON.stringify([...messages, ...response.messages])) as never[];
    // Another loop is another process: nothing is shared but the messages.
    const next = loop([textRound('Yes.')]);
    await host.generateText({
      model: modelOf(next.looping),
      messages: [...kept, { role: 'user', content: 'Sure?' }] as never,
    });
    expect(outline(next.model.requests[0]?.prompt)).toEqual([
      'user: Go.',
      'tool-call 1',
      'tool-result 1',
      'user: Texas.',
      'tool-call 2',
      'tool-result 2',
      'assistant: Done.',
      'user: Sure?',
    ]);
    expect(model.requests).toHaveLength(3);
  });

  it(`keeps the messages and calls of ${TURNS} turns at once apart, while each response breaks once`, async () => {
    const requests = new Map<string, string[][]>();
    const inner: LanguageModelV2 = {
      ...scriptedModel(),
      async doStream({ prompt }) {
        const lines = outline(prompt);
        const [name = ''] = lines;
        const former = requests.get(name) ?? [];
        requests.set(name, [...former, lines]);
        const isAnswer = lines.some(line => line.startsWith('tool-result'));
        const turn = name.replace('user: turn ', '');
        const round = isAnswer ? textRound(`Done ${turn}.`) : callRound(call('1', 'look', { from: turn }));
        const isBroken = former.length % 2 === 0;
        return {
          stream: new ReadableStream({
            start(controller) {
              // At all positions, over the turns.
              const end = isBroken ? 1 + (Number(turn) % (round.length - 1)) : round.length;
              for (const part of round.slice(0, end)) controller.enqueue(part);
              if (isBroken) controller.error(serverError());
              else controller.close();
            },
          }),
        };
      },
    };
    const turns = Array.from({ length: TURNS }, (_, index) => ({ index, steering: createSteering() }));
    const outcomes: Promise<unknown>[] = [];
    const tools = scriptedTools({
      look({ from }) {
        const { steering } = turns[Number(from)] ?? {};
        outcomes.push(steering?.steer(`for ${from}`) as never, steering?.queue(`later ${from}`) as never);
        return `seen ${from}`;
      },
    });
    const model = modelOf(withToolLoop(inner, { tools, retry: { initialDelay: 0 } }));
    const texts = await Promise.all(
      turns.map(async ({ index, steering }) => {
        const providerOptions = kelivo({ steering });
        const { text: answer } = host.streamText({ model, prompt: `turn ${index}`, providerOptions });
        return answer;
      }),
    );
    expect(tools.calls.map(({ input }) => Number(input.from)).toSorted((a, b) => a - b)).toEqual(
      turns.map(({ index }) => index),
    );
    expect(await Promise.all(outcomes)).toEqual(
      outcomes.map(() => expect.objectContaining({ type: 'delivered' })),
    );
    for (const { index } of turns) {
      expect(texts[index]).toMatch(new RegExp(`^(.*Done ${index}\\.){2,4}$`));
      const first = [`user: turn ${index}`];
      const second = [...first, 'tool-call 1', 'tool-result 1', `user: for ${index}`];
      const third = [...second, `assistant: Done ${index}.`, `user: later ${index}`];
      // Each request, and its repetition.
      expect(requests.get(first[0] ?? '')).toEqual([first, first, second, second, third, third]);
    }
  });
});

it('accepts the steering object of ai 7, and names its rounds as steps', async () => {
  const steering = experimental_createSteering();
  let outcome: Promise<unknown> | undefined;
  const { model, looping } = loop(twoRounds(), {
    during: () => (outcome = steering.steer('Texas.')) as never,
  });
  const shown = toLanguageModel(fromLanguageModel(looping), 'v4');
  const result = streamText7({ model: shown as never, prompt: 'Go.', providerOptions: kelivo({ steering }) });
  const types: string[] = [];
  for await (const part of result.fullStream) if (part.type === 'custom') types.push(part.kind);
  expect(types).toEqual(['kelivo.user-message']);
  expect(await outcome).toMatchObject({ type: 'delivered', stepNumber: 2 });
  expect(outline(model.requests[1]?.prompt).at(-1)).toBe('user: Texas.');
});

it('replays the messages of a recorded turn in their rounds', async () => {
  const records: StepRecord[] = [];
  const run = async (message: string, rounds = twoRounds()) => {
    const steering = createSteering();
    const { model, looping } = loop(rounds, { during: () => void steering.steer(message) });
    const { step } = createEngine(records);
    const parts = await stream(looping, { providerOptions: kelivo({ step, steering }) });
    return { model, parts, steering };
  };
  const first = await run('Texas.');
  expect(records.map(({ name }) => name)).toContain('steering 2');
  records.splice(records.findIndex(({ name }) => name === 'round 2'));
  const second = await run('Nothing.', [textRound('Done.')]);
  expect(second.model.requests).toHaveLength(1);
  expect(outline(second.model.requests[0]?.prompt)).toEqual(outline(first.model.requests[1]?.prompt));
});

describe.each(newest(hosts))('a turn that fails under %s', (_name, version, generateText, streamText) => {
  const host = { generateText, streamText } as unknown as Host;
  const modelOf = (looping: LanguageModelV2) => toLanguageModel(fromLanguageModel(looping), version) as never;

  const down: ScriptedRound = () => {
    throw serverError({ statusCode: 400 });
  };

  /** Runs a turn to its failure. Returns what it has done, by its error and by its metadata if there are any. */
  async function fail(kind: string, options: object): Promise<unknown> {
    const all = { ...options, prompt: 'Go.', maxRetries: 0 } as unknown as Parameters<
      typeof generateText5
    >[0];
    if (kind === 'generate') return host.generateText(all).catch((error: unknown) => error);
    const errors: unknown[] = [];
    const result = host.streamText({ ...all, onError: ({ error }) => void errors.push(error) });
    await result.consumeStream();
    const [failure] = errors;
    // A first request that fails has no metadata. After an abort, `ai` 5 never settles them.
    if ((partialTurnOf(failure)?.rounds.length ?? 0) > 0)
      expect(partialTurnOf(await result.providerMetadata)).toEqual(partialTurnOf(failure));
    return failure;
  }

  describe.each(['generate', 'stream'])('(%s)', kind => {
    it('returns the messages that its rounds have received, at their places, and the others in their outcomes', async () => {
      const steering = createSteering();
      const outcomes: Promise<unknown>[] = [];
      const messages: UserModelMessage[] = [
        { role: 'user', content: 'Texas.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Here.' },
            { type: 'image', image: new Uint8Array([1, 2]), mediaType: 'image/png' },
          ],
        },
      ];
      const { looping } = loop([callRound(call('1', 'look')), callRound(call('2', 'look')), down], {
        during() {
          const message = messages.shift();
          if (message !== undefined) void steering.steer(message);
          outcomes.push(steering.queue('Later.', { id: 'later' }));
        },
      });
      const failure = await fail(kind, { model: modelOf(looping), providerOptions: kelivo({ steering }) });
      expect(await outcomes[0]).toMatchObject({
        ...{ type: 'not-delivered', reason: 'error' },
        message: { content: 'Later.' },
      });
      const kept = JSON.parse(JSON.stringify(continueTurn([{ role: 'user', content: 'Go.' }], failure)));
      // With the same object too, which a host that repeats the turn would pass.
      for (const again of [undefined, steering]) {
        const next = loop([textRound('Yes.')]);
        await host.generateText({
          model: modelOf(next.looping),
          messages: kept,
          ...(again && { providerOptions: kelivo({ steering: again }) }),
        });
        const prompt = next.model.requests[0]?.prompt;
        expect(outline(prompt)).toEqual([
          ...['user: Go.', 'tool-call 1', 'tool-result 1', 'user: Texas.'],
          ...['tool-call 2', 'tool-result 2', 'user: Here.', 'file'],
        ]);
        expect(prompt?.at(-1)?.content[1]).toMatchObject({ mediaType: 'image/png' });
        expect(next.tools.calls).toEqual([]);
      }
    });

    it('returns those of a first request that fails, and of an aborted turn in its event', async () => {
      const early = createSteering();
      void early.steer('Early.');
      const first = loop([down]);
      const options = { model: modelOf(first.looping), providerOptions: kelivo({ steering: early }) };
      const failure = await fail(kind, options);
      expect(partialTurnOf(failure)).toMatchObject({
        ...{ rounds: [], calls: [] },
        messages: [{ role: 'assistant', content: [expect.anything()] }],
      });

      const controller = new AbortController();
      const steering = createSteering();
      const events: ToolLoopEvent[] = [];
      let count = 0;
      const aborted = loop([callRound(call('1', 'look')), callRound(call('2', 'look'))], {
        onEvent: event => events.push(event),
        during() {
          if (count++ === 0) void steering.steer('Texas.');
          else controller.abort(new Error('Stop.'));
        },
      });
      await fail(kind, {
        ...{ model: modelOf(aborted.looping), providerOptions: kelivo({ steering }) },
        abortSignal: controller.signal,
      }).catch(() => {});
      const next = loop([textRound('Yes.')]);
      const messages = continueTurn<ModelMessage>([{ role: 'user', content: 'Go.' }], events.at(-1));
      await host.generateText({ model: modelOf(next.looping), messages: messages as never });
      expect(outline(next.model.requests[0]?.prompt)).toEqual([
        ...['user: Go.', 'tool-call 1', 'tool-result 1', 'user: Texas.', 'tool-call 2', 'tool-result 2'],
      ]);
    });
  });
});

it('delivers the messages of a failed turn in their rounds if the host repeats it', async () => {
  const steering = createSteering();
  let count = 0;
  const failing: ScriptedRound = () => {
    throw serverError({ statusCode: 400 });
  };
  const { model, tools, looping } = loop(
    [callRound(call('1', 'look')), callRound(call('2', 'look')), failing, textRound('Done.')],
    { during: () => void (count++ === 0 && steering.steer('Texas.')) },
  );
  const options = { providerOptions: kelivo({ steering, turnId: 'turn', scope: 'user' }) };
  await stream(looping, options);
  await stream(looping, options);
  expect(tools.calls).toHaveLength(2);
  expect(outline(model.requests[3]?.prompt)).toEqual(outline(model.requests[2]?.prompt));
  expect(outline(model.requests[3]?.prompt)).toEqual([
    ...['user: Go.', 'tool-call 1', 'tool-result 1', 'user: Texas.', 'tool-call 2', 'tool-result 2'],
  ]);
});

it('frees the steering of a turn that another feature does not let begin', async () => {
  const steering = createSteering();
  const { looping } = loop([textRound('Done.')]);
  const message = steering.steer('Shorter, please.');
  message.catch(() => {});
  // There is no price for the model.
  await expect(stream(looping, { providerOptions: kelivo({ steering, maxCost: 1 }) })).rejects.toThrow(
    /price/,
  );
  const parts = await stream(looping, { providerOptions: kelivo({ steering }) });
  expect(finishOf(parts).finishReason).toBe('stop');
});
