import type { JSONValue, LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';

/**
 * How a call that the host does not run shows in its stream.
 *
 * - `full`: call and result, marked provider-executed.
 * - `result`: input and result without the call part. `ai@5` breaks on provider-executed calls of a tool that it does
 *   not know, and takes this form in streams (vercel/workflow#628); `generateText` does not.
 * - `none`: nothing. `ai@6` and `ai@7` refuse any tool part where the tool choice was `none`.
 */
export type ToolPartsMode = 'full' | 'result' | 'none';

/** A call that was run for the host. */
export interface ProviderExecutedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as JSON text. */
  readonly input: string;
  readonly providerMetadata?: SharedV2ProviderMetadata;
}

export interface ProviderExecutedResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: NonNullable<JSONValue>;
  readonly isError: boolean;
}

/** Makes the parts of provider-executed calls, as far as the host is to see them. */
export interface ProviderToolParts {
  inputStart(toolCallId: string, toolName: string): LanguageModelV2StreamPart[];
  inputDelta(toolCallId: string, toolName: string, delta: string): LanguageModelV2StreamPart[];
  inputEnd(toolCallId: string, toolName: string): LanguageModelV2StreamPart[];
  call(call: ProviderExecutedCall): LanguageModelV2StreamPart[];
  result(result: ProviderExecutedResult): LanguageModelV2StreamPart[];
}

export function createProviderToolParts(
  visibilityOf: (toolName: string) => ToolPartsMode,
): ProviderToolParts {
  const unless = (hidden: ToolPartsMode, toolName: string, part: LanguageModelV2StreamPart) => {
    const visibility = visibilityOf(toolName);
    return visibility === 'none' || visibility === hidden ? [] : [part];
  };

  return {
    inputStart: (id, toolName) =>
      unless('none', toolName, { type: 'tool-input-start', id, toolName, providerExecuted: true }),
    inputDelta: (id, toolName, delta) => unless('none', toolName, { type: 'tool-input-delta', id, delta }),
    inputEnd: (id, toolName) => unless('none', toolName, { type: 'tool-input-end', id }),
    call: call => unless('result', call.toolName, { type: 'tool-call', ...call, providerExecuted: true }),
    result: ({ isError, ...result }) =>
      unless('none', result.toolName, {
        type: 'tool-result',
        ...result,
        ...(isError && { isError }),
        providerExecuted: true,
      }),
  };
}
