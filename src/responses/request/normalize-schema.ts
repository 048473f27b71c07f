/**
 * Makes a tool's schema one the API accepts: of type `object`, with `properties`, without `$schema`. MCP servers
 * send `{}`, nothing or `type: null` for a tool without arguments. Everything else stays as it is.
 */
export function normalizeSchema(schema: unknown): object {
  if (!isObject(schema)) return emptySchema();
  const { $schema: _, ...rest } = schema;
  const hasProperties = isObject(rest.properties);
  const isObjectSchema = rest.type === undefined || [rest.type].flat().includes('object');
  if (!isObjectSchema && !hasProperties) return emptySchema();
  return { ...rest, type: 'object', properties: hasProperties ? rest.properties : {} };
}

function emptySchema(): object {
  return { type: 'object', properties: {} };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
