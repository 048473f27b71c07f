/* The hosted tools, one line each. The mappings are derived from this list; `index.ts` adds the factories. */
export { applyPatchTool } from './apply-patch.js';
export { codeInterpreterTool } from './code-interpreter.js';
export { computerTool } from './computer.js';
export { customTool } from './custom.js';
export { fileSearchTool } from './file-search.js';
export { imageGenerationTool } from './image-generation.js';
export { localShellTool } from './local-shell.js';
export { mcpApprovalTool, mcpTool } from './mcp.js';
export { programmaticToolCallingTool } from './programmatic-tool-calling.js';
export { shellTool } from './shell.js';
export { toolSearchTool } from './tool-search.js';
export { webSearchTool } from './web-search.js';
