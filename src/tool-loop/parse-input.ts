import { jsonrepair } from 'jsonrepair';

export type ParsedInput =
  { success: true; input: Record<string, unknown> } | { success: false; message: string };

/**
 * The arguments of a call as an object. No arguments are `{}`; JSON with a slip (a missing bracket, single quotes) is
 * repaired; anything else is told to the model.
 */
export function parseInput(text: string, toolName: string): ParsedInput {
  if (text.trim() === '') return { success: true, input: {} };
  const value = parse(text) ?? parse(text, jsonrepair);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { success: true, input: value as Record<string, unknown> };
  }
  return {
    success: false,
    message: `Invalid arguments for tool "${toolName}": expected a JSON object, got ${excerpt(text)}.`,
  };
}

/**
 * The arguments of a call as the JSON of an object. `ai@5` takes a call whose input it cannot parse for one of its own,
 * and goes on with a step that nobody asked for.
 */
export function toValidJson({ input, toolName }: { input: string; toolName: string }): string {
  const parsed = parseInput(input, toolName);
  return JSON.stringify(parsed.success ? parsed.input : {});
}

function parse(text: string, repair: (text: string) => string = same => same): unknown {
  try {
    return JSON.parse(repair(text));
  } catch {
    return undefined;
  }
}

const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
