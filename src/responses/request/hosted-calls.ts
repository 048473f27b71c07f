import type {
  LanguageModelV2CallOptions,
  LanguageModelV2Prompt,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import type { HostedToolReplay, ReplayContext, ToContent } from '../hosted-tools/hosted-tool.js';
import { replayOf, type ServerTool, serverToolOf } from '../hosted-tools/index.js';
import type { HostedInputItem } from '../wire.js';

/** Converts the calls and outputs of one prompt that belong to hosted tools. */
export interface HostedCalls {
  /** Returns the item of a call. Undefined if the call is sent as a function call. */
  toCall(part: LanguageModelV2ToolCallPart, context: ReplayContext): HostedInputItem | undefined;
  /** Returns the item of an output. Undefined if the call was sent as a function call. */
  toOutput(part: LanguageModelV2ToolResultPart): HostedInputItem | undefined;
}

/**
 * Converts every call together with its output, because the API rejects a call whose output has another type. If a tool
 * cannot express one of the two, both are sent as those of a function. The calls must be paired already.
 */
export function createHostedCalls(
  prompt: LanguageModelV2Prompt,
  { replays, toContent }: { replays: ReadonlyMap<string, HostedToolReplay>; toContent: ToContent },
): HostedCalls {
  const results = new Map<string, LanguageModelV2ToolResultPart>();
  for (const { role, content } of prompt) {
    if (role === 'tool') for (const part of content) results.set(part.toolCallId, part);
  }
  const lastResponse = prompt.findLast(message => message.role === 'assistant')?.content ?? [];
  const isInLastResponse = (part: LanguageModelV2ToolCallPart): boolean =>
    typeof lastResponse !== 'string' && lastResponse.some(other => other === part);

  /** Outputs of the calls that were converted, by call id. */
  const outputs = new Map<string, HostedInputItem | undefined>();

  return {
    toCall(part, context) {
      const replay = replays.get(part.toolName);
      const result = results.get(part.toolCallId);
      outputs.set(part.toolCallId, undefined);
      if (replay === undefined || result === undefined) return undefined;
      if (replay.isSentOnce === true && !isInLastResponse(part)) return undefined;
      const output = replay.toOutput(result, toContent);
      const call = output && replay.toCall(part, context);
      if (call !== undefined) outputs.set(part.toolCallId, output);
      return call;
    },

    toOutput(part) {
      if (outputs.has(part.toolCallId)) return outputs.get(part.toolCallId);
      // The server has the call. Only the tool name shows what it was.
      return replays.get(part.toolName)?.toOutput(part, toContent);
    },
  };
}

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
