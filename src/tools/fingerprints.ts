import { isPlainObject } from '../core/shared/json.js';
import type { ToolDefinition } from './tool-source.js';

/** Fingerprints of tools, by the name of the server and the server's own name of the tool. */
export type McpFingerprints = Readonly<Record<string, Readonly<Record<string, string>>>>;

type Definition = Pick<ToolDefinition, 'description' | 'inputSchema' | 'metadata' | 'title'>;

/** Returns canonical JSON. A missing value is written as in `ai` 7, whose fingerprints are equal. */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (!isPlainObject(value)) return String(JSON.stringify(value));
  const fields = Object.keys(value)
    .toSorted()
    .map(key => `${JSON.stringify(key)}:${toCanonicalJson(value[key])}`);
  return `{${fields.join(',')}}`;
}

/** Returns the fields of a tool on which the model and a person who approves its calls rely. */
const toDefinitionText = ({
  description,
  inputSchema,
  metadata,
  title = metadata?.title,
}: Definition): string =>
  toCanonicalJson({
    description: description === undefined ? { type: 'none' } : { type: 'string', value: description },
    inputSchema,
    title,
  });

/** Returns true if two listings describe a tool in the same way. */
export const isSameDefinition = (a: Definition, b: Definition): boolean =>
  a === b || toDefinitionText(a) === toDefinitionText(b);

/** Returns the fingerprint of a tool, which equals that of `fingerprintTools` of `ai` 7: SHA-256 as base64url. */
export async function toFingerprint(tool: Definition): Promise<string> {
  const text = new TextEncoder().encode(toDefinitionText(tool));
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
