import type { CoreCall } from '../core/call.js';
import { contentToParts, createPartCollector } from '../core/collector.js';
import { NO_USAGE } from '../core/finish.js';
import type { Part } from '../core/part.js';
import type { PartFacts } from '../core/prompt.js';
import { type CoreModel, sourceOf } from '../core/source.js';
import { checkHeaders } from '../core/http/open-response.js';
import { withoutQuery } from '../core/redaction/redaction.js';
import { redactRequestBody } from '../core/redaction/request-body.js';
import { numberOf, type PlainObject } from '../core/shared/json.js';
import type { ResponsesModelConfig } from './config.js';
import { BACKGROUND_IGNORED } from './echo.js';
import { Exchange, runHandlers } from './exchange.js';
import { decodeExtensions } from './extensions.js';
import { CALL_HANDLERS } from './handlers.js';
import { type BegunResponse, NO_MORE, type Opener, openStream, readHead } from './open-stream.js';
import { supportedUrls } from './request/model-traits.js';
import { readProviderOptions } from './request/read-options.js';
import { createTurnMemory } from './request/turn-memory.js';
import type { HostDeclarations } from './stream/hosted-item.js';
import { toJsonContent } from './stream/message-item.js';
import { readResponse } from './stream/read-response.js';

/** A model that sends one request per call. */
export interface ResponsesModel extends CoreModel {
  /** Throws for a key, a header or an option with which no request can be sent. */
  check(call: CoreCall): void;
}

/**
 * Creates a model that sends one request to `POST …/responses` and maps its response. It runs no tools. It sends a request
 * again only with another key, or changed after a rejection with a known reason.
 */
export function createResponsesModel(config: ResponsesModelConfig): ResponsesModel {
  const { modelId } = config;
  const model: ResponsesModel = {
    provider: config.provider,
    modelId,
    origin: new URL(config.url).origin,
    supportedUrls,

    check(call) {
      readProviderOptions(call, config);
      const fixed = config.credentials.fixed();
      if (fixed !== undefined) checkHeaders([fixed, config.override().headers, call.headers], config);
    },

    async open(call) {
      const memory = call.turn?.stateOf(model, createTurnMemory);
      const send = (opener: Opener, abortSignal: AbortSignal | undefined): Promise<BegunResponse> => {
        const exchange = new Exchange({ ...call, abortSignal }, config, memory);
        return runHandlers(exchange, CALL_HANDLERS, () => begin(exchange, opener));
      };
      if (call.isStream) return openStream(call, send, config.retries);
      const response = await send(() => undefined, call.abortSignal);
      const { reader, headers, url, body, warnings } = response;
      const content = await readAll(response, call);
      const parts: Part[] = [{ type: 'stream-start', warnings: warnings() }, ...content];
      return sourceOf(parts, { request: { url, body }, response: { headers, body: reader.body() } });
    },
  };
  return model;
}

/** Sends the request of an exchange, and reads its response up to the first content. */
async function begin(exchange: Exchange<CoreCall>, opener: Opener): Promise<BegunResponse> {
  const { call, config, memory, body, warnings } = exchange;
  const { abortSignal: signal, includeRawChunks, isStream } = call;
  const { background, toolNames } = exchange.request();
  const source = await exchange.transport.open(exchange.toTransportRequest());
  const backgroundId = source.background?.responseId;
  const isInBackground = backgroundId !== undefined;
  if (source.background !== undefined && !isInBackground) exchange.warn(BACKGROUND_IGNORED);
  // Hosts store and log both. An address may contain keys, and the body credentials of hosted MCP servers.
  const { headers, close } = source;
  const facts = {
    url: withoutQuery(config.url),
    body: source.errorContext.requestBody ?? redactRequestBody(body).body,
    headers,
    warnings,
    close,
  };
  if (isInBackground && background.submit) {
    source.background?.leave();
    return { reader: NO_MORE, head: toSubmitted(backgroundId), ...facts };
  }
  let isAnnounced = false;
  const onResponse = (response: PlainObject): PartFacts | undefined => {
    isAnnounced = true;
    return exchange.announce(response, headers);
  };
  const onCall = (): void => {
    config.server.tools = 'called';
  };
  const declared = toDeclaredTools(call);
  const response = readResponse({
    toToolName: toolNames.fromWire,
    ...source,
    generateId: config.generateId,
    declared,
    decodedEvents: config.extensions.byEvent,
    maxOutputTokens: numberOf(body.max_output_tokens),
    onServerItem: memory?.received.add,
    onResponse,
    onCall,
    isKept:
      body.store === true ||
      body.previous_response_id !== undefined ||
      'conversation' in body ||
      isInBackground,
    isConversation: 'conversation' in body,
    sequenceNumbers: isInBackground
      ? { after: isStream ? background.resume?.sequenceNumber : undefined }
      : undefined,
    isJson: call.responseFormat?.type === 'json',
    includeRawChunks,
    signal,
  });
  const reader = decodeExtensions(response, { call, declared, onCall }, config.extensions);
  try {
    // The host of a response in the background learns its id at once. A loop may send a later round again.
    const isEarly = isInBackground && (call.turn?.round ?? 1) === 1;
    const head = await readHead({ reader, ...facts }, isEarly ? WITHOUT_TEXT : SILENT_PARTS, opener);
    // Warnings precede the content. A server that begins with it repeats nothing.
    if (!isAnnounced) onResponse({});
    return { reader, head, ...facts };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Reads a response that is not streamed to its end. Rejects with its error. */
async function readAll(begunResponse: BegunResponse, call: CoreCall): Promise<Part[]> {
  try {
    const collector = createPartCollector();
    for (
      let parts: readonly Part[] | undefined = begunResponse.head;
      parts !== undefined;
      parts = await begunResponse.reader.next()
    ) {
      for (const part of parts) collector.add(part);
    }
    const { content, warnings: _, response, ...finish } = collector.result();
    const isJson = call.responseFormat?.type === 'json';
    return [
      ...(response === undefined ? [] : [{ type: 'response-metadata' as const, ...response }]),
      ...contentToParts(isJson ? toJsonContent(content) : content),
      { type: 'finish', ...finish },
    ];
  } finally {
    begunResponse.close();
  }
}

/** Returns the tools that the host declared. Parts of other tools are limited to what the host can handle. */
function toDeclaredTools({ tools = [], toolChoice, host }: CoreCall): HostDeclarations {
  const names = new Set<string>();
  const nameById = new Map<string, string>();
  const argsById = new Map<string, PlainObject>();
  for (const tool of tools) {
    if (toolChoice?.type !== 'none') names.add(tool.name);
    if (tool.type !== 'provider') continue;
    nameById.set(tool.id, tool.name);
    argsById.set(tool.id, tool.args);
  }
  return { names, nameById, argsById, host };
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
