import { objectsOf, type PlainObject } from '../../core/shared/json.js';
import { type ApiError, badRequest, findFirst } from '../protocol/wire.js';
import { toInputItems } from '../protocol/request.js';
import type { RequestRules } from '../protocol/scripts.js';

/** The input that a compatible server accepts, instead of the rules of OpenAI. */
interface ServerRules {
  readonly check: (item: PlainObject, path: { index: number; model: string }) => ApiError | undefined;
  /** Returns true if the server reads the item. It ignores the others silently. */
  readonly reads?: (item: PlainObject) => boolean;
  readonly maxBytes?: number;
  /** Reports a response that was truncated as completed. */
  readonly hidesTruncation?: true;
  /** Returns reasoning as plain text. */
  readonly hasPlainReasoning?: true;
  /** The fields that the server ignores, which stores nothing. */
  readonly ignores?: readonly string[];
  /** The error for a response that should be continued. */
  readonly continuesNothing?: string;
}

/** The servers by name. The texts of their errors are those of the servers. */
export const servers: Readonly<Partial<Record<RequestRules, ServerRules>>> = {
  // https://github.com/ggml-org/llama.cpp/tree/master/tools/server, llama-server 0.7.0 of October 2026
  llamacpp: {
    check: checkLlamaCpp,
    hidesTruncation: true,
    hasPlainReasoning: true,
    ignores: ['background', 'conversation'],
    continuesNothing: "llama.cpp does not support 'previous_response_id'.",
  },
  // https://github.com/vllm-project/vllm/tree/main/vllm/entrypoints/openai/responses
  vllm: { check: checkVllm, hasPlainReasoning: true },
  // https://github.com/huggingface/responses.js/blob/main/src/routes/responses.ts
  'responses.js': {
    check: checkResponsesJs,
    reads: item => item.role !== 'developer',
    maxBytes: 100 * 1024,
    hidesTruncation: true,
    ignores: ['background', 'conversation', 'previous_response_id'],
  },
};

export function validateForServer(
  body: PlainObject,
  { check, maxBytes = Infinity, continuesNothing }: ServerRules,
): ApiError | undefined {
  if (JSON.stringify(body).length > maxBytes) {
    return { ...badRequest('PayloadTooLargeError: request entity too large'), status: 413 };
  }
  if (continuesNothing !== undefined && body.previous_response_id) return badRequest(continuesNothing);
  return findFirst(toInputItems(body.input), (item, index) =>
    check(item, { index, model: String(body.model) }),
  );
}

function checkLlamaCpp(item: PlainObject, options: { model: string }): ApiError | undefined {
  const { type, role, content, output } = item;
  if (type === 'reasoning') {
    if (!Array.isArray(item.summary)) return badRequest("item['summary'] is not an array");
    if (!Array.isArray(content)) return badRequest("item['content'] is not an array");
    return content.length === 0 ? badRequest("item['content'] is empty") : undefined;
  }
  if (type === 'function_call') {
    const isComplete = ['arguments', 'call_id', 'name'].every(name => typeof item[name] === 'string');
    return isComplete ? undefined : undetermined;
  }
  if (type === 'function_call_output') {
    const isRead = objectsOf(output).every(
      entry => entry.type === 'input_text' || entry.type === 'input_image',
    );
    if (!isRead) return badRequest("Output of tool call should be 'Input text'");
    return hasImage({ content: output }) && !seesImages(options.model) ? blind : undefined;
  }
  if (role === 'assistant') return type === 'message' ? undefined : undetermined;
  if (typeof role !== 'string' || (type !== undefined && type !== 'message')) return undetermined;
  if (objectsOf(content).some(part => part.type === 'input_file')) {
    return badRequest("'input_file' is not supported by llamacpp at this moment");
  }
  return hasImage(item) && !seesImages(options.model) ? blind : undefined;
}

const blind: ApiError = {
  ...badRequest(
    'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  ),
  status: 500,
  type: 'server_error',
};

const undetermined = badRequest("Cannot determine type of 'item'");

/** The fields that OpenAI's types for outputs require. */
const requiredByVllm: Readonly<Record<string, readonly string[]>> = {
  reasoning: ['id', 'summary'],
  function_call: ['call_id', 'name', 'arguments'],
};

function checkVllm(item: PlainObject, options: { index: number; model: string }): ApiError | undefined {
  const type = String(item.type ?? 'message');
  if (type === 'reasoning' && item.encrypted_content) return vllmError('Encrypted content is not supported.');
  if (type in vllmCrashes) {
    return { ...vllmError(`'${vllmCrashes[type]}' object has no attribute 'get'`), status: 500 };
  }
  const isOutput = item.role === 'assistant' && Array.isArray(item.content);
  const required = isOutput ? ['type', 'id', 'status'] : (requiredByVllm[type] ?? []);
  const missing = required.find(name => item[name] === undefined);
  if (missing !== undefined) return notFilled(options.index, missing);
  if (isOutput && objectsOf(item.content).some(part => part.annotations === undefined)) {
    return notFilled(options.index, 'annotations');
  }
  if (type === 'function_call_output' && typeof item.output !== 'string') {
    return vllmError("1 validation error: {'type': 'string_type', 'msg': 'Input should be a valid string'}");
  }
  return hasImage(item) && !seesImages(options.model)
    ? vllmError(`${options.model} is not a multimodal model`)
    : undefined;
}

const vllmCrashes: Readonly<Record<string, string>> = {
  compaction: 'ResponseCompactionItem',
  custom_tool_call: 'ResponseCustomToolCall',
};

const vllmError = (message: string): ApiError => ({
  ...badRequest(message),
  type: 'BadRequestError',
  code: 400,
});

const notFilled = (index: number, field: string): ApiError =>
  vllmError(
    `1 validation error: {'type': 'missing', 'loc': ('body', 'input', ${index}, 'ResponseOutputMessageParam', '${field}'), 'msg': 'Field required'}`,
  );

function checkResponsesJs(item: PlainObject): ApiError | undefined {
  const type = item.type ?? 'message';
  const isKnown =
    type === 'message'
      ? ['user', 'assistant', 'system', 'developer'].includes(String(item.role))
      : type === 'function_call' || (type === 'function_call_output' && typeof item.output === 'string');
  return isKnown ? undefined : badRequest('Bad Request');
}

const hasImage = (item: PlainObject): boolean =>
  objectsOf(item.content).some(part => part.type === 'input_image');

/** Models with these words in their names have a projector for images. */
const seesImages = (model: string): boolean => /vl|vision|omni|llava/i.test(model);
