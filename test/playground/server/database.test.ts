import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../tools/mcp/_fixture-server.js';
import { openDatabase } from '../../../playground/server/store/database.js';
import { Connection } from '../../../playground/server/store/sqlite.js';
import { createPresetStore } from '../../../playground/server/store/presets.js';
import { createSettingsStore } from '../../../playground/server/store/settings.js';

describe('the database', async () => {
  it.each([
    ['no database', 'a text that is no database\n'.repeat(100), 'file is not a database'],
    ['a database of a later version', await toLaterDatabase(), 'its layout 1000 is of a later version'],
  ])('is rejected and unchanged if the file has %s', async (_title, content, reason) => {
    const folder = await temporaryFolder();
    const file = path.join(folder, 'conversations.sqlite');
    await writeFile(file, content);
    const before = await readFile(file);

    expect(() => openDatabase(folder)).toThrow(
      `Expected a database of this version in ${file}: ${reason}. Move the file away, or choose another folder with --data.`,
    );
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it('has default settings and no prices if the stored ones cannot be read', async () => {
    const database = openDatabase(await temporaryFolder());
    const settings = createSettingsStore(database, { presets: createPresetStore(database) });
    const initial = settings.read();
    settings.change({ modelId: 'other' });
    const replace = database.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)');
    for (const value of ['{bad', 'null', '7', '{"modelId":7}']) {
      replace.run('settings', value);
      replace.run('prices', value);
      expect(settings.read()).toEqual(initial);
      expect(settings.readPrices()).toEqual({});
    }
    database.close();
  });
});

async function toLaterDatabase(): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kelivo-database-'));
  const file = path.join(folder, 'later.sqlite');
  const database = new Connection(file);
  database.exec('PRAGMA user_version = 1000; CREATE TABLE later (id TEXT)');
  database.close();
  const content = await readFile(file);
  await rm(folder, { recursive: true });
  return content;
}
