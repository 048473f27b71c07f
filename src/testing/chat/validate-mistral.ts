import type { ApiError } from '../api-error.js';
import { isJsonObject, type JsonObject, toJsonObjects } from '../json-object.js';
import type { RequestRules } from '../request-rules.js';
import { checkMistralCalls } from './check-mistral-calls.js';
import { invalidAssistant, invalidCall, invalidOrder, invalidRequest } from './mistral-error.js';

/**
 * The first thing the Mistral API would object to, in its own order: how the messages follow each other, then what is
 * in each, then the tools. The rules are those of mistral-common's request validator for serving
 * (https://github.com/mistralai/mistral-common), types and codes those the API answers with.
 */
export function validateMistral(
  messages: readonly JsonObject[],
  { tools = [], rules }: { tools?: readonly JsonObject[]; rules: Exclude<RequestRules, 'openai'> },
): ApiError | undefined {
  return (
    checkEnds(messages) ??
    checkOrder(messages) ??
    checkMistralCalls(messages) ??
    firstError(messages, (message, index) =>
      checkMessage(message, { isLast: index === messages.length - 1, rules }),
    ) ??
    firstError(tools, ({ function: declared }) =>
      checkName(isJsonObject(declared) ? declared.name : undefined),
    )
  );
}

function checkEnds(messages: readonly JsonObject[]): ApiError | undefined {
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

/** Who may speak after whom. The API does not take a user after a tool, though mistral-common does by now. */
const followers: Readonly<Record<string, readonly string[]>> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

function checkOrder(messages: readonly JsonObject[]): ApiError | undefined {
  return firstError(messages, ({ role }, index) => {
    const previous = messages[index - 1]?.role;
    if (previous === undefined || followers[String(previous)]?.includes(String(role))) return undefined;
    return invalidOrder(`Unexpected role '${String(role)}' after role '${String(previous)}'`);
  });
}

function checkMessage(
  message: JsonObject,
  { isLast, rules }: { isLast: boolean; rules: Exclude<RequestRules, 'openai'> },
): ApiError | undefined {
  if (message.role === 'tool') return checkResult(message);
  if (message.role !== 'assistant') return undefined;
  const calls = toJsonObjects(message.tool_calls);
  const hasContent = !isEmpty(message.content);
  if (rules === 'mistral-v3' && hasContent === calls.length > 0) {
    return invalidAssistant('Assistant message must have either content or tool_calls, but not both.');
  }
  if (!hasContent && calls.length === 0) {
    return invalidAssistant('Assistant message must have either content or tool_calls, but not none.');
  }
  const error = firstError(calls, checkCall);
  if (error !== undefined) return error;
  return message.prefix === true && !isLast
    ? invalidAssistant('Assistant message with prefix True must be last message')
    : undefined;
}

function checkCall({ id, function: called }: JsonObject): ApiError | undefined {
  if (id === undefined || id === null || id === 'null') {
    return invalidCall('Tool call id has to be defined in serving mode.');
  }
  return checkId(id) ?? checkName(isJsonObject(called) ? called.name : undefined);
}

function checkResult({ tool_call_id: id, name }: JsonObject): ApiError | undefined {
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

function firstError(
  objects: readonly JsonObject[],
  check: (object: JsonObject, index: number) => ApiError | undefined,
): ApiError | undefined {
  for (const [index, object] of objects.entries()) {
    const error = check(object, index);
    if (error !== undefined) return error;
  }
  return undefined;
}
