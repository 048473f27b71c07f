import type { CoreCall } from '../core/call.js';
import type { Warning } from '../core/part.js';
import type { PartFacts, Prompt } from '../core/prompt.js';
import type { JsonRequestOptions } from '../core/http/request-json.js';
import { type RequestHeaders, withBetas } from '../core/http/request.js';
import type { PlainObject } from '../core/shared/json.js';
import type { Recognize } from './compatibility/send-with-fallbacks.js';
import type { ResponsesModelConfig } from './config.js';
import { type BuiltRequest, buildRequest, type RequestCall } from './request/build-request.js';
import type { EncodedTool } from './request/tools.js';
import type { TurnMemory } from './request/turn-memory.js';
import { httpTransport, type ResponseRequest, type ResponseTransport } from './transport.js';
import type { ResponsesRequestBody } from './wire.js';

/** The parts of a call of which a request is built and sent. */
export type SentCall = RequestCall & Pick<CoreCall, 'abortSignal' | 'headers'>;

/** Reads the response object when the server announces it. Returns facts for the history. */
type ResponseObserver = (
  response: PlainObject,
  headers: Readonly<Record<string, string>>,
) => PartFacts | undefined;

/**
 * One model call on its way: what is sent, and who reads what comes back. The handlers around it set its fields, those of
 * an attempt again for each attempt.
 */
export class Exchange<Call extends SentCall = SentCall> {
  readonly call: Call;
  readonly config: ResponsesModelConfig;
  /** The memory of the turn. Undefined for a call outside of a turn, and for a compaction. */
  readonly memory: TurnMemory | undefined;
  /** The prompt of the call, in which extensions replace the parts that they have shown. */
  prompt: Prompt;
  /** The tools of extensions, by the name under which the host declares them. */
  encodedTools: ReadonlyMap<string, EncodedTool> = new Map();
  /** The headers of the key that is used, and the number of keys that were. */
  keyHeaders: RequestHeaders = {};
  keyCount = 0;
  transport: ResponseTransport = httpTransport;
  /** Warnings about the contents of the request that the body lacks. */
  omitted: readonly Warning[] = [];
  /** Recognizes the server by an error. Undefined if the server is known, and for a compaction. */
  recognize: Recognize | undefined;
  readonly #observers: ResponseObserver[] = [];
  readonly #warnings: Warning[] = [];
  #request: BuiltRequest | undefined;
  #body: ResponsesRequestBody | undefined;

  constructor(call: Call, config: ResponsesModelConfig, memory?: TurnMemory) {
    this.call = call;
    this.config = config;
    this.memory = memory;
    this.prompt = call.prompt;
  }

  /** Builds the request when it is first needed. */
  request(): BuiltRequest {
    const { call, config, memory, prompt, encodedTools } = this;
    return (this.#request ??= buildRequest(prompt === call.prompt ? call : { ...call, prompt }, {
      memory,
      encodedTools,
      providerName: config.provider,
      ...config,
    }));
  }

  /** The body to send: that of the request before the first attempt, and that of the latest attempt after it. */
  get body(): ResponsesRequestBody {
    return this.#body ?? this.request().body;
  }

  set body(body: ResponsesRequestBody) {
    this.#body = body;
  }

  /** The sets of headers. Later sets override earlier ones. */
  get headerSets(): (RequestHeaders | undefined)[] {
    return [this.keyHeaders, this.config.override().headers, this.call.headers];
  }

  /** Adds a warning of a handler or of the transport. */
  readonly warn = (warning: Warning): void => void this.#warnings.push(warning);

  /** The warnings that are known so far. */
  readonly warnings = (): Warning[] => [...this.request().warnings, ...this.omitted, ...this.#warnings];

  /** Adds an observer of the response object. */
  observe(observer: ResponseObserver): void {
    this.#observers.push(observer);
  }

  /** Shows the response object to all observers. */
  announce(response: PlainObject, headers: Readonly<Record<string, string>>): PartFacts | undefined {
    let facts: PartFacts | undefined;
    for (const observe of this.#observers) facts = observe(response, headers) ?? facts;
    return facts;
  }

  /** The request as a transport sends it. */
  toTransportRequest(): ResponseRequest {
    const { call, config, memory, body, warn } = this;
    return {
      url: config.url,
      headers: withBetas(this.headerSets, this.request().betas),
      needsKey: config.needsKey,
      toInputJson: memory?.toInputJson,
      fetch: config.fetchFor(call, warn),
      signal: call.abortSignal,
      timeouts: config.timeouts,
      body,
      call,
      warn,
    };
  }

  /** The request for the list of the server's models, which explains a rejection. */
  toModelListRequest(): JsonRequestOptions {
    const { modelsUrl: url, fetchFor } = this.config;
    return {
      url,
      headers: this.headerSets,
      fetch: fetchFor(this.call, () => {}),
      signal: this.call.abortSignal,
      timeouts: { total: MODELS_TIMEOUT },
      method: 'GET',
    };
  }
}

/** Time limit of the request for the list of models, in milliseconds. */
const MODELS_TIMEOUT = 5_000;

/** Does its part of a call around the handlers after it. It may call `next` again, or not at all. */
export type Handler = <Result>(exchange: Exchange, next: () => Promise<Result>) => Promise<Result>;

/**
 * Runs handlers, the one at `position` outermost, around `open`, which sends the request and begins to read its response.
 */
export function runHandlers<Result>(
  exchange: Exchange,
  handlers: readonly Handler[],
  open: () => Promise<Result>,
  position = 0,
): Promise<Result> {
  const handler = handlers[position];
  return handler === undefined
    ? open()
    : handler(exchange, () => runHandlers(exchange, handlers, open, position + 1));
}
