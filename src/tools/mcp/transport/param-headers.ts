import { isPlainObject, objectOf, type PlainObject } from '../../../core/shared/json.js';
import { subschemasOf } from '../../../core/tool-calls/json-schema.js';

/*
 * Arguments that are repeated as HTTP headers, so that gateways can route a call without reading its body. A property
 * of the input schema requests it with `x-mcp-header`.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 *
 * Corrects the MCP SDK (2.4.0): only its `callTool` sends these headers, and only for tools that its `listTools` has read.
 * Requests that read the server's own result (messages.ts) have none. Test of the bare SDK: "arguments are not repeated as
 * headers in a request with another schema" in test/tools/mcp/sdk-corrections.test.ts.
 */

/** An argument that is repeated as a header. */
interface ParamHeader {
  /** Names of the properties from the arguments to the value. */
  readonly path: readonly string[];
  /** The name without the prefix `Mcp-Param-`. */
  readonly name: string;
}

/** Names the header in the schema of a property. */
export const paramHeaderKeyword = 'x-mcp-header';

/** A token of RFC 9110, section 5.6.2. */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Describes the first header that a schema requests in a way that the specification forbids. */
export function findParamHeaderIssue(inputSchema: unknown): string | undefined {
  const names = new Set<string>();
  const remaining = [{ schema: inputSchema, isReachable: false, isRoot: true }];
  for (let next = remaining.pop(); next; next = remaining.pop()) {
    const { schema, isReachable, isRoot } = next;
    if (isPlainObject(schema) && paramHeaderKeyword in schema) {
      const name = schema[paramHeaderKeyword];
      if (!isReachable) return `"${paramHeaderKeyword}" outside of plain properties`;
      if (typeof name !== 'string' || !token.test(name)) return `an invalid name in "${paramHeaderKeyword}"`;
      if (!headerTypes.includes(schema.type))
        return `"${paramHeaderKeyword}" on a property that is not of the type string, integer or boolean`;
      if (names.has(name.toLowerCase())) return `the same "${paramHeaderKeyword}" on two properties`;
      names.add(name.toLowerCase());
    }
    for (const { path, schema: inner } of subschemasOf(schema)) {
      const isProperty = path[0] === 'properties';
      remaining.push({ schema: inner, isReachable: isProperty && (isRoot || isReachable), isRoot: false });
    }
  }
  return undefined;
}

/** Returns the headers for a call. A missing value has none, and neither has a value of another type. */
export function toParamHeaders(inputSchema: unknown, input: PlainObject): Record<string, string> {
  return Object.fromEntries(
    listParamHeaders(inputSchema).flatMap(header => {
      const value = header.path.reduce<unknown>((outer, key) => readOwn(outer, key), input);
      const isWritable =
        typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
      return isWritable ? [[`Mcp-Param-${header.name}`, toFieldValue(String(value))]] : [];
    }),
  );
}

const readOwn = (value: unknown, key: string): unknown =>
  isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

function listParamHeaders(schema: unknown, path: readonly string[] = []): ParamHeader[] {
  return Object.entries(objectOf(objectOf(schema)?.properties) ?? {}).flatMap(([key, property]) => {
    const inner = [...path, key];
    const name = objectOf(property)?.[paramHeaderKeyword];
    return [
      ...(typeof name === 'string' ? [{ path: inner, name }] : []),
      ...listParamHeaders(property, inner),
    ];
  });
}

/** Encodes a value that HTTP would change or reject. Visible ASCII without spaces at the ends stays readable. */
function toFieldValue(text: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  if (isPlain) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))}?=`;
}
