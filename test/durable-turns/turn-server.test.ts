import { expect, it, onTestFinished } from 'vitest';
import { serveTurns } from '../../playground/recipes/shared/turn-server.js';
import { findFreePort } from '../_free-port.js';
import { createTurnClient } from './_turn-client.js';

/** Starts the server of the recipes with an engine that has not recorded a text yet. */
async function start() {
  const port = await findFreePort();
  let asked = (): void => {};
  let record = (): void => {};
  const isAsked = new Promise<void>(resolve => (asked = resolve));
  const recorded = new Promise<undefined>(resolve => (record = () => resolve(undefined)));
  const engine = {
    start: async () => {},
    answer: async () => {},
    textOf: () => (asked(), recorded),
  };
  const server = await serveTurns(engine, { port });
  onTestFinished(() => server.close());
  const client = createTurnClient(`http://127.0.0.1:${port}`);
  const texts: unknown[] = [];
  const follow = () => client.follow('a', ({ type, text }) => void (type === 'end' && texts.push(text)));
  return { server, follow, texts, isAsked, record };
}

it('ends the stream of a client if the turn ends while the engine is asked for its text', async () => {
  const { server, follow, texts, isAsked, record } = await start();
  const followed = follow();
  await isAsked;
  server.begin('a')({ type: 'end', text: 'Done.' });
  record();
  await followed;
  expect(texts).toEqual(['Done.']);
});

it('ends the stream of a client that comes before the engine has recorded the text', async () => {
  const { server, follow, texts } = await start();
  server.begin('a')({ type: 'end', text: 'Done.' });
  await follow();
  expect(texts).toEqual(['Done.']);
});
