import type { JsonObject } from '../json-object.js';
import { toItemType } from '../to-request.js';

/**
 * The conversation of a Responses request as chat messages, the way vLLM makes them: the calls of one answer and what
 * was said with them are one message.
 */
export function toMistralMessages(items: readonly JsonObject[], { instructions }: JsonObject): JsonObject[] {
  const messages: JsonObject[] = [];
  if (typeof instructions === 'string') messages.push({ role: 'system', content: instructions });
  for (const item of items) {
    const last = messages.at(-1);
    if (item.type === 'function_call' && last?.role === 'assistant') messages.pop();
    const message = toMessage(item, last);
    if (message !== undefined) messages.push(message);
  }
  return messages;
}

function toMessage(item: JsonObject, last: JsonObject | undefined): JsonObject | undefined {
  switch (toItemType(item)) {
    case 'message':
      return { role: item.role === 'developer' ? 'system' : item.role, content: item.content };
    case 'function_call': {
      const call = { id: item.call_id, function: { name: item.name, arguments: item.arguments } };
      const before = last?.role === 'assistant' ? last : { role: 'assistant' };
      const calls = Array.isArray(before.tool_calls) ? before.tool_calls : [];
      return { ...before, tool_calls: [...calls, call] };
    }
    case 'function_call_output':
      return { role: 'tool', tool_call_id: item.call_id, content: item.output };
    default:
      return undefined;
  }
}
