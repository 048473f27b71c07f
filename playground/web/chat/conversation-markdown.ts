import type { PlaygroundMessage } from '../../shared/playground-state.js';
import { getToolName, isToolUIPart } from './tool-parts.js';

/** Returns a message as Markdown: its text, with tool calls and files in their places. */
export const toMarkdown = ({ parts }: Pick<PlaygroundMessage, 'parts'>): string =>
  parts
    .map(toMarkdownPart)
    .filter(text => text !== '')
    .join('\n\n');

/** Returns a conversation as Markdown. A comparison has one section per side. */
export function toConversationMarkdown(
  title: string,
  threads: readonly { readonly title?: string; readonly messages: readonly PlaygroundMessage[] }[],
): string {
  const sections = threads.flatMap(thread => [
    ...(thread.title === undefined ? [] : [`## ${thread.title}`]),
    ...thread.messages.flatMap(message => [
      `${thread.title === undefined ? '##' : '###'} ${message.role === 'user' ? 'User' : 'Assistant'}`,
      toMarkdown(message),
    ]),
  ]);
  return `${[`# ${title}`, ...sections].join('\n\n')}\n`;
}

function toMarkdownPart(part: PlaygroundMessage['parts'][number]): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'reasoning') return part.text.trim() === '' ? '' : quote(`Reasoning: ${part.text}`);
  if (part.type === 'file') return `*File: ${part.filename ?? part.mediaType}*`;
  if (!isToolUIPart(part)) return '';
  const result =
    part.state === 'output-available'
      ? `Result:\n\n${toFence(part.output)}`
      : part.state === 'output-error'
        ? `Error:\n\n${toFence(part.errorText)}`
        : '';
  return [`**Tool call** \`${getToolName(part)}\``, toFence(part.input ?? {}), result]
    .filter(text => text !== '')
    .join('\n\n');
}

const quote = (text: string): string => text.trim().replaceAll(/^/gm, '> ');

/** A code block whose fence is longer than any in its text. */
function toFence(value: unknown): string {
  const isText = typeof value === 'string';
  const text = isText ? value : (JSON.stringify(value, null, 2) ?? '');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${isText ? '' : 'json'}\n${text}\n${fence}`;
}
