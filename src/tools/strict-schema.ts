import { isPlainObject } from '../shared/json.js';
import { subschemasOf } from '../tool-calls/json-schema.js';

/** Keywords that OpenAI's strict mode accepts. A schema with any other keyword is rejected. */
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
 * Returns true if a schema satisfies strict mode: every object is closed, all its properties are required, and all
 * keywords are supported. Schemas of MCP servers rarely do.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isPlainObject(schema)) return false;
  const { type, properties, required, additionalProperties } = schema;
  if (!Object.keys(schema).every(keyword => STRICT_KEYWORDS.has(keyword))) return false;
  if (type === 'object' || properties !== undefined) {
    const names = Object.keys(properties ?? {});
    const isComplete = Array.isArray(required) && names.every(name => required.includes(name));
    if (additionalProperties !== false || !isComplete) return false;
  }
  return subschemasOf(schema)
    .filter(({ path }) => path[0] !== 'additionalProperties')
    .every(inner => isStrictSchema(inner.schema));
}
