import type { JSONValue } from '../core/shared/json.js';
import type { ToolApproval } from './approvals/approvals.js';
import type { Steering } from './features/steering/steering.js';
import type { ToolLoopStep } from './durable/steps.js';
import type { CallFeatureOptions } from './turn/features.js';

export type {
  LocalTool,
  LocalToolCallOptions,
  LocalTools,
  LocalToolsOptions,
  ToolInput,
} from '../tools/local-tools.js';
export type { GivenTools } from '../tools/given-tools.js';
export type { DeclareTools, RunByHost } from '../tools/shared-tools.js';
export type {
  ToolApp,
  ToolCallContext,
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolListing,
  ToolMetadata,
  ToolOutput,
  ToolProgress,
  ToolSource,
} from '../tools/tool-source.js';
export type { DeclarationOptions, ToolStub } from '../tools/tool-stubs.js';
export type { ApprovalDecision, ApprovalStatus, StatedAnnotations } from '../tools/approval.js';
export type { ApprovalRequest, Approvals, Approve, ToolApproval } from './approvals/approvals.js';
export type { HostApprovalOptions } from './approvals/host-approvals.js';
export {
  createSteering,
  type Steering,
  type SteeringNotDeliveredReason,
  type SteeringOutcome,
} from './features/steering/steering.js';
export type { UnknownOutcomePolicy } from './calls/calls.js';
export type { ToolLoopOptions } from './options.js';
export { type ProviderRunTools, runInProvider } from './tool-loop.js';
export type { ToolOutputOwner, ToolOutputStore } from './features/kept-outputs/store.js';
export type { RoundSettings } from './features/feature.js';
export type { PrepareRound, StopCondition } from './features/round-control/round-control.js';
export type { RoundUsage } from '../core/finish.js';
export { continueTurn, type PartialTurn, partialTurnOf } from './turn/partial-turn.js';
export type { ToolLoopEvent } from './turn/turn-reports.js';
export type { ToolLoopJournal, ToolLoopStep } from './durable/steps.js';
export { type ToolLoopModel, withToolLoop } from './tool-loop.js';
export {
  type ClientMessage,
  readClientMessages,
  type ReadClientMessagesOptions,
} from '../core/versions/history/client-messages.js';
export type { HistorySecret } from '../core/versions/history/signatures.js';

/**
 * Options of the tool loop for one call, in `providerOptions.kelivo`. Those that the tool loop has as well apply instead of
 * them. Functions and objects are passed by reference.
 */
export interface ToolLoopCallOptions extends CallFeatureOptions {
  /** Identifies the turn in the `journal` of the tool loop, so that another process can continue it. */
  turnId?: string;
  /**
   * Owner of the turn, a tenant or a user. It is part of every key of the turn, and signed into its approvals. Without a scope, a turn id is a secret:
   * whoever knows it can read the turn.
   * @default the `scope` function of the journal, else none
   */
  scope?: string;
  /**
   * The step function of a workflow engine, for turns that survive the process. It is called around the tool listing, each
   * round and each call, with names that are unique in the turn; everything between two steps is repeated by the engine.
   * It is passed by reference.
   */
  step?: ToolLoopStep;
  /**
   * A value of the application, for example its user. `approve`, `onEvent`, `onElicitation`, `onSampling`, local tools and
   * the logger receive it by reference. It is never sent to a server.
   */
  context?: unknown;
  /**
   * The value of `toolApproval` of `ai` 7, which asks it only about tools that the host runs: a function, or statuses by
   * tool name. `denied` refuses a call, `user-approval` requests approval, `approved` runs it regardless of the policy, and
   * without a status the policy of the tool loop applies. Under the original name of a tool, `approved` does not count,
   * because the tool of another server may have the same name. It is passed by reference.
   */
  toolApproval?: ToolApproval;
  /**
   * Messages of the user that arrive during the turn: the result of `createSteering()`, or of `experimental_createSteering()`
   * of `ai` 7. It belongs to one turn, and is passed by reference.
   * @default none
   */
  steering?: Steering | Pick<object, never>;
}

/**
 * Returns options of one call with the type that hosts require: they accept only JSON as provider options, but pass
 * functions and other values by reference.
 *
 * @example
 * ```ts
 * providerOptions: { kelivo: { ...toolLoopCallOptions({ step }), reasoningEffort: 'low' } },
 * ```
 */
export const toolLoopCallOptions = (options: ToolLoopCallOptions): Record<string, JSONValue> =>
  ({ ...options }) as Record<string, JSONValue>;
