import type { CoreCall } from '../core/call.js';
import type { PartTransformer } from '../core/source.js';
import { objectOf, stringOf, tryParseJson } from '../shared/json.js';
import { APPROVAL_TOOL } from './read.js';

/**
 * Reads the calls of the approval tool of a model without approval requests as the call and the request that they express.
 */
export function createApprovalReader({ tools = [] }: Pick<CoreCall, 'tools'>): PartTransformer {
  // A tool of the application may have the same name.
  const isFunction = tools.some(({ type, name }) => type === 'function' && name === APPROVAL_TOOL.name);
  const inputs = new Set<string>();
  return {
    part(part, emit) {
      if (isFunction) return emit(part);
      switch (part.type) {
        case 'tool-input-start':
          if (part.toolName !== APPROVAL_TOOL.name || part.providerExecuted === true) return emit(part);
          // The complete input follows with the request.
          inputs.add(part.id);
          return;
        case 'tool-input-delta':
        case 'tool-input-end':
          return inputs.has(part.id) ? undefined : emit(part);
        case 'tool-call': {
          if (part.toolName !== APPROVAL_TOOL.name || part.providerExecuted === true) return emit(part);
          const { serverLabel, name, arguments: args = {} } = objectOf(tryParseJson(part.input)) ?? {};
          const { toolCallId, own } = part;
          emit({
            ...part,
            toolName: `mcp.${stringOf(name)}`,
            input: typeof args === 'string' ? args : JSON.stringify(args),
            providerExecuted: true,
            dynamic: true,
            own: { ...own, approvalFor: stringOf(serverLabel) },
          });
          return emit({ type: 'tool-approval-request', approvalId: toolCallId, toolCallId });
        }
        default:
          return emit(part);
      }
    },
  };
}
