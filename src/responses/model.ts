import {
  APICallError,
  type LanguageModelV2,
  type LanguageModelV2CallOptions,
  type LanguageModelV2CallWarning,
  type LanguageModelV2StreamPart,
} from '@ai-sdk/provider';
import { createPartCollector } from '../parts/collector.js';
import { streamBatches } from '../parts/batches.js';
import { numberOf } from '../shared/json.js';
import { turnTokenOf } from '../parts/call-marks.js';
import { hostVersionOf, isLaterHost } from '../parts/call-marks.js';
import { sendWithFallbacks } from './compatibility/send-with-fallbacks.js';
import { type BuiltRequest, buildRequest } from './request/build-request.js';
import type { OfficialNamespace } from './request/provider-options.js';
import type { Compatibility, LearnedCompatibility } from './compatibility/compatibility.js';
import type { ResponsesRequestBody } from './wire.js';
import type { DeclaredTools } from './stream/hosted-item.js';
import { toJsonContent } from './stream/json-answer.js';
import { type ResponseReader, readResponse } from './stream/read-response.js';
import { supportedUrls } from './supported-urls.js';
import type { Credentials } from '../http/key-ring.js';
import { mergeHeaders, type RequestHeaders, withBetas } from '../http/request-headers.js';
import {
  type OpenedResponse,
  openResponse,
  type OpenResponseOptions,
  type ResponseTimeouts,
} from '../http/open-response.js';
import { RETRYABLE } from '../http/retry.js';
import { type BackgroundResponse, openBackgroundResponse } from './background.js';
import type { FetchForCall } from '../http/request-log.js';
import { hasKey, redactRequestBody } from '../http/redaction.js';
import { createTurnMemories } from './turn-memory.js';
import type { WebSocketCall, WebSocketTransport } from './websocket/transport.js';

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
  readonly store: boolean;
  readonly systemMessageMode: 'auto' | 'system' | 'developer' | 'remove';
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
 * Creates a `LanguageModelV2` that sends one request to `POST …/responses` and maps its response. It runs no tools. It
 * sends a request again only with another key, or changed after a rejection with a known reason.
 */
export function createResponsesModel(modelId: string, config: ResponsesModelConfig): LanguageModelV2 {
  const memories = createTurnMemories();

  return {
    specificationVersion: 'v2',
    provider: config.provider,
    modelId,
    supportedUrls,

    async doStream(options) {
      const { reader, head, warnings, body, headers, close } = await open(options, { stream: true });
      head.unshift({ type: 'stream-start', warnings });
      let next: ResponseReader['next'] = async () => {
        next = reader.next;
        return head;
      };
      const stream = streamBatches({ next: () => next(), cancel: close });
      return { stream, request: { body }, response: { headers } };
    },

    async doGenerate(options) {
      const { reader, head, warnings, body, headers, close } = await open(options, { stream: false });
      try {
        const collector = createPartCollector();
        for (let parts: Parts | undefined = head; parts !== undefined; parts = await reader.next()) {
          for (const part of parts) collector.add(part);
        }
        const { response, ...result } = collector.result();
        return {
          ...result,
          content: isJsonCall(options) ? toJsonContent(result.content) : result.content,
          warnings,
          request: { body },
          response: { ...response, headers, body: reader.body() },
        };
      } finally {
        close();
      }
    },
  };

  /** Builds and sends the request, with another key or a fallback if needed, and reads the beginning of the response. */
  async function open(options: LanguageModelV2CallOptions, { stream }: { stream: boolean }) {
    const { store, systemMessageMode, missingReasoning, official, override, learnedCompatibility } = config;
    const turn = turnTokenOf(options.providerOptions);
    const { messages: known, received, toInputJson } = memories.of(turn);
    const context = {
      modelId,
      store,
      systemMessageMode,
      missingReasoning,
      official,
      stream,
      known,
      received,
      providerName: config.provider,
    };
    const webSocket = await config.webSocket?.();
    const transportWarnings: LanguageModelV2CallWarning[] = [];
    const call: WebSocketCall = {
      providerOptions: options.providerOptions,
      warn: warning => transportWarnings.push(warning),
    };
    let built = webSocket === undefined ? buildRequest(options, context) : undefined;
    const { opened, warnings } = await config.credentials.use(turn, async headers => {
      // The connection opens while the request is built.
      if (built === undefined) prepare(headers);
      const request = (built ??= buildRequest(options, context));
      const { opened, warnings: omitted } = await sendWithFallbacks(request.body, {
        post: body => begin({ ...body, ...override.body, ...request.extraFields }, { headers, ...request }),
        compatibility: override.compatibility,
        learned: learnedCompatibility,
      });
      return { opened, warnings: [...request.warnings, ...omitted, ...transportWarnings] };
    });
    return { ...opened, warnings };

    /** Opens the response, in the background if the request as it is sent asks for it. */
    async function send(
      request: Omit<OpenResponseOptions, 'body' | 'timeouts'>,
      body: ResponsesRequestBody,
      background: BuiltRequest['background'],
    ): Promise<OpenedResponse | BackgroundResponse> {
      const { timeouts } = config;
      if (body.background === true || background.resume !== undefined)
        return openBackgroundResponse({
          ...request,
          body,
          timeouts,
          ...background,
          stream: body.stream === true,
        });
      return openResponse({
        ...request,
        body,
        transport: webSocket && (sent => webSocket.send(sent, call)),
        // Without streaming, the status arrives together with the complete response.
        timeouts: stream ? timeouts : { total: timeouts.total },
      });
    }

    function prepare(headers: RequestHeaders): void {
      const { url, needsKey } = config;
      const sent = mergeHeaders([headers, override.headers, options.headers]);
      if (!needsKey || hasKey(sent)) webSocket?.prepare({ url, headers: sent });
    }

    async function begin(
      body: ResponsesRequestBody,
      { headers, betas, toolNames, background }: BuiltRequest & { headers: RequestHeaders },
    ) {
      const { url, fetchFor, needsKey, generateId } = config;
      const { abortSignal: signal, includeRawChunks } = options;
      const request = {
        url,
        headers: withBetas([headers, override.headers, options.headers], betas),
        needsKey,
        toInputJson,
        fetch: fetchFor(options.providerOptions, call.warn),
        signal,
      };
      const response = await send(request, body, background);
      const isBackground = 'leave' in response;
      if (isBackground && background.submit) {
        response.leave();
        const { responseId } = response;
        return {
          reader: NO_MORE,
          head: toSubmitted(responseId, response),
          body: redactRequestBody(body).body,
          headers: response.headers,
          close: () => {},
        };
      }
      const reader = readResponse({
        read: response.read,
        errorContext: response.errorContext,
        redactKnown: response.redactKnown,
        toToolName: toolNames.fromWire,
        generateId,
        declared: toDeclaredTools(options, stream),
        maxOutputTokens: numberOf(body.max_output_tokens),
        onServerItem: received.add,
        isKept: body.store === true || body.previous_response_id !== undefined || isBackground,
        sequenceNumbers: isBackground
          ? { after: stream ? background.resume?.sequenceNumber : undefined }
          : undefined,
        hasUsageDetails: isLaterHost(options),
        isJson: isJsonCall(options),
        includeRawChunks,
        signal,
        close: response.close,
      });
      try {
        // The host of a response in the background learns its id at once. A loop may send a later round again.
        const isEarly = isBackground && !(Number(options.providerOptions?.kelivo?.round) > 1);
        const head = await readHead(reader, isEarly ? WITHOUT_TEXT : SILENT_PARTS);
        // Hosts store and log the body, which may contain credentials of hosted MCP servers.
        return {
          reader,
          head,
          body: redactRequestBody(body).body,
          headers: response.headers,
          close: response.close,
        };
      } catch (error) {
        response.close();
        throw error;
      }
    }
  }
}

/** Returns true if the host requested JSON. */
const isJsonCall = ({ responseFormat }: LanguageModelV2CallOptions): boolean =>
  responseFormat?.type === 'json';

/** Returns the tools that the host declared. Parts of other tools are limited to what the host can handle. */
function toDeclaredTools(options: LanguageModelV2CallOptions, stream: boolean): DeclaredTools {
  const { tools = [], toolChoice } = options;
  const isHidden = toolChoice?.type === 'none';
  return {
    names: new Set(isHidden ? [] : tools.map(tool => tool.name)),
    nameById: new Map(
      tools.flatMap(tool => (tool.type === 'function' ? [] : [[tool.id, tool.name] as const])),
    ),
    argsById: new Map(
      tools.flatMap(tool => (tool.type === 'function' ? [] : [[tool.id, tool.args ?? {}] as const])),
    ),
    host: hostVersionOf(options),
    undeclared: isHidden ? 'none' : isLaterHost(options) ? 'full' : stream ? 'result' : 'none',
  };
}

/**
 * Reads the parts up to the first one with content. Hosts retry a rejected promise but not a stream. A response that
 * fails before its first content must therefore reject.
 */
async function readHead(reader: ResponseReader, silent: ReadonlySet<string>): Promise<Parts> {
  const head: Parts = [];
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
function toSubmitted(responseId: string | undefined, { errorContext }: OpenedResponse): Parts {
  const { url, requestBody } = errorContext;
  if (responseId === undefined) {
    throw new APICallError({
      message: `Expected a response in the background with an id from ${url}, got none. Check that the server supports \`background\`.`,
      url,
      requestBodyValues: requestBody,
      isRetryable: RETRYABLE.unexpectedResponse,
    });
  }
  const providerMetadata = { openai: { responseId }, kelivo: { responseId } };
  const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };
  return [
    { type: 'response-metadata', id: responseId },
    { type: 'finish', finishReason: 'other', usage, providerMetadata },
  ];
}

type Parts = LanguageModelV2StreamPart[];
