import type { JSONValue, LanguageModelV2StreamPart, SharedV2ProviderMetadata } from '@ai-sdk/provider';

/**
 * Parts that the host receives for a call that it does not run.
 *
 * - `full`: call and result, marked provider-executed.
 * - `result`: input and result without the call part. `ai@5` fails on provider-executed calls of undeclared tools, and
 *   accepts this in streams (vercel/workflow#628), but not in `generateText`.
 * - `none`: no parts. `ai@6` and `ai@7` reject all tool parts if the tool choice was `none`.
 */
export type ToolPartsMode = 'full' | 'result' | 'none';

/** A call that was run for the host. */
export interface ProviderExecutedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as JSON text. */
  readonly input: string;
  readonly providerMetadata?: SharedV2ProviderMetadata;
}

export interface ProviderExecutedResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: NonNullable<JSONValue>;
  readonly isError: boolean;
  readonly providerMetadata?: SharedV2ProviderMetadata;
}

/** Creates the parts of provider-executed calls that the host should receive. */
export interface ProviderToolParts {
  inputStart(toolCallId: string, toolName: string): LanguageModelV2StreamPart[];
  inputDelta(toolCallId: string, toolName: string, delta: string): LanguageModelV2StreamPart[];
  inputEnd(toolCallId: string, toolName: string): LanguageModelV2StreamPart[];
  call(call: ProviderExecutedCall): LanguageModelV2StreamPart[];
  result(result: ProviderExecutedResult): LanguageModelV2StreamPart[];
}

export function createProviderToolParts(modeOf: (toolName: string) => ToolPartsMode): ProviderToolParts {
  const unless = (hidden: ToolPartsMode, toolName: string, part: LanguageModelV2StreamPart) => {
    const mode = modeOf(toolName);
    return mode === 'none' || mode === hidden ? [] : [part];
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
