import { KelivoError, messageOf } from '../core/shared/errors.js';
import { isPlainObject } from '../core/shared/json.js';
import { toNameHint } from '../core/shared/names.js';
import { type RegisterOptions, registerUnique } from '../core/shared/registration.js';
import * as catalogue from './text-tools/formats/index.js';
import type { TextToolFormat } from './text-tools/reading/text-tool-format.js';
import {
  type ChatTemplatePrompting,
  isChatTemplate,
  type ModelAdapter,
  type ToolPrompting,
  toolPromptNames,
} from './kit/definition.js';
import { prompts } from './prompts/index.js';
import {
  createPromptWriter,
  type PromptCall,
  type PromptWriter,
  toChatTool,
  type ToolPrompt,
} from './prompts/tool-prompt.js';
import type { Template as ChatTemplate } from '@huggingface/jinja';

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
 * @example
 * ```ts
 * registerToolPrompt('tulip', {
 *   ...prompts['hermes'],
 *   call: '<tool_call>{"name": "{name}", "arguments": {arguments}}</tool_call>',
 *   result: '<tool_response>{text}</tool_response>',
 *   formats: ['hermes'],
 * });
 * const model = adaptModel(server('tulip-3'), { toolPrompting: 'tulip' });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for a name that is taken, a missing field or an unknown format.
 */
export function registerToolPrompt(name: string, prompt: OwnToolPrompt, options?: RegisterOptions): void {
  const message = `Expected a new name for a syntax of tool prompts, got "${name}", which is taken.`;
  if (name === 'auto' || Object.hasOwn(prompts, name)) throw toPromptError(message);
  const fields: Readonly<Record<string, unknown>> = isPlainObject(prompt) ? prompt : {};
  const missing = REQUIRED.find(field => typeof fields[field] !== 'string');
  if (missing !== undefined || !Array.isArray(fields.formats)) {
    throw toPromptError(
      `Expected \`${missing ?? 'formats'}\` of the syntax "${name}" to be a ${missing === undefined ? 'list' : 'text'}.`,
    );
  }
  registerUnique(selected, [name, toSelected(name, prompt)], { ...options, message });
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
  options: { modelId: string; adapters: readonly ModelAdapter[] },
): SelectedPrompt {
  const name = prompting === 'auto' ? toFamilySyntax(options.modelId, options.adapters) : prompting;
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
  prompting: ChatTemplatePrompting,
  options: { readsText: boolean },
): Promise<SelectedPrompt> {
  const writer = createTemplateWriter(await loadChatTemplate(prompting.chatTemplate));
  const text = writer.write('', [EXAMPLE]).trim();
  const readers = [...formats.values()].filter(
    format =>
      format.openers.some(opener => text.includes(opener)) ||
      (format.startOpeners ?? []).some(opener => text.startsWith(opener)),
  );
  if (readers.length > 0 || options.readsText) return { name: 'chat-template', writer, formats: readers };
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

/*
 * Chat templates that the application supplies. A server renders the template of its model without tools, so the texts
 * of messages are chosen such that it renders what the template writes with tools.
 */

/** Renders messages of the Chat Completions API. */
type Render = (messages: readonly object[], tools?: readonly object[]) => string;

/**
 * Parses a chat template.
 *
 * @throws KelivoError with code `missing-package` without `@huggingface/jinja`, and `invalid-settings` for a template
 *   that it cannot parse. Rendering throws the latter, too.
 */
async function loadChatTemplate(source: string): Promise<Render> {
  let Template: typeof ChatTemplate;
  try {
    // Turbopack and webpack build without a missing package only if a `try` block imports it.
    ({ Template } = await import('@huggingface/jinja'));
  } catch (cause) {
    throw new KelivoError({
      code: 'missing-package',
      message:
        '`toolPrompting.chatTemplate` requires the package `@huggingface/jinja`. Run `npm install @huggingface/jinja`.',
      cause,
    });
  }
  const check = <Result>(run: () => Result, fault: string): Result => {
    try {
      return run();
    } catch (cause) {
      throw toTemplateError(`${fault}: ${messageOf(cause)}`, cause);
    }
  };
  const template = check(() => new Template(source), 'cannot be parsed');
  return (messages, tools) =>
    check(
      () => template.render({ messages, ...(tools && { tools }), bos_token: '', eos_token: '' }),
      `cannot be rendered for messages of the roles ${messages.map(one => (one as { role: string }).role).join(', ')}`,
    );
}

const toTemplateError = (fault: string, cause?: unknown): KelivoError =>
  new KelivoError({ code: 'invalid-settings', message: `\`toolPrompting.chatTemplate\` ${fault}`, cause });

/** Stands for a text, which the template renders unchanged. It has no space at its ends, because templates trim. */
const MARK = '\u2060kelivo-text\u2060';
const USER = { role: 'user', content: '\u2060kelivo-user\u2060' };

function createTemplateWriter(render: Render): PromptWriter {
  return {
    declare(system, tools) {
      const message = { role: 'system', content: MARK };
      const around = surroundings(render([message, USER]), 'system');
      const messages = system === undefined ? [USER] : [message, USER];
      const rendered = render(messages, tools.map(toChatTool));
      if (rendered === render(messages))
        throw toTemplateError('writes no tools. Use the template for tools of the model.');
      return [contentOf(rendered, around).replace(MARK, () => system ?? '')];
    },
    write(text, calls) {
      const around = surroundings(render([USER, { role: 'assistant', content: MARK }]), 'assistant');
      const content = contentOf(render([USER, toMessage(text === '' ? '' : MARK, calls)]), around);
      if (content === '') throw toTemplateError('writes no calls. Use the template for tools of the model.');
      // Some templates omit the text of a message with calls.
      return text === '' || content.includes(MARK) ? content.replace(MARK, () => text) : text + content;
    },
    results(results) {
      const assistant = { role: 'assistant', content: 'kelivo-text' };
      const user = [USER, assistant, { role: 'user', content: MARK }];
      const around = surroundings(added(render(user), render([USER, assistant])), 'user');
      const calls = [
        USER,
        toMessage(
          '',
          results.map(result => ({ ...result, input: {} })),
        ),
      ];
      const messages = results.map(result => ({
        role: 'tool',
        tool_call_id: result.id,
        name: result.name,
        content: result.text,
      }));
      return contentOf(added(render([...calls, ...messages]), render(calls)), around).trim();
    },
  };
}

const toMessage = (content: string, calls: readonly PromptCall[]): object => ({
  role: 'assistant',
  content,
  tool_calls: calls.map(call => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.input },
  })),
});

/** The texts that a template writes around the content of a message. */
interface Surroundings {
  readonly before: string;
  readonly after: string;
}

function surroundings(rendered: string, role: string): Surroundings {
  const at = rendered.indexOf(MARK);
  if (at < 0) throw toTemplateError(`does not write messages of the role "${role}".`);
  return { before: rendered.slice(0, at), after: rendered.slice(at + MARK.length) };
}

/** Returns the content with which a message between the surroundings equals `rendered`, or differs in its role only. */
function contentOf(rendered: string, { before, after }: Surroundings): string {
  const start = startOf(rendered, before);
  const rest = rendered.slice(start);
  let common = 0;
  const longest = Math.min(rest.length, after.length);
  while (common < longest && rest.at(-1 - common) === after.at(-1 - common)) common++;
  const token = tokenAt(after, after.length - common);
  if (token !== undefined) common = after.length - token.end;
  // The end of the message precedes what follows it: it is written twice otherwise.
  const missing = after.slice(0, after.length - common);
  const content = rest.slice(0, rest.length - common);
  return missing === '' ? content : content.replace(missing, '');
}

/** A special token or tag. */
const TOKEN = /<[^<>\s]*>|\[[^[\]\s]*\]/;

/** Returns the token of a text that contains the place between two characters. */
const tokenAt = (text: string, place: number): { start: number; end: number } | undefined =>
  [...text.matchAll(new RegExp(TOKEN, 'g'))]
    .map(({ index, 0: token }) => ({ start: index, end: index + token.length }))
    .find(entry => entry.start < place && place < entry.end);

/** Returns the number of characters that both texts start with. */
function sharedStart(left: string, right: string): number {
  let same = 0;
  while (same < left.length && same < right.length && left[same] === right[same]) same++;
  return same;
}

/** Returns the text that more messages add. */
const added = (longer: string, shorter: string): string => longer.slice(sharedStart(longer, shorter));

function startOf(rendered: string, before: string): number {
  const same = sharedStart(before, rendered);
  if (same === before.length) return same;
  const last = [...before.matchAll(new RegExp(TOKEN, 'g'))].at(-1)?.index ?? 0;
  // Another role in the same header, as in `<|im_system|>tool<|im_middle|>`.
  const header = last > same ? rendered.indexOf(before.slice(last), same) : -1;
  if (header >= 0) return header + before.length - last;
  // Another role on a separate line, as in `<|im_start|>tool_response`.
  const space = before.slice(before.trimEnd().length);
  const line = last < same && space !== '' ? rendered.indexOf(space, same) : -1;
  if (line >= 0 && !TOKEN.test(before.slice(same))) return line + space.length;
  // Another token.
  return tokenAt(rendered, same)?.start ?? same;
}
