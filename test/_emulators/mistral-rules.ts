import { randomBytes } from 'node:crypto';
import { isPlainObject, type PlainObject, objectsOf } from '../../src/core/shared/json.js';
import { type ApiError, findFirst } from '../../src/testing/protocol/wire.js';
import { toItemType } from '../../src/testing/protocol/request.js';
import type { ScriptedItem } from '../../src/testing/protocol/scripts.js';

/**
 * Validator of Mistral.
 *
 * - `mistral`: the rules of the Mistral API for its current models: on chat completions with Mistral's error bodies, on
 *   `/responses` as vLLM applies them.
 * - `mistral-v3`: the rules for older models, which reject text next to tool calls.
 */
export type MistralRules = 'mistral' | 'mistral-v3';

const createError =
  (type: string, code: string | null) =>
  (message: string): ApiError => ({ status: 400, message, type, param: null, code });

// Types and codes that the Mistral API was observed to return.
const invalidOrder = createError('invalid_request_message_order', '3230');
const invalidAssistant = createError('invalid_request_assistant_message', '3240');
const invalidCall = createError('invalid_function_call', '3280');
const invalidRequest = createError('invalid_request_error', null);

/**
 * Returns the first error of the Mistral API, in its order: message order, then message contents, then tools.
 * The rules are those of mistral-common's request validator for serving
 * (https://github.com/mistralai/mistral-common); types and codes are those that the API returns.
 */
export function validateMistral(
  messages: readonly PlainObject[],
  { tools = [], rules }: { tools?: readonly PlainObject[]; rules: MistralRules },
): ApiError | undefined {
  return (
    checkEnds(messages) ??
    checkOrder(messages) ??
    checkMistralCalls(messages) ??
    findFirst(messages, (message, index) =>
      checkMessage(message, { isLast: index === messages.length - 1, rules }),
    ) ??
    findFirst(tools, ({ function: declared }) =>
      checkName(isPlainObject(declared) ? declared.name : undefined),
    )
  );
}

function checkEnds(messages: readonly PlainObject[]): ApiError | undefined {
  const last = messages.at(-1);
  if (last === undefined) return invalidOrder('Conversation must have at least one message');
  if (messages.length === 1) {
    return last.role === 'user' || last.role === 'system'
      ? undefined
      : invalidOrder('Conversation must start with a user message or system message');
  }
  if (last.role !== 'assistant' || last.prefix === true) return undefined;
  return invalidOrder(
    'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
  );
}

/** Roles that may follow a role. The API rejects `user` after `tool`, although mistral-common now accepts it. */
const followers: Readonly<Record<string, readonly string[]>> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

function checkOrder(messages: readonly PlainObject[]): ApiError | undefined {
  return findFirst(messages, ({ role }, index) => {
    const previous = messages[index - 1]?.role;
    if (previous === undefined || followers[String(previous)]?.includes(String(role))) return undefined;
    return invalidOrder(`Unexpected role '${String(role)}' after role '${String(previous)}'`);
  });
}

function checkMessage(
  message: PlainObject,
  { isLast, rules }: { isLast: boolean; rules: MistralRules },
): ApiError | undefined {
  if (message.role === 'tool') return checkResult(message);
  if (message.role !== 'assistant') return undefined;
  const calls = objectsOf(message.tool_calls);
  const hasContent = !isEmpty(message.content);
  if (rules === 'mistral-v3' && hasContent === calls.length > 0) {
    return invalidAssistant('Assistant message must have either content or tool_calls, but not both.');
  }
  if (!hasContent && calls.length === 0) {
    return invalidAssistant('Assistant message must have either content or tool_calls, but not none.');
  }
  const error = findFirst(calls, checkCall);
  if (error !== undefined) return error;
  return message.prefix === true && !isLast
    ? invalidAssistant('Assistant message with prefix True must be last message')
    : undefined;
}

function checkCall({ id, function: called }: PlainObject): ApiError | undefined {
  if (id === undefined || id === null || id === 'null') {
    return invalidCall('Tool call id has to be defined in serving mode.');
  }
  return checkId(id) ?? checkName(isPlainObject(called) ? called.name : undefined);
}

function checkResult({ tool_call_id: id, name }: PlainObject): ApiError | undefined {
  const error = name === undefined || name === null ? undefined : checkName(name);
  if (error !== undefined) return error;
  return id === undefined || id === null ? invalidRequest('Tool call id has to be defined.') : checkId(id);
}

function checkId(id: unknown): ApiError | undefined {
  if (/^[a-zA-Z0-9]{9}$/.test(String(id))) return undefined;
  return invalidCall(`Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`);
}

function checkName(name: unknown): ApiError | undefined {
  if (/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) return undefined;
  return invalidCall(
    `Function name was ${String(name)} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
  );
}

const isEmpty = (content: unknown): boolean =>
  content === undefined ||
  content === null ||
  content === '' ||
  (Array.isArray(content) && content.length === 0);

/** Requires one result per call before the next assistant message, and a call for each result. */
function checkMistralCalls(messages: readonly PlainObject[]): ApiError | undefined {
  const called = new Set<unknown>();
  const resolved = new Set<unknown>();
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    if (role === 'tool') {
      if (resolved.has(id)) return invalidOrder(`Duplicate tool call id ${String(id)} in tool results`);
      if (!called.has(id)) return invalidOrder(`Unexpected tool call id ${String(id)} in tool results`);
      resolved.add(id);
    }
    if (role !== 'assistant') continue;
    if (called.size !== resolved.size) return differentCounts;
    called.clear();
    resolved.clear();
    for (const call of objectsOf(calls)) {
      if (called.has(call.id))
        return invalidOrder(`Duplicate tool call id ${String(call.id)} in assistant message`);
      called.add(call.id);
    }
  }
  return called.size === resolved.size ? undefined : differentCounts;
}

const differentCounts = invalidOrder('Not the same number of function calls and responses');

/**
 * Converts the conversation of a Responses request to chat messages, as vLLM does: text and calls of one response become
 * one message.
 */
export function toMistralMessages(
  items: readonly PlainObject[],
  { instructions }: PlainObject,
): PlainObject[] {
  const messages: PlainObject[] = [];
  if (typeof instructions === 'string') messages.push({ role: 'system', content: instructions });
  for (const item of items) {
    const last = messages.at(-1);
    if (item.type === 'function_call' && last?.role === 'assistant') messages.pop();
    const message = toMessage(item, last);
    if (message !== undefined) messages.push(message);
  }
  return messages;
}

function toMessage(item: PlainObject, last: PlainObject | undefined): PlainObject | undefined {
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

/** Gives calls without an id one in the format of Mistral's models: nine letters and digits. */
export const withMistralCallIds = (items: readonly ScriptedItem[]): readonly ScriptedItem[] =>
  items.map(item =>
    'call' in item && !('type' in item) ? { callId: createMistralCallId(), ...item } : item,
  );

const createMistralCallId = (): string =>
  Array.from(randomBytes(9), byte => alphanumerics[byte % alphanumerics.length]).join('');

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
