import type { JSONSchema7 } from '@ai-sdk/provider';
import { parseToolArguments } from '../tool-calls/tool-arguments.js';
import { readJson } from '../tool-calls/json-repair.js';

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
    : { success: false, message: `Invalid arguments for tool "${toolName}": ${parsed.fault}.` };
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
