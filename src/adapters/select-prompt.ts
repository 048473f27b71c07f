import { KelivoError } from '../shared/errors.js';
import { isPlainObject } from '../shared/json.js';
import { toNameHint } from '../shared/names.js';
import * as catalogue from '../text-tools/formats/index.js';
import type { TextToolFormat } from '../text-tools/reading/text-tool-format.js';
import {
  type ChatTemplatePrompting,
  isChatTemplate,
  type ModelAdapter,
  type ToolPrompting,
  toolPromptNames,
} from './kit/definition.js';
import { createTemplateWriter, loadChatTemplate } from './prompts/chat-template.js';
import { prompts } from './prompts/index.js';
import { createPromptWriter, type PromptWriter, type ToolPrompt } from './prompts/tool-prompt.js';

const formats: ReadonlyMap<string, TextToolFormat> = new Map(Object.entries(catalogue));

/** The syntax that a model is prompted with. */
export interface SelectedPrompt {
  readonly name: string;
  readonly writer: PromptWriter;
  /** The formats that read the calls back. */
  readonly formats: readonly TextToolFormat[];
}

/** A syntax of an application, whose formats may be its own. */
export interface OwnToolPrompt extends Omit<ToolPrompt, 'formats'> {
  /** The formats that read the calls back: names of `formats`, or formats of the application. */
  readonly formats: readonly (string | TextToolFormat)[];
}

const selected = new Map<string, SelectedPrompt>();

for (const [name, prompt] of Object.entries(prompts)) selected.set(name, toSelected(name, prompt));

function toSelected(name: string, prompt: OwnToolPrompt): SelectedPrompt {
  const readers = prompt.formats.map(format => {
    const reader = typeof format === 'string' ? formats.get(format) : format;
    if (reader !== undefined) return reader;
    const hint = toNameHint(String(format), { kind: 'formats', known: formats.keys() });
    throw toPromptError(`Unknown format "${String(format)}" of the syntax "${name}". ${hint}`);
  });
  return { name, writer: createPromptWriter({ ...prompt, formats: [] }), formats: readers };
}

/** The fields of a syntax that cannot be omitted, as texts. */
const REQUIRED = ['tools', 'call', 'result'] as const;

/**
 * Registers a syntax under a name, which `toolPrompting` and the `prompt` of an adapter can then have.
 *
 * @throws KelivoError with code `invalid-settings` for a name that is taken, a missing field or an unknown format.
 */
export function registerToolPrompt(name: string, prompt: OwnToolPrompt): void {
  if (name === 'auto' || selected.has(name)) {
    throw toPromptError(`Expected a new name for a syntax of tool prompts, got "${name}", which is taken.`);
  }
  const fields: Readonly<Record<string, unknown>> = isPlainObject(prompt) ? prompt : {};
  const missing = REQUIRED.find(field => typeof fields[field] !== 'string');
  if (missing !== undefined || !Array.isArray(fields.formats)) {
    throw toPromptError(
      `Expected \`${missing ?? 'formats'}\` of the syntax "${name}" to be a ${missing === undefined ? 'list' : 'text'}.`,
    );
  }
  selected.set(name, toSelected(name, prompt));
  toolPromptNames.add(name);
}

/**
 * Returns the syntax with a name. `auto` is that of the first adapter with one, and Hermes without any, which most models
 * understand.
 *
 * @throws KelivoError with code `invalid-settings` for an unknown name.
 */
export function selectPrompt(
  prompting: Exclude<ToolPrompting, ChatTemplatePrompting>,
  { modelId, adapters }: { modelId: string; adapters: readonly ModelAdapter[] },
): SelectedPrompt {
  const name = prompting === 'auto' ? toFamilySyntax(modelId, adapters) : prompting;
  const found = selected.get(name);
  if (found !== undefined) return found;
  const hint = toNameHint(name, { kind: 'values', known: ['auto', ...toolPromptNames] });
  throw toPromptError(`Unknown value "${name}" for \`toolPrompting\`. ${hint}`);
}

function toFamilySyntax(modelId: string, adapters: readonly ModelAdapter[]): string {
  const prompt = adapters.find(adapter => adapter.prompt !== undefined)?.prompt ?? 'hermes';
  return typeof prompt === 'string' ? prompt : prompt(modelId);
}

/** A call whose rendering shows the format that a template writes. */
const EXAMPLE = { id: 'example01', name: 'example', input: { key: 'value' }, number: 0 };

/**
 * Loads a chat template of the application. Its calls are read by the formats whose markers it writes.
 *
 * @throws KelivoError with code `missing-package` or `invalid-settings`.
 */
export async function loadTemplatePrompt(
  { chatTemplate }: ChatTemplatePrompting,
  { readsText }: { readsText: boolean },
): Promise<SelectedPrompt> {
  const writer = createTemplateWriter(await loadChatTemplate(chatTemplate));
  const text = writer.write('', [EXAMPLE]).trim();
  const readers = [...formats.values()].filter(
    ({ openers, startOpeners = [] }) =>
      openers.some(opener => text.includes(opener)) || startOpeners.some(opener => text.startsWith(opener)),
  );
  if (readers.length > 0 || readsText) return { name: 'chat-template', writer, formats: readers };
  throw toPromptError(
    `\`toolPrompting.chatTemplate\` writes calls in a syntax that no format reads: ${JSON.stringify(text)}. ` +
      'Add an adapter that reads it to `adapters`.',
  );
}

const toPromptError = (message: string): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message });

/** Returns true if the value has the type of the option. Names are checked when they are used. */
export const isToolPrompting = (value: unknown): value is ToolPrompting =>
  typeof value === 'string' || isChatTemplate(value);
