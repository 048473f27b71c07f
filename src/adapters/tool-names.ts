import { withChanges } from '../core/source.js';
import { normalizeToolName } from '../tool-calls/tool-names.js';
import { createMiddleware } from './middleware.js';

/** Restores the declared names of tools that are called with extra characters around the name. */
export const toolNamesMiddleware = createMiddleware({
  wrap: model =>
    withChanges(model, ({ tools = [] }) => {
      const declared = new Set(tools.map(({ name }) => name));
      if (declared.size === 0) return {};
      return {
        response: {
          part(part, emit) {
            if (!('toolName' in part)) return emit(part);
            const toolName = normalizeToolName(part.toolName, declared) ?? part.toolName;
            emit(toolName === part.toolName ? part : { ...part, toolName });
          },
        },
      };
    }),
});
