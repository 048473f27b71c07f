import type { LanguageModelV2, LanguageModelV2CallOptions } from '@ai-sdk/provider';
import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import type { HostVersion } from '../parts/call-marks.js';
import { createComposition } from '../provider/composition.js';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../provider/provider.js';
import { type KelivoResponsesSettings, validateSettings } from '../provider/settings.js';
import { toModelExpression } from '../shared/model-pattern.js';
import { parseSettings } from '../shared/settings.js';
import { type ToolStubsOptions, toToolStubs } from '../tools/tool-stubs.js';
import { type KelivoResponsesProviderV3, toProviderV3 } from '../v3/provider.js';
import { type KelivoResponsesProviderV4, toProviderV4 } from '../v4/provider.js';
import {
  createOfficialModels,
  type ImportOpenAI,
  type ModelByVersion,
  toModelOfVersion,
} from './official-provider.js';

/**
 * Selects the implementation. `true` and `'on'` select this package, `false` and `'off'` the official provider. Model id
 * patterns (a list, or one comma-separated string; `*` matches any characters) select this package for matching models.
 */
export type SwitchValue = boolean | string | readonly string[];

/** A value, or a function that returns one per model. If it returns undefined, the environment variable decides. */
export type SwitchSetting = SwitchValue | ((modelId: string) => SwitchValue | undefined);

/** Options of `createSwitchableProvider`. */
export interface SwitchableProviderOptions<Version extends 'v2' | 'v3' | 'v4' = 'v2'> {
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
   * Version of the models, for the host: `v2` for `ai@5`, `v3` for `ai@6`, `v4` for `ai@7`. If the installed
   * `@ai-sdk/openai` has models of this version (2 for `v2`, 3 for `v3`, 4 for `v4`), calls that are switched off reach
   * them without conversion. Models of another version are converted.
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
  specificationVersion: z.enum(['v2', 'v3', 'v4']).optional(),
  importOpenAI: z
    .custom<ImportOpenAI>(value => typeof value === 'function', 'expected a function')
    .optional(),
}) satisfies z.ZodType<SwitchableProviderOptions<HostVersion>>;

/** The switchable provider, by the version of its models. */
export interface SwitchableProviderByVersion {
  v2: KelivoResponsesProvider;
  v3: KelivoResponsesProviderV3;
  v4: KelivoResponsesProviderV4;
}

/**
 * Creates a provider that can switch back to the official provider. For each call, `enabled` selects this package or
 * `@ai-sdk/openai` 2, 3 or 4, whichever is installed. Both use the same address, keys, headers and `fetch`, and each can
 * continue a conversation that the other started.
 *
 * With `fallback: 'plain'`, the official model runs no tools of the settings, and stubs of them (`toolStubs()`) are not
 * sent. Items that the official provider cannot send are left out, with a warning. The switch does not affect embedding
 * models.
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
export function createSwitchableProvider<Version extends HostVersion = 'v2'>(
  options: SwitchableProviderOptions<Version>,
): SwitchableProviderByVersion[Version] {
  const {
    kelivo,
    fallback = 'plain',
    enabled,
    importOpenAI,
    specificationVersion = 'v2',
  } = parseSettings<SwitchableProviderOptions<HostVersion>>(
    schema,
    options,
    'the options of createSwitchableProvider()',
  );
  const {
    adapters,
    toolPrompting,
    undeclared,
    startsInReasoning,
    tools,
    mcpServers,
    mcp,
    toolLoop,
    ...settings
  } = validateSettings(kelivo);
  const bare = createKelivoResponsesProvider(settings);
  const composition = createComposition({
    ...{ adapters, toolPrompting, undeclared, startsInReasoning, tools, mcpServers, mcp, toolLoop },
    ...{ models: settings.models, timeouts: settings.timeouts },
  });
  // Hosts treat names that end in `.responses` as the official provider and add their own tool handling.
  const provider = fallback === 'plain' ? 'openai.responses' : (settings.name ?? 'kelivo-responses');
  const isOn = (modelId: string): boolean => isSwitchedOn(modelId, enabled);
  const createSwitched = <Target extends HostVersion>(
    version: Target,
    toOn: (modelId: string) => LanguageModelV2,
  ): ((modelId: string) => ModelByVersion[Target]) => {
    const toOff = createOfficialModels(settings, { version, provider, importOpenAI });
    return modelId =>
      createSwitchedModel({
        on: toModelOfVersion(toOn(modelId), version),
        off: toOff(modelId),
        isOn: () => isOn(modelId),
      });
  };

  const version = specificationVersion;
  const compose = (modelId: string): LanguageModelV2 => composition.compose(bare.responses(modelId));
  const responses = createSwitched(version, bare.responses);
  const looped = createSwitched('v2', bare.responses);
  const languageModel =
    fallback === 'with-tool-loop'
      ? (modelId: string) => toModelOfVersion(composition.compose(looped(modelId)), version)
      : createSwitched(version, compose);

  const unswitched: KelivoResponsesProvider = Object.assign(compose, {
    languageModel: compose,
    responses: bare.responses,
    textEmbeddingModel: bare.textEmbeddingModel,
    imageModel: bare.imageModel,
    toolStubs: (options?: ToolStubsOptions) => toToolStubs(composition.tools, options),
    compact: bare.compact,
    close: composition.close,
  });
  // The members of the other models are those of the facade.
  const switched: unknown = Object.assign(
    (modelId: string) => languageModel(modelId),
    toProviderOfVersion(unswitched, version),
    { languageModel, responses },
  );
  return switched as SwitchableProviderByVersion[Version];
}

function toProviderOfVersion(provider: KelivoResponsesProvider, version: HostVersion): object {
  if (version === 'v2') return provider;
  return version === 'v3' ? toProviderV3(provider) : toProviderV4(provider);
}

/** Selects a model for every call. `provider` is that of the currently selected model: telemetry and hosts read it. */
function createSwitchedModel<Version extends HostVersion>({
  on,
  off,
  isOn,
}: {
  on: ModelByVersion[Version];
  off: ModelByVersion[Version];
  isOn: () => boolean;
}): ModelByVersion[Version] {
  // The members of all versions have the same names.
  const current = (): LanguageModelV2 => (isOn() ? on : off) as LanguageModelV2;
  const model: unknown = {
    specificationVersion: on.specificationVersion,
    get provider() {
      return current().provider;
    },
    modelId: on.modelId,
    supportedUrls: on.supportedUrls,
    doGenerate: async (options: LanguageModelV2CallOptions) => current().doGenerate(options),
    doStream: async (options: LanguageModelV2CallOptions) => current().doStream(options),
  };
  return model as ModelByVersion[Version];
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
