import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConversationStore } from '../../../playground/server/store/conversations.js';
import { openDatabase } from '../../../playground/server/store/database.js';
import type { Connection } from '../../../playground/server/store/sqlite.js';
import type { Fixture } from '../../../playground/server/bug-report.js';
import type { Conversation, PlaygroundState } from '../../../playground/shared/playground-state.js';
import type { TraceEvent } from '../../../playground/shared/trace-event.js';
import type { TraceSummary } from '../../../playground/shared/trace-summary.js';
import { toTrace } from '../../../playground/shared/trace.js';
import { makeFolder, openPlayground } from './_playground.js';

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
    setAge(database, title, age);
  }
  database.close();
}

/** Changes when the turns of a conversation were stored. */
function setAge(database: Connection, title: string, days: number): void {
  const at = new Date(Date.now() - days * DAY).toISOString();
  database.prepare('UPDATE conversations SET updated_at = ? WHERE title = ?').run(at, title);
  database
    .prepare(
      'UPDATE recordings SET at = ? WHERE conversation_id IN (SELECT id FROM conversations WHERE title = ?)',
    )
    .run(at, title);
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
    earlier.exec('DROP TABLE recordings');
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

/** Bytes of the pieces and traces of chats. */
const sizeOf = (folder: string): number => {
  const database = openDatabase(folder);
  const sum =
    'SELECT TOTAL(octet_length(json)) + (SELECT TOTAL(octet_length(trace)) FROM messages) AS size FROM pieces';
  const { size } = database.prepare(sum).get() as { size: number };
  database.close();
  return size;
};

describe('recordings of chats', () => {
  it('are deleted by age without their messages, and everything that needs one says so', async () => {
    const first = await openPlayground();
    const { request, ended } = await first.begin('Count the words in "one two three".', { id: 'old-chat' });
    await ended();
    const old = request.responseId;
    await first.ask('Hello', { id: 'new-chat' });
    const before = (await first.call('/api/conversations/old-chat')).json as Conversation;
    await first.close();
    const database = openDatabase(first.folder);
    setAge(database, 'Count the words in "one two three".', 31);
    database.close();
    const size = sizeOf(first.folder);
    const { call } = await openPlayground({ folder: first.folder });
    const trace = toTrace(((await call(`/api/traces/${old}`)).json as { events: TraceEvent[] }).events);
    const after = (await call('/api/conversations/old-chat')).json as Conversation;
    const post = (path: string, body: object) => call(path, { method: 'POST', body });
    const reason = 'The recording of this turn was deleted, by age or size as set.';
    const replay = await post(`/api/traces/${old}/replay`, { fault: 'none' });
    const saved = await call(`/api/traces/${old}/test`);
    const report = (await call('/api/conversations/old-chat/fixture')).json as Fixture;
    const imported = await post('/api/traces/replay', { report, turn: 0 });
    const listed = (await call('/api/traces')).json as TraceSummary[];
    const opened = (await call(`/api/conversations/old-chat/traces/${old}`)).json as TraceEvent[];

    expect(sizeOf(first.folder)).toBeLessThan(size / 1.5);
    expect(after.threads.main?.map(({ message }) => message)).toEqual(
      before.threads.main?.map(({ message }) => message),
    );
    expect(after.usages).toEqual(before.usages);
    expect(trace).toMatchObject({ isRecordingDeleted: true, end: { end: 'finished' } });
    expect(trace.exchanges.length).toBeGreaterThan(0);
    expect(toTrace(opened).isRecordingDeleted).toBe(true);
    for (const { status, json } of [replay, saved, imported])
      expect([status, json]).toEqual([400, { error: expect.stringContaining(reason) }]);
    expect(report.turns).toMatchObject([{ warnings: [reason], exchanges: [] }]);
    expect(listed.map(({ isRecordingDeleted = false }) => isRecordingDeleted)).toEqual([false, true]);
    expect((await call(`/api/traces/${old}/otlp`)).status).toBe(200);
  });

  it('are deleted by size, the oldest first, and what later turns share stays readable', async () => {
    const folder = await makeFolder();
    const database = openDatabase(folder);
    const store = createConversationStore(database);
    const shared = crypto.randomUUID().repeat(20_000);
    store.open('chat', { mode: 'chat', title: 'A chat' });
    const toData = (index: number) => [shared, String(index).repeat(index * 300_000)];
    for (const index of [1, 2, 3]) {
      const message = { id: `response ${index}`, role: 'assistant' as const, parts: [] };
      store.addResponse({ conversationId: 'chat', thread: 'main', parentId: null }, message, [
        { type: 'wire', at: 0, exchange: 1, name: 'x', data: toData(index) },
      ]);
      database
        .prepare('UPDATE recordings SET at = ? WHERE at NOT LIKE ?')
        .run(`2026-01-0${index}`, '2026-01-0_');
    }
    // 720,000 bytes that all of them share, and 0.3, 0.6 and 0.9 MB.
    const read = () =>
      [1, 2, 3].map(index => {
        const [event] = store.readTrace('chat', `response ${index}`) ?? [];
        if (event?.type !== 'wire') return event?.type;
        return JSON.stringify(event.data) === JSON.stringify(toData(index));
      });
    store.prune({ days: 36_500, megabytes: 3 });
    expect(read()).toEqual([true, true, true]);
    store.prune({ days: 36_500, megabytes: 2 });
    expect(read()).toEqual(['recording-deleted', 'recording-deleted', true]);
    store.prune({ days: 36_500, megabytes: 1 });
    expect(read()).toEqual(['recording-deleted', 'recording-deleted', true]);
    database.close();
    expect(Math.round(sizeOf(folder) / 10_000)).toBe(162);
  });
});
