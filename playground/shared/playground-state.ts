import type { UIMessage } from 'ai';
import type { PendingRequest } from './mcp-inspection.js';
import type { Flag, TraceEvent, TurnEnd, TurnUsage } from './trace-event.js';

/** A message of a conversation. */
export type PlaygroundMessage = UIMessage;

/** Levels of reasoning effort. `default` is not sent; the others depend on the model. */
export const REASONING_EFFORTS = [
  'default',
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];
export type ApprovalPolicy = 'never' | 'destructive' | 'unless-read-only' | 'always';

/** Settings of a conversation. They contain no key. */
export interface Settings {
  /** `emulator`, or the base URL of an endpoint. */
  readonly endpoint: string;
  readonly modelId: string;
  readonly reasoningEffort: ReasoningEffort;
  /** Null is not sent. */
  readonly temperature: number | null;
  /** Null is not sent. */
  readonly maxOutputTokens: number | null;
  /** `default` is not sent. */
  readonly verbosity: 'default' | 'low' | 'medium' | 'high';
  /** `default`, `auto`, `none`, `required`, or the name of a tool after `tool:`. */
  readonly toolChoice: string;
  /** `default` is not sent. */
  readonly parallelToolCalls: 'default' | 'on' | 'off';
  /** JSON schema of the response as text; empty for a text response. */
  readonly responseSchema: string;
  readonly flag: Flag;
  /** Names of matching adapters that are switched off. */
  readonly disabledAdapters: readonly string[];
  readonly approvals: ApprovalPolicy;
  readonly disabledTools: readonly ToolSwitch[];
  readonly systemPrompt: string;
  /** Name of the emulator's fault or dialect. */
  readonly fault: string;
  /** Number of the request in a turn that has the fault, from 1; 0 for all requests. */
  readonly faultRequest: number;
}

/** A tool that is not offered to the model; without a tool, all of the server. */
export interface ToolSwitch {
  readonly server: string;
  readonly tool?: string;
}

/** True if exactly this switch is off: a server's switch leaves those of its tools. */
export const isToolOff = (off: readonly ToolSwitch[], { server, tool }: ToolSwitch): boolean =>
  off.some(one => one.server === server && one.tool === tool);

/** Settings under a name, from which chats can start. */
export interface Preset {
  readonly id: string;
  readonly name: string;
  readonly settings: Settings;
  /** True if new chats start with it. At most one preset is the default. */
  readonly isDefault: boolean;
}

/** Settings and choices that the server sends to the page. */
export interface PlaygroundState {
  readonly settings: Settings;
  readonly presets: readonly Preset[];
  /** Source of the key for the current endpoint. The key itself is never sent. */
  readonly key: 'none' | 'typed' | 'environment';
  /** Adapters that match the model. */
  readonly adapters: readonly AdapterChoice[];
  readonly faults: readonly FaultChoice[];
  readonly filesFolder: string;
  readonly prices: PriceTable;
  readonly retention: Retention;
  readonly policies: readonly Omit<ToolPolicy, 'definition'>[];
}

/** Limits for turns of applications and for the recordings of chats. The newest one is always kept. */
export interface Retention {
  readonly days: number;
  /** Size of all of them together. */
  readonly megabytes: number;
}

/** Prices that the user has entered, by the id of the model. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** Prices of one million tokens in US dollars. */
export interface ModelPrice {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** A tool that runs without a question. */
export interface ToolPolicy {
  /** Empty for a tool of the playground. */
  readonly server: string;
  readonly tool: string;
  /** The hash of the name, description, schema and hints of the tool, and of the configuration of its server. */
  readonly definition: string;
  /** @default all chats */
  readonly conversationId?: string;
}

export interface AdapterChoice {
  readonly name: string;
  readonly isOn: boolean;
}

export interface FaultChoice {
  readonly name: string;
  readonly title: string;
  readonly kind: 'fault' | 'dialect';
  /** True if it can be applied to recorded responses. */
  readonly isReplayable: boolean;
  readonly description: string;
}

export interface ModelList {
  readonly models: readonly string[];
  readonly problem?: string;
}

/** One response per message, or two side by side: of two providers or two models. `app` is a turn of an application. */
export type ConversationMode = 'chat' | 'compare' | 'app';
export type Thread = 'main' | 'left' | 'right';

/** Provider and model of one side of a comparison. */
export type Side = Pick<Settings, 'flag' | 'modelId'>;

export interface ConversationSummary {
  readonly id: string;
  readonly title: string;
  readonly mode: ConversationMode;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/** A conversation in the list, with its running turns. */
export interface ListedConversation extends ConversationSummary {
  readonly runningTurns: number;
  /** Tool calls that wait for an approval. */
  readonly pendingApprovals: number;
  /** Forms, pages and completions that MCP servers request. */
  readonly pendingRequests: number;
}

/**
 * A conversation with the shown messages of its threads. The messages form a tree: a message that is edited and a response
 * that is generated again are siblings of the previous one.
 */
export interface Conversation extends ConversationSummary {
  readonly threads: Readonly<Partial<Record<Thread, readonly StoredMessage[]>>>;
  /** Tokens of all responses, also of those that are not shown. */
  readonly usages: readonly TurnUsage[];
}

/** The majors of `ai`, the newest first. */
export const AI_MAJORS = [7, 6, 5] as const;
export type AiMajor = (typeof AI_MAJORS)[number];

/** The next request as code. Secrets are environment variables. */
export interface CodeView {
  /** For each major of `ai`, because each has an entry of the package. */
  readonly typescript: Readonly<Record<AiMajor, string>>;
  readonly curl: string;
  /** Names of the variables that the code reads. */
  readonly environment: readonly string[];
}

/** A conversation that contains the text of a search. */
export interface FoundConversation {
  readonly id: string;
  /** Text around the match, unless only the title matches. */
  readonly excerpt?: string;
}

export interface StoredMessage {
  readonly message: PlaygroundMessage;
  /** The previous message; null for the first. */
  readonly parentId: string | null;
  /** Ids of this message and its siblings, oldest first. */
  readonly versions: readonly string[];
  /** The newest sibling, if it is an incomplete response, which does not replace a complete one. */
  readonly failedVersion?: { readonly id: string; readonly end: TurnEnd; readonly message?: string };
  /** The trace of a response without the contents of its requests and their responses. */
  readonly outline: readonly TraceEvent[];
}

/** A turn as its page shows it, without secrets. */
export interface TurnRecord {
  readonly conversationId: string;
  readonly title: string;
  /** The last message of the user. */
  readonly question: string;
  /** The response, with the calls of tools and their results. */
  readonly message: PlaygroundMessage;
  readonly events: readonly TraceEvent[];
}

/** Returns the text of a message. */
export const readText = (message: Pick<PlaygroundMessage, 'parts'> | undefined): string =>
  (message?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('');

/** A longer message is rejected. */
export const MAX_MESSAGE_CHARACTERS = 1_000_000;

/** Media types of files that can be attached to a message. SVG is excluded, because it can contain scripts. */
export const ATTACHMENT_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'];

/** Limits of the files of one message. Sizes are in bytes. */
export const ATTACHMENT_LIMITS = { count: 10, file: 10_000_000, message: 20_000_000 } as const;

/** Starts a turn. The request is idempotent: a known `responseId` joins the turn or returns its stored response. */
export interface TurnRequest {
  readonly conversationId: string;
  readonly thread: Thread;
  /** Id of the response, selected by the page. */
  readonly responseId: string;
  /**
   * The message before `message`, null at the start of a thread. Without `message`, the message that is answered: a question
   * to ask again, or a response to continue.
   */
  readonly parentId: string | null;
  /** A user message. Its files are data URLs, or the URLs of stored attachments of this conversation. */
  readonly message?: PlaygroundMessage;
  /** Replaces provider and model of the settings, for one side of a comparison. */
  readonly side?: Side;
}

/** An MCP server, as displayed by the page. */
export interface ServerView {
  readonly name: string;
  /** Command line or URL, without secrets. */
  readonly target: string;
  readonly transport: 'stdio' | 'http';
  readonly state: 'idle' | 'connecting' | 'ready' | 'unauthorized' | 'failed' | 'disabled';
  readonly error?: string;
  /** The page to open for the sign-in. */
  readonly authorizationUrl?: string;
  /** True if tokens of a sign-in are kept. */
  readonly isSignedIn?: true;
  readonly tools: readonly ToolView[];
  readonly log: readonly LogLine[];
}

/** A server that cannot be used until the user does something. */
export const needsUser = ({ state }: Pick<ServerView, 'state'>): boolean =>
  state === 'failed' || state === 'unauthorized';

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
  /** Requests of servers that wait for the user. */
  readonly requests: readonly PendingRequest[];
}

/** Response to an invalid configuration. */
export interface ConfigurationRejected {
  readonly problem: string;
}

/** A program with everything that decides what it runs, unmasked. */
export interface NewProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Response to a change that would start programs which are not in the configuration file yet. */
export interface ConfirmationNeeded {
  readonly needsConfirmation: readonly NewProgram[];
  /** Reason why the given code was not accepted. */
  readonly refusal?: string;
}
