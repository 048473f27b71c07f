import { jsonrepair } from 'jsonrepair';

export type ParsedInput =
  { success: true; input: Record<string, unknown> } | { success: false; message: string };

/**
 * The arguments of a call as an object. No arguments are `{}`; JSON with a slip (a missing bracket, single quotes) is
 * repaired; anything else is told to the model. Arguments that end within a text are cut, and half a path or half a
 * command must not run: they are not repaired.
 */
export function parseInput(text: string, toolName: string): ParsedInput {
  if (text.trim() === '') return { success: true, input: {} };
  const value = parse(text) ?? (endsInText(text) ? undefined : parse(text, jsonrepair));
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && canBeWritten(value, text)) {
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

/** Whether the text can be taken for arguments as it is. */
export const isWholeJson = (text: string): boolean => text.trim() === '' || parse(text) !== undefined;

function endsInText(text: string): boolean {
  let isInText = false;
  for (let index = 0; index < text.length; index++) {
    if (isInText && text[index] === '\\') index++;
    else if (text[index] === '"') isInText = !isInText;
  }
  return isInText;
}

/** Nesting that JSON can be read with, but not written, would end the turn rather than the call. */
function canBeWritten(value: unknown, text: string): boolean {
  if (text.length < 2000) return true;
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
