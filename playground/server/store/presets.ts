import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Preset, Settings } from '../../shared/playground-state.js';
import type { Connection } from './sqlite.js';
import { completeSettings } from './settings.js';

/** Settings under a name. A new chat starts with the default preset, if there is one. */
export interface PresetStore {
  list(): readonly Preset[];
  /** Keeps settings under a name that no preset has. */
  add(name: string, settings: Settings): void;
  /** Changes the name, or whether new chats start with the preset. Returns false if there is no such preset. */
  change(id: string, change: PresetChange): boolean;
  remove(id: string): void;
}

export type PresetChange = Partial<Pick<Preset, 'name' | 'isDefault'>>;

const stored = z.array(
  z.object({ id: z.string(), name: z.string(), settings: z.unknown(), isDefault: z.boolean() }),
);

export function createPresetStore(database: Connection): PresetStore {
  const select = database.prepare<[], { value: string }>("SELECT value FROM settings WHERE name = 'presets'");
  const replace = database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('presets', ?)");
  const list = (): readonly Preset[] => {
    try {
      const { data = [] } = stored.safeParse(JSON.parse(select.get()?.value ?? '[]'));
      return data.map(preset => ({ ...preset, settings: completeSettings(preset.settings) }));
    } catch {
      return [];
    }
  };
  const write = (presets: readonly Preset[]): void =>
    void replace.run(JSON.stringify(presets.toSorted((a, b) => a.name.localeCompare(b.name))));
  return {
    list,
    add: (name, settings) => write([...list(), { id: randomUUID(), name, settings, isDefault: false }]),
    change(id, change) {
      const known = list();
      if (!known.some(preset => preset.id === id)) return false;
      write(
        known.map(preset => {
          if (preset.id === id) return { ...preset, ...change };
          return change.isDefault === true ? { ...preset, isDefault: false } : preset;
        }),
      );
      return true;
    },
    remove: id => write(list().filter(preset => preset.id !== id)),
  };
}
