import * as z from 'zod';
import { listPrices } from '../../shared/list-prices.js';
import {
  type Preset,
  type PriceTable,
  type Retention,
  REASONING_EFFORTS,
  type Settings,
} from '../../shared/playground-state.js';
import { openResponseSchema } from '../turn/response-schema.js';
import { describeFailure } from '../../shared/failure.js';
import type { Connection } from './sqlite.js';

export const settingsSchema = z.strictObject({
  endpoint: z
    .string()
    .trim()
    .refine(isEndpoint, 'Expected "emulator" or an absolute http(s) URL, such as http://localhost:8000/v1.'),
  modelId: z.string().trim().min(1, 'Expected a model id.').max(200),
  reasoningEffort: z.enum(REASONING_EFFORTS),
  temperature: z.number('Expected a temperature from 0 to 2.').min(0).max(2).nullable(),
  maxOutputTokens: z.int('Expected a whole number of tokens.').min(1).max(10_000_000).nullable(),
  verbosity: z.enum(['default', 'low', 'medium', 'high']),
  toolChoice: z
    .string()
    .max(200)
    .regex(/^(default|auto|none|required|tool:.+)$/, 'Expected auto, none, required or a tool.'),
  parallelToolCalls: z.enum(['default', 'on', 'off']),
  responseSchema: z
    .string()
    .max(100_000)
    .superRefine((text, { addIssue }) => {
      try {
        openResponseSchema(text);
      } catch (error) {
        addIssue({ code: 'custom', message: describeFailure(error) });
      }
    }),
  flag: z.enum(['kelivo', 'official']),
  disabledAdapters: z.array(z.string().max(100)).max(100),
  approvals: z.enum(['never', 'destructive', 'unless-read-only', 'always']),
  disabledTools: z
    .array(z.strictObject({ server: z.string().max(500), tool: z.string().max(500).optional() }))
    .max(5000),
  systemPrompt: z.string().max(20_000),
  fault: z.string().max(50),
  faultRequest: z.number().int().min(0).max(10),
}) satisfies z.ZodType<Settings>;

export const priceTableSchema: z.ZodType<PriceTable> = z.record(
  z.string().trim().min(1, 'Expected a model id.').max(200),
  z.strictObject({ input: price(), cachedInput: price(), output: price() }),
);

export const retentionSchema: z.ZodType<Retention> = z.strictObject({
  days: z.int('Expected a whole number of days.').min(1).max(36_500),
  megabytes: z.int('Expected a whole number of megabytes.').min(1).max(1_000_000),
});

function price() {
  return z.number('Expected a price in US dollars.').min(0).max(1_000_000);
}

const defaultSettings: Settings = {
  endpoint: 'emulator',
  modelId: 'gpt-5',
  reasoningEffort: 'default',
  temperature: null,
  maxOutputTokens: null,
  verbosity: 'default',
  toolChoice: 'default',
  parallelToolCalls: 'default',
  responseSchema: '',
  flag: 'kelivo',
  disabledAdapters: [],
  approvals: 'destructive',
  disabledTools: [],
  systemPrompt: '',
  fault: 'none',
  faultRequest: 1,
};

export interface SettingsStore {
  /**
   * Returns the settings of a conversation. A new one has those of the default preset, or else those that were changed last.
   */
  read(conversationId?: string): Settings;
  /** Changes the given settings of a conversation and keeps the others. */
  change(settings: Partial<Settings>, conversationId?: string): Settings;
  /** Keeps the current settings for a conversation that has none, so that later changes elsewhere do not affect it. */
  pin(conversationId: string): void;
  /** Returns the stored prices, and list prices before the user has stored any. */
  readPrices(): PriceTable;
  changePrices(prices: PriceTable): void;
  readRetention(): Retention;
  changeRetention(retention: Retention): void;
}

/** Completes stored settings: the database of another version may lack a setting or contain a removed one. */
export const completeSettings = (known: unknown): Settings =>
  settingsSchema.safeParse({ ...defaultSettings, ...Object(known) }).data ?? defaultSettings;

export function createSettingsStore(
  database: Connection,
  { presets }: { presets: { list(): readonly Preset[] } },
): SettingsStore {
  const select = database.prepare<[string], { value: string }>('SELECT value FROM settings WHERE name = ?');
  const replace = database.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)');

  const hasOwn = (conversationId: string): boolean => select.get(toName(conversationId)) !== undefined;

  function read(conversationId = ''): Settings {
    if (hasOwn(conversationId)) return completeSettings(readRow(toName(conversationId)));
    const preset = presets.list().find(({ isDefault }) => isDefault);
    return preset?.settings ?? completeSettings(readRow('settings'));
  }

  /** Returns the stored object, or an empty one if there is none that can be read. */
  function readRow(name: string): object {
    try {
      return Object(JSON.parse(select.get(name)?.value ?? '{}')) as object;
    } catch {
      return {};
    }
  }

  return {
    read,
    change(settings, conversationId = '') {
      const changed = { ...read(conversationId), ...settings };
      replace.run('settings', JSON.stringify(changed));
      if (conversationId !== '') replace.run(toName(conversationId), JSON.stringify(changed));
      return changed;
    },
    pin(conversationId) {
      if (!hasOwn(conversationId)) replace.run(toName(conversationId), JSON.stringify(read()));
    },
    readPrices() {
      if (select.get('prices') === undefined) return listPrices;
      return priceTableSchema.safeParse(readRow('prices')).data ?? {};
    },
    changePrices: prices => void replace.run('prices', JSON.stringify(prices)),
    readRetention: () => retentionSchema.safeParse(readRow('retention')).data ?? { days: 30, megabytes: 500 },
    changeRetention: retention => void replace.run('retention', JSON.stringify(retention)),
  };
}

const toName = (conversationId: string): string => `settings of ${conversationId}`;

/** User and password are rejected, because the page shows the URL. */
function isEndpoint(text: string): boolean {
  if (text === 'emulator') return true;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
