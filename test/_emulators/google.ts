import { isPlainObject, type PlainObject, objectsOf } from '../../src/core/shared/json.js';
import { authorize, toRequest } from '../../src/testing/protocol/request.js';
import {
  type Delivery,
  type FailingFault,
  type ResponseFormat,
  toDelivery,
  toFailure,
  toJsonDelivery,
  toStatusDelivery,
} from '../../src/testing/delivery/delivery.js';
import { runModel } from '../../src/testing/model/model.js';
import type { EmulatorContext, Route } from '../../src/testing/routes.js';
import { chunksOf, type RewriteChunks } from './scripted-chunks.js';
import { toWords } from '../../src/testing/delivery/events.js';
import type { EmulatedResponse, OutputItem, ResponseUsage } from '../../src/testing/protocol/wire.js';

/** Responds to `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent?alt=sse`. */
export const googleRoute: Route = ({ method, pathname, body }, context) => {
  if (method !== 'POST') return undefined;
  const [, model, action] = /^\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/.exec(pathname) ?? [];
  if (model === undefined || (action !== 'generateContent' && action !== 'streamGenerateContent')) {
    return undefined;
  }
  return respondToGoogle(isPlainObject(body) ? body : {}, {
    model: decodeURIComponent(model),
    stream: action === 'streamGenerateContent',
    context,
  });
};

function respondToGoogle(
  body: PlainObject,
  { model, stream, context }: { model: string; stream: boolean; context: EmulatorContext },
): Delivery {
  if (authorize(context.key, context) !== undefined) return toErrorDelivery(invalidKey);
  const error = context.rules === 'none' ? undefined : validateGoogle(body, { model });
  if (error !== undefined) return toErrorDelivery(error);

  const asked = toResponsesBody(body, { model, stream });
  const request = toRequest(asked, {
    items: objectsOf(asked.input),
    reasons: asked.reasoning !== undefined,
  });
  const result = runModel(request, context);
  if ('status' in result) {
    const content = result.body ?? toGoogleErrorBody(toStatusError(result.status));
    return toStatusDelivery({ ...result, body: content });
  }
  const { response, script } = result;
  return toDelivery(toGoogleFormat(response, { model, rewriteChunks: chunksOf(script) }), {
    stream,
    latency: context.latency,
    fault: script.fault === undefined ? undefined : script,
  });
}

const invalidKey: GoogleError = {
  code: 400,
  message: 'API key not valid. Please pass a valid API key.',
  status: 'INVALID_ARGUMENT',
};

const toErrorDelivery = (error: GoogleError): Delivery =>
  toJsonDelivery(toGoogleErrorBody(error), { status: error.code });

/** An error of Google's APIs. */
export interface GoogleError {
  /** The HTTP status. */
  readonly code: number;
  readonly message: string;
  readonly status: string;
}

const toGoogleErrorBody = (error: GoogleError): PlainObject => ({ error });

const invalidArgument = (message: string): GoogleError => ({
  code: 400,
  message,
  status: 'INVALID_ARGUMENT',
});

/** Errors of the API by status, https://ai.google.dev/gemini-api/docs/troubleshooting. */
const toStatusError = (code: number): GoogleError => {
  const [status, message] = knownStatuses[code] ?? [
    'UNKNOWN',
    `The request was rejected with status ${code}.`,
  ];
  return { code, message, status };
};

const knownStatuses: Readonly<Record<number, readonly [status: string, message: string]>> = {
  429: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'],
  500: [
    'INTERNAL',
    'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  ],
  503: ['UNAVAILABLE', 'The model is overloaded. Please try again later.'],
};

/** Converts a Gemini request to a request of the Responses API, which the emulated model reads. */
function toResponsesBody(
  body: PlainObject,
  { model, stream }: { model: string; stream: boolean },
): PlainObject {
  const settings = toObject(body.generationConfig);
  return {
    model,
    stream,
    instructions: toText(toObject(body.systemInstruction).parts),
    input: toItems(objectsOf(body.contents)),
    tools: toDeclarations(body).map(toTool),
    tool_choice: toToolChoice(toObject(toObject(body.toolConfig).functionCallingConfig)),
    text: toFormat(settings),
    max_output_tokens: settings.maxOutputTokens,
    ...(toObject(settings.thinkingConfig).includeThoughts === true && { reasoning: { summary: 'auto' } }),
  };
}

/** Returns the function declarations of a request. */
const toDeclarations = ({ tools }: PlainObject): PlainObject[] =>
  objectsOf(tools).flatMap(tool => objectsOf(tool.functionDeclarations));

/** Converts contents to items. Call ids are optional, so a result belongs to the first open call with its name. */
function toItems(contents: readonly PlainObject[]): PlainObject[] {
  const open: { id: string; name: unknown }[] = [];
  let count = 0;
  const toItem = (part: PlainObject, role: string): PlainObject => {
    if (isPlainObject(part.functionCall)) {
      const { name, args = {} } = part.functionCall;
      const id = `call_${count++}`;
      open.push({ id, name });
      return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) };
    }
    if (isPlainObject(part.functionResponse)) {
      const { name, response } = part.functionResponse;
      const at = open.findIndex(call => call.name === name);
      const [call] = at < 0 ? [] : open.splice(at, 1);
      return { type: 'function_call_output', call_id: call?.id, output: toOutput(response) };
    }
    return { type: 'message', role, content: [toContentPart(part)] };
  };
  return contents.flatMap(({ role, parts }) => {
    const items = objectsOf(parts)
      .filter(part => part.thought !== true)
      .map(part => toItem(part, role === 'model' ? 'assistant' : 'user'));
    return joinMessages(items);
  });
}

/** Joins the parts of one turn to one message. */
function joinMessages(items: readonly PlainObject[]): PlainObject[] {
  const joined: PlainObject[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (item.type === 'message' && last?.type === 'message') {
      joined.pop();
      joined.push({ ...last, content: [...objectsOf(last.content), ...objectsOf(item.content)] });
    } else {
      joined.push(item);
    }
  }
  return joined;
}

function toContentPart({ text, inlineData, fileData }: PlainObject): PlainObject {
  if (isPlainObject(inlineData)) {
    const url = `data:${String(inlineData.mimeType)};base64,${String(inlineData.data)}`;
    return toMedia(url, inlineData.mimeType);
  }
  if (isPlainObject(fileData)) return toMedia(String(fileData.fileUri), fileData.mimeType);
  return { type: 'input_text', text };
}

const toMedia = (url: string, mediaType: unknown): PlainObject =>
  String(mediaType).startsWith('image/')
    ? { type: 'input_image', image_url: url }
    : { type: 'input_file', file_data: url };

/** Reads a function result from the fields that clients use. */
function toOutput(response: unknown): string {
  const { content, output, result } = toObject(response);
  const value = content ?? output ?? result ?? response;
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

const toTool = ({ name, description, parameters, parametersJsonSchema }: PlainObject): PlainObject => ({
  type: 'function',
  name,
  description,
  parameters: parametersJsonSchema ?? toJsonSchema(parameters),
});

/** Converts OpenAPI's upper-case types to JSON Schema. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (!isPlainObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'type' && typeof value === 'string' ? value.toLowerCase() : toJsonSchema(value),
    ]),
  );
}

function toToolChoice({ mode, allowedFunctionNames: names }: PlainObject): unknown {
  if (mode === 'NONE') return 'none';
  if (Array.isArray(names)) {
    return {
      type: 'allowed_tools',
      mode: mode === 'ANY' ? 'required' : 'auto',
      tools: names.map(name => ({ type: 'function', name: String(name) })),
    };
  }
  return mode === 'ANY' ? 'required' : 'auto';
}

function toFormat({
  responseMimeType,
  responseSchema,
  responseJsonSchema,
}: PlainObject): PlainObject | undefined {
  if (responseMimeType !== 'application/json') return undefined;
  const schema = responseJsonSchema ?? toJsonSchema(responseSchema);
  return { format: schema === undefined ? { type: 'json_object' } : { type: 'json_schema', schema } };
}

const toText = (parts: unknown): string | undefined =>
  objectsOf(parts)
    .map(({ text }) => String(text))
    .join('\n') || undefined;

const toObject = (value: unknown): PlainObject => (isPlainObject(value) ? value : {});

/** Converts a response to the format of the Gemini API. */
function toGoogleFormat(
  response: EmulatedResponse,
  { model, rewriteChunks = chunks => chunks }: { model: string; rewriteChunks?: RewriteChunks },
): ResponseFormat {
  const parts = signFirstCall(response.output.flatMap(toParts));
  const common = {
    ...(response.usage && { usageMetadata: toUsage(response.usage) }),
    modelVersion: model,
    responseId: response.id,
  };
  const toBody = (shown: readonly PlainObject[], finishReason?: string): PlainObject => ({
    candidates: [
      { content: { parts: shown, role: 'model' }, ...(finishReason && { finishReason }), index: 0 },
    ],
    ...common,
  });
  const streamed = parts.length > 0 ? parts.flatMap(toStreamedParts) : [{ text: '' }];
  const chunks = streamed.map((part, index) =>
    toBody([part], index === streamed.length - 1 ? toFinishReason(response) : undefined),
  );
  return {
    body: toBody(parts, toFinishReason(response)),
    frames: rewriteChunks(chunks).map(toFrame),
    openingFrames: 0,
    terminalFrames: 1,
    malformedFrame: 'data: {"candidates": [{"cont\r\n\r\n',
    failFrames: fault => [toFrame(toFailBody(fault))],
    failBody: toFailBody,
  };
}

const toFailBody = (fault: FailingFault): PlainObject =>
  toGoogleErrorBody({ code: 500, message: toFailure(fault).message, status: 'INTERNAL' });

const toFrame = (data: PlainObject): string => `data: ${JSON.stringify(data)}\r\n\r\n`;

function toParts(item: OutputItem): PlainObject[] {
  switch (item.type) {
    case 'message':
      return item.content.map(part => ({ text: part.type === 'refusal' ? part.refusal : part.text }));
    case 'reasoning':
      return item.summary.map(({ text }) => ({ text, thought: true }));
    case 'function_call':
      return [{ functionCall: { name: item.name, args: toArguments(item.arguments) } }];
    case 'raw':
      return [];
  }
}

/** Signs the first of parallel calls, https://ai.google.dev/gemini-api/docs/thought-signatures. */
function signFirstCall(parts: readonly PlainObject[]): PlainObject[] {
  const first = parts.find(part => 'functionCall' in part);
  return parts.map(part => (part === first ? { ...part, thoughtSignature: toSignature(part) } : part));
}

const toSignature = (part: PlainObject): string =>
  Buffer.from(`signed ${JSON.stringify(part.functionCall)}`).toString('base64');

/** Splits text into words. Calls are not split. */
function toStreamedParts(part: PlainObject): PlainObject[] {
  return typeof part.text === 'string' ? toWords(part.text).map(text => ({ ...part, text })) : [part];
}

/** Parses arguments. The API only has object arguments. */
function toArguments(text: string): PlainObject {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : {};
  } catch {
    return {};
  }
}

function toFinishReason({ incompleteReason }: EmulatedResponse): string {
  if (incompleteReason === 'max_output_tokens') return 'MAX_TOKENS';
  return incompleteReason === 'content_filter' ? 'SAFETY' : 'STOP';
}

function toUsage(usage: ResponseUsage): PlainObject {
  const thoughts = usage.output_tokens_details?.reasoning_tokens ?? 0;
  const cached = usage.input_tokens_details?.cached_tokens ?? 0;
  return {
    promptTokenCount: usage.input_tokens,
    candidatesTokenCount: usage.output_tokens - thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    totalTokenCount: usage.total_tokens,
  };
}

/** Returns the first error of the Gemini API for a request. */
function validateGoogle(body: PlainObject, { model }: { model: string }): GoogleError | undefined {
  const contents = objectsOf(body.contents);
  if (contents.length === 0) {
    return invalidArgument('* GenerateContentRequest.contents: contents is not specified\n');
  }
  return checkNames(body) ?? checkTurns(contents) ?? checkSignatures(contents, { model });
}

function checkNames(body: PlainObject): GoogleError | undefined {
  const index = toDeclarations(body).findIndex(({ name }) => !/^[a-zA-Z_][\w.:-]{0,63}$/.test(String(name)));
  if (index < 0) return undefined;
  return invalidArgument(
    `* GenerateContentRequest.tools[0].function_declarations[${index}].name: [FIELD_INVALID] Invalid function name. ` +
      'Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n',
  );
}

/** Requires calls after a user turn, and one result per call directly after them. */
function checkTurns(contents: readonly PlainObject[]): GoogleError | undefined {
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1];
    const calls = partsOf(before, 'functionCall').length;
    const results = partsOf(content, 'functionResponse').length;
    if (partsOf(content, 'functionCall').length > 0 && (before === undefined || before.role === 'model')) {
      return invalidArgument(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (results > 0 && calls === 0) {
      return invalidArgument(
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    }
    if (results !== calls) return differentCounts;
  }
  return partsOf(contents.at(-1), 'functionCall').length > 0 ? differentCounts : undefined;
}

const differentCounts = invalidArgument(
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
);

/** Gemini 3 requires a signature for the first call of each step of the current turn. */
function checkSignatures(
  contents: readonly PlainObject[],
  { model }: { model: string },
): GoogleError | undefined {
  if (!/^gemini-([3-9]|\d\d)/.test(model)) return undefined;
  const start = contents.findLastIndex(
    content => content.role === 'user' && partsOf(content, 'functionResponse').length === 0,
  );
  for (const [index, content] of contents.entries()) {
    const [call] = partsOf(content, 'functionCall');
    if (index < start || call === undefined || typeof call.thoughtSignature === 'string') continue;
    const { name } = isPlainObject(call.functionCall) ? call.functionCall : {};
    return invalidArgument(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, ' +
        'and missing thought_signature may lead to degraded model performance. Additional data, function call ' +
        `\`default_api:${String(name)}\` , position ${index + 1}. Please refer to ` +
        'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    );
  }
  return undefined;
}

const partsOf = (
  content: PlainObject | undefined,
  kind: 'functionCall' | 'functionResponse',
): PlainObject[] => objectsOf(content?.parts).filter(part => isPlainObject(part[kind]));
