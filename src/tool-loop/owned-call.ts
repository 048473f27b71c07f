import type { SharedV2ProviderMetadata } from '@ai-sdk/provider';
import type { ToolOutput } from '../tools/tool-source.js';

/** A call of a tool that the loop runs. */
export interface OwnedCall {
  /** Unique over the whole conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: SharedV2ProviderMetadata;
}

/** What became of a call. */
export interface Outcome {
  readonly call: OwnedCall;
  readonly output: ToolOutput;
  /** Milliseconds from the tool's start to its end; 0 for a call that was not started. */
  readonly duration: number;
}

export const isErrorOutput = (output: ToolOutput): boolean =>
  output.type === 'error-text' || output.type === 'error-json';
