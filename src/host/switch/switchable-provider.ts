import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { type CoreModel, withOpen } from '../../core/source.js';
import { observeModel } from '../../core/observed-model.js';
import { type CoreProvider, createCoreProvider } from '../../provider/core-provider.js';
import { type ProviderOf, showProvider } from '../../provider/provider.js';
import type { KelivoResponsesSettings } from '../../provider/settings.js';
import { KelivoError } from '../../core/shared/errors.js';
import { nearestName, toModelExpression } from '../../core/shared/names.js';
import { parseSettings } from '../../core/shared/settings.js';
import { DEFAULT_VERSION, type DefaultVersion, versionNames } from '../../core/versions/provider.js';
import type { HostVersion } from '../../core/versions/specification.js';
import { findLostSettings } from './lost-settings.js';
import {
  createOfficialModel,
  type ImportOpenAI,
  loadOfficialPackage,
  OFFICIAL_NAME,
} from './official-provider.js';
import { withHostRunTools } from './plain-tools.js';
import { loadOnce } from '../../core/shared/once.js';

/**
 * Selects the implementation. `true` and `'on'` select this package, `false` and `'off'` the official provider. Model id
 * patterns (a list, or one comma-separated string; `*` matches any characters) select this package for matching models.
 */
export type SwitchValue = boolean | string | readonly string[];

/** A value, or a function that returns one per model. If it returns undefined, the environment variable decides. */
export type SwitchSetting = SwitchValue | ((modelId: string) => SwitchValue | undefined);

/** Options of `createSwitchableProvider`. */
export interface SwitchableProviderOptions<Version extends HostVersion = DefaultVersion> {
  /** Settings of this package's provider. The official provider uses the same address, keys, headers and `fetch`. */
  kelivo: KelivoResponsesSettings;
  /**
   * Behavior of models that are switched off: the official Responses model of `@ai-sdk/openai` with the adapters and the tool
   * loop of the settings (`with-tool-loop`), or that model alone (`plain`). Then the host runs the tools of
   * `provider.tools()`, and warnings name the limits and tools that do not apply.
   * @default 'with-tool-loop'
   */
  fallback?: 'plain' | 'with-tool-loop';
  /**
   * Selects the models that this package runs: all (`true`, `'on'`), none (`false`, `'off'`), those that match a
   * pattern (`'gpt-5*, o4-mini'`, or a list), or a function of the model id. Evaluated for every call. Case does not matter, and
   * a misspelt word is an error: as a pattern it would switch every model off.
   * @default the environment variable KELIVO_RESPONSES, else 'on'
   */
  enabled?: SwitchSetting;
  /**
   * Version of the models, for the host: `v2` for `ai@5`, `v3` for `ai@6`, `v4` for `ai@7`. Other installed packages may
   * have models of another version: `@ai-sdk/openai` 2 of `v2`, 3 of `v3`, 4 of `v4`.
   * @default 'v2'
   */
  specificationVersion?: Version;
  /**
   * Imports `@ai-sdk/openai` 2, 3 or 4 from another name, for applications that install several major versions:
   * `() => import('openai-for-ai-6')`. Needed for package managers with strict dependencies, too.
   * @default import('@ai-sdk/openai')
   */
  importOpenAI?: ImportOpenAI;
}

/** Used when no setting decides. */
const SWITCH_VARIABLE = 'KELIVO_RESPONSES';

/** Matches strings that contain more than whitespace and commas. */
const HAS_PATTERN = /[^\s,]/;

const values = [
  z.boolean(),
  z.string().regex(HAS_PATTERN, 'expected "on", "off" or patterns of model ids'),
  z.array(z.string().min(1)),
] as const;

const refuseMisspelt = (value: unknown, context: { addIssue: (issue: string) => void }): void => {
  const issue =
    typeof value === 'string' || Array.isArray(value)
      ? findSwitchIssue(value as string | string[])
      : undefined;
  if (issue !== undefined) context.addIssue(issue);
};

export const switchValueSchema = z
  .union(values, 'expected true, false, "on", "off" or patterns of model ids')
  .superRefine(refuseMisspelt);

const schema = z.strictObject({
  kelivo: z.custom<KelivoResponsesSettings>(
    value => typeof value === 'object' && value !== null,
    'expected the settings of createKelivoResponsesProvider()',
  ),
  fallback: z.enum(['plain', 'with-tool-loop']).optional(),
  enabled: z
    .union(
      [...values, z.custom<(modelId: string) => boolean>(value => typeof value === 'function')],
      'expected true, false, "on", "off", patterns of model ids or a function',
    )
    .superRefine(refuseMisspelt)
    .optional(),
  specificationVersion: z.enum(versionNames).optional(),
  importOpenAI: z
    .custom<ImportOpenAI>(value => typeof value === 'function', 'expected a function')
    .optional(),
}) satisfies z.ZodType<SwitchableProviderOptions<HostVersion>>;

/** The switchable provider, by the version of its models. */
export type SwitchableProviderByVersion = { [Version in HostVersion]: ProviderOf<Version> };

/**
 * Creates a provider that can switch back to the official provider. For each call, `enabled` selects this package or
 * `@ai-sdk/openai` 2, 3 or 4, whichever is installed. Both use the same address, keys, headers and `fetch`, and each can
 * continue a conversation that the other started.
 *
 * Only the sender of the requests changes: tools, limits, approvals, fields of the body, keys and log of the settings still
 * apply. A warning of the call names each setting, option and item that the official package cannot apply or send. The switch
 * does not affect embedding models.
 *
 * @example
 * ```ts
 * const provider = createSwitchableProvider({
 *   kelivo: { mcpServers },
 *   enabled: modelId => !brokenModels.has(modelId),
 *   specificationVersion: 'v4', // for `ai@7`
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option. If `@ai-sdk/openai` is not installed, calls of
 *   models that are switched off reject with code `missing-package`.
 */
export function createSwitchableProvider<Version extends HostVersion = DefaultVersion>(
  options: SwitchableProviderOptions<Version>,
): ProviderOf<Version> {
  const core = createSwitchableCore(options);
  return showProvider(core, options.specificationVersion ?? (DEFAULT_VERSION as Version));
}

/** Creates the core of a switchable provider. See `createSwitchableProvider`. */
export function createSwitchableCore(options: SwitchableProviderOptions<HostVersion>): CoreProvider {
  const {
    kelivo,
    fallback = 'with-tool-loop',
    enabled,
    importOpenAI,
    specificationVersion: version = DEFAULT_VERSION,
  } = parseSettings<SwitchableProviderOptions<HostVersion>>(
    schema,
    options,
    'the options of createSwitchableProvider()',
  );
  const load = loadOnce(() => loadOfficialPackage(importOpenAI, version));
  const {
    settings: _settings,
    server: _server,
    ...core
  } = createCoreProvider(kelivo, version, parts => {
    const { settings, tools } = parts;
    const toOfficial = (modelId: string, name: string, facts: { hasLoop: boolean }): CoreModel => {
      const lost = findLostSettings(modelId, settings, facts);
      return createOfficialModel(modelId, { parts, name, version, load, lost });
    };
    // A name that ends in `.responses` would make hosts run the tools of the loop.
    const { name: ownName = 'kelivo-responses' } = settings;
    const switched = (on: CoreModel, off: CoreModel): CoreModel =>
      createSwitchedModel({ on, off, isOn: () => isSwitchedOn(on.modelId, enabled) });
    const { telemetry } = settings;
    const observe = (model: CoreModel): CoreModel =>
      telemetry === undefined ? model : observeModel(model, telemetry);
    return {
      // A bare model has no adapters and no loop on either side.
      bare: model => switched(model, toOfficial(model.modelId, OFFICIAL_NAME, { hasLoop: true })),
      ...(fallback === 'plain'
        ? {
            aroundLoop: model => {
              const off = toOfficial(model.modelId, OFFICIAL_NAME, { hasLoop: false });
              return switched(model, observe(withHostRunTools(off, tools)));
            },
          }
        : {
            inLoop: model => switched(model, toOfficial(model.modelId, ownName, { hasLoop: true })),
            // A missing package is reported before MCP servers start.
            aroundLoop: model =>
              withOpen(model, async call => {
                if (!isSwitchedOn(model.modelId, enabled)) await load();
                return model.open(call);
              }),
          }),
    };
  });
  return core;
}

/** Selects a model for every call. `provider` is that of the currently selected model: telemetry and hosts read it. */
const createSwitchedModel = ({
  on,
  off,
  isOn,
}: {
  on: CoreModel;
  off: CoreModel;
  isOn: () => boolean;
}): CoreModel => ({
  get provider() {
    return (isOn() ? on : off).provider;
  },
  modelId: on.modelId,
  supportedUrls: on.supportedUrls,
  history: on.history,
  open: async call => (isOn() ? on : off).open(call),
});

const ON = ['on', 'true', 'yes', '1', 'enabled'];
const OFF = ['off', 'false', 'no', '0', 'disabled', 'none'];
const WORDS = [...ON, ...OFF];
/** Texts that templates write for a missing value. */
const NOTHING = ['null', 'undefined', 'nan'];

/** @throws KelivoError with code `invalid-settings` for a value that is neither a word nor a list of patterns. */
function isSwitchedOn(modelId: string, setting: SwitchSetting | undefined): boolean {
  const own = typeof setting === 'function' ? setting(modelId) : setting;
  const value = own ?? readEnvironment() ?? true;
  if (typeof value === 'boolean') return value;
  const issue = findSwitchIssue(value);
  if (issue !== undefined) {
    const name = own === undefined ? SWITCH_VARIABLE : '`enabled`';
    throw new KelivoError({ code: 'invalid-settings', message: `Invalid ${name}: ${issue}.` });
  }
  const entries = toEntries(value);
  if (typeof value === 'string' && entries.some(isWord)) return entries.some(entry => ON.includes(entry));
  return entries.some(pattern => toModelExpression(pattern).test(modelId.toLowerCase()));
}

const toEntries = (value: string | readonly string[]): string[] =>
  (typeof value === 'string' ? value.split(',') : value)
    .map(entry => entry.trim().toLowerCase())
    .filter(entry => entry !== '');

const isWord = (entry: string): boolean => WORDS.includes(entry);

/** Returns why a value is neither a word nor a list of patterns. A pattern that no model matches would switch all of them off. */
function findSwitchIssue(value: string | readonly string[]): string | undefined {
  const entries = toEntries(value);
  if (typeof value === 'string' && entries.length === 1 && entries.some(isWord)) return undefined;
  for (const entry of entries) {
    const meant = isWord(entry)
      ? `the word ${JSON.stringify(entry)} alone`
      : /^[a-z]{3,}$/.test(entry) && nearestName(entry, WORDS) !== undefined
        ? JSON.stringify(nearestName(entry, WORDS))
        : undefined;
    if (meant === undefined && !NOTHING.includes(entry)) continue;
    const hint = meant === undefined ? '' : `. Did you mean ${meant}? A pattern with this text ends with "*"`;
    return `expected "on", "off" or patterns of model ids such as "gpt-5*, o4-mini", got ${JSON.stringify(value)}${hint}`;
  }
  return undefined;
}

/** Read for every call, because it may change while the process runs. A blank value counts as unset. */
function readEnvironment(): string | undefined {
  const value = loadOptionalSetting({ settingValue: undefined, environmentVariableName: SWITCH_VARIABLE });
  return value !== undefined && HAS_PATTERN.test(value) ? value : undefined;
}
