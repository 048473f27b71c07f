/** The arguments of a call as the JSON text of the wire. Nothing, or only white space, is `{}`. */
export function toArguments(input: unknown): string {
  if (input === undefined || input === null) return '{}';
  if (typeof input !== 'string') return JSON.stringify(input);
  if (input.trim() === '') return '{}';
  // A host keeps arguments that were no JSON as the text they were; some servers refuse a history with such.
  return isJsonObject(input) ? input : JSON.stringify(input);
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
