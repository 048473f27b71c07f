import type { JSONObject } from '../shared/json.js';
import { type CoreModel, withChanges } from '../core/source.js';
import { KelivoError } from '../shared/errors.js';
import { toNameHint } from '../shared/names.js';
import { thinkTags, type UndeclaredPolicy } from '../text-tools/reading/text-tool-format.js';
import { wrapSameVersion } from '../versions/language-model.js';
import type { AnyLanguageModel, SameVersion } from '../versions/specification.js';
import type { VersionName } from '../versions/versions.js';
import {
  type AdapterChoice,
  type AdapterSelection,
  isAdapterModule,
  isAdapterSelection,
  validateAdapters,
} from './adapter-choice.js';
import { adapterOf, type CoreAdapter, joinAdapters } from './kit/middleware.js';
import type { ModelAdapter, ModelAdapterRegistry, ToolPrompting } from './kit/definition.js';
import { defineModelAdapter } from './kit/model-adapter.js';
import { modelAdapters } from './model-adapters.js';
import { importAdapter } from './registry.js';
import { selectPrompt } from './select-prompt.js';
import { textToolsMiddleware } from './kit/text-tools-middleware.js';
import { withJsonAnswers } from './prompts/json-answer.js';
import { withToolPrompt } from './prompts/prompted-model.js';

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
 * returned unchanged. Works with any language model of `ai` 5, 6 or 7, and returns one of the same version. Responses contain the names of the adapters in
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
export function adaptModel<Model extends AnyLanguageModel>(
  model: Model,
  options: AdaptModelOptions = {},
): SameVersion<Model> {
  return wrapSameVersion(model, (core, version) => adaptCoreModel(core, { ...options, version }));
}

/**
 * Wraps a model in the adapters that apply to its id. Returns the model itself if there are none.
 *
 * @param options `version` is the version that middlewares of applications implement.
 */
export function adaptCoreModel(
  model: CoreModel,
  { version, ...options }: AdaptModelOptions & { readonly version: VersionName },
): CoreModel {
  checkOptions({ ...options });
  const { adapters = modelAdapters, undeclared, startsInReasoning, toolPrompting } = options;
  const active = chooseAdapters(adapters, model.modelId);
  const names = active.map(({ name }) => name);
  const selected =
    toolPrompting === undefined
      ? undefined
      : selectPrompt(toolPrompting, { modelId: model.modelId, adapters: names });
  if (active.length === 0 && selected === undefined) return model;
  const family = joinAdapters(active.map(({ middleware }) => adapterOf(middleware)));
  const prompted = selected === undefined ? model : withToolPrompt(model, selected.prompt);
  // The adapters of the family read the calls, because they know where its reasoning ends.
  const reader = selected === undefined || family.readsText ? family : joinAdapters([family, promptedCalls]);
  const formats = selected?.formats;
  const adapted = reader.wrap(prompted, { version, undeclared, startsInReasoning, formats });
  return withReport(selected === undefined ? adapted : withJsonAnswers(adapted), {
    ...(names.length > 0 && { adapters: names }),
    ...(selected !== undefined && { toolPrompting: selected.name }),
  });
}

/**
 * Returns the adapters of a selection that apply to a model, in order.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid selection.
 */
function chooseAdapters(selection: AdapterSelection, modelId: string): readonly ModelAdapter[] {
  if (selection === false) return [];
  if ('findFor' in selection) return selection.findFor(modelId);
  validateAdapters(selection);
  return selection.flatMap(choice => {
    if (typeof choice === 'string') return modelAdapters.get(choice) ?? [];
    if (isAdapterModule(choice)) return importAdapter(choice);
    const adapter = defineModelAdapter(choice);
    return adapter.appliesTo(modelId) ? adapter : [];
  });
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
const promptedCalls: CoreAdapter = adapterOf(textToolsMiddleware({ formats: [], reasoning: [thinkTags] }));

/** Adds facts about the adaptation to the metadata of every response. */
const withReport = (model: CoreModel, facts: JSONObject): CoreModel =>
  withChanges(model, () => ({
    response: {
      part: (part, emit) => emit(part.type === 'finish' ? { ...part, own: { ...part.own, ...facts } } : part),
    },
  }));
