import type { Credentials } from '../core/http/key-ring.js';
import type { RequestHeaders } from '../core/http/request.js';
import type { FetchForCall } from '../core/http/request-log.js';
import type { ResponseTimeouts } from '../core/http/open-response.js';
import type { Compatibility } from './compatibility/compatibility.js';
import type { ModelMemory } from './compatibility/model-memory.js';
import type { StreamRetries } from './open-stream.js';
import type { OfficialNamespace } from './request/read-options.js';
import type { SettingOptions } from './request/setting-options.js';
import type { ExtensionRegistry } from './stream/extension.js';
import type { ResponseTransport } from './transport.js';

/** The settings that a model takes from its provider. */
export interface ResponsesModelConfig extends SettingOptions {
  readonly provider: string;
  readonly modelId: string;
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
  /** Returns the overrides of the model, by what is known of its server now. */
  readonly override: () => RequestOverride;
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
