import type {
  ApiError,
  EmulatedResponse,
  FunctionCallItem,
  ResponseUsage,
} from '../../src/testing/protocol/wire.js';
import {
  type ResponseFormat,
  type Delivery,
  toDelivery,
  toFailure,
  toJsonDelivery,
  toKnownError,
  toStatusDelivery,
} from '../../src/testing/delivery/delivery.js';
import { isPlainObject, type PlainObject, objectsOf } from '../../src/core/shared/json.js';
import { authorize, toModelKind, toRequest } from '../../src/testing/protocol/request.js';
import { type EmulatorContext, invalidJson, type Route } from '../../src/testing/routes.js';
import { runModel } from '../../src/testing/model/model.js';
import type { ChatDialect, Completion } from './chat-dialects.js';
import { toMistralDialect } from './chat-dialects.js';
import { openaiDialect } from './chat-dialects.js';
import type { MistralRules } from './mistral-rules.js';
import { chunksOf, type RewriteChunks } from './scripted-chunks.js';

/** Responds to `POST /chat/completions`, with the validation and errors of OpenAI or Mistral. */
export const chatRoute =
  (rulesOf: MistralRulesOf): Route =>
  ({ method, pathname, body }, context) => {
    if (method !== 'POST' || pathname !== '/v1/chat/completions') return undefined;
    const error = authorize(context.key, context);
    if (error !== undefined) return toErrorDelivery(error, openaiDialect);
    if (!isPlainObject(body)) return toErrorDelivery(invalidJson, openaiDialect);
    return respondToChat(body, { ...context, rulesOf });
  };

/** Returns the rules of Mistral for a model id, or `undefined` for those of OpenAI. */
type MistralRulesOf = (modelId: string) => MistralRules | undefined;

function respondToChat(
  body: PlainObject,
  { rulesOf, ...context }: EmulatorContext & { rulesOf: MistralRulesOf },
): Delivery {
  const rules = rulesOf(String(body.model));
  const dialect = rules === undefined ? openaiDialect : toMistralDialect(rules);
  const error = context.rules === 'none' ? undefined : dialect.validate(body);
  if (error !== undefined) return toErrorDelivery(error, dialect);

  const asked = toResponsesBody(body);
  const request = toRequest(asked, {
    items: objectsOf(asked.input),
    reasons: toModelKind(String(body.model)) === 'reasoning',
  });
  const result = runModel(request, context);
  if ('status' in result) {
    const content = result.body ?? dialect.toErrorBody(toKnownError(result.status));
    return toStatusDelivery({ ...result, body: content });
  }
  const { response, script } = result;
  const form = toChatFormat(response, {
    dialect,
    includeUsage: wantsUsage(body),
    rewriteChunks: chunksOf(script),
  });
  return toDelivery(form, {
    stream: request.stream,
    latency: context.latency,
    fault: script.fault === undefined ? undefined : script,
  });
}

const wantsUsage = ({ stream_options: options }: PlainObject): boolean =>
  isPlainObject(options) && options.include_usage === true;

const toErrorDelivery = (error: ApiError, dialect: ChatDialect): Delivery =>
  toJsonDelivery(dialect.toErrorBody(error), { status: error.status });

/** Converts a chat request to a request of the Responses API, which the emulated model reads. */
function toResponsesBody(body: PlainObject): PlainObject {
  return {
    model: body.model,
    input: objectsOf(body.messages).flatMap(toItems),
    tools: objectsOf(body.tools).map(toTool),
    tool_choice: toToolChoice(body.tool_choice),
    parallel_tool_calls: body.parallel_tool_calls,
    stream: body.stream,
    text: toText(body.response_format),
    reasoning: { effort: body.reasoning_effort },
    max_output_tokens: body.max_completion_tokens ?? body.max_tokens,
  };
}

function toItems(message: PlainObject): PlainObject[] {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  if (role === 'tool') {
    return [{ type: 'function_call_output', call_id: callId, output: toContent(content) }];
  }
  const isEmpty = content === undefined || content === null || content === '';
  const text = isEmpty ? [] : [{ type: 'message', role, content: toContent(content) }];
  return [...text, ...objectsOf(calls).map(toCallItem)];
}

function toCallItem({ id, function: called }: PlainObject): PlainObject {
  const { name, arguments: input } = isPlainObject(called) ? called : {};
  return { type: 'function_call', call_id: id, name, arguments: input };
}

function toContent(content: unknown): unknown {
  return Array.isArray(content) ? content.filter(isPlainObject).map(toPart) : content;
}

function toPart(part: PlainObject): PlainObject {
  const { type, image_url: image, file } = part;
  if (type === 'image_url') {
    return { type: 'input_image', image_url: isPlainObject(image) ? image.url : image };
  }
  if (type === 'file' && isPlainObject(file)) return { ...file, type: 'input_file' };
  return part;
}

function toTool({ type, function: declared }: PlainObject): PlainObject {
  return { type, ...(isPlainObject(declared) ? declared : {}) };
}

function toToolChoice(choice: unknown): unknown {
  if (choice === 'any') return 'required'; // Mistral's name for `required`
  if (!isPlainObject(choice) || !isPlainObject(choice.function)) return choice;
  return { type: 'function', name: choice.function.name };
}

function toText(format: unknown): PlainObject | undefined {
  if (!isPlainObject(format)) return undefined;
  const { type, json_schema: schema } = format;
  return { format: { type, ...(isPlainObject(schema) ? schema : {}) } };
}

/** Converts a response to the format of the Chat Completions API. */
function toChatFormat(
  response: EmulatedResponse,
  {
    dialect,
    includeUsage,
    rewriteChunks = chunks => chunks,
  }: { dialect: ChatDialect; includeUsage: boolean; rewriteChunks?: RewriteChunks },
): ResponseFormat {
  const completion = toCompletion(response);
  const { id, created, model, finishReason, usage } = completion;
  const common = { id, object: 'chat.completion.chunk', created, model };
  const chunks = rewriteChunks(
    dialect.toChunks(completion, { includeUsage }).map(chunk => ({ ...common, ...chunk })),
  );
  const frames = [...chunks.map(toFrame), 'data: [DONE]\n\n'];
  const lastChunk = chunks.findIndex(isLast);
  return {
    body: {
      ...common,
      object: 'chat.completion',
      choices: [{ index: 0, message: dialect.toMessage(completion), finish_reason: finishReason }],
      ...(usage && { usage }),
    },
    frames,
    openingFrames: 1, // the chunk with the role
    terminalFrames: lastChunk < 0 ? 1 : frames.length - lastChunk,
    malformedFrame: 'data: {"object":"chat.completion.ch\n\n',
    failFrames: fault => [toFrame(dialect.toErrorBody({ ...failure, ...toFailure(fault) }))],
    failBody: fault => dialect.toErrorBody({ ...failure, ...toFailure(fault) }),
  };
}

const failure = { type: 'server_error', param: null };

const toFrame = (data: PlainObject): string => `data: ${JSON.stringify(data)}\n\n`;

const isLast = ({ choices }: PlainObject): boolean =>
  objectsOf(choices).some(({ finish_reason: reason }) => typeof reason === 'string');

/** Joins the output items of a response to the one message of a chat completion. */
function toCompletion(response: EmulatedResponse): Completion {
  const { id, createdAt, echo, output, usage } = response;
  const messages = output.flatMap(item => (item.type === 'message' ? item.content : []));
  const calls = output.flatMap(item => (item.type === 'function_call' ? [item] : []));
  return {
    id: id.replace(/^resp_/, 'chatcmpl-'),
    created: createdAt,
    model: echo.model,
    content: messages.flatMap(part => (part.type === 'output_text' ? [part.text] : [])).join('\n'),
    refusal: messages.flatMap(part => (part.type === 'refusal' ? [part.refusal] : [])).join('\n'),
    reasoning: output
      .flatMap(item => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []))
      .join('\n\n'),
    calls,
    finishReason: toFinishReason(response, calls),
    usage: usage === null ? undefined : toUsage(usage),
  };
}

function toFinishReason(
  { incompleteReason }: EmulatedResponse,
  calls: readonly FunctionCallItem[],
): Completion['finishReason'] {
  if (incompleteReason === 'content_filter') return 'content_filter';
  if (incompleteReason === 'max_output_tokens') return 'length';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

const toUsage = (usage: ResponseUsage): PlainObject => ({
  prompt_tokens: usage.input_tokens,
  completion_tokens: usage.output_tokens,
  total_tokens: usage.total_tokens,
  ...(usage.input_tokens_details && {
    prompt_tokens_details: { cached_tokens: usage.input_tokens_details.cached_tokens },
  }),
  ...(usage.output_tokens_details && { completion_tokens_details: usage.output_tokens_details }),
});
