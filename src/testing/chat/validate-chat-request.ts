import {
  type ApiError,
  badRequest,
  emptyArray,
  invalidType,
  invalidValue,
  missingParameter,
} from '../api-error.js';
import { type Check, findFirstFault } from '../first-fault.js';
import { isJsonObject, type JsonObject, toJsonObjects } from '../json-object.js';
import { toModelKind } from '../model-kind.js';
import { validateFunction, validateJsonSchema } from '../validate-tools.js';
import { validateMessages } from './validate-messages.js';

/** The first thing OpenAI would object to in a chat request. */
export const validateChatRequest = (body: JsonObject): ApiError | undefined => findFirstFault(body, checks);

const checks: readonly Check[] = [
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

function checkNames(body: JsonObject): ApiError | undefined {
  // Compatible servers take parameters of their own.
  if (kindOf(body) === 'unknown') return undefined;
  const name = Object.keys(body).find(key => !parameters.has(key));
  return name === undefined ? undefined : badRequest(`Unrecognized request argument supplied: ${name}`);
}

function checkModel({ model }: JsonObject): ApiError | undefined {
  if (model === undefined || model === null || model === '') {
    return badRequest('you must provide a model parameter');
  }
  return typeof model === 'string' ? undefined : invalidType('model', { expected: 'a string', value: model });
}

function checkMessages({ messages }: JsonObject): ApiError | undefined {
  if (messages === undefined || messages === null) return missingParameter('messages');
  if (!Array.isArray(messages)) {
    return invalidType('messages', { expected: 'an array of objects', value: messages });
  }
  return messages.length === 0 ? emptyArray('messages') : validateMessages(messages);
}

function checkSampling(body: JsonObject): ApiError | undefined {
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

function checkStreamOptions({ stream, stream_options: options }: JsonObject): ApiError | undefined {
  if (options === undefined || options === null || stream === true) return undefined;
  return badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
    param: 'stream_options',
  });
}

function checkTools({ tools }: JsonObject): ApiError | undefined {
  if (!Array.isArray(tools)) return undefined;
  if (tools.length === 0) return emptyArray('tools');
  for (const [index, tool] of tools.entries()) {
    const path = `tools[${index}]`;
    if (!isJsonObject(tool)) return invalidType(path, { expected: 'an object', value: tool });
    if (tool.type === undefined) return missingParameter(`${path}.type`);
    if (tool.type !== 'function') continue;
    if (!isJsonObject(tool.function)) return missingParameter(`${path}.function`);
    const error = validateFunction(tool.function, { path: `${path}.function` });
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkToolChoice({
  tool_choice: choice,
  tools,
  parallel_tool_calls: parallel,
}: JsonObject): ApiError | undefined {
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
  if (!isJsonObject(choice) || !isJsonObject(choice.function)) return undefined;
  const { name } = choice.function;
  const isDeclared = toJsonObjects(tools).some(
    tool => isJsonObject(tool.function) && tool.function.name === name,
  );
  if (isDeclared) return undefined;
  return badRequest(
    `Invalid value for 'tool_choice': no function named '${String(name)}' was specified in the 'tools' parameter.`,
    { param: 'tool_choice' },
  );
}

function checkFormat({ response_format: format, messages }: JsonObject): ApiError | undefined {
  if (!isJsonObject(format)) return undefined;
  const supported = ['json_object', 'json_schema', 'text'];
  if (!supported.includes(String(format.type))) {
    return invalidValue('response_format.type', { value: format.type, supported });
  }
  if (format.type === 'json_schema') {
    return isJsonObject(format.json_schema)
      ? validateJsonSchema(format.json_schema, { path: 'response_format.json_schema' })
      : missingParameter('response_format.json_schema');
  }
  if (format.type === 'text' || /json/i.test(JSON.stringify(messages))) return undefined;
  return badRequest(
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    { param: 'messages' },
  );
}

const kindOf = ({ model }: JsonObject) => toModelKind(String(model));
