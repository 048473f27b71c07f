import type { Template as ChatTemplate } from '@huggingface/jinja';
import { KelivoError } from '../../shared/errors.js';
import { type PromptCall, type PromptWriter, toChatTool } from './tool-prompt.js';

/*
 * Chat templates that the application supplies. A server renders the template of its model without tools, so the texts
 * of messages are chosen such that it renders what the template writes with tools.
 */

/** Renders messages of the Chat Completions API. */
export type Render = (messages: readonly object[], tools?: readonly object[]) => string;

/**
 * Parses a chat template.
 *
 * @throws KelivoError with code `missing-package` without `@huggingface/jinja`, and `invalid-settings` for a template
 *   that it cannot parse. Rendering throws the latter, too.
 */
export async function loadChatTemplate(source: string): Promise<Render> {
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
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw toTemplateError(`${fault}: ${reason}`, cause);
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

/** Creates the writer of a template. */
export function createTemplateWriter(render: Render): PromptWriter {
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
      const messages = results.map(({ id, name, text }) => ({
        role: 'tool',
        tool_call_id: id,
        name,
        content: text,
      }));
      return contentOf(added(render([...calls, ...messages]), render(calls)), around).trim();
    },
  };
}

const toMessage = (content: string, calls: readonly PromptCall[]): object => ({
  role: 'assistant',
  content,
  tool_calls: calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: input },
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
    .find(({ start, end }) => start < place && place < end);

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
  const [space = ''] = /\s*$/.exec(before) ?? [];
  const line = last < same && space !== '' ? rendered.indexOf(space, same) : -1;
  if (line >= 0 && !TOKEN.test(before.slice(same))) return line + space.length;
  // Another token.
  return tokenAt(rendered, same)?.start ?? same;
}
