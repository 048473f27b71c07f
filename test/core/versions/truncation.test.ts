import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyNth, everyPair } from '../../_products.js';
import { type AnyModel, asModel, type Major, majors } from './_majors.js';
import { type Reason, ScriptedModel, type ScriptedRound } from './_scripted-models.js';
import { run } from './_walk.js';
import { type Answer, startWireServer, type WireServer } from './_wires.js';
import { createCountedTools, type Wrapper, wrappers } from './_wrappers.js';

// A call in a response that ends early may be cut, so that it does not run, whoever made the model and whatever wraps it.

globalThis.AI_SDK_LOG_WARNINGS = false;

const modes = ['generate', 'stream'] as const;
const reasons = ['length', 'content-filter', 'error'] as const satisfies readonly Reason[];

const native = (input: string): ScriptedRound => ({ calls: [{ id: 'call_1', tool: 'add', input }] });
const written = (call: string): ScriptedRound => ({ text: `I will add.\n<tool_call>\n${call}` });

const calls: Readonly<Record<string, { round: ScriptedRound; isText: boolean }>> = {
  'a native call with cut arguments': { round: native('{"a":20,"b":'), isText: false },
  'a native call with an open text': { round: native('{"a":20,"b":2'), isText: false },
  'a native call without arguments': { round: native(''), isText: false },
  'a native call with empty arguments': { round: native('{}'), isText: false },
  'a complete native call': { round: native('{"a":20,"b":22}'), isText: false },
  'a written call with cut arguments': {
    round: written('{"name": "add", "arguments": {"a": 20, "b":'),
    isText: true,
  },
  'a written call without arguments': { round: written('{"name": "add"'), isText: true },
  'a written call with empty arguments': {
    round: written('{"name": "add", "arguments": {}}\n</tool_call>'),
    isText: true,
  },
  'a complete written call': {
    round: written('{"name": "add", "arguments": {"a": 20, "b": 22}}\n</tool_call>'),
    isText: true,
  },
};

const looping = wrappers.filter(({ hasLoop }) => hasLoop);

interface Turn {
  readonly major: Major;
  readonly wrapper: Wrapper;
  readonly mode: (typeof modes)[number];
}

/** Runs a turn and returns how often the tool ran. */
async function runsOf(model: AnyModel, { major, wrapper, mode }: Turn) {
  const counted = createCountedTools();
  const { finishReason } = await run(major.sdk, mode, {
    model: asModel(wrapper.wrap(model, major, counted.tools)),
    ...{ prompt: 'Add 20 and 22.', maxRetries: 0 },
  });
  return { runs: counted.runs, finishReason };
}

const cases = everyPair(
  majors.flatMap(major =>
    looping.flatMap(wrapper =>
      Object.entries(calls)
        .filter(([, { isText }]) => !isText || wrapper.readsText)
        .flatMap(([name, { round }]) => reasons.map(finish => ({ major, wrapper, name, round, finish }))),
    ),
  ),
);

it.each(cases)(
  'ai $major.ai, $wrapper.name: does not run $name of a response that ends with $finish',
  async ({ major, wrapper, round, finish }) => {
    for (const mode of modes) {
      const model = new ScriptedModel(major.version, [{ ...round, finish }, { text: 'It is 42.' }]);
      const result = await runsOf(model, { major, wrapper, mode });
      expect({ mode, requests: model.requests.length, ...result }).toEqual({
        ...{ mode, requests: 1, runs: 0, finishReason: finish },
      });
    }
  },
);

describe.each(majors)('ai $ai', major => {
  it('runs a complete call of a response that ends normally', async () => {
    for (const wrapper of looping) {
      for (const mode of modes) {
        const complete = native('{"a":20,"b":22}');
        const model = new ScriptedModel(major.version, [complete, { text: 'It is 42.' }]);
        const result = await runsOf(model, { major, wrapper, mode });
        expect({ name: wrapper.name, ...result }).toEqual({
          ...{ name: wrapper.name, runs: 1, finishReason: 'stop' },
        });
      }
    }
  });
});

describe('models of the official packages', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
  });
  afterAll(() => server.close());

  const models: Readonly<Record<string, (major: Major) => AnyModel>> = {
    '@ai-sdk/openai-compatible': major => major.compatible(server.connection)('some-model'),
    '@ai-sdk/openai chat': major => major.openai(server.connection).chat('gpt-4.1'),
    '@ai-sdk/openai responses': major => major.openai(server.connection).responses('gpt-5'),
    '@ai-sdk/google': major =>
      major.google({ baseURL: `${server.url}/v1beta`, apiKey: 'sk-test' })('gemini-2.5-flash'),
  };
  const official = everyPair(
    majors.flatMap(major =>
      Object.keys(models).flatMap(name =>
        (['length', 'content-filter'] as const).map(finish => ({ major, name, finish })),
      ),
    ),
  );

  it.each(official.map((row, number) => ({ ...row, number })))(
    'ai $major.ai, $name: no call runs if the response ends with $finish',
    async ({ major, name, finish, number }) => {
      for (const wrapper of everyNth(looping, 3, number)) {
        for (const mode of modes) {
          const call = { tool: 'add', input: { a: 20, b: 22 }, id: 'call_1', itemId: 'fc_1' };
          const script: Answer[] = [{ calls: [call], finish }, { text: 'It is 42.' }];
          server.answer(() => script.shift() ?? { status: 400 });
          const { runs } = await runsOf((models[name] as (typeof models)[string])(major), {
            major,
            wrapper,
            mode,
          });
          // In a stream, a call that is complete before the cut is known may have started: an item of the Responses API, and a
          // part of Gemini, whose package reports the finish reason at the end of the stream.
          const mayRun = mode === 'stream' && /responses|google/.test(name);
          if (!mayRun)
            expect(`${wrapper.name}, ${mode}: ${runs} runs`).toBe(`${wrapper.name}, ${mode}: 0 runs`);
        }
      }
    },
  );
});
