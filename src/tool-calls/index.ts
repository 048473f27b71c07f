/**
 * Assembles and repairs the tool calls of a stream, for any server.
 *
 * @module kelivo-responses/tool-calls
 */
export { type ContinuationOptions, isContinuation } from './call-pairing.js';
export { normalizeToolName } from './tool-names.js';
export {
  type ParsedToolArguments,
  parseToolArguments,
  type ParseToolArgumentsOptions,
} from './tool-arguments.js';
export { type RepairableToolCall, repairToolCall, type RepairToolCallOptions } from './repair-tool-call.js';
export { type CollectedToolCall, ToolCallCollector, type ToolCallFragment } from './collector.js';
export { ToolCallPipeline, type ToolCallPipelineResult, type ToolCallStats } from './pipeline.js';
export {
  type DeclaredTool,
  type FailedToolCall,
  type ProcessedToolCall,
  type ToolCallChange,
  ToolCallProcessor,
  type ToolCallProcessorOptions,
} from './pipeline.js';
