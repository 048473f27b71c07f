import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConversationStore } from '../../../playground/server/store/conversations.js';
import { openDatabase } from '../../../playground/server/store/database.js';
import type { PlaygroundState } from '../../../playground/shared/playground-state.js';
import { openPlayground } from './_playground.js';

const DAY = 86_400_000;

/** Stores turns of an application, each with its age in days and its size in bytes. */
function storeTurns(folder: string, turns: readonly { title: string; age?: number; size?: number }[]): void {
  const database = openDatabase(folder);
  const store = createConversationStore(database);
  for (const { title, age = 0, size = 0 } of turns) {
    const message = { id: randomUUID(), role: 'assistant' as const, parts: [] };
    const data = Array.from({ length: Math.ceil(size / 1000) }, () => randomUUID().repeat(28).slice(0, 997));
    store.addAppTurn({
      question: title,
      title,
      message,
      trace: [{ type: 'wire', at: 0, exchange: 1, name: 'x', data }],
    });
    database
      .prepare('UPDATE conversations SET updated_at = ? WHERE title = ?')
      .run(new Date(Date.now() - age * DAY).toISOString(), title);
  }
  database.close();
}

describe('turns of applications', () => {
  it('are deleted by age and size at the start and after a change, but not the newest one and no chat', async () => {
    const first = await openPlayground();
    await first.ask('A chat that stays');
    await first.close();
    storeTurns(first.folder, [
      { title: 'old', age: 31 },
      { title: 'young', age: 29, size: 3_000_000 },
      { title: 'today', age: 0.5 },
      { title: 'now', size: 2_000_000 },
    ]);
    // Turns that an earlier version has stored.
    const earlier = openDatabase(first.folder);
    earlier.exec('DELETE FROM app_sizes');
    earlier.close();
    const { call, folder, url, appUrl } = await openPlayground({ folder: first.folder });
    const titles = async () =>
      ((await call('/api/traces')).json as { title: string }[]).map(({ title }) => title).toSorted();
    const keep = (retention: object) => call('/api/state/retention', { method: 'PUT', body: retention });

    expect(((await call('/api/state')).json as PlaygroundState).retention).toEqual({
      days: 30,
      megabytes: 500,
    });
    expect(await titles()).toEqual(['A chat that stays', 'now', 'today', 'young']);
    expect((await keep({ days: 0, megabytes: 5 })).status).toBe(400);
    expect((await keep({ days: 30, megabytes: 1.5 })).status).toBe(400);
    await keep({ days: 30, megabytes: 4 });
    expect(await titles()).toEqual(['A chat that stays', 'now', 'today']);
    await keep({ days: 30, megabytes: 1 });
    expect(await titles()).toEqual(['A chat that stays', 'now']);
    const token = new URL(appUrl).pathname.split('/').at(-1) ?? '';
    const started = {
      type: 'call-start',
      call: 1,
      at: Date.now(),
      prompt: 'The next one',
      modelId: 'm',
      provider: 'p',
    };
    const messages = [started, { type: 'call-end', call: 1, at: Date.now(), result: { content: [] } }];
    const sent = await fetch(`${url}/v1/devtools`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ app: { id: 'app-1', name: 'an app' }, lost: 0, messages }),
    });
    expect(sent.status).toBe(200);
    expect(await titles()).toEqual(['A chat that stays', 'The next one']);
    const database = openDatabase(folder);
    expect(database.prepare('SELECT COUNT(*) AS count FROM messages').get()).toEqual({ count: 4 });
    database.close();
  });
});
