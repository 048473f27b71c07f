import {
  type ApiError,
  badRequest,
  emptyArray,
  invalidType,
  invalidValue,
  missingParameter,
} from '../api-error.js';
import { isJsonObject, type JsonObject, toJsonObjects } from '../json-object.js';
import { tooLong, validateName } from '../validate-tools.js';

/** The first thing OpenAI would object to in the messages of a chat request: each by itself, then their order. */
export function validateMessages(messages: readonly unknown[]): ApiError | undefined {
  for (const [index, message] of messages.entries()) {
    const error = validateMessage(message, { index });
    if (error !== undefined) return error;
  }
  return findUnpairedCall(toJsonObjects(messages));
}

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

function validateMessage(message: unknown, { index }: { index: number }): ApiError | undefined {
  const path = `messages[${index}]`;
  if (!isJsonObject(message)) return invalidType(path, { expected: 'an object', value: message });
  const { role, content, tool_calls: calls } = message;
  if (role === undefined) return missingParameter(`${path}.role`);
  if (!roles.includes(String(role))) return invalidValue(`${path}.role`, { value: role, supported: roles });
  if (role === 'tool' && message.tool_call_id === undefined) return missingParameter(`${path}.tool_call_id`);
  if (role === 'assistant' && Array.isArray(calls)) {
    if (calls.length === 0) return emptyArray(`${path}.tool_calls`);
    for (const [position, call] of calls.entries()) {
      const error = validateCall(call, { path: `${path}.tool_calls[${position}]` });
      if (error !== undefined) return error;
    }
  }
  const mayBeSilent = role === 'assistant' && (Array.isArray(calls) || typeof message.refusal === 'string');
  if (content === undefined || content === null) return mayBeSilent ? undefined : missingContent(index);
  return validateContent(content, { path: `${path}.content` });
}

const missingContent = (index: number): ApiError =>
  badRequest("Invalid value for 'content': expected a string, got null.", {
    param: `messages.[${index}].content`,
  });

function validateCall(call: unknown, { path }: { path: string }): ApiError | undefined {
  if (!isJsonObject(call)) return invalidType(path, { expected: 'an object', value: call });
  const missing = ['id', 'type', 'function'].find(field => call[field] === undefined || call[field] === null);
  if (missing !== undefined) return missingParameter(`${path}.${missing}`);
  const { id, function: called } = call;
  if (typeof id !== 'string') return invalidType(`${path}.id`, { expected: 'a string', value: id });
  if (id.length > longestId) return tooLong(`${path}.id`, { length: id.length, maximum: longestId });
  if (!isJsonObject(called)) return invalidType(`${path}.function`, { expected: 'an object', value: called });
  if (typeof called.arguments !== 'string') {
    return called.arguments === undefined
      ? missingParameter(`${path}.function.arguments`)
      : invalidType(`${path}.function.arguments`, { expected: 'a string', value: called.arguments });
  }
  return validateName(called.name, { path: `${path}.function.name` });
}

// https://github.com/langgenius/dify/issues/28987; the Responses API takes 64 characters.
const longestId = 40;

const partTypes = ['text', 'image_url', 'input_audio', 'refusal', 'audio', 'file'];

function validateContent(content: unknown, { path }: { path: string }): ApiError | undefined {
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content)) {
    return invalidType(path, { expected: 'one of a string or array of objects', value: content });
  }
  for (const [index, part] of content.entries()) {
    const at = `${path}[${index}]`;
    if (!isJsonObject(part)) return invalidType(at, { expected: 'an object', value: part });
    if (!partTypes.includes(String(part.type))) {
      return invalidValue(`${at}.type`, { value: part.type, supported: partTypes });
    }
    if (part.type === 'text' && typeof part.text !== 'string') return missingParameter(`${at}.text`);
    if (part.type === 'image_url' && !isImage(part.image_url)) {
      return badRequest(
        `Invalid '${at}.image_url.url'. Expected a base64-encoded data URL with an image MIME type, or a URL.`,
        { param: `${at}.image_url.url`, code: 'invalid_value' },
      );
    }
  }
  return undefined;
}

const isImage = (image: unknown): boolean =>
  isJsonObject(image) && /^(https?:\/\/\S+|data:image\/[\w.+-]+;base64,[\w+/=]+)$/.test(String(image.url));

/** Every result answers a call of the assistant message before it, and every call has one before anyone speaks. */
function findUnpairedCall(messages: readonly JsonObject[]): ApiError | undefined {
  let asked = -1;
  const open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return resultWithoutCall(index);
      continue;
    }
    if (open.size > 0) return callWithoutResult(asked, open);
    for (const call of toJsonObjects(message.tool_calls)) open.add(call.id);
    asked = index;
  }
  return open.size > 0 ? callWithoutResult(asked, open) : undefined;
}

// "preceeding" is OpenAI's spelling.
const resultWithoutCall = (index: number): ApiError =>
  badRequest(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    { param: `messages.[${index}].role` },
  );

const callWithoutResult = (index: number, ids: ReadonlySet<unknown>): ApiError =>
  badRequest(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    { param: `messages.[${index}].role` },
  );
