import { isPlainObject, objectOf, objectsOf, stringOf } from '../../src/core/shared/json.js';
import { resolvePointer } from '../../src/core/tool-calls/json-schema.js';

type Json = Record<string, unknown>;

/** Values of every type. */
const OTHERS: readonly unknown[] = [
  null,
  '',
  'text',
  0,
  -1,
  1.5,
  1e6,
  true,
  [],
  ['text'],
  {},
  { unknown: 1 },
];

/** Returns objects that a schema of arguments accepts or rejects: complete and minimal ones, each with one change. */
export function samplesOf(schema: object): unknown[] {
  const root: Json = { ...schema };
  const complete = [true, false].map(isComplete => fill(root, { root, isComplete, depth: 0 }));
  return [...complete, ...complete.flatMap(value => changesOf(value, 0)), {}, { unknown: 1 }];
}

interface Position {
  readonly root: Json;
  readonly isComplete: boolean;
  readonly depth: number;
}

/** Returns a value with the properties that a schema describes, all of them or the required ones. */
function fill(given: unknown, position: Position): unknown {
  const { root, isComplete, depth } = position;
  if (depth > 12) return {};
  const inner = { ...position, depth: depth + 1 };
  const schema = objectOf(given) ?? {};
  if (typeof schema.$ref === 'string') return fill(resolvePointer(schema.$ref, root), inner);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [branch] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap(objectsOf);
  const type = [schema.type].flat()[0] ?? (isPlainObject(schema.properties) ? 'object' : undefined);
  if (type === undefined) return branch === undefined ? 'text' : fill(branch, inner);
  if (type === 'object') {
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.fromEntries(
      Object.entries(objectOf(schema.properties) ?? {})
        .filter(([name]) => required.includes(name) || (isComplete && depth < 6))
        .map(([name, property]) => [name, fill(property, inner)]),
    );
  }
  if (type === 'array') {
    const length = Math.max(Number(schema.minItems ?? 0), isComplete ? 1 : 0);
    return Array.from({ length }, () => fill(schema.items, inner));
  }
  if (type === 'number' || type === 'integer') return Number(schema.minimum ?? schema.maximum ?? 1);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  const text = schema.format === 'uri' ? 'https://example.com' : 'text';
  return stringOf(schema.default) || text.padEnd(Number(schema.minLength ?? 0), 'x');
}

/** Returns a value with each of its members removed, and replaced by values of every type. */
function changesOf(value: unknown, depth: number): unknown[] {
  if (depth > 4) return [];
  if (Array.isArray(value)) {
    return value
      .slice(0, 1)
      .flatMap(item => [...OTHERS, ...changesOf(item, depth + 1)].map(other => [other]));
  }
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const { [name]: _removed, ...rest } = value;
    const others = [...OTHERS, ...changesOf(member, depth + 1)].map(other => ({ ...value, [name]: other }));
    return [rest, { ...value, unknown: 1 }, ...others];
  });
}
