import type { UIMessage } from 'ai';
import type { Flag, TraceEvent } from './trace-event.js';

/** A chat message whose stream also carries trace events. */
export type PlaygroundMessage = UIMessage<unknown, { trace: TraceBatch }>;

/** Trace events of the response with this message id. */
export interface TraceBatch {
  readonly messageId: string;
  readonly events: readonly TraceEvent[];
}

export type ReasoningEffort = 'default' | 'minimal' | 'low' | 'medium' | 'high';
export type ApprovalPolicy = 'never' | 'destructive' | 'unless-read-only' | 'always';

/** Settings of the side panel. They contain no secrets. */
export interface Settings {
  /** `emulator`, or the base URL of an endpoint. */
  readonly endpoint: string;
  readonly modelId: string;
  readonly reasoningEffort: ReasoningEffort;
  readonly flag: Flag;
  /** Names of matching adapters that are switched off. */
  readonly disabledAdapters: readonly string[];
  readonly approvals: ApprovalPolicy;
  readonly systemPrompt: string;
  /** Name of the emulator's fault or dialect. */
  readonly fault: string;
  /** Number of the request in a turn that has the fault, from 1; 0 for all requests. */
  readonly faultRequest: number;
}

/** Settings and choices that the server sends to the page. */
export interface PlaygroundState {
  readonly settings: Settings;
  /** Source of the key for the current endpoint. The key itself is never sent. */
  readonly key: 'none' | 'typed' | 'environment';
  /** Adapters that match the model. */
  readonly adapters: readonly AdapterChoice[];
  readonly faults: readonly FaultChoice[];
  readonly filesFolder: string;
}

export interface AdapterChoice {
  readonly name: string;
  readonly isOn: boolean;
}

export interface FaultChoice {
  readonly name: string;
  readonly title: string;
  readonly kind: 'fault' | 'dialect';
  readonly description: string;
}

export interface ModelList {
  readonly models: readonly string[];
  readonly problem?: string;
}

/** One response per message, or one per provider side by side. */
export type ConversationMode = 'chat' | 'compare';
export type Thread = 'main' | Flag;

export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly mode: ConversationMode;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export interface Conversation extends ConversationSummary {
  readonly threads: Readonly<Partial<Record<Thread, readonly StoredMessage[]>>>;
}

export interface StoredMessage {
  readonly message: PlaygroundMessage;
  readonly trace: readonly TraceEvent[];
}

/** An MCP server, as displayed by the page. */
export interface ServerView {
  readonly name: string;
  /** Command line or URL, without secrets. */
  readonly target: string;
  readonly transport: 'stdio' | 'http';
  readonly state: 'idle' | 'connecting' | 'ready' | 'unauthorized' | 'failed' | 'disabled';
  readonly error?: string;
  readonly tools: readonly ToolView[];
  readonly log: readonly LogLine[];
}

export interface ToolView {
  readonly name: string;
  readonly description?: string;
  readonly hint?: 'read-only' | 'destructive';
}

export interface LogLine {
  /** ISO 8601. */
  readonly at: string;
  readonly level: string;
  readonly text: string;
}

/** States of the servers, and their configuration as JSON text without secrets. */
export interface ServersResponse {
  readonly servers: readonly ServerView[];
  readonly config: string;
}

/** Response to an invalid configuration. */
export interface ConfigurationRejected {
  readonly problem: string;
}

/** Response to a change that would start programs which are not in the configuration file yet. */
export interface ConfirmationNeeded {
  readonly needsConfirmation: readonly { readonly name: string; readonly commandLine: string }[];
  readonly confirmation: string;
}
