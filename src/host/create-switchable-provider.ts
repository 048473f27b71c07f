import type { LanguageModelV2 } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import { createComposition } from '../provider/composition.js';
import { parseSettings } from '../shared/parse-settings.js';
import { createKelivoResponsesProvider, type KelivoResponsesProvider } from '../provider/provider.js';
import { type KelivoResponsesSettings, validateSettings } from '../provider/settings.js';
import { toToolStubs } from '../tools/tool-stubs.js';
import { createOfficialModels } from './create-official-models.js';
import type { ImportOpenAI } from './open-official-model.js';
import { isSwitchedOn, type SwitchSetting, switchValueSchema } from './switch-setting.js';

/** What is switched, by what, and to what. */
export interface SwitchableProviderOptions {
  /** The settings of the provider, and of the official one in its place. */
  kelivo: KelivoResponsesSettings;
  /**
   * What a model that is switched off is: the official Responses model of `@ai-sdk/openai` alone (`plain`), or that model in
   * the adapters and the tool loop of the settings (`with-tool-loop`).
   * @default 'plain'
   */
  fallback?: 'plain' | 'with-tool-loop';
  /**
   * Which models are on: all (`true`, `'on'`), none (`false`, `'off'`), those that match a pattern (`'gpt-5*, o4-mini'`,
   * or a list), or what a function says of a model id. It is read at each call, so a function may change its mind.
   * @default the environment variable KELIVO_RESPONSES, else 'on'
   */
  enabled?: SwitchSetting;
  /**
   * Imports `@ai-sdk/openai` 2 where it is installed under another name, beside a release of it for a later AI SDK:
   * `() => import('openai-for-ai-5')`.
   * @default the import of `@ai-sdk/openai`
   */
  importOpenAI?: ImportOpenAI;
}

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
 * A provider with a way back: each call of a model is answered by this package's implementation or by the official one,
 * `@ai-sdk/openai` 2, as `enabled` says at that moment. Both take the same address, keys, headers and `fetch`, and each
 * goes on with the history of the other, so the flag can be turned in mid-conversation.
 *
 * An official model that is `plain` runs no tools of the settings, and stubs of them (`toolStubs()`) are not offered to it.
 * Embedding models do not depend on the flag.
 *
 * @example
 * ```ts
 * const provider = createSwitchableProvider({
 *   kelivo: { mcpServers },
 *   enabled: modelId => !brokenModels.has(modelId),
 * });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a wrong option; a call that is switched off rejects with code
 *   `missing-package` where `@ai-sdk/openai` 2 is not installed.
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
  // A host takes a name that ends in `.responses` for the official provider's, and adds tool handling of its own.
  const provider = fallback === 'plain' ? 'openai.responses' : settings.name;
  const createOfficialModel = createOfficialModels(settings, { provider, importOpenAI });

  const toSwitched = (on: LanguageModelV2, off: LanguageModelV2): LanguageModelV2 =>
    switchModel({ on, off, isOn: () => isSwitchedOn(on.modelId, enabled) });
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
    toolStubs: () => toToolStubs(composition.tools),
    close: composition.close,
  });
}

/** Asks anew at every call. `provider` says who would answer now, for telemetry and for hosts that go by it. */
function switchModel({
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
