import type { CoreCall } from '../core/call.js';
import type { Warning } from '../core/part.js';
import type { JsonRequestOptions } from '../core/http/request-json.js';
import { type RequestHeaders, withBetas } from '../core/http/request.js';
import type { ResponsesModelConfig } from './config.js';
import { type EncodedCall, encodeExtensions } from './extensions.js';
import { type BuiltRequest, buildRequest, type RequestCall } from './request/build-request.js';
import type { TurnMemory } from './request/turn-memory.js';
import { httpTransport, type ResponseRequest, type ResponseTransport } from './transport.js';
import type { ResponsesRequestBody } from './wire.js';

/** The parts of a call of which a request is built and sent. */
export type SentCall = RequestCall & Pick<CoreCall, 'abortSignal' | 'headers'>;

/** One model call on its way: what is sent, and the warnings about it. */
export class Exchange<Call extends SentCall = SentCall> {
  readonly call: Call;
  readonly config: ResponsesModelConfig;
  /** The memory of the turn. Undefined for a compaction. */
  readonly memory: TurnMemory | undefined;
  /** The headers of the key that is used, and the number of keys that were. */
  keyHeaders: RequestHeaders = {};
  keyCount = 0;
  transport: ResponseTransport = httpTransport;
  /** Warnings about the contents of the request that the body lacks. */
  omitted: readonly Warning[] = [];
  readonly #warnings: Warning[] = [];
  #encoded: EncodedCall | undefined;
  #request: BuiltRequest | undefined;

  constructor(call: Call, config: ResponsesModelConfig, memory?: TurnMemory) {
    this.call = call;
    this.config = config;
    this.memory = memory;
  }

  /** Encodes the tools of extensions, and the parts of the prompt that they have shown. */
  async encode(): Promise<void> {
    this.#encoded = await encodeExtensions(this.call, this.config.extensions);
  }

  /** Builds the request when it is first needed. */
  request(): BuiltRequest {
    const { call, config, memory } = this;
    const { prompt, encodedTools } = this.#encoded ?? { prompt: call.prompt };
    return (this.#request ??= buildRequest(prompt === call.prompt ? call : { ...call, prompt }, {
      ...config,
      memory,
      encodedTools,
      providerName: config.provider,
      storesNothing: config.server.storesNothing,
    }));
  }

  /** The sets of headers. Later sets override earlier ones. */
  get headerSets(): (RequestHeaders | undefined)[] {
    return [this.keyHeaders, this.config.override().headers, this.call.headers];
  }

  /** Adds a warning about the response or of the transport. */
  readonly warn = (warning: Warning): void => void this.#warnings.push(warning);

  /** The warnings that are known so far. */
  readonly warnings = (): Warning[] => [...this.request().warnings, ...this.omitted, ...this.#warnings];

  /** The request as a transport sends it. */
  toTransportRequest(body: ResponsesRequestBody): ResponseRequest {
    const { call, config, memory, warn } = this;
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
