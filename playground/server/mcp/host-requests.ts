import type { McpRequestContext, McpToolsOptions } from 'kelivo-responses/mcp';
import type { PendingRequest } from '../../shared/mcp-inspection.js';
import type { RequestDesk } from './request-desk.js';

type Callbacks = Required<Pick<McpToolsOptions, 'onElicitation' | 'onSampling'>>;

/** Callbacks that need nothing but the call of a request, and a signal that withdraws it. */
export type HostRequests = {
  readonly [Name in keyof Callbacks]: (
    params: Parameters<Callbacks[Name]>[0],
    context: Pick<McpRequestContext, 'signal' | 'toolCallId'>,
  ) => Promise<Awaited<ReturnType<Callbacks[Name]>>>;
};

/**
 * Shows the requests of a server to the user.
 *
 * @param toPlace Returns what the page shows about the call of a request.
 */
export function createHostRequests(
  desk: RequestDesk,
  toPlace: (toolCallId: string | undefined) => Pick<PendingRequest, 'server' | 'toolCallId' | 'toolName'>,
): HostRequests {
  return {
    async onElicitation(params, { signal, toolCallId }) {
      const kind = params.mode === 'url' ? 'url' : 'form';
      const { action, content } = await desk.ask({ kind, params, ...toPlace(toolCallId) }, { signal });
      if (action !== 'accept' || typeof content !== 'object') return { action };
      return { action, content: content as Record<string, string | number | boolean | string[]> };
    },
    async onSampling(params, { signal, toolCallId }) {
      const {
        action,
        content,
        model = 'user',
      } = await desk.ask({ kind: 'sampling', params, ...toPlace(toolCallId) }, { signal });
      if (action !== 'accept') throw new Error('The user rejected the request for a completion.');
      const text = typeof content === 'string' ? content : '';
      return { role: 'assistant', model, stopReason: 'endTurn', content: { type: 'text', text } };
    },
  };
}
