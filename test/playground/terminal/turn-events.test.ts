import { setTimeout as delay } from 'node:timers/promises';
import type { TextStreamPart, ToolSet } from 'ai';
import { expect, it } from 'vitest';
import { collectTurn } from '../../../playground/terminal/turn-events.js';
import type { ToolLoopEvent } from 'kelivo-responses';

type Part = TextStreamPart<ToolSet>;
type Start = (report: (event: ToolLoopEvent) => void) => AsyncIterable<Part>;

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const roundEnd: ToolLoopEvent = {
  type: 'round-end',
  round: 1,
  turnId: 't',
  at: 1,
  finishReason: 'stop',
  usage,
};
const text: Part = { type: 'text-delta', id: 't', text: 'Hello' };

async function collect(start: Start, { signal = new AbortController().signal } = {}): Promise<string[]> {
  const types: string[] = [];
  for await (const event of collectTurn(start, { hasLoop: true, knownWarnings: ['Old.'], signal })) {
    types.push(event.type === 'failure' || event.type === 'warning' ? event.message : event.type);
  }
  return types;
}

it('emits the end of a round after its last parts', async () => {
  const types = await collect(async function* (report) {
    report({ type: 'round-start', round: 1, turnId: 't', at: 0 });
    report(roundEnd);
    yield text;
    await delay(1);
    report({ type: 'round-start', round: 2, turnId: 't', at: 2 });
    yield text;
  });
  expect(types).toEqual(['round-start', 'text', 'round-end', 'round-start', 'text']);
});

it('ends with the failure of a turn that throws, after all its parts', async () => {
  const types = await collect(async function* (report) {
    yield text;
    report(roundEnd);
    throw new Error('No more.');
  });
  expect(types).toEqual(['text', 'round-end', 'No more.']);
  await delay(1); // Held events must not be emitted after the end.
});

it('omits a warning that has already been shown', async () => {
  const warnings = ['Old.', 'New.'].map(message => ({ type: 'other' as const, message }));
  const types = await collect(async function* () {
    yield { type: 'start-step', request: {}, warnings };
  });
  expect(types).toEqual(['New.']);
});

it('errors immediately when it is aborted, before or during the turn', async () => {
  const reason = new Error('Enough.');
  await expect(collect(async function* () {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

  const controller = new AbortController();
  const stuck: Start = async function* () {
    yield text;
    controller.abort(reason);
    await new Promise(() => {});
  };
  await expect(collect(stuck, controller)).rejects.toBe(reason);
});
