import { toTypedJson } from './json-value.js';
import { toNamedTypes } from './schema-types.js';

/** A schema, and the schema that contains the definitions for its references. */
export interface SchemaContext {
  readonly schema: unknown;
  readonly root: unknown;
}

/** Returns the JSON of a text. White space is part of a string. Null needs a schema that allows it. */
export function toTextJson(text: string, context: SchemaContext): string {
  const types = toNamedTypes(context.schema, context.root);
  if (types.includes('null') && /^(?:null|Null|NULL)?$/.test(text)) return 'null';
  const others = types.filter(type => type !== 'null');
  if (others.length === 0 || others.includes('text')) return JSON.stringify(text);
  if (text.trim() === '' && others.includes('array')) return '[]';
  if (text.trim() === '' && others.includes('object')) return '{}';
  return toTypedJson(text, others);
}
