import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlaygroundState, Preset } from '../../../playground/shared/playground-state.js';
import { openDatabase, readLayout } from '../../../playground/server/store/database.js';
import { Connection } from '../../../playground/server/store/sqlite.js';
import { startEmulator } from '../../testing/_emulator.js';
import { makeFolder, openPlayground, type TestPlayground } from './_playground.js';

const stateOf = async ({ call }: TestPlayground, id = 'new-chat'): Promise<PlaygroundState> =>
  (await call(`/api/state?conversation=${id}`)).json as PlaygroundState;

const change = ({ call }: TestPlayground, id: string, body: object) =>
  call(`/api/state?conversation=${id}`, { method: 'PATCH', body });

const save = ({ call }: TestPlayground, id: string, name: string) =>
  call(`/api/state/presets?conversation=${id}`, { method: 'POST', body: { name } });

async function presetOf(playground: TestPlayground, name: string): Promise<Preset> {
  const found = (await stateOf(playground)).presets.find(preset => preset.name === name);
  if (found === undefined) throw new Error(`Expected a preset ${name}.`);
  return found;
}

describe('presets', () => {
  it('are what a new chat starts with, and change no chat that has begun', async () => {
    const emulator = await startEmulator();
    const playground = await openPlayground();
    await change(playground, 'chat-one-1', { endpoint: emulator.baseURL, modelId: 'first' });
    await playground.ask('Hello', { id: 'chat-one-1' });
    await change(playground, 'draft-two-2', { modelId: 'second', systemPrompt: 'Be brief.' });
    await save(playground, 'draft-two-2', ' Brief ');
    const { id } = await presetOf(playground, 'Brief');
    await playground.call(`/api/state/presets/${id}`, { method: 'PATCH', body: { isDefault: true } });
    await change(playground, 'draft-two-2', { modelId: 'third' });
    await playground.ask('Hello', { id: 'chat-four-4' });
    await playground.call(`/api/state/presets/${id}`, { method: 'DELETE' });
    await change(playground, 'chat-five-5', { modelId: 'fifth' });
    await playground.ask('Hello again', { id: 'chat-one-1' });
    await playground.ask('Hello again', { id: 'chat-four-4' });

    const sent = emulator.requests.map(({ body }) => body as { model: string; instructions?: string });
    expect(sent.map(({ model }) => model)).toEqual(['first', 'second', 'first', 'second']);
    expect(JSON.stringify(sent[1])).toContain('Be brief.');
    expect((await stateOf(playground)).settings.modelId).toBe('fifth');
  });

  it('are renamed, have different names, and one is the default', async () => {
    const playground = await openPlayground();
    for (const name of ['Zebra', 'Ant']) await save(playground, 'draft-one-1', name);
    const [ant, zebra] = [await presetOf(playground, 'Ant'), await presetOf(playground, 'Zebra')];
    const patch = (id: string, body: object) =>
      playground.call(`/api/state/presets/${id}`, { method: 'PATCH', body });
    await patch(ant.id, { isDefault: true });
    await patch(zebra.id, { isDefault: true, name: 'Bee' });
    const listed = (await stateOf(playground)).presets.map(({ name, isDefault }) => [name, isDefault]);

    expect(listed).toEqual([
      ['Ant', false],
      ['Bee', true],
    ]);
    expect(await save(playground, 'draft-one-1', 'Bee')).toMatchObject({
      status: 409,
      json: { error: 'There is a preset “Bee” already. Choose another name.' },
    });
    expect((await patch(ant.id, { name: 'Bee' })).status).toBe(409);
    expect((await patch(ant.id, { name: 'Ant' })).status).toBe(200);
    expect((await patch('none', { name: 'Cat' })).status).toBe(404);
    expect((await save(playground, 'draft-one-1', '  ')).status).toBe(400);
  });

  it('are at most 100', async () => {
    const playground = await openPlayground();
    for (let number = 1; number <= 100; number++) await save(playground, 'draft-one-1', `Preset ${number}`);

    expect(await save(playground, 'draft-one-1', 'One more')).toMatchObject({
      status: 409,
      json: { error: 'There are 100 presets already. Delete one first.' },
    });
    expect((await stateOf(playground)).presets).toHaveLength(100);
  });

  it('contain no key', async () => {
    const playground = await openPlayground();
    await change(playground, 'draft-one-1', { endpoint: 'http://127.0.0.1:9/v1' });
    await playground.call('/api/state/key?conversation=draft-one-1', {
      method: 'PUT',
      body: { key: 'sk-private-0123456789' },
    });
    const { text } = await save(playground, 'draft-one-1', 'With a key');

    expect(text).toContain('With a key');
    expect(text).not.toContain('0123456789');
  });
});

describe('a database of the first layout', () => {
  it('is updated: its conversations keep the settings that they had', async () => {
    const folder = await makeFolder();
    const emulator = await startEmulator();
    const first = await openPlayground({ folder });
    await first.call('/api/state', { method: 'PATCH', body: { endpoint: emulator.baseURL, modelId: 'old' } });
    await first.ask('Hello', { id: 'old-chat-1' });
    await first.ask('Hello', { id: 'own-chat-1' });
    await change(first, 'own-chat-1', { modelId: 'own' });
    await first.call('/api/state', { method: 'PATCH', body: { modelId: 'old' } });
    await first.close();
    // Chats had no settings of their own.
    const file = new Connection(path.join(folder, 'conversations.sqlite'));
    file.exec("DELETE FROM settings WHERE name = 'settings of old-chat-1'; PRAGMA user_version = 1");
    file.close();

    const second = await openPlayground({ folder });
    await change(second, 'new-chat-1', { modelId: 'new' });
    await second.ask('Hello again', { id: 'old-chat-1' });
    await second.ask('Hello again', { id: 'own-chat-1' });
    const sent = emulator.requests.map(({ body }) => (body as { model: string }).model);
    await second.close();
    const database = openDatabase(folder);

    expect(sent.slice(-2)).toEqual(['old', 'own']);
    expect(readLayout(database)).toBe(2);
    database.close();
  });
});
