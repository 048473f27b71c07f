import { describeContent, toText } from './describe-content.js';
import type { JsonObject } from './json-object.js';
import { toItemType } from './to-request.js';

/** What has happened since the user last spoke. */
export interface Turn {
  /** The user's last message as text. */
  readonly message: string;
  /** The same with its images and files named. */
  readonly description: string;
  /** The calls made since then, oldest first. */
  readonly calls: readonly { readonly name: string; readonly output: unknown }[];
}

/** Reads the turn off a conversation. A message without text, such as an image a tool gave, starts none. */
export function readTurn(items: readonly JsonObject[]): Turn {
  const start = items.findLastIndex(
    item => toItemType(item) === 'message' && item.role === 'user' && toText(item.content) !== '',
  );
  const since = items.slice(start + 1);
  const calls = since
    .filter(item => item.type === 'function_call')
    .map(call => ({
      name: String(call.name),
      output: since.find(item => item.type === 'function_call_output' && item.call_id === call.call_id)
        ?.output,
    }));
  const content = items[start]?.content;
  return { message: toText(content), description: describeContent(content), calls };
}
