/**
 * Assembles and repairs the tool calls of a stream, for any server.
 *
 * @module kelivo-responses/tool-calls
 */
export type { ToolCallFragment } from './pipeline.js';
export {
  type FailedToolCall,
  type ProcessedToolCall,
  ToolCallPipeline,
  type ToolCallPipelineOptions,
  type ToolCallPipelineResult,
} from './pipeline.js';
export { type ParsedToolArguments, parseToolArguments, repairToolCall } from './tool-arguments.js';
