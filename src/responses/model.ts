import type { CoreCall } from '../core/call.js';
import { contentToParts, createPartCollector } from '../core/collector.js';
import type { Part, Warning } from '../core/part.js';
import { type CoreModel, sourceOf } from '../core/source.js';
import { NO_USAGE } from '../core/finish.js';
import { createCallError } from '../http/api-error.js';
import type { Credentials } from '../http/key-ring.js';
import {
  type OpenedResponse,
  openResponse,
  type OpenResponseOptions,
  type ResponseTimeouts,
} from '../http/open-response.js';
import { hasKey, redactRequestBody } from '../redaction/redaction.js';
import { mergeHeaders, type RequestHeaders, withBetas } from '../http/request.js';
import type { FetchForCall } from '../http/request-log.js';
import { numberOf } from '../shared/json.js';
import { type BackgroundResponse, openBackgroundResponse } from './background.js';
import type { Compatibility } from './compatibility/compatibility.js';
import { type LearnedCompatibility, sendWithFallbacks } from './compatibility/send-with-fallbacks.js';
import { type BuiltRequest, buildRequest } from './request/build-request.js';
import type { OfficialNamespace, ResponsesCallOptions } from './request/provider-options.js';
import { createTurnMemory, type TurnMemory } from './request/turn-memory.js';
import type { DeclaredTools } from './stream/hosted-item.js';
import { toJsonContent } from './stream/json-answer.js';
import { type ResponseReader, readResponse } from './stream/read-response.js';
import { supportedUrls } from './supported-urls.js';
import type { WebSocketCall, WebSocketTransport } from './websocket/transport.js';
import type { ResponsesRequestBody } from './wire.js';

/** The settings that a model takes from its provider. */
export interface ResponsesModelConfig {
  readonly provider: string;
  /** The complete address of the Responses endpoint. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Requires a key, as OpenAI does. */
  readonly needsKey: boolean;
  readonly fetchFor: FetchForCall;
  /** Loads the WebSocket transport. Undefined for HTTP. */
  readonly webSocket: (() => Promise<WebSocketTransport>) | undefined;
  /** Options of all calls. An option of the same name in a call overrides them. */
  readonly defaults: ResponsesCallOptions;
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  /** The namespace of the official provider's options. */
  readonly official: OfficialNamespace;
  readonly timeouts: ResponseTimeouts;
  readonly override: RequestOverride;
  readonly learnedCompatibility: LearnedCompatibility;
  readonly generateId: () => string;
}

/** Request overrides for one model. */
export interface RequestOverride {
  readonly headers: RequestHeaders;
  /** Fields that replace those of the request. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly compatibility: Compatibility;
}

/**
 * Creates a model that sends one request to `POST …/responses` and maps its response. It runs no tools. It sends a request
 * again only with another key, or changed after a rejection with a known reason.
 */
export function createResponsesModel(modelId: string, config: ResponsesModelConfig): CoreModel {
  const model: CoreModel = {
    provider: config.provider,
    modelId,
    supportedUrls,

    async open(call) {
      const memory = call.turn?.stateOf(model, createTurnMemory) ?? createTurnMemory();
      const response = await begin(call, { modelId, config, memory });
      const { reader, head, warnings, body, headers, close } = response;
      const request = { body };
      const start: Part = { type: 'stream-start', warnings };
      if (!call.isStream) {
        const parts = [start, ...(await readAll(response, call))];
        return sourceOf(parts, { request, response: { headers, body: reader.body() } });
      }
      let next: ResponseReader['next'] = async () => {
        next = reader.next;
        return [start, ...head];
      };
      return { next: () => next(), cancel: close, request, response: { headers } };
    },
  };
  return model;
}

interface ModelContext {
  readonly modelId: string;
  readonly config: ResponsesModelConfig;
  readonly memory: TurnMemory;
}

/** A response of which the beginning has been read. */
interface BegunResponse {
  readonly reader: ResponseReader;
  readonly head: readonly Part[];
  /** The body of the request. */
  readonly body: unknown;
  readonly headers: Record<string, string>;
  readonly close: () => void;
}

/** Builds and sends the request, with another key or a fallback if needed, and reads the beginning of the response. */
async function begin(
  call: CoreCall,
  { modelId, config, memory }: ModelContext,
): Promise<BegunResponse & { warnings: readonly Warning[] }> {
  const { override, url, needsKey } = config;
  const build = (): BuiltRequest =>
    buildRequest(call, { ...config, modelId, memory, providerName: config.provider });
  const webSocket = await config.webSocket?.();
  const transportWarnings: Warning[] = [];
  const reported: WebSocketCall = { logged: call, warn: warning => transportWarnings.push(warning) };
  let built = webSocket === undefined ? build() : undefined;
  const { opened, warnings } = await config.credentials.use(call.turn, async keyHeaders => {
    const headers = [keyHeaders, override.headers, call.headers];
    // The connection opens while the request is built.
    if (built === undefined) {
      const merged = mergeHeaders(headers);
      if (!needsKey || hasKey(merged)) webSocket?.prepare({ url, headers: merged });
    }
    const request = (built ??= build());
    const { opened, warnings: omitted } = await sendWithFallbacks(request.body, {
      post: body =>
        post(
          { ...body, ...override.body, ...request.extraFields },
          { call, config, memory, built: request, headers, webSocket, reported },
        ),
      compatibility: override.compatibility,
      learned: config.learnedCompatibility,
      relations: request.relations,
    });
    return { opened, warnings: [...request.warnings, ...omitted, ...transportWarnings] };
  });
  return { ...opened, warnings };
}

interface PostContext extends Omit<ModelContext, 'modelId'> {
  readonly call: CoreCall;
  readonly built: BuiltRequest;
  readonly headers: OpenResponseOptions['headers'];
  /** @default HTTP */
  readonly webSocket: WebSocketTransport | undefined;
  /** The receiver of the log and the warnings of the transport. */
  readonly reported: WebSocketCall;
}

/** Sends the request and reads the beginning of the response. */
async function post(body: ResponsesRequestBody, context: PostContext): Promise<BegunResponse> {
  const { call, config, memory, built } = context;
  const { background, toolNames } = built;
  const { abortSignal: signal, includeRawChunks, isStream } = call;
  const response = await send(body, context);
  const isBackground = 'leave' in response;
  // Hosts store and log the body, which may contain credentials of hosted MCP servers.
  const facts = { body: redactRequestBody(body).body, headers: response.headers };
  if (isBackground && background.submit) {
    response.leave();
    return { reader: NO_MORE, head: toSubmitted(response.responseId, response), ...facts, close: () => {} };
  }
  const reader = readResponse({
    read: response.read,
    errorContext: response.errorContext,
    redactKnown: response.redactKnown,
    toToolName: toolNames.fromWire,
    generateId: config.generateId,
    declared: toDeclaredTools(call),
    maxOutputTokens: numberOf(body.max_output_tokens),
    onServerItem: memory.received.add,
    isKept: body.store === true || body.previous_response_id !== undefined || isBackground,
    sequenceNumbers: isBackground
      ? { after: isStream ? background.resume?.sequenceNumber : undefined }
      : undefined,
    isJson: isJsonCall(call),
    includeRawChunks,
    signal,
    close: response.close,
  });
  try {
    // The host of a response in the background learns its id at once. A loop may send a later round again.
    const isEarly = isBackground && (call.turn?.round ?? 1) === 1;
    const head = await readHead(reader, isEarly ? WITHOUT_TEXT : SILENT_PARTS);
    return { reader, head, ...facts, close: response.close };
  } catch (error) {
    response.close();
    throw error;
  }
}

/** Opens the response, in the background if the request as it is sent asks for it. */
async function send(
  body: ResponsesRequestBody,
  { call, config, memory, built, headers, webSocket, reported }: PostContext,
): Promise<OpenedResponse | BackgroundResponse> {
  const { url, needsKey, fetchFor, timeouts } = config;
  const { background, betas } = built;
  const request = {
    url,
    headers: withBetas(headers, betas),
    needsKey,
    toInputJson: memory.toInputJson,
    fetch: fetchFor(call, reported.warn),
    signal: call.abortSignal,
    body,
  };
  if (body.background === true || background.resume !== undefined)
    return openBackgroundResponse({ ...request, timeouts, ...background, stream: body.stream === true });
  return openResponse({
    ...request,
    transport: webSocket && (sent => webSocket.send(sent, reported)),
    // Without streaming, the status arrives together with the complete response.
    timeouts: call.isStream ? timeouts : { total: timeouts.total },
  });
}

/** Returns true if the host requested JSON. */
const isJsonCall = ({ responseFormat }: CoreCall): boolean => responseFormat?.type === 'json';

/** Reads a response that is not streamed to its end. Rejects with its error. */
async function readAll({ reader, head, close }: BegunResponse, call: CoreCall): Promise<Part[]> {
  try {
    const collector = createPartCollector();
    for (let parts: readonly Part[] | undefined = head; parts !== undefined; parts = await reader.next()) {
      for (const part of parts) collector.add(part);
    }
    const { content, warnings: _, response, ...finish } = collector.result();
    return [
      ...(response === undefined ? [] : [{ type: 'response-metadata' as const, ...response }]),
      ...contentToParts(isJsonCall(call) ? toJsonContent(content) : content),
      { type: 'finish', ...finish },
    ];
  } finally {
    close();
  }
}

/** Returns the tools that the host declared. Parts of other tools are limited to what the host can handle. */
function toDeclaredTools({ tools = [], toolChoice, host }: CoreCall): DeclaredTools {
  const byProvider = tools.flatMap(tool => (tool.type === 'provider' ? [tool] : []));
  return {
    names: new Set(toolChoice?.type === 'none' ? [] : tools.map(({ name }) => name)),
    nameById: new Map(byProvider.map(({ id, name }) => [id, name])),
    argsById: new Map(byProvider.map(({ id, args }) => [id, args])),
    host,
  };
}

/**
 * Reads the parts up to the first one with content. Hosts retry a rejected promise but not a stream. A response that
 * fails before its first content must therefore reject.
 */
async function readHead(reader: ResponseReader, silent: ReadonlySet<string>): Promise<Part[]> {
  const head: Part[] = [];
  for (;;) {
    const parts = await reader.next();
    if (parts === undefined) return head;
    for (const part of parts) {
      if (part.type === 'error') throw part.error;
      head.push(part);
      if (!silent.has(part.type)) return [...head, ...parts.slice(parts.indexOf(part) + 1)];
    }
  }
}

/** Parts without content. The start of reasoning counts as content: it shows that the model works. */
const SILENT_PARTS: ReadonlySet<string> = new Set(['response-metadata', 'raw', 'text-start']);

const WITHOUT_TEXT: ReadonlySet<string> = new Set(['raw']);

/** The reader of a response that was only submitted. */
const NO_MORE: ResponseReader = { next: async () => undefined, body: () => undefined };

/** Returns the parts of a response that the server has accepted. */
function toSubmitted(responseId: string | undefined, { errorContext }: OpenedResponse): Part[] {
  const { url, requestBody } = errorContext;
  if (responseId === undefined) {
    throw createCallError(
      'unexpectedResponse',
      { url, requestBody },
      `Expected a response in the background with an id from ${url}, got none. Check that the server supports \`background\`.`,
    );
  }
  return [
    { type: 'response-metadata', id: responseId },
    {
      type: 'finish',
      finishReason: { unified: 'other', raw: undefined },
      usage: NO_USAGE,
      providerMetadata: { openai: { responseId } },
      own: { responseId },
    },
  ];
}
