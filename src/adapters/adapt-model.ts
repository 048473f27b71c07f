import type { LanguageModelV2, LanguageModelV2Middleware, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { isTextReader, withTextToolSettings } from '../text-tools/model-settings.js';
import type { UndeclaredPolicy } from '../text-tools/text-tool-format.js';
import { transformParts } from '../parts/transform.js';
import { KelivoError } from '../shared/errors.js';
import { toNameHint } from '../shared/nearest-name.js';
import { type AdapterChoice, isAdapterSelection } from './adapter-choice.js';
import { chooseAdapters } from './choose-adapters.js';
import { wrapModel } from './middleware.js';
import { modelAdapters } from './model-adapters.js';
import { jsonAnswerMiddleware } from './tool-prompts/json-answer.js';
import { selectPrompt } from './select-prompt.js';
import { toolPromptMiddleware } from './tool-prompts/tool-prompt-middleware.js';
import type { ToolPrompting } from './tool-prompt-names.js';
import { thinkTags } from '../text-tools/reasoning.js';
import { textToolsMiddleware } from '../text-tools/text-tools-middleware.js';
import type { ModelAdapterRegistry } from './registry.js';

/** Options of `adaptModel`. */
export interface AdaptModelOptions {
  /**
   * The adapters of the model. A registry is searched by model id, and so are the adapters of a list. A name of the
   * default registry and a module (`{ import: '@acme/adapters', export: 'tulip' }`) apply whatever the id, for models
   * that are served under an alias: `['qwen']`. `false` turns adapters off.
   * @default modelAdapters, with all families of this package
   */
  adapters?: ModelAdapterRegistry | readonly AdapterChoice[] | false;
  /**
   * The meaning of calls in the text whose tool the request does not declare: a `call`, which the host answers with an
   * error, `text`, or `drop`.
   * @default 'call'
   */
  undeclared?: UndeclaredPolicy;
  /**
   * Treats the start of responses as reasoning that only its closing tag ends, or not. For models under an alias, whose
   * id does not show that the chat template opens the reasoning. Ignored by adapters without tags of reasoning.
   * @default derived from the model id
   */
  startsInReasoning?: boolean;
  /**
   * Writes tools, the tool choice, calls and results into the prompt, for endpoints that reject `tools`, and reads the
   * calls in the response. The value is the syntax: `auto` selects that of the model's family, or `hermes`. Images in
   * results become content of user messages. A JSON response format is also requested in the prompt while tools can be
   * called.
   * @default tools are sent to the endpoint
   */
  toolPrompting?: ToolPrompting;
}

/**
 * Wraps a model in the adapters that apply to its id, the first one outermost. A model that no adapter applies to is
 * returned unchanged. Works with any `LanguageModelV2`. Responses contain the names of the adapters in
 * `providerMetadata.kelivo.adapters`.
 *
 * @example
 * ```ts
 * const server = createOpenAICompatible({ name: 'local', baseURL });
 * const model = adaptModel(server('qwen3-coder-30b'));
 * const alias = adaptModel(server('assistant'), { adapters: ['qwen'] });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an unknown name, an invalid adapter or two adapters with the same
 *   name.
 */
export function adaptModel(model: LanguageModelV2, options: AdaptModelOptions = {}): LanguageModelV2 {
  checkOptions({ ...options });
  const { adapters = modelAdapters, undeclared, startsInReasoning, toolPrompting } = options;
  const active = chooseAdapters(adapters, { modelId: model.modelId, registry: modelAdapters });
  const names = active.map(({ name }) => name);
  const middlewares = active.map(({ middleware }) => middleware);
  const selected =
    toolPrompting === undefined
      ? undefined
      : selectPrompt(toolPrompting, { modelId: model.modelId, adapters: names });
  if (active.length === 0 && selected === undefined) return model;
  const formats = selected?.formats;
  // A copy, because another adapted model may wrap the same model with other settings.
  const inner =
    undeclared === undefined && startsInReasoning === undefined && formats === undefined
      ? model
      : withTextToolSettings(wrapModel(model, [{}]), { undeclared, startsInReasoning, formats });
  return wrapModel(inner, [
    reportMiddleware({ adapters: names, toolPrompting: selected?.name }),
    ...(selected === undefined ? [] : [jsonAnswerMiddleware]),
    ...middlewares,
    // The adapters of the family read the calls, because they know where its reasoning ends.
    ...(selected === undefined || middlewares.some(isTextReader) ? [] : [promptedCalls]),
    ...(selected === undefined ? [] : [toolPromptMiddleware(selected.prompt)]),
  ]);
}

const CHECKS: Readonly<
  Record<keyof AdaptModelOptions, { expected: string; accepts: (value: unknown) => boolean }>
> = {
  adapters: { expected: 'a list of adapters, a registry or false', accepts: isAdapterSelection },
  undeclared: {
    expected: "'call', 'text' or 'drop'",
    accepts: value => value === 'call' || value === 'text' || value === 'drop',
  },
  startsInReasoning: { expected: 'a boolean', accepts: value => typeof value === 'boolean' },
  toolPrompting: { expected: 'the name of a syntax', accepts: value => typeof value === 'string' },
};

function checkOptions(options: Readonly<Record<string, unknown>>): void {
  const checks = new Map(Object.entries(CHECKS));
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check = checks.get(name);
    if (check?.accepts(value) === true) continue;
    throw new KelivoError({
      code: 'invalid-settings',
      message:
        check === undefined
          ? `Unknown option \`${name}\` of adaptModel(). ${toNameHint(name, { kind: 'options', known: checks.keys() })}`
          : `Expected \`${name}\` of adaptModel() to be ${check.expected}, got ${JSON.stringify(value)}.`,
    });
  }
}

/** Reads the calls that the prompt asks for, from models whose family writes none. */
const promptedCalls = textToolsMiddleware({ formats: [], reasoning: [thinkTags] });

/** Adds facts about the adaptation to the metadata of every response. */
function reportMiddleware({
  adapters,
  toolPrompting,
}: {
  adapters: readonly string[];
  toolPrompting: string | undefined;
}): LanguageModelV2Middleware {
  const report = (metadata: SharedV2ProviderMetadata | undefined): SharedV2ProviderMetadata => ({
    ...metadata,
    kelivo: {
      ...metadata?.kelivo,
      ...(adapters.length > 0 && { adapters: [...adapters] }),
      ...(toolPrompting !== undefined && { toolPrompting }),
    },
  });
  return {
    middlewareVersion: 'v2',
    async wrapGenerate({ doGenerate }) {
      const result = await doGenerate();
      return { ...result, providerMetadata: report(result.providerMetadata) };
    },
    async wrapStream({ doStream }) {
      const { stream, ...rest } = await doStream();
      return {
        ...rest,
        stream: transformParts(stream, {
          part: (part, emit) =>
            emit(
              part.type === 'finish' ? { ...part, providerMetadata: report(part.providerMetadata) } : part,
            ),
        }),
      };
    },
  };
}
