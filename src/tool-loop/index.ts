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
export type { HostApprovalOptions } from './approvals/approval-ids.js';
export type { UnknownOutcomePolicy } from './calls/call-execution.js';
export { toolLoopCallOptions, type ToolLoopCallOptions, type ToolLoopOptions } from './options.js';
export { type ProviderRunTools, runInProvider } from './run-in-provider.js';
export type { RoundUsage, ToolLoopEvent } from './turn/turn-reports.js';
export type { ToolLoopJournal, ToolLoopStep } from './durable/steps.js';
export { toolLoopMiddleware, withToolLoop } from './tool-loop.js';
