import * as z from 'zod';
import type { Settings } from '../../shared/playground-state.js';
import type { Connection } from './database.js';

export const settingsSchema = z.strictObject({
  endpoint: z
    .string()
    .trim()
    .refine(isEndpoint, 'Expected "emulator" or an absolute http(s) URL, such as http://localhost:8000/v1.'),
  modelId: z.string().trim().min(1, 'Expected a model id.').max(200),
  reasoningEffort: z.enum(['default', 'minimal', 'low', 'medium', 'high']),
  flag: z.enum(['kelivo', 'official']),
  disabledAdapters: z.array(z.string().max(100)).max(100),
  approvals: z.enum(['never', 'destructive', 'unless-read-only', 'always']),
  systemPrompt: z.string().max(20_000),
  fault: z.string().max(50),
  faultRequest: z.number().int().min(0).max(10),
}) satisfies z.ZodType<Settings>;

const defaultSettings: Settings = {
  endpoint: 'emulator',
  modelId: 'gpt-5',
  reasoningEffort: 'default',
  flag: 'kelivo',
  disabledAdapters: [],
  approvals: 'destructive',
  systemPrompt: '',
  fault: 'none',
  faultRequest: 1,
};

export interface SettingsStore {
  read(): Settings;
  /** Changes the given settings and keeps the others. */
  change(settings: Partial<Settings>): Settings;
}

export function createSettingsStore(database: Connection): SettingsStore {
  const select = database.prepare<[], { value: string }>(
    "SELECT value FROM settings WHERE name = 'settings'",
  );
  const replace = database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('settings', ?)");

  function read(): Settings {
    const stored: unknown = JSON.parse(select.get()?.value ?? '{}');
    // The database of another version may lack a setting or contain a removed one.
    const { data } = settingsSchema.safeParse({ ...defaultSettings, ...(stored as Partial<Settings>) });
    return data ?? defaultSettings;
  }

  return {
    read,
    change(settings) {
      const changed = { ...read(), ...settings };
      replace.run(JSON.stringify(changed));
      return changed;
    },
  };
}

/** User and password are rejected, because the page shows the URL. */
function isEndpoint(text: string): boolean {
  if (text === 'emulator') return true;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
