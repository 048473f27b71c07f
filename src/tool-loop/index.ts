export {
  createLocalTools,
  type LocalTool,
  type LocalToolCallOptions,
  type LocalTools,
  type LocalToolsOptions,
  type ToolInput,
} from '../tools/local-tools.js';
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
export type { ToolStub, ToolStubsOptions } from '../tools/tool-stubs.js';
export { createToolbox } from '../tools/toolbox.js';
export type { ApprovalDecision, ApprovalStatus, StatedAnnotations } from '../tools/approval.js';
export type { ApprovalRequest, Approvals, Approve, ToolApproval } from './approvals/approvals.js';
export type { HostApprovalOptions } from './approvals/host-approvals.js';
export {
  createSteering,
  type Steering,
  type SteeringNotDeliveredReason,
  type SteeringOutcome,
} from './context/steering.js';
export type { UnknownOutcomePolicy } from './calls/call-execution.js';
export { toolLoopCallOptions, type ToolLoopCallOptions } from './call-options.js';
export type { ToolLoopOptions } from './options.js';
export { type ProviderRunTools, runInProvider } from './tool-loop.js';
export type { PrepareRound, RoundSettings, StopCondition } from './context/round-control.js';
export type { RoundUsage } from '../core/finish.js';
export { continueTurn, type PartialTurn, partialTurnOf } from './turn/partial-turn.js';
export type { ToolLoopEvent } from './turn/turn-reports.js';
export type { ToolLoopJournal, ToolLoopStep } from './durable/steps.js';
export { toolLoopMiddleware, withToolLoop } from './tool-loop.js';
