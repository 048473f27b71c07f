import type { ModelMessage } from '@ai-sdk/provider-utils';
import type { CoreCall } from '../../core/call.js';
import type { Content, Custom, Finish, Usage } from '../../core/part.js';
import type { CallSettings, PartFacts, Prompt, ProviderOptions, Tool } from '../../core/prompt.js';
import type { RetryOptions } from '../../core/http/retry.js';
import type { CoreModel } from '../../core/source.js';
import type { ToolCallContext, ToolDefinition } from '../../tools/tool-source.js';
import type { Admit, CallOutcome, ChangeOutput } from '../calls/calls.js';
import type { CreateBuiltIn } from '../context/built-in-tools.js';
import type { OutputReader } from '../context/output-reader.js';
import type { ReadableOutputs } from '../context/read-output.js';
import type { Steps } from '../durable/steps.js';

/*
 * What a feature of a turn is: something that the loop can do without. `turn/features.ts` lists the features in their order.
 */

/** A feature in one turn. Each hook is optional. Those of all features are called in the order of the list. */
export interface TurnFeature {
  /** Outputs that the model can read although its request does not contain them. */
  readonly outputs?: ReadableOutputs;
  /** Decides which tools of the loop a request contains. That of the first feature that has one counts. */
  readonly selection?: ToolSelection;
  /** Changes the request of a round, after the features before it. */
  prepare?(request: CoreCall, round: number): RoundChanges | undefined | Promise<RoundChanges | undefined>;
  /** Sees the request that is sent. Returns parts that precede those of the response. */
  sent?(request: CoreCall, round: number): readonly Custom[];
  /** The request of a round has failed. Returns true if another one, which is sent at once, can do without what was rejected. */
  recover?(error: unknown, round: number): boolean;
  /** The response of the round has begun. */
  opened?(round: number): void;
  /** Decides about a call of the loop. The first feature that does not let it run decides. */
  readonly admit?: Admit | undefined;
  /**
   * Changes the output of a tool, after the features before. Undefined leaves it as it is. An output that was changed
   * loses the original blocks of its MCP result, unless the feature writes `mcp` itself.
   */
  readonly output?: ChangeOutput | undefined;
  /** Returns the limit that forbids calls in a round. Further limits are not asked. */
  limit?(round: number): ReachedLimit | undefined;
  /** Decides what follows a round. The latest decision counts. */
  after?(round: EndedRound): RoundDecision | undefined | Promise<RoundDecision | undefined>;
  /** Asks for a request of its own between a round and the next one. The first that asks has it. */
  between?(round: EndedRound): Interlude | undefined;
  /** Releases what it holds. Called at least once, when the turn has ended. */
  end?(reason: TurnEndReason): void;
}

/** Creates a feature for a turn. Returns undefined if the turn does not use it. */
export type CreateFeature<Options> = (context: FeatureContext, options: Options) => TurnFeature | undefined;

/** The members of a turn that a feature uses. */
export interface FeatureContext {
  readonly call: CoreCall;
  /** `providerOptions.kelivo.scope` of the call. */
  readonly scope: string | undefined;
  /** Aborts when the turn has to end. */
  readonly signal: AbortSignal;
  readonly model: CoreModel;
  /** The server's support of a tool search. @default none */
  readonly searchSupport: ServerSupport | undefined;
  readonly steps: Steps;
  readonly identity: Pick<ToolCallContext, 'turnId' | 'context'>;
  /** The usage of all rounds so far. */
  readonly record: { readonly usage: Usage };
  /**
   * Reports a request of the feature itself, whose response is not part of the conversation. The function that it returns
   * reports and counts the response.
   */
  readonly startRequest: (round: number, purpose: RequestPurpose) => (finish: Finish) => void;
  /** Returns the loop's tool of a name. */
  readonly toolOf: (name: string) => ToolDefinition | undefined;
  /** Returns the maximum length of the texts in an output, by the name of its tool. */
  readonly maxChars: (toolName: string) => number;
  /** The tool that reads the outputs of features. */
  readonly reader: Pick<OutputReader, 'name'>;
  readonly emit: (event: FeatureEvent) => void;
  readonly warn: (round: number, message: string) => void;
  /** The retries of a request that nobody else repeats. */
  readonly retries: Pick<RetryOptions, 'maxRetries' | 'initialDelay'>;
}

/**
 * What a server can do, for all turns of a model. It ends when two conversations have met a rejection: one of them could have
 * caused it by its contents.
 */
export interface ServerSupport {
  isSupported: boolean;
  /** The conversation that has met a rejection, by its first message. */
  rejectedIn?: string;
}

/** Offers only some of the loop's tools to the model. All of them can be called. */
export interface ToolSelection {
  /** Reads a listing. Returns the tool with which the model reaches those that are not offered. */
  update(tools: ReadonlyMap<string, ToolDefinition>): CreateBuiltIn | undefined;
  /** Notes the tools that a conversation has found. */
  read(prompt: Prompt, toMeantName: ToolOffer['toMeantName']): void;
  /** Returns the declarations of a request. Undefined if it offers all tools. */
  declare(offer: ToolOffer): readonly Tool[] | undefined;
  /** Returns false if the model cannot know a tool, so that only its exact name means it. */
  isKnown(toolName: string): boolean;
  /** Returns true for a tool of the server that belongs to the selection, and that no host declares. */
  isOfServer(toolName: string): boolean;
}

/** What a selection chooses from. */
export interface ToolOffer {
  readonly prompt: Prompt;
  /** The tools that the loop itself provides, before and after those of its source. */
  readonly first: readonly ToolDefinition[];
  readonly last: readonly ToolDefinition[];
  /** Names of tools that have to be offered. */
  readonly required: readonly string[];
  /** Returns the current name of a tool that the conversation names. */
  toMeantName(name: string): string;
  /** Returns true for the name of a tool of the host. */
  isTaken(name: string): boolean;
}

/** The events of features. */
export type FeatureEvent =
  /** Messages of the user that arrived during the turn are in the request of a round. */
  | { type: 'steering'; round: number; messages: readonly ModelMessage[] }
  /** Old outputs are left out from a round on: their number, and an estimate of their tokens. */
  | { type: 'context-cleared'; round: number; outputs: number; tokens: number };

/** A limit of the tool loop that can end a turn, as hosts read it. */
export type TurnLimit =
  | 'max-rounds'
  | 'max-tool-calls'
  | 'repeated-failures'
  | 'repeated-calls'
  | 'total-timeout'
  | 'stop-when'
  | 'max-cost'
  | 'max-tokens';

export interface ReachedLimit {
  readonly limit: TurnLimit;
  /** The reason for the model and the user, as the end of a sentence. */
  readonly reason: string;
}

/** Why a turn ends. */
export type TurnEndReason =
  'finished' | 'waiting-for-tool-results' | 'error' | 'stop-condition' | 'limit' | 'aborted';

/** Another round follows, or the turn ends, by a limit or without one. */
export type RoundDecision = 'next' | { readonly end: TurnEndReason; readonly limit?: ReachedLimit };

/** A round whose calls are done. */
export interface EndedRound {
  readonly number: number;
  readonly content: readonly Content[];
  readonly finish: Finish;
  /** The calls of the loop, also those of broken attempts at the round. */
  readonly outcomes: readonly CallOutcome[];
  /** True if the model has finished its answer. */
  readonly isAnswer: boolean;
  /** The decision of the features before. */
  readonly decision: RoundDecision;
}

/**
 * The purpose of a request that a feature makes. The link that the model receives, the events and the end of the turn contain
 * it. In a durable turn the step of the request is named after its purpose and its round, so each purpose needs a name in
 * `durable/recorded-rounds.ts`.
 */
export interface RequestPurpose {
  /**
   * True for a response that only compacts the conversation. The round with the same number follows.
   * @default false
   */
  isCompaction?: boolean;
}

/** A request of a feature between two rounds. */
export interface Interlude {
  readonly purpose: RequestPurpose;
  /** Reads the response. Returns true if it contains nothing else, so that the round itself follows. */
  read(round: number, content: readonly Content[]): boolean;
  /** The request has failed. The turn goes on without it. */
  fail(round: number, error: unknown): void;
}

/** Settings of one round. Settings that are undefined are those of the call. */
export interface RoundSettings extends Pick<
  CallSettings,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'reasoning'
> {
  /** It has no effect in a round that must not call tools. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly type: 'tool'; readonly toolName: string };
  /** Names of the tools that the round offers, those of the loop and of the host. The call of another tool is refused. */
  readonly activeTools?: readonly string[];
  /** Options by provider, which are added to those of the call. */
  readonly providerOptions?: ProviderOptions;
  /** Replaces the system messages. */
  readonly system?: string;
  /**
   * Replaces the conversation, in later rounds as well. A call without its output, or an output without its call, is not
   * sent as such: the output is removed or added.
   */
  readonly messages?: readonly ModelMessage[];
}

/** Changes to the request of a round. */
export interface RoundChanges {
  /** The request from this round on. */
  readonly request?: CoreCall;
  /** The conversation from this round on. */
  readonly prompt?: Prompt;
  readonly settings?: Omit<RoundSettings, 'messages'>;
  /** Facts for the parts of the response. */
  readonly facts?: PartFacts;
}
