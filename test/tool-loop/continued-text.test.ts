import type { LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import {
  call,
  finish,
  finishOf,
  ofType,
  type ScriptedRound,
  scriptedModel,
  start,
  stream,
  text,
} from './_scripted-model.js';
import { serverError } from './_server-error.js';
import { scriptedTools } from './_tools.js';

type Part = LanguageModelV2StreamPart;

const retry = { initialDelay: 0, streamRetries: 3 };

/** A block in deltas of one character, each with a start and an end. */
const spelled = (words: string, id = '0'): Part[] => [
  { type: 'text-start', id },
  ...[...words].map((delta): Part => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];
const failed = (parts: Part[]): ScriptedRound => [
  start,
  ...parts,
  { type: 'error', error: serverError() },
  finish('error'),
];
const whole = (...parts: Part[][]): ScriptedRound => [start, ...parts.flat(), finish()];

async function run(rounds: ScriptedRound[], options: { json?: boolean } = {}) {
  const model = scriptedModel(...rounds);
  const looped = withToolLoop(model, { tools: scriptedTools({ look: () => 'seen' }), retry });
  const parts = await stream(looped, options.json === true ? { responseFormat: { type: 'json' } } : {});
  const blocks = new Map<string, string>();
  for (const { id, delta } of ofType(parts, 'text-delta')) blocks.set(id, (blocks.get(id) ?? '') + delta);
  const marked = ofType(parts, 'text-end').flatMap(({ id, providerMetadata }) =>
    providerMetadata?.kelivo?.broken === true ? [id] : [],
  );
  const ids = [...ofType(parts, 'text-start'), ...ofType(parts, 'text-end')].map(({ id }) => id);
  // Each block has one start and one end.
  for (const id of ids) expect(ids.filter(other => other === id)).toHaveLength(2);
  return {
    shown: [...blocks].filter(([id]) => !marked.includes(id)).map(([, words]) => words),
    marked: [...blocks].filter(([id]) => marked.includes(id)).map(([, words]) => words),
    warnings: finishOf(parts).providerMetadata?.kelivo?.warnings,
    finishReason: finishOf(parts).finishReason,
    errors: ofType(parts, 'error'),
    requests: model.requests.length,
  };
}

const answer = [spelled('First.'), spelled('Second.', '1')].flat();

describe('a repetition that begins with the text that was shown', () => {
  it.each(answer.map((_, index) => index + 1))('is continued after %i parts', async length => {
    const outcome = await run([failed(answer.slice(0, length)), whole(answer)]);
    expect(outcome).toMatchObject({
      ...{ shown: ['First.', 'Second.'], marked: [], warnings: undefined },
      ...{ finishReason: 'stop', errors: [], requests: 2 },
    });
  });

  it('may arrive in other chunks, and break again', async () => {
    for (const second of [1, 3, 6, 9, 13]) {
      const outcome = await run([
        failed(answer.slice(0, 5)),
        failed(answer.slice(0, second)),
        whole(text('First.'), text('Second.', '1')),
      ]);
      expect(outcome).toMatchObject({
        shown: ['First.', 'Second.'],
        marked: [],
        finishReason: 'stop',
        requests: 3,
      });
    }
  });
});

describe('a repetition that differs from the text that was shown', () => {
  it.each([
    ['at the beginning', 'Other.'],
    ['in the middle', 'Fix.'],
    ['by its length', 'Fir'],
  ])('is a block of its own: %s', async (_, other) => {
    const outcome = await run([failed(spelled('First').slice(0, -1)), whole(spelled(other))]);
    expect(outcome).toMatchObject({ shown: [other], marked: ['First'], finishReason: 'stop' });
    expect(outcome.warnings).toEqual([expect.stringContaining('another text')]);
  });

  it('marks a text that was complete, and one that is not repeated', async () => {
    expect(await run([failed(spelled('First')), whole(spelled('Other'))])).toMatchObject({
      ...{ shown: ['Other'], marked: ['First'] },
    });
    expect(
      await run([
        failed(spelled('First').slice(0, -1)),
        [start, ...call('c1', 'look'), finish('tool-calls')],
        whole(spelled('Seen.')),
      ]),
    ).toMatchObject({ shown: ['Seen.'], marked: ['First'], finishReason: 'stop' });
  });

  it('is compared with the newest text if it breaks as well', async () => {
    const outcome = await run([
      failed(spelled('First').slice(0, -1)),
      failed(spelled('Other').slice(0, 4)),
      whole(spelled('Other.')),
    ]);
    expect(outcome).toMatchObject({ shown: ['Other.'], marked: ['First'], finishReason: 'stop' });
  });
});

describe('the JSON of a host', () => {
  const json = spelled('{"city":"Oslo"}');

  it.each(json.map((_, index) => index + 1))('is one document after a break at part %i', async length => {
    const outcome = await run([failed(json.slice(0, length)), whole(json)], { json: true });
    expect(outcome).toMatchObject({
      shown: ['{"city":"Oslo"}'],
      marked: [],
      finishReason: 'stop',
      errors: [],
    });
  });

  it('ends with the error of the broken response if the repetition differs', async () => {
    for (const other of ['{"city":"Rome"}', '{}', '']) {
      const outcome = await run([failed(json.slice(0, 12)), whole(spelled(other))], { json: true });
      expect(outcome.finishReason).toBe('error');
      expect(outcome.errors).toMatchObject([{ error: { statusCode: 500, isRetryable: true } }]);
      expect(outcome.requests).toBe(2);
    }
  });
});

it('ends the text that was shown if the request for the repetition fails', async () => {
  const outcome = await run([
    failed(spelled('First').slice(0, -1)),
    () => {
      throw serverError({ statusCode: 400 });
    },
  ]);
  expect(outcome).toMatchObject({ shown: [], marked: ['First'], finishReason: 'error' });
});
