import { applyPatch } from './apply-patch.js';
import { codeInterpreter } from './code-interpreter.js';
import { computer, computerUse } from './computer.js';
import { custom } from './custom.js';
import { fileSearch } from './file-search.js';
import { imageGeneration } from './image-generation.js';
import { localShell } from './local-shell.js';
import { mcp } from './mcp.js';
import { mcpApproval } from './mcp-approval.js';
import { programmaticToolCalling } from './programmatic-tool-calling.js';
import { shell } from './shell.js';
import { toolSearch } from './tool-search.js';
import { webSearch, webSearchPreview } from './web-search.js';

/** The tools that the official provider for `ai@5` has no factory for, and those that no official provider has. */
export const hostedToolKinds = {
  applyPatch,
  computer,
  computerUse,
  custom,
  mcp,
  mcpApproval,
  programmaticToolCalling,
  shell,
  toolSearch,
};

/** The tools of the official provider for `ai@7`, under its names. */
export const officialToolKinds = {
  applyPatch,
  codeInterpreter,
  computer,
  customTool: custom,
  fileSearch,
  imageGeneration,
  localShell,
  mcp,
  programmaticToolCalling,
  shell,
  toolSearch,
  webSearch,
  webSearchPreview,
};
