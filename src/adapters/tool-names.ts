import { normalizeToolName } from '../tool-calls/tool-names.js';
import { rewriteMiddleware } from './middleware.js';

/** Restores the declared names of tools that are called with extra characters around the name. */
export const toolNamesMiddleware = rewriteMiddleware(({ tools = [] }) => {
  const declared = new Set(tools.map(({ name }) => name));
  if (declared.size === 0) return {};
  return {
    rewrite(part) {
      if (!('toolName' in part) || typeof part.toolName !== 'string') return part;
      const toolName = normalizeToolName(part.toolName, declared) ?? part.toolName;
      return toolName === part.toolName ? part : { ...part, toolName };
    },
  };
});
