import type { LanguageModelV2 } from '@ai-sdk/provider';
import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { createComposition } from '../provider/composition.js';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../provider/provider.js';
import { type KelivoResponsesSettings, validateSettings } from '../provider/settings.js';
import { toModelExpression } from '../shared/model-pattern.js';
import { parseSettings } from '../shared/settings.js';
import { type ToolStubsOptions, toToolStubs } from '../tools/tool-stubs.js';
import { createOfficialModels, type ImportOpenAI } from './official-provider.js';

/**
 * Selects the implementation. `true` and `'on'` select this package, `false` and `'off'` the official provider. Model id
 * patterns (a list, or one comma-separated string; `*` matches any characters) select this package for matching models.
 */
export type SwitchValue = boolean | string | readonly string[];

/** A value, or a function that returns one per model. If it returns undefined, the environment variable decides. */
export type SwitchSetting = SwitchValue | ((modelId: string) => SwitchValue | undefined);

/** Options of `createSwitchableProvider`. */
export interface SwitchableProviderOptions {
  /** Settings of this package's provider. The official provider uses the same address, keys, headers and `fetch`. */
  kelivo: KelivoResponsesSettings;
  /**
   * Behavior of models that are switched off: the official Responses model of `@ai-sdk/openai` alone (`plain`), or that
   * model with the adapters and the tool loop of the settings (`with-tool-loop`).
   * @default 'plain'
   */
  fallback?: 'plain' | 'with-tool-loop';
  /**
   * Selects the models that this package runs: all (`true`, `'on'`), none (`false`, `'off'`), those that match a
   * pattern (`'gpt-5*, o4-mini'`, or a list), or a function of the model id. Evaluated for every call.
   * @default the environment variable KELIVO_RESPONSES, else 'on'
   */
  enabled?: SwitchSetting;
  /**
   * Imports `@ai-sdk/openai` 2 from another name, for hosts that also install a newer major version:
   * `() => import('openai-for-ai-5')`.
   * @default import('@ai-sdk/openai')
   */
  importOpenAI?: ImportOpenAI;
}

/** Used when no setting decides. */
const SWITCH_VARIABLE = 'KELIVO_RESPONSES';

/** Matches strings that contain more than whitespace and commas. */
const HAS_PATTERN = /[^\s,]/;

export const switchValueSchema = z.union(
  [
    z.boolean(),
    z.string().regex(HAS_PATTERN, 'expected "on", "off" or patterns of model ids'),
    z.array(z.string().min(1)),
  ],
  'expected true, false, "on", "off" or patterns of model ids',
);

const schema = z.strictObject({
  kelivo: z.custom<KelivoResponsesSettings>(
    value => typeof value === 'object' && value !== null,
    'expected the settings of createKelivoResponsesProvider()',
  ),
  fallback: z.enum(['plain', 'with-tool-loop']).optional(),
  enabled: z
    .union(
      [switchValueSchema, z.custom<(modelId: string) => boolean>(value => typeof value === 'function')],
      'expected true, false, "on", "off", patterns of model ids or a function',
    )
    .optional(),
  importOpenAI: z
    .custom<ImportOpenAI>(value => typeof value === 'function', 'expected a function')
    .optional(),
}) satisfies z.ZodType<SwitchableProviderOptions>;

/**
 * Creates a provider that can switch back to the official provider. For each call, `enabled` selects this package or
 * `@ai-sdk/openai` 2. Both use the same address, keys, headers and `fetch`, and each can continue a conversation that the
 * other started.
 *
 * With `fallback: 'plain'`, the official model runs no tools of the settings, and stubs of them (`toolStubs()`) are not
 * sent. The switch does not affect embedding models.
 *
 * @example
 * ```ts
 * const provider = createSwitchableProvider({
 *   kelivo: { mcpServers },
 *   enabled: modelId => !brokenModels.has(modelId),
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option. If `@ai-sdk/openai` 2 is not installed, calls
 *   of models that are switched off reject with code `missing-package`.
 */
export function createSwitchableProvider(options: SwitchableProviderOptions): KelivoResponsesProvider {
  const {
    kelivo,
    fallback = 'plain',
    enabled,
    importOpenAI,
  } = parseSettings<SwitchableProviderOptions>(schema, options, 'the options of createSwitchableProvider()');
  const { adapters, tools, mcpServers, mcp, toolLoop, ...settings } = validateSettings(kelivo);
  const bare = createKelivoResponsesProvider(settings);
  const composition = createComposition({
    ...{ adapters, tools, mcpServers, mcp, toolLoop },
    timeouts: settings.timeouts,
  });
  // Hosts treat names that end in `.responses` as the official provider and add their own tool handling.
  const provider = fallback === 'plain' ? 'openai.responses' : settings.name;
  const createOfficialModel = createOfficialModels(settings, { provider, importOpenAI });

  const toSwitched = (on: LanguageModelV2, off: LanguageModelV2): LanguageModelV2 =>
    createSwitchedModel({ on, off, isOn: () => isSwitchedOn(on.modelId, enabled) });
  const responses = (modelId: string): LanguageModelV2 =>
    toSwitched(bare.responses(modelId), createOfficialModel(modelId));
  const languageModel = (modelId: string): LanguageModelV2 =>
    fallback === 'with-tool-loop'
      ? composition.compose(responses(modelId))
      : toSwitched(composition.compose(bare.responses(modelId)), createOfficialModel(modelId));

  return Object.assign((modelId: string) => languageModel(modelId), {
    languageModel,
    responses,
    textEmbeddingModel: bare.textEmbeddingModel,
    imageModel: bare.imageModel,
    toolStubs: (options?: ToolStubsOptions) => toToolStubs(composition.tools, options),
    close: composition.close,
  });
}

/** Selects a model for every call. `provider` is that of the currently selected model: telemetry and hosts read it. */
function createSwitchedModel({
  on,
  off,
  isOn,
}: {
  on: LanguageModelV2;
  off: LanguageModelV2;
  isOn: () => boolean;
}): LanguageModelV2 {
  const current = (): LanguageModelV2 => (isOn() ? on : off);
  return {
    specificationVersion: 'v2',
    get provider() {
      return current().provider;
    },
    modelId: on.modelId,
    supportedUrls: on.supportedUrls,
    doGenerate: async options => current().doGenerate(options),
    doStream: async options => current().doStream(options),
  };
}

const KEYWORDS: Readonly<Record<string, boolean>> = {
  ...{ on: true, true: true, yes: true, 1: true },
  ...{ off: false, false: false, no: false, 0: false },
};

function isSwitchedOn(modelId: string, setting: SwitchSetting | undefined): boolean {
  const value = (typeof setting === 'function' ? setting(modelId) : setting) ?? readEnvironment() ?? true;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return value.some(pattern => toModelExpression(pattern).test(modelId));
  const keyword = value.trim().toLowerCase();
  if (Object.hasOwn(KEYWORDS, keyword)) return KEYWORDS[keyword] === true;
  return isSwitchedOn(modelId, toPatterns(value));
}

/** Read for every call, because it may change while the process runs. A blank value counts as unset. */
function readEnvironment(): string | undefined {
  const value = loadOptionalSetting({ settingValue: undefined, environmentVariableName: SWITCH_VARIABLE });
  return value !== undefined && HAS_PATTERN.test(value) ? value : undefined;
}

const toPatterns = (text: string): string[] =>
  text
    .split(',')
    .map(pattern => pattern.trim())
    .filter(pattern => pattern !== '');
