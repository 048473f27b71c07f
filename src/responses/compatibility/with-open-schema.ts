import type { WireTool } from '../wire.js';

/** Keywords whose values are schemas by name, where a name may look like a keyword. */
const SCHEMAS_BY_NAME = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);

/** The tool without `additionalProperties: false` in its schema; the same object where there is none. */
export function withOpenSchema(tool: WireTool): WireTool {
  if (tool.type !== 'function') return tool;
  const parameters = toOpen(tool.parameters) as object;
  return JSON.stringify(parameters) === JSON.stringify(tool.parameters) ? tool : { ...tool, parameters };
}

function toOpen(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpen);
  if (typeof schema !== 'object' || schema === null) return schema;
  const keywords = Object.entries(schema).filter(
    ([keyword, value]) => keyword !== 'additionalProperties' || value !== false,
  );
  return Object.fromEntries(
    keywords.map(([keyword, value]) => {
      if (DATA.has(keyword)) return [keyword, value];
      return [keyword, SCHEMAS_BY_NAME.has(keyword) ? toOpenByName(value) : toOpen(value)];
    }),
  );
}

function toOpenByName(schemas: unknown): unknown {
  if (typeof schemas !== 'object' || schemas === null) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toOpen(schema)]));
}
