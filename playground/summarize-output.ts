/** What a tool gave, in a few words. Pictures and sounds are named, not shown. */
export function summarizeOutput(
  output: unknown,
  { maxCharacters = 160 }: { maxCharacters?: number } = {},
): string {
  const text = toText(output).replace(/\s+/g, ' ').trim();
  const characters = [...text];
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters).join('')}…` : text;
}

function toText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (output instanceof Error) return output.message;
  const parts = isRecord(output) && Array.isArray(output.content) ? output.content : undefined;
  if (parts === undefined) return JSON.stringify(output) ?? String(output);
  return parts.map(part => (isRecord(part) ? toPartText(part) : String(part))).join(' ');
}

const toPartText = ({ type, text, mimeType }: Record<string, unknown>): string =>
  typeof text === 'string'
    ? text
    : `[${[type, mimeType].filter(value => typeof value === 'string').join(' ')}]`;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
