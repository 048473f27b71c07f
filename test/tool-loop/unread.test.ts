import { streamText } from 'ai7';
import { expect, it } from 'vitest';
import type { ToolLoopEvent } from '../../src/tool-loop/index.js';
import { withToolLoop } from '../../src/tool-loop/tool-loop.js';
import { toLanguageModelV4 } from '../../src/v4.js';
import { call, callRound, scriptedModel, stream, text, textRound, user } from './_scripted-model.js';
import { gate, scriptedTools } from './_tools.js';

const rounds = 8;

/** A block in deltas of one character. */
const spelled = (words: string) => {
  const [begin, , end] = text(words);
  return [begin, ...[...words].map(delta => ({ type: 'text-delta' as const, id: '0', delta })), end].filter(
    part => part !== undefined,
  );
};

/** A turn of rounds with one effect each. */
function createTurn(unread: number | false) {
  const ended = gate<ToolLoopEvent>();
  const tools = scriptedTools({ write: () => 'written' });
  const model = scriptedModel(
    ...Array.from({ length: rounds }, (_, index) =>
      callRound(spelled(`${index}. Written.`), call(`c${index}`, 'write', { index })),
    ),
    textRound('Done.'),
  );
  const looped = withToolLoop(model, {
    tools,
    timeouts: { unread },
    onEvent: event => void (event.type === 'turn-end' && ended.open(event)),
  });
  return { looped, tools, model, ended };
}

// `ai` 5 and 6 read the complete turn ahead, so that the loop has a reader until its end.
it.each(['v2', 'v4'] as const)(
  'ends the turn of a reader of %s that cancels under ai 7, with at most one more effect',
  async version => {
    const turns = Array.from({ length: 20 }, async (_, index) => {
      const { looped, tools, ended } = createTurn(500);
      const model = version === 'v2' ? looped : toLanguageModelV4(looped);
      const { fullStream } = streamText({ model: model as never, prompt: 'go', onError: () => {} });
      const reader = fullStream.getReader();
      for (let reads = 0; reads < index; reads++) await reader.read();
      const before = tools.calls.length;
      await reader.cancel();
      const { outcome } = (await ended.opened) as ToolLoopEvent & { outcome: string };
      return { outcome, effects: tools.calls.length - before };
    });
    const outcomes = await Promise.all(turns);
    expect(outcomes.filter(({ outcome }) => outcome !== 'aborted')).toEqual([]);
    expect(Math.max(...outcomes.map(({ effects }) => effects))).toBeLessThanOrEqual(1);
  },
);

// `ai` 7 receives no signs of life, so that nothing may be waiting for the reader.
it('ends a turn in ai 7 whose reader stops after any part', async () => {
  const turns = Array.from({ length: 40 }, async (_, count) => {
    const { looped, tools, ended } = createTurn(200);
    // The key by which `ai` 7 is recognized.
    const { stream: parts } = await looped.doStream({ prompt: user('Go.'), reasoning: undefined } as never);
    const reader = parts.getReader();
    for (let reads = 0; reads < count; reads++) await reader.read();
    expect(await ended.opened).toMatchObject({ outcome: 'aborted' });
    expect(tools.calls.length).toBeLessThan(rounds);
  });
  await Promise.all(turns);
});

it('ends a turn that nobody reads', async () => {
  const { looped, tools, ended } = createTurn(50);
  const { stream: parts } = await looped.doStream({ prompt: user('Go.') });
  const reader = parts.getReader();
  await reader.read();
  expect(await ended.opened).toMatchObject({ outcome: 'aborted' });
  expect(tools.calls.length).toBeLessThanOrEqual(1);
});

it('does not end the turn of a slow reader', async () => {
  const { looped, tools } = createTurn(3_000);
  const { stream: parts } = await looped.doStream({ prompt: user('Go.') });
  const reader = parts.getReader();
  let last: string | undefined;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    last = value.type;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  expect(last).toBe('finish');
  expect(tools.calls).toHaveLength(rounds);
});

it('needs no reader that is faster than the turn', async () => {
  const { looped, tools } = createTurn(false);
  await stream(looped);
  expect(tools.calls).toHaveLength(rounds);
});
