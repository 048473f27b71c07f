import { KelivoError } from '../core/shared/errors.js';
import { isPlainObject } from '../core/shared/json.js';
import { toNameHint } from '../core/shared/names.js';
import {
  checkAdapter,
  type ModelAdapter,
  type ModelAdapterDefinition,
  type ModelAdapterRegistry,
} from './kit/definition.js';

/*
 * The adapters in settings. Settings are checked with this file, so it must not load the code of adapters.
 */

/** An adapter that a module exports. */
export interface AdapterModule {
  /** The name of a package, or the URL of a module, for example `@acme/adapters`. */
  readonly import: string;
  /** The name of the export. @default 'default' */
  readonly export?: string;
}

/**
 * An adapter in a list. A name of the default registry and a module apply to every model, so that they can be forced for
 * an id that hides the family. An adapter applies to the one model of `adaptModel` and to the models of an override; in
 * the list of a provider it applies if the model id belongs to its family.
 */
export type AdapterChoice = string | AdapterModule | ModelAdapter | ModelAdapterDefinition;

/** The adapters of a model: a registry to choose from by model id, a list, or `false` for none. */
export type AdapterSelection = ModelAdapterRegistry | readonly AdapterChoice[] | false;

/** Returns true for a registry. */
const isRegistry = (value: unknown): value is ModelAdapterRegistry =>
  isPlainObject(value) && typeof value.findFor === 'function';

/** Returns true if a value has the type of a selection. Its entries are not checked. */
export const isAdapterSelection = (value: unknown): value is AdapterSelection =>
  value === false || Array.isArray(value) || isRegistry(value);

/** Returns true for an entry that names a module. */
export const isAdapterModule = (choice: unknown): choice is AdapterModule =>
  isPlainObject(choice) && 'import' in choice;

/**
 * Checks the entries of a selection. No adapter is loaded.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown name, an invalid adapter or a second adapter with the
 *   same name.
 */
export function validateAdapters(selection: AdapterSelection | undefined): void {
  const [issue] = findAdapterIssues(selection);
  if (issue !== undefined) throw new KelivoError({ code: 'invalid-settings', message: issue });
}

/** Returns one sentence for each invalid entry of a selection. */
export function findAdapterIssues(selection: unknown): string[] {
  if (!Array.isArray(selection)) return [];
  const used = new Set<string>();
  return selection.flatMap((choice: unknown) => {
    const issue = findChoiceIssue(choice);
    if (issue !== undefined) return [issue];
    const name = nameOf(choice as AdapterChoice);
    const isTaken = used.has(name);
    used.add(name);
    return isTaken
      ? [
          `Expected a unique adapter name, got a second ${JSON.stringify(name)}. Remove one of the two adapters.`,
        ]
      : [];
  });
}

function findChoiceIssue(choice: unknown): string | undefined {
  if (typeof choice === 'string') {
    return adapterNames.has(choice)
      ? undefined
      : `Unknown adapter ${JSON.stringify(choice)}. ${toNameHint(choice, { kind: 'adapters', known: adapterNames })}`;
  }
  if (isAdapterModule(choice)) return findModuleIssue({ ...choice });
  try {
    checkAdapter(choice);
    return undefined;
  } catch (error) {
    if (KelivoError.isInstance(error)) return error.message;
    throw error;
  }
}

function findModuleIssue(module: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(module).find(key => key !== 'import' && key !== 'export');
  if (unknown !== undefined) {
    return `Expected an adapter module with \`import\` and \`export\`, got the key \`${unknown}\`.`;
  }
  const wrong = Object.entries(module).find(
    ([, value]) => value !== undefined && (typeof value !== 'string' || value === ''),
  );
  return (
    wrong && `Expected \`${wrong[0]}\` of an adapter module to be a name, got ${JSON.stringify(wrong[1])}.`
  );
}

const nameOf = (choice: AdapterChoice): string => {
  if (typeof choice === 'string') return choice;
  return isAdapterModule(choice) ? toModuleName(choice) : choice.name;
};

/** Returns the name of the adapter that a module exports. */
export const toModuleName = ({ import: module, export: name = 'default' }: AdapterModule): string =>
  name === 'default' ? module : `${module}#${name}`;

/** The names of the default registry. Registering an adapter there adds its name. */
export const adapterNames = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    'apertus apriel claude cogito command-r deepseek deepseek-distill-llama dots-llm ernie exaone ' +
    'functiongemma gemini gemma gemma4 gigachat glm gpt-oss granite hermes hunyuan hyperclova inkling ' +
    'internlm iquest-coder jamba k2-horizon kimi kimi-k3 laguna lfm2 ling-3 llama longcat mimo minicpm5 ' +
    'minimax mistral muse nemotron olmo3 openpangu phi-4-mini plamo3 qwen reka seed-oss smollm3 solar-open2 ' +
    'spark3 step3 trinity xlam'
  ).split(' '),
);

/** Models of OpenAI, which no adapter of this package applies to, and whose text contains no calls. */
const OPENAI_MODEL =
  /^(?:gpt-\d\w*(?:\.\d)?|o\d|chatgpt-4o)(?:-(?:audio|chat|codex|latest|max|mini|nano|preview|pro|search|turbo|\d+))*$/;

export const isOpenAiModel = (modelId: string): boolean => OPENAI_MODEL.test(modelId);

/** Names of the adapters that the application has registered. They may apply to any model. */
export const registeredNames = new Set<string>();

/** Returns false if no adapter of a selection can apply to a model, so that the adapters need not be loaded. */
export function mayHaveAdapters(selection: AdapterSelection | undefined, modelId: string): boolean {
  if (selection === undefined) return registeredNames.size > 0 || !isOpenAiModel(modelId);
  if (selection === false) return false;
  return isRegistry(selection) ? selection.findFor(modelId).length > 0 : selection.length > 0;
}
