import type { JSONSchema7, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import { isWholeJson } from '../shared/json.js';
import { parseToolArguments } from '../tool-calls/tool-arguments.js';
import type { ToolDefinition, ToolOutput } from '../tools/tool-source.js';

/** A call of a tool that the loop runs. */
export interface LoopCall {
  /** Unique in the conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: SharedV2ProviderMetadata;
}

/** A finished call with its output. */
export interface CallOutcome {
  readonly call: LoopCall;
  /** Undefined if no tool has the name that the model called. */
  readonly tool: ToolDefinition | undefined;
  readonly output: ToolOutput;
  /** Milliseconds from the tool's start to its end; 0 for a call that did not start. */
  readonly duration: number;
}

export const isErrorOutput = (output: ToolOutput): boolean =>
  output.type === 'error-text' || output.type === 'error-json';

export type ParsedInput =
  { success: true; input: Record<string, unknown> } | { success: false; message: string };

/** Parses the arguments of a call. Arguments that cannot be read or repaired produce an error message for the model. */
export function parseInput(
  text: string,
  { toolName, schema }: { toolName: string; schema?: JSONSchema7 },
): ParsedInput {
  const parsed = parseToolArguments(text, { schema });
  return parsed.success
    ? { success: true, input: parsed.input }
    : { success: false, message: `Invalid arguments for tool "${toolName}": ${parsed.reason}.` };
}

/**
 * Returns the arguments of a call as a JSON object, or `{}` if they cannot be read. `ai@5` treats a call with invalid
 * JSON as a call of the host and starts an additional step.
 */
export function toValidJson(input: string, { schema }: { schema?: JSONSchema7 } = {}): string {
  const parsed = parseToolArguments(input, { schema });
  return parsed.success ? parsed.json : '{}';
}

/** Returns true if the arguments are valid JSON without repair, or empty. */
export const isWholeInput = (text: string): boolean => text.trim() === '' || isWholeJson(text);
