import type { JSONObject, JSONValue, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type { ToolOutput } from '../tools/tool-source.js';
import { isErrorOutput, type Outcome, type OwnedCall } from './owned-call.js';

/**
 * How the loop's own calls show in the host's stream.
 *
 * - `full`: call and result, marked provider-executed.
 * - `result`: input and result without the call part. `ai@5` breaks on provider-executed calls of a tool that it does
 *   not know, and takes this form in streams (vercel/workflow#628); `generateText` does not.
 * - `none`: nothing. `ai@6` and `ai@7` refuse any tool part where the tool choice was `none`.
 */
export type Visibility = 'full' | 'result' | 'none';

export interface ToolSurface {
  inputStart(toolCallId: string, toolName: string): LanguageModelV2StreamPart[];
  inputDelta(toolCallId: string, toolName: string, delta: string): LanguageModelV2StreamPart[];
  inputEnd(toolCallId: string, toolName: string): LanguageModelV2StreamPart[];
  call(call: OwnedCall): LanguageModelV2StreamPart[];
  result(outcome: Outcome): LanguageModelV2StreamPart[];
}

export function createToolSurface(visibilityOf: (toolName: string) => Visibility): ToolSurface {
  const unless = (hidden: Visibility, toolName: string, part: LanguageModelV2StreamPart) => {
    const visibility = visibilityOf(toolName);
    return visibility === 'none' || visibility === hidden ? [] : [part];
  };

  return {
    inputStart: (id, toolName) =>
      unless('none', toolName, { type: 'tool-input-start', id, toolName, providerExecuted: true }),
    inputDelta: (id, toolName, delta) => unless('none', toolName, { type: 'tool-input-delta', id, delta }),
    inputEnd: (id, toolName) => unless('none', toolName, { type: 'tool-input-end', id }),
    call: call => unless('result', call.toolName, { type: 'tool-call', ...call, providerExecuted: true }),
    result: ({ call: { toolCallId, toolName }, output }) =>
      unless('none', toolName, {
        type: 'tool-result',
        toolCallId,
        toolName,
        result: toResult(output),
        ...(isErrorOutput(output) && { isError: true }),
        providerExecuted: true,
      }),
  };
}

/**
 * An output as the JSON value that hosts keep and show. Content of several parts takes MCP's own form, which chat
 * applications know how to render, and which becomes content again when the history comes back.
 */
export function toResult(output: ToolOutput): NonNullable<JSONValue> {
  switch (output.type) {
    case 'content':
      return {
        content: output.value.map((part): JSONObject => {
          if (part.type === 'text') return { type: 'text', text: part.text };
          const { mediaType, data } = part;
          return { type: mediaType.startsWith('audio/') ? 'audio' : 'image', data, mimeType: mediaType };
        }),
      };
    default:
      return output.value ?? '';
  }
}
