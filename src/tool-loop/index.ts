export { createLocalTools, type LocalTool, type LocalTools } from '../tools/local-tools.js';
export type {
  ToolCallOptions,
  ToolDefinition,
  ToolInvocation,
  ToolListing,
  ToolOutput,
  ToolSource,
} from '../tools/tool-source.js';
export { createToolbox } from '../tools/toolbox.js';
export type { ToolLoopEvent, ToolLoopOptions } from './options.js';
export { toolLoopMiddleware } from './tool-loop-middleware.js';
export { withToolLoop } from './with-tool-loop.js';
