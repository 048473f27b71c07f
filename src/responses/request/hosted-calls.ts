import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Prompt,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import type { HostedToolReplay, ReplayContext, ToContent } from '../hosted-tools/hosted-tool.js';
import { replayOf, type ServerTool, serverToolOf } from '../hosted-tools/index.js';
import { once } from '../../shared/settings.js';
import type { HostedInputItem } from '../wire.js';

/** Converts the calls and outputs of one prompt that belong to hosted tools. */
export interface HostedCalls {
  /** Returns the item of a call, or no item if it is left out. Undefined if the call is sent as a function call. */
  toCall(part: LanguageModelV2ToolCallPart, context: ReplayContext): readonly HostedInputItem[] | undefined;
  /** Returns the item of an output, or no item if it is left out. Undefined if the call was sent as a function call. */
  toOutput(part: LanguageModelV2ToolResultPart): readonly HostedInputItem[] | undefined;
}

/**
 * Converts every call together with its output, because the API rejects a call whose output has another type. If a tool
 * cannot express one of the two, both are sent as those of a function. The calls must be paired already.
 */
export function createHostedCalls(
  prompt: LanguageModelV2Prompt,
  {
    replays,
    toContent,
    warn,
  }: {
    replays: ReadonlyMap<string, HostedToolReplay>;
    toContent: ToContent;
    warn: (message: string) => void;
  },
): HostedCalls {
  const results = once(() => {
    const byId = new Map<string, LanguageModelV2ToolResultPart>();
    for (const { role, content } of prompt) {
      if (role === 'tool') for (const part of content) byId.set(part.toolCallId, part);
    }
    return byId;
  });
  const lastResponse = prompt.findLast(message => message.role === 'assistant')?.content ?? [];
  const isInLastResponse = (part: LanguageModelV2ToolCallPart): boolean =>
    typeof lastResponse !== 'string' && lastResponse.some(other => other === part);

  /** Outputs of the calls that were converted, by call id. */
  const outputs = new Map<string, readonly HostedInputItem[] | undefined>();
  const replayOfPart = (
    part: LanguageModelV2ToolCallPart | LanguageModelV2ToolResultPart,
  ): HostedToolReplay | undefined =>
    replays.get(part.toolName) ?? (isApprovalRequest(part) ? replayOf(APPROVAL_ID) : undefined);

  return {
    toCall(part, context) {
      const replay = replayOfPart(part);
      outputs.set(part.toolCallId, undefined);
      if (replay === undefined) return undefined;
      const result = results().get(part.toolCallId);
      if (result === undefined) return undefined;
      const output = replay.toOutput(result, toContent);
      const call = output && replay.toCall(part, context);
      if (output === undefined || call === undefined) return undefined;
      if (replay.isSentOnce?.(output) === true && !isInLastResponse(part)) {
        warn(
          `The answered call ${part.toolCallId} of ${part.toolName} is not sent again, because the server would act on it.`,
        );
        outputs.set(part.toolCallId, []);
        return [];
      }
      outputs.set(part.toolCallId, [output]);
      return [call];
    },

    toOutput(part) {
      if (outputs.has(part.toolCallId)) return outputs.get(part.toolCallId);
      // The server has the call. Only the tool name shows what it was.
      const output = replayOfPart(part)?.toOutput(part, toContent);
      return output && [output];
    },
  };
}

const APPROVAL_ID = 'openai.mcp_approval_request';

/** Returns true for an approval request of a hosted MCP server, which a host may answer without declaring the tool. */
export const isApprovalRequest = ({ toolCallId }: { readonly toolCallId?: string }): boolean =>
  toolCallId !== undefined && APPROVAL_PREFIXES.some(prefix => toolCallId.startsWith(prefix));

const APPROVAL_PREFIXES = hostedCallNames.mcpApproval.idPrefixes.map(prefix => `${prefix}_`);

/** Returns the replay rules of the declared tools, by the names under which they are declared. */
export function toReplays(
  tools: LanguageModelV2CallOptions['tools'] = [],
): ReadonlyMap<string, HostedToolReplay> {
  return new Map(
    tools.flatMap(tool => {
      const replay = tool.type === 'function' ? undefined : replayOf(tool.id);
      return replay === undefined ? [] : [[tool.name, replay] as const];
    }),
  );
}

/** Returns the declared tools that the server executes, by the names under which they are declared. */
export function toServerTools(
  tools: LanguageModelV2CallOptions['tools'] = [],
): ReadonlyMap<string, ServerTool> {
  return new Map(
    tools.flatMap(tool => {
      const serverTool = tool.type === 'function' ? undefined : serverToolOf(tool.id);
      return serverTool === undefined ? [] : [[tool.name, serverTool] as const];
    }),
  );
}
