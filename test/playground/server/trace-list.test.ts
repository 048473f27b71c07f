import { expect, it, onTestFinished } from 'vitest';
import type { TraceSummary } from '../../../playground/shared/trace-summary.js';
import { openDatabase } from '../../../playground/server/store/database.js';
import { openPlayground } from './_playground.js';

const COUNT = 10_000;

it('has 10,000 turns, and summarizes each once', async () => {
  const { call, ask, folder } = await openPlayground();
  const list = async () => (await call('/api/traces')).json as readonly TraceSummary[];
  const titlesOf = (traces: readonly TraceSummary[]) => traces.map(({ title }) => title);
  await ask('Hello');
  const database = openDatabase(folder);
  onTestFinished(() => void database.close());
  const { outline } = database.prepare('SELECT outline FROM messages WHERE end IS NOT NULL').get() as {
    outline: string;
  };
  const addConversation = database.prepare(
    "INSERT INTO conversations (id, title, mode, updated_at) VALUES (?, ?, 'chat', '2026-01-01T00:00:00.000Z')",
  );
  const addTurn = database.prepare(
    `INSERT INTO messages (conversation_id, id, thread, message, end, outline, trace)
     VALUES (?, ?, 'main', '{}', 'finished', ?, '[]')`,
  );
  database.transaction(() => {
    for (let number = 1; number < COUNT; number++) {
      addConversation.run(`stored-${number}`, `Turn ${number}`);
      addTurn.run(`stored-${number}`, `turn-${number}`, outline);
    }
  })();
  const first = await list();
  expect(first).toHaveLength(COUNT);
  expect([...new Set(titlesOf(first))]).toHaveLength(COUNT);

  // An outline that is read again is no JSON.
  database.exec(
    `UPDATE messages SET outline = printf('%.*c', octet_length(outline), 'x') WHERE end IS NOT NULL`,
  );
  expect(await list()).toEqual(first);

  const other = outline.replace(/"modelId":"[^"]*"/g, '"modelId":"another-model-with-a-long-name"');
  database.prepare("UPDATE messages SET outline = ? WHERE id = 'turn-1'").run(other);
  const changed = await list();
  expect(changed.filter((trace, index) => trace.modelId !== first[index]?.modelId)).toMatchObject([
    { messageId: 'turn-1', modelId: 'another-model-with-a-long-name' },
  ]);

  database.prepare('UPDATE messages SET outline = ?').run(other);
  database.exec("UPDATE conversations SET title = 'The key is swordfish-of-the-north' WHERE id = 'stored-2'");
  expect(titlesOf(await list())).toContain('The key is swordfish-of-the-north');
  await call('/api/state', { method: 'PATCH', body: { endpoint: 'https://api.example.com/v1' } });
  await call('/api/state/key', { method: 'PUT', body: { key: 'swordfish-of-the-north' } });
  expect(titlesOf(await list())).toContain('The key is [redacted]');

  database.exec("DELETE FROM conversations WHERE id = 'stored-3'");
  expect(titlesOf(await list())).not.toContain('Turn 3');
});

it('names each turn of a chat by the message that it answers', async () => {
  const { call, ask } = await openPlayground();
  await ask('How is the weather in Rome?');
  await ask(`And in Oslo? ${'Tell me more. '.repeat(40)}`);
  await call('/api/conversations/conversation-1', { method: 'PATCH', body: { title: 'Weather' } });
  const traces = (await call('/api/traces')).json as readonly TraceSummary[];
  expect(traces.map(({ title }) => title)).toEqual([
    expect.stringMatching(/^And in Oslo\? Tell me more\./),
    'How is the weather in Rome?',
  ]);
  expect(traces[0]?.title).toHaveLength(200);
});
