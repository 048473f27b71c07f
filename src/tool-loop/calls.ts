import type { JSONSchema7, SharedV2ProviderMetadata } from '@ai-sdk/provider';
import type { ToolOutput } from '../tools/tool-source.js';
import { parseToolArguments } from '../tool-calls/tool-arguments.js';
import { readJson } from '../tool-calls/json-repair.js';

/** A call of a tool that the loop runs. */
export interface LoopCall {
  /** Unique over the whole conversation. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** The arguments as the model wrote them. */
  readonly input: string;
  readonly providerMetadata?: SharedV2ProviderMetadata;
}

/** What became of a call. */
export interface CallOutcome {
  readonly call: LoopCall;
  readonly output: ToolOutput;
  /** Milliseconds from the tool's start to its end; 0 for a call that was not started. */
  readonly duration: number;
}

export const isErrorOutput = (output: ToolOutput): boolean =>
  output.type === 'error-text' || output.type === 'error-json';

export type ParsedInput =
  { success: true; input: Record<string, unknown> } | { success: false; message: string };

/** The arguments of a call as an object. What cannot be read as one, even repaired, is told to the model. */
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
 * The arguments of a call as the JSON of an object. `ai@5` takes a call whose input it cannot parse for one of its own,
 * and goes on with a step that nobody asked for.
 */
export function toValidJson(input: string, { schema }: { schema?: JSONSchema7 } = {}): string {
  const parsed = parseToolArguments(input, { schema });
  return parsed.success ? parsed.json : '{}';
}

/** Whether the text can be taken for arguments as it is. */
export const isWholeJson = (text: string): boolean => text.trim() === '' || readJson(text) !== undefined;
