import * as z from 'zod/v4';
import { asJson, idOf, objectOf, type PlainObject } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import {
  type HostedTool,
  presentItems,
  type SentItem,
  type ServerCall,
  toCallId,
  toItemId,
  toOutputObject,
  defineHostedTool,
} from './hosted-tool.js';

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

export const toolSearchTool: HostedTool = {
  declarations: {
    'openai.tool_search': { type: 'tool_search', unchangedArguments: ['parameters'], choiceFields: [] },
  },
  items: {
    tool_search_call: {
      onlyIfDeclared: true,
      toolName: 'tool_search',
      callId: item => toCallId(item) ?? idOf(item.id),
      input: item => ({
        arguments: asJson(item.arguments ?? {}),
        call_id: asJson(item.call_id ?? null),
      }),
      isForHost: item => item.execution === 'client',
      result: () => undefined,
      resultFollows: true,
      metadata: toItemId,
    },
    tool_search_output: {
      onlyIfDeclared: true,
      toolName: 'tool_search',
      resultOf: toCallId,
      result: item => ({ tools: asJson(item.tools ?? []) }),
      metadata: toItemId,
    },
  },
  replay: {
    toCall: (part, context) =>
      toCallItem(part.input, { execution: 'client', callId: part.toolCallId, id: context.itemId }),

    toOutput: (part): SentItem | undefined =>
      toOutputItem(toOutputObject(part), { execution: 'client', callId: part.toolCallId, id: undefined }),
  },
  serverReplay: toItems,
  history: hostedCallNames.toolSearch,
};

function toItems(serverCall: ServerCall): readonly SentItem[] | undefined {
  const origin = { execution: 'server', callId: null } as const;
  const call =
    serverCall.input === undefined
      ? undefined
      : toCallItem(serverCall.input, { ...origin, id: idOf(serverCall.options.itemId) ?? serverCall.id });
  return presentItems(
    call,
    toOutputItem(objectOf(serverCall.result), { ...origin, id: idOf(serverCall.resultOptions?.itemId) }),
  );
}

interface SearchOrigin {
  readonly execution: 'server' | 'client';
  readonly callId: string | null;
  readonly id: string | undefined;
}

const toCallItem = (input: unknown, { execution, callId, id }: SearchOrigin): SentItem => ({
  type: 'tool_search_call',
  ...(id !== undefined && { id }),
  execution,
  call_id: callId,
  status: 'completed',
  arguments: objectOf(input)?.arguments ?? {},
});

const toOutputItem = (
  result: PlainObject | undefined,
  { execution, callId, id }: SearchOrigin,
): SentItem | undefined =>
  Array.isArray(result?.tools)
    ? {
        type: 'tool_search_output',
        ...(id !== undefined && { id }),
        execution,
        call_id: callId,
        status: 'completed',
        tools: result.tools,
      }
    : undefined;
