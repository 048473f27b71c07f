/** Keywords that OpenAI's strict mode takes; a schema with others is refused as a whole. */
const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'description',
  'title',
  '$schema',
  '$defs',
  '$ref',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'pattern',
]);

/**
 * Whether a schema satisfies strict mode: each object closed, with all its properties required, and no keyword that
 * strict mode does not know. Schemas of MCP servers rarely do.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false;
  const { properties, required, additionalProperties, items, anyOf, $defs } = schema as Record<
    string,
    unknown
  >;
  if (!Object.keys(schema).every(keyword => STRICT_KEYWORDS.has(keyword))) return false;
  const { type } = schema as { type?: unknown };
  if (type === 'object' || properties !== undefined) {
    const names = Object.keys(properties ?? {});
    const isComplete = Array.isArray(required) && names.every(name => required.includes(name));
    if (additionalProperties !== false || !isComplete) return false;
  }
  const inner = [
    ...Object.values(properties ?? {}),
    ...Object.values($defs ?? {}),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items === undefined ? [] : [items]),
  ];
  return inner.every(isStrictSchema);
}
