import type { Message, Prompt, UserPart } from '../../core/prompt.js';

/** Adds content to the last message if it is of the user, otherwise as a new message. */
export function appendToUser(messages: Message[], content: readonly UserPart[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user')
    messages[messages.length - 1] = { ...last, content: [...last.content, ...content] };
  else messages.push({ role: 'user', content });
}

/** Adds a text to the first system message, or inserts one. */
export function appendToSystem(prompt: Prompt, text: string): Prompt {
  const [first, ...rest] = prompt;
  return first?.role === 'system'
    ? [{ ...first, content: `${first.content}\n\n${text}` }, ...rest]
    : [{ role: 'system', content: text }, ...prompt];
}
