export interface JsonToken {
  readonly text: string;
  readonly kind: 'key' | 'string' | 'literal' | 'plain';
}

/** Returns the lines of a value as indented JSON, split into tokens of one colour. */
export function toJsonLines(value: unknown): JsonToken[][] {
  const json = JSON.stringify(value, null, 2) ?? String(value);
  return json.split('\n').map(toTokens);
}

/** A line has at most one key and one value. */
function toTokens(line: string): JsonToken[] {
  const [, indent = '', key, value = ''] = /^(\s*)("(?:[^"\\]|\\.)*": )?(.*)$/s.exec(line) ?? [];
  const tokens: JsonToken[] = [];
  if (indent !== '') tokens.push({ text: indent, kind: 'plain' });
  if (key !== undefined) tokens.push({ text: key, kind: 'key' });
  if (value !== '') tokens.push({ text: value, kind: toKind(value) });
  return tokens;
}

function toKind(value: string): JsonToken['kind'] {
  if (value.startsWith('"')) return 'string';
  return /^(-?\d|true|false|null)/.test(value) ? 'literal' : 'plain';
}
