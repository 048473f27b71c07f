import { homedir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Fixture } from '../../../playground/server/bug-report.js';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { serveBody } from '../../_server.js';
import { openPlayground } from './_playground.js';

it('creates a bug report from which a server can replay the responses', async () => {
  const { ask, call } = await openPlayground();
  const { text } = await ask('Count the words in "one two three".');
  const { json } = await call('/api/conversations/conversation-1/fixture');
  const fixture = json as Fixture;
  const [turn] = fixture.turns;
  const last = turn?.exchanges.at(-1);
  const server = await serveBody(last?.body ?? '');
  const model = createKelivoResponsesProvider({ baseURL: server.url, apiKey: 'none' }).responses('gpt-5');
  const { content } = await model.doGenerate({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Again' }] }],
  });

  expect(fixture.format).toBe('kelivo-responses/bug-report@1');
  expect(turn).toMatchObject({ flag: 'kelivo', modelId: 'gpt-5', end: 'finished' });
  expect(turn?.exchanges.map(({ round, status }) => [round, status])).toEqual([
    [1, 200],
    [2, 200],
  ]);
  expect(content).toContainEqual(expect.objectContaining({ type: 'text', text }));
});

it('redacts the folders of this machine in a bug report', async () => {
  const { ask, call } = await openPlayground();
  const place = path.join(homedir(), 'projects');
  await ask(`What is in ${place} and ${process.cwd()}?`);
  const { text } = await call('/api/conversations/conversation-1/fixture');

  expect(text).toContain('~/projects');
  expect(text).not.toContain(JSON.stringify(place).slice(1, -1));
  expect(text).not.toContain(process.cwd());
});
