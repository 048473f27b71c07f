import {
  type ApiError,
  badRequest,
  emptyArray,
  findFirst,
  invalidType,
  invalidValue,
  missingParameter,
} from '../../src/testing/protocol/wire.js';
import { isPlainObject, type PlainObject, objectsOf } from '../../src/core/shared/json.js';
import { toModelKind } from '../../src/testing/protocol/request.js';
import {
  tooLong,
  validateFunction,
  validateJsonSchema,
  validateName,
} from '../../src/testing/validation/tools.js';

/** Returns OpenAI's first error for a chat request. */
export const validateChatRequest = (body: PlainObject): ApiError | undefined =>
  findFirst(checks, check => check(body));

const checks: readonly ((body: PlainObject) => ApiError | undefined)[] = [
  checkNames,
  checkModel,
  checkMessages,
  checkSampling,
  checkStreamOptions,
  checkTools,
  checkToolChoice,
  checkFormat,
];

const parameters = new Set(
  (
    'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages ' +
    'metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key ' +
    'prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream ' +
    'stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options'
  ).split(' '),
);

function checkNames(body: PlainObject): ApiError | undefined {
  // Compatible servers accept additional parameters.
  if (kindOf(body) === 'unknown') return undefined;
  const name = Object.keys(body).find(key => !parameters.has(key));
  return name === undefined ? undefined : badRequest(`Unrecognized request argument supplied: ${name}`);
}

function checkModel({ model }: PlainObject): ApiError | undefined {
  if (model === undefined || model === null || model === '') {
    return badRequest('you must provide a model parameter');
  }
  return typeof model === 'string' ? undefined : invalidType('model', { expected: 'a string', value: model });
}

function checkMessages({ messages }: PlainObject): ApiError | undefined {
  if (messages === undefined || messages === null) return missingParameter('messages');
  if (!Array.isArray(messages)) {
    return invalidType('messages', { expected: 'an array of objects', value: messages });
  }
  return messages.length === 0 ? emptyArray('messages') : validateMessages(messages);
}

function checkSampling(body: PlainObject): ApiError | undefined {
  if (kindOf(body) !== 'reasoning') return undefined;
  if (body.max_tokens !== undefined && body.max_tokens !== null) {
    return badRequest(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: 'max_tokens', code: 'unsupported_parameter' },
    );
  }
  const name = ['temperature', 'top_p'].find(key => (body[key] ?? 1) !== 1);
  if (name === undefined) return undefined;
  return badRequest(
    `Unsupported value: '${name}' does not support ${String(body[name])} with this model. Only the default (1) value is supported.`,
    { param: name, code: 'unsupported_value' },
  );
}

function checkStreamOptions({ stream, stream_options: options }: PlainObject): ApiError | undefined {
  if (options === undefined || options === null || stream === true) return undefined;
  return badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
    param: 'stream_options',
  });
}

function checkTools({ tools }: PlainObject): ApiError | undefined {
  if (!Array.isArray(tools)) return undefined;
  if (tools.length === 0) return emptyArray('tools');
  for (const [index, tool] of tools.entries()) {
    const path = `tools[${index}]`;
    if (!isPlainObject(tool)) return invalidType(path, { expected: 'an object', value: tool });
    if (tool.type === undefined) return missingParameter(`${path}.type`);
    if (tool.type !== 'function') continue;
    if (!isPlainObject(tool.function)) return missingParameter(`${path}.function`);
    const error = validateFunction(tool.function, { path: `${path}.function` });
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkToolChoice({
  tool_choice: choice,
  tools,
  parallel_tool_calls: parallel,
}: PlainObject): ApiError | undefined {
  if (!Array.isArray(tools)) {
    const needless =
      choice === undefined ? (parallel === undefined ? undefined : 'parallel_tool_calls') : 'tool_choice';
    return needless === undefined || choice === null || choice === 'none'
      ? undefined
      : badRequest(
          `Invalid value for '${needless}': '${needless}' is only allowed when 'tools' are specified.`,
          {
            param: needless,
          },
        );
  }
  if (typeof choice === 'string' && !['none', 'auto', 'required'].includes(choice)) {
    return invalidValue('tool_choice', { value: choice, supported: ['none', 'auto', 'required'] });
  }
  if (!isPlainObject(choice) || !isPlainObject(choice.function)) return undefined;
  const { name } = choice.function;
  const isDeclared = objectsOf(tools).some(
    tool => isPlainObject(tool.function) && tool.function.name === name,
  );
  if (isDeclared) return undefined;
  return badRequest(
    `Invalid value for 'tool_choice': no function named '${String(name)}' was specified in the 'tools' parameter.`,
    { param: 'tool_choice' },
  );
}

function checkFormat({ response_format: format, messages }: PlainObject): ApiError | undefined {
  if (!isPlainObject(format)) return undefined;
  const supported = ['json_object', 'json_schema', 'text'];
  if (!supported.includes(String(format.type))) {
    return invalidValue('response_format.type', { value: format.type, supported });
  }
  if (format.type === 'json_schema') {
    return isPlainObject(format.json_schema)
      ? validateJsonSchema(format.json_schema, { path: 'response_format.json_schema' })
      : missingParameter('response_format.json_schema');
  }
  if (format.type === 'text' || /json/i.test(JSON.stringify(messages))) return undefined;
  return badRequest(
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    { param: 'messages' },
  );
}

const kindOf = ({ model }: PlainObject) => toModelKind(String(model));

/** Returns OpenAI's first error for the messages of a chat request: their contents first, then their order. */
function validateMessages(messages: readonly unknown[]): ApiError | undefined {
  for (const [index, message] of messages.entries()) {
    const error = validateMessage(message, { index });
    if (error !== undefined) return error;
  }
  return findUnpairedCall(objectsOf(messages));
}

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

function validateMessage(message: unknown, { index }: { index: number }): ApiError | undefined {
  const path = `messages[${index}]`;
  if (!isPlainObject(message)) return invalidType(path, { expected: 'an object', value: message });
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
  const mayBeEmpty = role === 'assistant' && (Array.isArray(calls) || typeof message.refusal === 'string');
  if (content === undefined || content === null) return mayBeEmpty ? undefined : missingContent(index);
  return validateContent(content, { path: `${path}.content` });
}

const missingContent = (index: number): ApiError =>
  badRequest("Invalid value for 'content': expected a string, got null.", {
    param: `messages.[${index}].content`,
  });

function validateCall(call: unknown, { path }: { path: string }): ApiError | undefined {
  if (!isPlainObject(call)) return invalidType(path, { expected: 'an object', value: call });
  const missing = ['id', 'type', 'function'].find(field => call[field] === undefined || call[field] === null);
  if (missing !== undefined) return missingParameter(`${path}.${missing}`);
  const { id, function: called } = call;
  if (typeof id !== 'string') return invalidType(`${path}.id`, { expected: 'a string', value: id });
  if (id.length > longestId) return tooLong(`${path}.id`, { length: id.length, maximum: longestId });
  if (!isPlainObject(called))
    return invalidType(`${path}.function`, { expected: 'an object', value: called });
  if (typeof called.arguments !== 'string') {
    return called.arguments === undefined
      ? missingParameter(`${path}.function.arguments`)
      : invalidType(`${path}.function.arguments`, { expected: 'a string', value: called.arguments });
  }
  return validateName(called.name, { path: `${path}.function.name` });
}

// https://github.com/langgenius/dify/issues/28987; the Responses API allows 64 characters.
const longestId = 40;

const partTypes = ['text', 'image_url', 'input_audio', 'refusal', 'audio', 'file'];

function validateContent(content: unknown, { path }: { path: string }): ApiError | undefined {
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content)) {
    return invalidType(path, { expected: 'one of a string or array of objects', value: content });
  }
  for (const [index, part] of content.entries()) {
    const at = `${path}[${index}]`;
    if (!isPlainObject(part)) return invalidType(at, { expected: 'an object', value: part });
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
  isPlainObject(image) && /^(https?:\/\/\S+|data:image\/[\w.+-]+;base64,[\w+/=]+)$/.test(String(image.url));

/** Requires a call in the preceding assistant message per result, and one result per call before other messages. */
function findUnpairedCall(messages: readonly PlainObject[]): ApiError | undefined {
  let lastCalls = -1;
  const open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return resultWithoutCall(index);
      continue;
    }
    if (open.size > 0) return callWithoutResult(lastCalls, open);
    for (const call of objectsOf(message.tool_calls)) open.add(call.id);
    lastCalls = index;
  }
  return open.size > 0 ? callWithoutResult(lastCalls, open) : undefined;
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
