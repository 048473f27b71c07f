import type { UIMessage } from 'ai';
import type { Flag, TraceEvent } from './trace-event.js';

/** A message of the playground: what `useChat` knows, and trace events that pass by while it streams. */
export type PlaygroundMessage = UIMessage<unknown, { trace: TraceBatch }>;

/** Events of the answer with this message id. */
export interface TraceBatch {
  readonly messageId: string;
  readonly events: readonly TraceEvent[];
}

export type ReasoningEffort = 'default' | 'minimal' | 'low' | 'medium' | 'high';
export type ApprovalPolicy = 'none' | 'destructive' | 'all';

/** What the side panel sets, without any secret. */
export interface Settings {
  /** `emulator`, or the base URL of an endpoint. */
  readonly endpoint: string;
  readonly modelId: string;
  readonly reasoningEffort: ReasoningEffort;
  readonly flag: Flag;
  /** Names of adapters that apply to the model but are switched off. */
  readonly disabledAdapters: readonly string[];
  readonly approvals: ApprovalPolicy;
  readonly systemPrompt: string;
  /** What goes wrong at the emulator: the name of a fault or a dialect. */
  readonly fault: string;
  /** In which request of a turn the fault happens, from 1; 0 means in all. */
  readonly faultRequest: number;
}

/** What there is to choose from and how things are, as the page is told. */
export interface PlaygroundState {
  readonly settings: Settings;
  /** Whether there is a key for the endpoint that is set, and where it comes from. Never the key. */
  readonly key: 'none' | 'typed' | 'environment';
  /** Adapters that apply to the model. */
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

/** Which answers a conversation holds: one, or one of each provider side by side. */
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

/** One MCP server as the page shows it. */
export interface ServerView {
  readonly name: string;
  /** Where it is: a command line or an address, without secrets. */
  readonly target: string;
  readonly transport: 'stdio' | 'http';
  readonly state: 'idle' | 'connecting' | 'ready' | 'failed' | 'disabled';
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

/** How the servers are, and the configuration they come from: JSON text without secrets. */
export interface ServersAnswer {
  readonly servers: readonly ServerView[];
  readonly config: string;
}

/** The answer to a configuration that is none. */
export interface ConfigurationRefused {
  readonly problem: string;
}

/** The answer to a change of servers that would start programs which are not in the file yet. */
export interface ConfirmationNeeded {
  readonly needsConfirmation: readonly { readonly name: string; readonly commandLine: string }[];
  readonly confirmation: string;
}
