import { APICallError } from '@ai-sdk/provider';
import type { CoreCall } from '../core/call.js';
import { contentToParts, createPartCollector } from '../core/collector.js';
import type { Part, Warning } from '../core/part.js';
import type { PartFacts } from '../core/prompt.js';
import { type CoreModel, sourceOf } from '../core/source.js';
import { NO_USAGE } from '../core/finish.js';
import type { Credentials } from '../http/key-ring.js';
import { checkHeaders, type ResponseTimeouts } from '../http/open-response.js';
import { hasKey, withoutQuery } from '../redaction/redaction.js';
import { redactRequestBody } from '../redaction/request-body.js';
import { mergeHeaders, type RequestHeaders, withBetas } from '../http/request.js';
import { type JsonRequestOptions, requestJson } from '../http/request-json.js';
import type { FetchForCall } from '../http/request-log.js';
import { idOf, numberOf, objectOf, objectsOf, type PlainObject } from '../shared/json.js';
import {
  compatibilitiesByOwner,
  type Compatibility,
  serverOfRejection,
} from './compatibility/compatibility.js';
import type { ModelMemory } from './compatibility/model-memory.js';
import {
  type Endpoint,
  type Recognize,
  sendWithFallbacks,
  type TurnRepairs,
} from './compatibility/send-with-fallbacks.js';
import { BACKGROUND_IGNORED, readEcho } from './echo.js';
import type { ResponseReader } from './stream/read-response.js';
import type { ExtensionRegistry } from './stream/extension.js';
import { decodeExtensions, encodeExtensions } from './extensions.js';
import {
  type BegunResponse,
  NO_MORE,
  type Opener,
  openStream,
  readHead,
  type StreamRetries,
} from './open-stream.js';
import { type BuiltRequest, buildRequest } from './request/build-request.js';
import { supportedUrls } from './request/model-traits.js';
import type { SettingOptions } from './request/setting-options.js';
import { type OfficialNamespace, readProviderOptions } from './request/read-options.js';
import { createTurnMemory, type TurnMemory } from './request/turn-memory.js';
import type { DeclaredTools } from './stream/hosted-item.js';
import { toJsonContent } from './stream/message-item.js';
import { readResponse } from './stream/read-response.js';
import { httpTransport, type ResponseSource, type ResponseTransport } from './transport.js';
import { explainUnknownModel, isUnknownModel } from './unknown-model.js';
import type { ResponsesRequestBody } from './wire.js';

/** The settings that a model takes from its provider. */
export interface ResponsesModelConfig extends SettingOptions {
  readonly provider: string;
  /** The complete address of the Responses endpoint. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Requires a key, as OpenAI does. */
  readonly needsKey: boolean;
  readonly fetchFor: FetchForCall;
  /** Loads the WebSocket transport. Undefined for HTTP. */
  readonly webSocket: (() => Promise<ResponseTransport>) | undefined;
  readonly missingReasoning: 'omit-ids' | 'synthesize';
  readonly sendsPenalties: boolean;
  /** The namespace of the official provider's options. */
  readonly official: OfficialNamespace;
  readonly timeouts: ResponseTimeouts;
  readonly retries: StreamRetries;
  readonly override: RequestOverride;
  readonly server: ModelMemory;
  readonly extensions: ExtensionRegistry;
  /** Recognizes the server by its responses. False if it is known. */
  readonly recognizes: boolean;
  /** The address of the list of models. */
  readonly modelsUrl: string;
  readonly generateId: () => string;
}

/** Request overrides for one model. */
export interface RequestOverride {
  readonly headers: RequestHeaders;
  /** Fields that replace those of the request. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly compatibility: Compatibility;
}

/** A model that sends one request per call. */
export interface ResponsesModel extends CoreModel {
  /** Throws for a key, a header or an option with which no request can be sent. */
  check(call: CoreCall): void;
}

/**
 * Creates a model that sends one request to `POST …/responses` and maps its response. It runs no tools. It sends a request
 * again only with another key, or changed after a rejection with a known reason.
 */
export function createResponsesModel(modelId: string, config: ResponsesModelConfig): ResponsesModel {
  const model: ResponsesModel = {
    provider: config.provider,
    modelId,
    origin: new URL(config.url).origin,
    supportedUrls,

    check(call) {
      readProviderOptions(call, config);
      const fixed = config.credentials.fixed();
      if (fixed !== undefined) checkHeaders([fixed, config.override.headers, call.headers], config);
    },

    async open(call) {
      const memory = call.turn?.stateOf(model, createTurnMemory) ?? createTurnMemory();
      const context = { modelId, config, memory };
      if (call.isStream)
        return openStream(call, opener => send(call, { ...context, opener }), config.retries);
      const response = await send(call, { ...context, opener: () => undefined });
      const { reader, headers, url, body, warnings } = response;
      const content = await readAll(response, call);
      const parts: Part[] = [{ type: 'stream-start', warnings: warnings() }, ...content];
      return sourceOf(parts, { request: { url, body }, response: { headers, body: reader.body() } });
    },
  };
  return model;
}

interface ModelContext {
  readonly modelId: string;
  readonly config: ResponsesModelConfig;
  readonly memory: TurnMemory;
  readonly opener: Opener;
}

/** Builds and sends the request, with another key or a fallback if needed, and reads the beginning of the response. */
async function send(
  given: CoreCall,
  { modelId, config, memory, opener }: ModelContext,
): Promise<BegunResponse> {
  const { override, url, needsKey, timeouts } = config;
  const { call, encodedTools } = await encodeExtensions(given, config.extensions);
  const build = (): BuiltRequest =>
    buildRequest(call, {
      ...config,
      modelId,
      memory,
      encodedTools,
      providerName: config.provider,
      storesNothing: config.server.storesNothing,
    });
  const connected = (await config.webSocket?.()) ?? httpTransport;
  const transportWarnings: Warning[] = [];
  const warn = (warning: Warning): void => void transportWarnings.push(warning);
  let built = connected.prepare === undefined ? build() : undefined;
  const usedKeys: RequestHeaders[] = [];
  const sending = config.credentials.use(call.turn, async keyHeaders => {
    usedKeys.push(keyHeaders);
    const headers = [keyHeaders, override.headers, call.headers];
    // The connection opens while the request is built.
    if (built === undefined) {
      const merged = mergeHeaders(headers);
      if (!needsKey || hasKey(merged)) connected.prepare?.({ url, headers: merged });
    }
    const request = (built ??= build());
    const endpoint: Endpoint<BegunResponse> = {
      async post(changed, omitted) {
        const body = { ...changed, ...override.body, ...request.extraFields };
        const isInBackground = body.background === true || request.background.resume !== undefined;
        const transport = isInBackground ? await loadBackground(request.background) : connected;
        const source = await transport.open({
          url,
          headers: withBetas(headers, request.betas),
          needsKey,
          toInputJson: memory.toInputJson,
          fetch: config.fetchFor(call, warn),
          signal: call.abortSignal,
          timeouts,
          body,
          call,
          warn,
        });
        const warnings = (): Warning[] => [...request.warnings, ...omitted, ...transportWarnings];
        return begin(source, { body, call, config, memory, opener, built: request, warn, warnings });
      },
      compatibility: () => config.override.compatibility,
      recognize: createRecognize(call, { config, keyHeaders }),
    };
    const repairs = call.turn?.stateOf(config.server, (): TurnRepairs => ({}));
    return sendWithFallbacks(request.body, endpoint, config.server, request.relations, repairs);
  });
  return sending.catch(async (error: unknown) => {
    const [keyHeaders, ...others] = usedKeys;
    // Several keys were refused the model, which therefore exists.
    if (keyHeaders === undefined || others.length > 0 || !APICallError.isInstance(error)) throw error;
    if (!isUnknownModel(error, modelId)) throw error;
    throw await explainUnknownModel(error, { ...toModelsRequest(call, { config, keyHeaders }), modelId });
  });
}

/** Time limit of the request for the list of models, in milliseconds. */
const MODELS_TIMEOUT = 5_000;

interface SentContext {
  readonly config: ResponsesModelConfig;
  readonly keyHeaders: RequestHeaders;
}

/** Returns the request for the list of models, with the headers of a call. */
const toModelsRequest = (
  call: CoreCall,
  { config: { modelsUrl, override, fetchFor }, keyHeaders }: SentContext,
): JsonRequestOptions => ({
  url: modelsUrl,
  headers: [keyHeaders, override.headers, call.headers],
  fetch: fetchFor(call, () => {}),
  signal: call.abortSignal,
  timeouts: { total: MODELS_TIMEOUT },
});

/** Recognizes the server by an error, and by the owner of its models if nothing else helps against the error. */
function createRecognize(call: CoreCall, context: SentContext): Recognize | undefined {
  const { server, recognizes } = context.config;
  if (!recognizes) return undefined;
  return async ({ error: { responseHeaders, statusCode }, rejection, cause }, changes) => {
    server.see({ headers: responseHeaders });
    const shown = serverOfRejection(rejection);
    if (shown !== undefined) server.seeRejection(shown, cause);
    const isUnknown = !server.isAsked && (server.server ?? shown) === undefined;
    const isRejected = statusCode === 400 || statusCode === 422;
    if (!isUnknown || !isRejected || !compatibilitiesByOwner().some(changes)) return shown?.compatibility;
    server.isAsked = true;
    try {
      const { body } = await requestJson({ ...toModelsRequest(call, context), method: 'GET' });
      server.see({ owner: idOf(objectsOf(objectOf(body)?.data)[0]?.owned_by) });
    } catch {
      // The server has no such list. Its first error is the one that counts.
      call.abortSignal?.throwIfAborted();
    }
    return undefined;
  };
}

const loadBackground = async (options: BuiltRequest['background']): Promise<ResponseTransport> =>
  (await import('./background.js')).backgroundTransport(options);

interface ReadContext extends Omit<ModelContext, 'modelId'> {
  readonly body: ResponsesRequestBody;
  readonly call: CoreCall;
  readonly built: BuiltRequest;
  readonly warn: (warning: Warning) => void;
  readonly warnings: () => Warning[];
}

async function begin(
  source: ResponseSource,
  { body, call, config, memory, opener, built: { background, toolNames }, warn, warnings }: ReadContext,
): Promise<BegunResponse> {
  const { abortSignal: signal, includeRawChunks, isStream } = call;
  const backgroundId = source.background?.responseId;
  const isInBackground = backgroundId !== undefined;
  if (source.background !== undefined && !isInBackground) warn(BACKGROUND_IGNORED);
  // Hosts store and log both. An address may contain keys, and the body credentials of hosted MCP servers.
  const { headers, close } = source;
  const facts = {
    url: withoutQuery(config.url),
    body: redactRequestBody(body).body,
    headers,
    warnings,
    close,
  };
  if (isInBackground && background.submit) {
    source.background?.leave();
    return { ...facts, reader: NO_MORE, head: toSubmitted(backgroundId) };
  }
  let isCompared = false;
  const compare = (response: PlainObject): PartFacts | undefined => {
    isCompared = true;
    if (config.recognizes) config.server.see({ headers: source.headers, responseId: idOf(response.id) });
    const { warnings, facts } = readEcho(body, response, config.server);
    for (const warning of warnings) warn(warning);
    return facts;
  };
  const declared = toDeclaredTools(call);
  const response = readResponse({
    ...source,
    toToolName: toolNames.fromWire,
    generateId: config.generateId,
    declared,
    isDecoded: type => config.extensions.byEvent.has(type),
    maxOutputTokens: numberOf(body.max_output_tokens),
    onServerItem: memory.received.add,
    onResponse: compare,
    isKept:
      body.store === true ||
      body.previous_response_id !== undefined ||
      'conversation' in body ||
      isInBackground,
    sequenceNumbers: isInBackground
      ? { after: isStream ? background.resume?.sequenceNumber : undefined }
      : undefined,
    isJson: isJsonCall(call),
    includeRawChunks,
    signal,
  });
  const reader = noteCalls(decodeExtensions(response, { call, declared }, config.extensions), config.server);
  try {
    // The host of a response in the background learns its id at once. A loop may send a later round again.
    const isEarly = isInBackground && (call.turn?.round ?? 1) === 1;
    const head = await readHead({ ...facts, reader }, isEarly ? WITHOUT_TEXT : SILENT_PARTS, opener);
    // Warnings precede the content. A server that begins with it repeats nothing.
    if (!isCompared) compare({});
    return { ...facts, reader, head };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Returns a reader that notes that the server calls tools. */
const noteCalls = (reader: ResponseReader, server: ModelMemory): ResponseReader => ({
  ...reader,
  async next() {
    const parts = await reader.next();
    if (parts?.some(({ type }) => type === 'tool-input-start') === true) server.tools = 'called';
    return parts;
  },
});

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

/** Parts without content. The start of reasoning counts as content: it shows that the model works. */
const SILENT_PARTS: ReadonlySet<string> = new Set(['response-metadata', 'raw', 'text-start']);

const WITHOUT_TEXT: ReadonlySet<string> = new Set(['raw']);

function toSubmitted(responseId: string): Part[] {
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
