import type { ApiError } from '../api-error.js';
import { type JsonObject, toJsonObjects } from '../json-object.js';
import { invalidOrder } from './mistral-error.js';

/** Every call has exactly one result before the assistant speaks again, and every result a call. */
export function checkMistralCalls(messages: readonly JsonObject[]): ApiError | undefined {
  const called = new Set<unknown>();
  const answered = new Set<unknown>();
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === 'tool') {
      if (answered.has(id)) return invalidOrder(`Duplicate tool call id ${String(id)} in tool results`);
      if (!called.has(id)) return invalidOrder(`Unexpected tool call id ${String(id)} in tool results`);
      answered.add(id);
    }
    if (role !== 'assistant') continue;
    if (called.size !== answered.size) return differentCounts;
    called.clear();
    answered.clear();
    for (const call of toJsonObjects(calls)) {
      if (called.has(call.id))
        return invalidOrder(`Duplicate tool call id ${String(call.id)} in assistant message`);
      called.add(call.id);
    }
  }
  return called.size === answered.size ? undefined : differentCounts;
}

const differentCounts = invalidOrder('Not the same number of function calls and responses');
