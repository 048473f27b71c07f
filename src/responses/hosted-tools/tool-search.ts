import * as z from 'zod/v4';
import { asJson, idOf, objectOf, type PlainObject } from '../../shared/json.js';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import type { HostedInputItem } from '../wire.js';
import {
  type HostedTool,
  presentItems,
  type ServerCall,
  toCallId,
  toItemId,
  toOutputObject,
} from './hosted-tool.js';
import { defineHostedTool } from './tool-factory.js';

export interface ToolSearchToolArguments {
  /**
   * Who searches: the API, or the host by the tool's `execute`.
   * @default 'server'
   */
  execution?: 'server' | 'client';
  /** Description of the search for the model, for searches of the host. */
  description?: string;
  /** JSON schema of the search's arguments, for searches of the host. */
  parameters?: Record<string, unknown>;
}

export interface ToolSearchInput {
  /** Arguments of the search: `{ paths }` for the API, those of `parameters` for the host. */
  arguments?: unknown;
  /** Id of the call; `null` if the API searches. */
  call_id?: string | null;
}

export interface ToolSearchOutput {
  /** Tools that the model can use from now on, in the form of the API. */
  tools: Record<string, unknown>[];
}

/**
 * Lets the model find tools that have `deferLoading: true`: functions in `providerOptions.openai`, hosted tools in their
 * arguments. With `execution: 'client'` the host searches, by `execute`.
 */
export const toolSearch = defineHostedTool<ToolSearchInput, ToolSearchOutput, ToolSearchToolArguments>()({
  id: 'openai.tool_search',
  name: 'tool_search',
  isProviderExecuted: false,
  toSchemas: () => ({
    inputSchema: z.object({ arguments: z.unknown(), call_id: z.string().nullish() }),
    outputSchema: z.object({ tools: z.array(z.record(z.string(), z.unknown())) }),
  }),
});

/** `tool_search`: the server or the host searches the deferred tools. */
export const toolSearchTool: HostedTool = {
  declarations: {
    'openai.tool_search': { type: 'tool_search', unchangedArguments: ['parameters'], choiceFields: [] },
  },
  items: {
    tool_search_call: {
      onlyIfDeclared: true,
      toolName: 'tool_search',
      callId: item => toCallId(item) ?? idOf(item.id),
      input: ({ arguments: args, call_id: callId }) => ({
        arguments: asJson(args ?? {}),
        call_id: asJson(callId ?? null),
      }),
      isForHost: ({ execution }) => execution === 'client',
      result: () => undefined,
      resultFollows: true,
      metadata: toItemId,
    },
    tool_search_output: {
      onlyIfDeclared: true,
      toolName: 'tool_search',
      resultOf: toCallId,
      result: ({ tools }) => ({ tools: asJson(tools ?? []) }),
      metadata: toItemId,
    },
  },
  replay: {
    toCall({ toolCallId, input }, { itemId }): HostedInputItem | undefined {
      return toCallItem({ execution: 'client', callId: toolCallId, input, itemId });
    },

    toOutput(part): HostedInputItem | undefined {
      const tools = toOutputObject(part)?.tools;
      if (!Array.isArray(tools)) return undefined;
      const item = {
        type: 'tool_search_output',
        execution: 'client',
        call_id: part.toolCallId,
        status: 'completed',
        tools,
      };
      return item;
    },
  },
  serverReplay: toItems,
  history: hostedCallNames.toolSearch,
};

function toItems({
  id,
  input,
  result,
  options,
  resultOptions,
}: ServerCall): readonly HostedInputItem[] | undefined {
  const tools = objectOf(result)?.tools;
  const itemId = idOf(options.itemId) ?? id;
  const call =
    input === undefined ? undefined : toCallItem({ execution: 'server', callId: null, input, itemId });
  const outputId = idOf(resultOptions?.itemId);
  const output = Array.isArray(tools)
    ? {
        type: 'tool_search_output',
        ...(outputId !== undefined && { id: outputId }),
        execution: 'server',
        call_id: null,
        status: 'completed',
        tools: tools as unknown[],
      }
    : undefined;
  return presentItems(call, output);
}

function toCallItem({
  execution,
  callId,
  input,
  itemId,
}: {
  execution: 'server' | 'client';
  callId: string | null;
  input: unknown;
  itemId: string | undefined;
}): HostedInputItem {
  const { arguments: args } = objectOf(input) ?? ({} as PlainObject);
  const item = {
    type: 'tool_search_call',
    ...(itemId !== undefined && { id: itemId }),
    execution,
    call_id: callId,
    status: 'completed',
    arguments: args ?? {},
  };
  return item;
}
