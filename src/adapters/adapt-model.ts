import { isPlainObject, type JSONObject } from '../core/shared/json.js';
import { type CoreModel, withChanges, withHistory } from '../core/source.js';
import { KelivoError } from '../core/shared/errors.js';
import { toNameHint } from '../core/shared/names.js';
import { detectedSyntax } from './text-tools/formats/detected.js';
import type { ResponseTemplate } from './text-tools/templates/response-template.js';
import { createTemplateSyntax } from './text-tools/templates/template-format.js';
import { detectTextCalls } from './text-tools/text-tools.js';
import { thinkTags, type UndeclaredPolicy } from './text-tools/reading/text-tool-format.js';
import { createHistoryKeys, type HistorySecret } from '../core/versions/history/signatures.js';
import { wrapSameVersion } from '../core/versions/language-model.js';
import type { AnyLanguageModel, SameVersion } from '../core/versions/specification.js';
import type { VersionName } from '../core/versions/versions.js';
import {
  type AdapterChoice,
  type AdapterSelection,
  isAdapterModule,
  isAdapterSelection,
  isOpenAiModel,
  validateAdapters,
} from './adapter-choice.js';
import { adapterOf, type CoreAdapter, joinAdapters, wrapLater } from './kit/middleware.js';
import {
  isChatTemplate,
  type ModelAdapter,
  type ModelAdapterRegistry,
  type ToolPrompting,
} from './kit/definition.js';
import { defineModelAdapter } from './kit/model-adapter.js';
import { modelAdapters } from './model-adapters.js';
import { importAdapter } from './registry.js';
import { isToolPrompting, loadTemplatePrompt, type SelectedPrompt, selectPrompt } from './select-prompt.js';
import { textToolsMiddleware } from './kit/text-tools-middleware.js';
import { withJsonAnswers, withToolPrompt } from './prompts/prompted-model.js';

/** Options of `adaptModel`. */
export interface AdaptModelOptions {
  /**
   * The adapters of the model. A registry is searched by model id. The entries of a list apply whatever the id, for
   * models that are served under an alias: adapters, names of the default registry such as `'qwen'`, and modules such as
   * `{ import: '@acme/adapters', export: 'tulip' }`. `false` turns adapters off. With any value but the default,
   * nothing is detected in the text of unknown models.
   * @default modelAdapters, with all families of this package
   */
  adapters?: ModelAdapterRegistry | readonly AdapterChoice[] | false;
  /**
   * The meaning of complete calls in the text whose tool the request does not declare: a `call`, which the host answers with
   * an error, so that the model can correct itself, `text`, or `drop`. Calls without a marker, such as bare JSON, are read only
   * for declared tools. In a request without tools, and of another tool than the one that the tool choice requires, a call is
   * text unless this is set. Where a request allows no calls, with `toolChoice: 'none'` or without tools after results of tools,
   * they are removed.
   * @default 'call'
   */
  undeclared?: UndeclaredPolicy;
  /**
   * Treats the start of responses as reasoning that only its closing tag ends, or not. For models under an alias, whose
   * id does not show that the chat template opens the reasoning. Ignored by adapters without tags of reasoning.
   * @default derived from the model id, the request and earlier responses of the server
   */
  startsInReasoning?: boolean;
  /**
   * The length from which the arguments of a call in the text stream. Hosts cannot take back a call that has started, so a
   * shorter one starts when it is complete, and leaves no trace if it is truncated or invalid. A call that fails after its
   * start ends with the input that arrived, which is no JSON: the host reports it as invalid, and the model reads the error. It
   * does not run, unless the host repairs incomplete JSON. 0 streams all arguments as they arrive, for hosts that show them;
   * with `Infinity`, or a large number in JSON, no call starts that may still fail.
   * @default 256
   */
  streamArgumentsFrom?: number;
  /**
   * The `response_template` of the model's tokenizer configuration on Hugging Face (`tokenizer_config.json`). It replaces the
   * formats of the adapters; their other changes stay. The fields are `thinking` (also `reasoning`, `reasoning_content`),
   * `content` and `tool_calls`; others are errors. The prompt is not seen, so `start_anchor` has no effect: `startsInReasoning`
   * states that the chat template opens the reasoning. Expressions are those of Python without look-arounds, back-references and
   * word boundaries; an opener starts with a literal text, and matches at most 1,024 characters. The template is checked
   * completely before the first request of the model.
   * @default the formats of the adapters
   */
  responseTemplate?: ResponseTemplate;
  /**
   * Writes tools, the tool choice, calls and results into the prompt, for endpoints that reject `tools`, and reads the
   * calls in the response. The value is the syntax: `auto` selects that of the model's family, or `hermes`, and
   * `{ chatTemplate }` renders a Jinja template that the application supplies, with `@huggingface/jinja`; the calls are read by
   * the formats whose markers it writes. The tools have the place that the template of the family gives them, in the order of
   * the request. Results become messages of the user, with their images and files. A JSON response format is also requested in
   * the prompt while tools can be called. Tools of the provider are omitted with a warning, and neither `strict` nor the tool
   * choice can be enforced. `false` sends tools to the endpoint.
   * @default false
   */
  toolPrompting?: ToolPrompting | false;
  /**
   * Signs what the model writes into the history of the host, as the setting of the provider of the same name.
   * @default that of the model if it is one of this package, else the environment variable `KELIVO_HISTORY_SECRET`, else derived
   * from `OPENAI_API_KEY`, else a secret of the process
   */
  historySecret?: HistorySecret;
}

/**
 * Wraps a model in the adapters that apply to its id, the first one outermost. In the text of a model that no adapter applies
 * to, calls of declared tools are detected by markers that no other text contains; `providerMetadata.kelivo.detectedFormats`
 * then names the formats. Models of OpenAI get no adapter by their id. Works with any language model of `ai` 5, 6 or 7,
 * and returns one of the same version. Responses contain the names of the adapters in `providerMetadata.kelivo.adapters`.
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
  const { historySecret, ...rest } = options;
  const history = historySecret === undefined ? undefined : createHistoryKeys(historySecret);
  return wrapSameVersion(model, (core, version) => withHistory(adaptCoreModel(core, rest, version), history));
}

/**
 * Wraps a model in the adapters that apply to its id. Returns the model itself if there are none.
 *
 * @param version The version that middlewares of applications implement.
 * @param adaptersById Adapters in a list apply only to the ids of their family, because the list is that of many models.
 */
export function adaptCoreModel(
  model: CoreModel,
  options: Omit<AdaptModelOptions, 'historySecret'>,
  version: VersionName,
  adaptersById = false,
): CoreModel {
  checkOptions({ ...options });
  const { adapters = modelAdapters, toolPrompting = false, responseTemplate, ...settings } = options;
  const active = chooseAdapters(adapters, { modelId: model.modelId, adaptersById });
  const names = active.map(adapter => adapter.name);
  const syntax = responseTemplate === undefined ? undefined : createTemplateSyntax(responseTemplate);
  if (active.length === 0 && toolPrompting === false && syntax === undefined) {
    const mayDetect = adapters === modelAdapters && !isOpenAiModel(model.modelId);
    return mayDetect ? detectTextCalls(model, { ...detectedSyntax, ...settings }) : model;
  }
  const family = joinAdapters(active.map(adapter => adapterOf(adapter.middleware)));
  const adapt = (selected: SelectedPrompt | undefined): CoreModel => {
    const prompted = selected === undefined ? model : withToolPrompt(model, selected.writer);
    // The adapters of the family read the calls, because they know where its reasoning ends.
    const readsText = family.readsText === true || (selected === undefined && syntax === undefined);
    const reader = readsText ? family : joinAdapters([family, promptedCalls]);
    const formats = selected?.formats;
    const adapted = reader.wrap(prompted, { version, ...settings, formats, syntax });
    return withReport(selected === undefined ? adapted : withJsonAnswers(adapted), {
      ...(names.length > 0 && { adapters: names }),
      ...(selected !== undefined && { toolPrompting: selected.name }),
      ...(syntax !== undefined && { responseTemplate: true }),
    });
  };
  if (!isChatTemplate(toolPrompting)) {
    const at = { modelId: model.modelId, adapters: active };
    return adapt(toolPrompting === false ? undefined : selectPrompt(toolPrompting, at));
  }
  return wrapLater(model, async () =>
    adapt(await loadTemplatePrompt(toolPrompting, { readsText: family.readsText ?? false })),
  );
}

/**
 * Returns the adapters of a selection that apply to a model, in order.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid selection.
 */
function chooseAdapters(
  selection: AdapterSelection,
  options: { modelId: string; adaptersById: boolean },
): readonly ModelAdapter[] {
  if (selection === false) return [];
  if ('findFor' in selection) return selection.findFor(options.modelId);
  validateAdapters(selection);
  return selection.flatMap(choice => {
    if (typeof choice === 'string') return modelAdapters.get(choice) ?? [];
    if (isAdapterModule(choice)) return importAdapter(choice);
    const adapter = defineModelAdapter(choice);
    return !options.adaptersById || adapter.appliesTo(options.modelId) ? adapter : [];
  });
}

const CHECKS: Readonly<
  Record<
    Exclude<keyof AdaptModelOptions, 'historySecret'>,
    { expected: string; accepts: (value: unknown) => boolean }
  >
> = {
  adapters: { expected: 'a list of adapters, a registry or false', accepts: isAdapterSelection },
  undeclared: {
    expected: "'call', 'text' or 'drop'",
    accepts: value => value === 'call' || value === 'text' || value === 'drop',
  },
  startsInReasoning: { expected: 'a boolean', accepts: value => typeof value === 'boolean' },
  streamArgumentsFrom: {
    expected: 'a number of characters',
    accepts: value => typeof value === 'number' && value >= 0,
  },
  responseTemplate: { expected: 'an object', accepts: isPlainObject },
  toolPrompting: {
    expected: 'the name of a syntax, `{ chatTemplate }` with a text, or false',
    accepts: value => value === false || isToolPrompting(value),
  },
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
