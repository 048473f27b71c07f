import type { JSONObject } from './shared/json.js';
import type { CallSettings, Prompt, ProviderOptions, Tool, ToolChoice } from './prompt.js';
import type { CallTelemetry, RoundTelemetry } from './telemetry.js';

/*
 * The call of a model in the vocabulary of the newest version of the model interface, whatever the version of the host is.
 * `core/versions/` converts it at the entrances and exits of the package. Layers talk to each other with its fields.
 */

/** One call of a model. */
export interface CoreCall extends CallSettings {
  /** True if the host reads a stream. The same parts are the response of a call that is not streamed. */
  readonly isStream: boolean;
  readonly prompt: Prompt;
  readonly tools?: readonly Tool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly includeRawChunks?: boolean | undefined;
  /** Options of all providers but this package. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** The application's options of this package, `providerOptions.kelivo`. They may contain functions and other objects. */
  readonly own: Readonly<Record<string, unknown>>;
  /** The kinds of content that the host can show and keep in its history. */
  readonly host: Host;
  /** The turn that the request belongs to. Undefined for a request outside of a tool loop. */
  readonly turn?: TurnLink | undefined;
  /** Observes the call. `NO_CALL_TELEMETRY` until an outer layer observes it. */
  readonly telemetry: CallTelemetry;
  /** Observes the request. `NO_ROUND_TELEMETRY` until an outer layer observes it. */
  readonly roundTelemetry: RoundTelemetry;
}

/**
 * Parts of calls of undeclared tools that a host accepts.
 *
 * - `full`: call and result.
 * - `result`: input and result without the call. `ai` 5 fails on calls of undeclared tools, and accepts this in streams
 *   (https://github.com/vercel/workflow/issues/628).
 * - `none`: no parts. All hosts reject tool parts if the tool choice was `none`.
 */
export type ToolPartsMode = 'full' | 'result' | 'none';

/** Facts about the host of a call. */
export interface HostFacts {
  /** Parts of calls of tools that the call does not declare. */
  readonly undeclaredCalls: ToolPartsMode;
  /** True if the host asks a person for `tool-approval-request` parts. */
  readonly asksForApproval: boolean;
  /** True if the host accepts results of calls of earlier responses, and preliminary results. */
  readonly acceptsLaterResults: boolean;
  /** True if the host accepts the input of custom tools as text. It is JSON otherwise. */
  readonly acceptsTextInput: boolean;
  /** True if any part restarts the host's limit of the time between parts (`timeout.chunkMs` of `ai` 6). */
  readonly countsAllParts: boolean;
  /** True if the host may repeat a call whose stream ended with an error, at once and with the same objects. */
  readonly repeatsStreams: boolean;
  /** True if `toModelOutput` of the host's tools receives an object with the output. It receives the output otherwise. */
  readonly wrapsToolOutput: boolean;
}

/** The host of a call. */
export interface Host extends HostFacts {
  /** Writes a conversation as the messages of the host. */
  readonly writeMessages: (prompt: Prompt) => readonly JSONObject[];
}

/** The turn of a request, which a tool loop sets. */
export interface TurnLink {
  readonly id: string;
  /** Number of the round, from 1. */
  readonly round: number;
  /** Returns the state that a layer keeps between the requests of the turn. The first request creates it. */
  stateOf<State>(owner: object, create: () => State): State;
  /** The response of a round in the background: `submit` creates it without reading it, and an id continues it. */
  readonly response?: RoundResponse | undefined;
  /** True if the request has to compact the conversation. Models that cannot ignore it. */
  readonly isCompaction?: boolean | undefined;
  /** Ids of the calls of this turn that the model's own servers ran. @default none */
  readonly hostedCalls?: ReadonlySet<string> | undefined;
}

export type RoundResponse = 'submit' | { readonly responseId: string };
