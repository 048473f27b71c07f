/** Indents a body that is JSON. Its text as it came is in the tab of the response. */
export function formatBody(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), shortenOpaque, 2);
  } catch {
    return text;
  }
}

/** Longer texts without a space, such as encrypted reasoning, say nothing to a person. */
const MAX_OPAQUE = 200;

const shortenOpaque = (_name: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_OPAQUE && !/\s/.test(value)
    ? `${value.slice(0, 40)}… (${value.length} characters)`
    : value;
