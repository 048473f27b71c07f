import { isPlainObject, type PlainObject } from '../../core/shared/json.js';
import {
  type ApiError,
  badRequest,
  findFirst,
  invalidType,
  invalidValue,
  missingParameter,
} from '../protocol/wire.js';

/** The most tools of one request, and of one namespace. Those that the model has to search for do not count. */
const MAX_TOOLS = 128;

/** Returns the API's first error for `tools`. Only functions are validated, also those in namespaces. */
export function validateTools(tools: unknown, path = 'tools'): ApiError | undefined {
  if (!Array.isArray(tools)) return undefined;
  const count = tools.filter(tool => !isPlainObject(tool) || tool.defer_loading !== true).length;
  if (count > MAX_TOOLS) {
    return badRequest(
      `Invalid '${path}': array too long. Expected an array with maximum length ${MAX_TOOLS}, but got an array with length ${count} instead.`,
      { param: path, code: 'array_above_max_length' },
    );
  }
  return findFirst(tools, (tool, index) => validateTool(tool, `${path}[${index}]`));
}

export function validateTextFormat(text: unknown): ApiError | undefined {
  if (!isPlainObject(text) || !isPlainObject(text.format)) return undefined;
  const { type } = text.format;
  if (!['text', 'json_object', 'json_schema'].includes(String(type))) {
    return invalidValue('text.format.type', {
      value: type,
      supported: ['json_object', 'json_schema', 'text'],
    });
  }
  return type === 'json_schema' ? validateJsonSchema(text.format, { path: 'text.format' }) : undefined;
}

/** Returns the API's first error for the schema of a structured response. @internal */
export function validateJsonSchema(
  { name, schema, strict }: PlainObject,
  options: { path: string },
): ApiError | undefined {
  if (name === undefined) return missingParameter(`${options.path}.name`);
  const nameError = validateName(name, { path: `${options.path}.name` });
  if (nameError !== undefined) return nameError;
  if (schema === undefined) return missingParameter(`${options.path}.schema`);
  const issue = findSchemaIssue(schema, { strict: strict === true });
  if (issue === undefined) return undefined;
  return badRequest(`Invalid schema for response_format '${String(name)}': ${issue}`, {
    param: `${options.path}.schema`,
    code: 'invalid_json_schema',
  });
}

/** Returns the API's error for the name of a tool or format. */
export function validateName(name: unknown, options: { path: string }): ApiError | undefined {
  if (typeof name !== 'string') return invalidType(options.path, { expected: 'a string', value: name });
  if (name.length > 64) return tooLong(options.path, { length: name.length });
  if (/^[a-zA-Z0-9_-]+$/.test(name)) return undefined;
  return badRequest(
    `Invalid '${options.path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param: options.path, code: 'invalid_value' },
  );
}

/** Creates the API's error for a name or id that is too long. */
export const tooLong = (path: string, options: { length: number; maximum?: number }): ApiError =>
  badRequest(
    `Invalid '${path}': string too long. Expected a string with maximum length ${options.maximum ?? 64}, but got a string with length ${options.length} instead.`,
    { param: path, code: 'string_above_max_length' },
  );

function validateTool(tool: unknown, path: string): ApiError | undefined {
  if (!isPlainObject(tool)) return invalidType(path, { expected: 'an object', value: tool });
  if (tool.type === undefined) return missingParameter(`${path}.type`);
  if (tool.type === 'namespace') {
    return validateName(tool.name, { path: `${path}.name` }) ?? validateTools(tool.tools, `${path}.tools`);
  }
  return tool.type === 'function' ? validateFunction(tool, { path }) : undefined;
}

/** Returns the API's first error for a function tool. @internal */
export function validateFunction(tool: PlainObject, options: { path: string }): ApiError | undefined {
  if (tool.name === undefined) return missingParameter(`${options.path}.name`);
  const nameError = validateName(tool.name, { path: `${options.path}.name` });
  if (nameError !== undefined) return nameError;
  // A function without parameters accepts no arguments.
  if (tool.parameters === undefined || tool.parameters === null) return undefined;
  const issue = findSchemaIssue(tool.parameters, { strict: tool.strict === true });
  if (issue === undefined) return undefined;
  return badRequest(`Invalid schema for function '${String(tool.name)}': ${issue}`, {
    param: `${options.path}.parameters`,
    code: 'invalid_function_parameters',
  });
}

/**
 * Returns why the API rejects a JSON Schema, or `undefined` for a valid one.
 * Strict schemas must forbid additional properties and require all properties.
 */
function findSchemaIssue(schema: unknown, options: { strict: boolean }): string | undefined {
  const type = isPlainObject(schema) ? schema.type : undefined;
  if (!isPlainObject(schema) || type !== 'object') {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type === undefined ? 'None' : String(type)}"'.`;
  }
  if (!isPlainObject(schema.properties)) return 'In context=(), object schema missing properties.';
  return findIssue(schema, { strict: options.strict, context: [] });
}

type Position = { readonly strict: boolean; readonly context: readonly string[] };

function findIssue(schema: unknown, position: Position): string | undefined {
  if (!isPlainObject(schema)) return undefined;
  const issue =
    findMetaIssue(schema) ??
    findArrayIssue(schema, position) ??
    findUnsupported(schema, position) ??
    (position.strict ? findStrictIssue(schema, position) : undefined);
  if (issue !== undefined) return issue;
  for (const [step, child] of childrenOf(schema)) {
    const childIssue = findIssue(child, { ...position, context: [...position.context, ...step] });
    if (childIssue !== undefined) return childIssue;
  }
  return undefined;
}

interface MetaRule {
  readonly keywords: string;
  /** Returns the values that have to match. @default the value itself */
  readonly valuesOf?: (value: unknown) => readonly unknown[];
  readonly expected: string;
  readonly matches: (value: unknown) => boolean;
}

const isString = (value: unknown): boolean => typeof value === 'string';
const isSchema = (value: unknown): boolean => isPlainObject(value) || typeof value === 'boolean';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): unknown[] => (isPlainObject(value) ? Object.values(value) : []);

const schemaMaps = 'properties patternProperties $defs definitions dependentSchemas';
const schemaLists = 'anyOf oneOf allOf prefixItems';
const schemaRule = { expected: "'object', 'boolean'", matches: isSchema };

/** The types of keywords in the meta-schema of JSON Schema 2020-12. */
const metaRules: readonly MetaRule[] = [
  { keywords: 'items additionalProperties contains propertyNames not if then else', ...schemaRule },
  { keywords: schemaMaps, expected: "'object'", matches: isPlainObject },
  { keywords: schemaMaps, valuesOf: fieldsOf, ...schemaRule },
  { keywords: `${schemaLists} enum required`, expected: "'array'", matches: Array.isArray },
  { keywords: schemaLists, valuesOf: listOf, ...schemaRule },
  { keywords: 'required', valuesOf: listOf, expected: "'string'", matches: isString },
  { keywords: 'description title format pattern $ref $id', expected: "'string'", matches: isString },
  {
    keywords: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    expected: "'number'",
    matches: value => typeof value === 'number',
  },
  {
    keywords: 'minLength maxLength minItems maxItems minProperties maxProperties',
    expected: "'integer'",
    matches: Number.isInteger,
  },
];

const typeNames: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Finds a keyword with a value that the meta-schema forbids. */
function findMetaIssue(schema: PlainObject): string | undefined {
  const unknown = [schema.type ?? []].flat().some(type => !typeNames.includes(type));
  if (unknown || schema.type === null) {
    return `${toPython(schema.type)} is not valid under any of the given schemas.`;
  }
  for (const { keywords, valuesOf = (value: unknown) => [value], expected, matches } of metaRules) {
    for (const keyword of keywords.split(' ').filter(name => name in schema)) {
      const wrong = valuesOf(schema[keyword]).find(value => !matches(value));
      if (wrong !== undefined) return `${toPython(wrong)} is not of type ${expected}.`;
    }
  }
  const required = listOf(schema.required);
  return new Set(required).size === required.length
    ? undefined
    : `${toPython(required)} has non-unique elements.`;
}

/** Writes a value as the API does in the texts of its validator. */
function toPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (!isPlainObject(value)) return String(value);
  return `{${Object.entries(value)
    .map(([name, field]) => `'${name}': ${toPython(field)}`)
    .join(', ')}}`;
}

function findArrayIssue(schema: PlainObject, position: Position): string | undefined {
  if (schema.type !== 'array' || 'items' in schema || 'prefixItems' in schema) return undefined;
  return `In context=${toTuple(position.context)}, array schema missing items.`;
}

/** Finds keywords that the API rejects in every schema, strict or not. */
function findUnsupported(schema: PlainObject, position: Position): string | undefined {
  if ('propertyNames' in schema)
    return `In context=${toTuple(position.context)}, 'propertyNames' is not permitted.`;
  // Removes escapes and character classes, in which the characters have another meaning.
  const pattern =
    typeof schema.pattern === 'string' ? schema.pattern.replace(/\\.|\[(?:\\.|[^\]])*\]/gs, '') : '';
  if (!/\(\?<?[=!]/.test(pattern)) return undefined;
  return `In context=${toTuple(position.context)}, 'pattern' is not a valid regex: lookaround is not supported.`;
}

// Keywords that structured outputs do not support, https://platform.openai.com/docs/guides/structured-outputs.
const strictlyUnsupported = ['allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'];

// Formats supported by structured outputs, https://platform.openai.com/docs/guides/structured-outputs.
const strictFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

function findStrictIssue(schema: PlainObject, position: Position): string | undefined {
  const where = `In context=${toTuple(position.context)}`;
  if (typeof schema.format === 'string' && !strictFormats.includes(schema.format)) {
    return `${where}, '${schema.format}' is not a valid format.`;
  }
  const keyword = strictlyUnsupported.find(name => name in schema);
  if (keyword !== undefined) return `${where}, '${keyword}' is not permitted.`;
  if (schema.type !== 'object') return undefined;
  if (schema.additionalProperties !== false) {
    return `${where}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  const names = Object.keys(isPlainObject(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = names.find(name => !required.includes(name));
  if (missing === undefined) return undefined;
  return `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
}

function childrenOf(schema: PlainObject): [string[], unknown][] {
  const named = ['properties', '$defs', 'definitions'].flatMap(key =>
    Object.entries(isPlainObject(schema[key]) ? schema[key] : {}).map(
      ([name, child]): [string[], unknown] => [[key, name], child],
    ),
  );
  const listed = ['anyOf', 'oneOf', 'allOf'].flatMap(key =>
    (Array.isArray(schema[key]) ? schema[key] : []).map((child: unknown, index): [string[], unknown] => [
      [key, String(index)],
      child,
    ]),
  );
  return [
    ...named,
    ...listed,
    ...['items', 'additionalProperties'].map((key): [string[], unknown] => [[key], schema[key]]),
  ];
}

/** Formats the path to a schema as a Python tuple, as the API does. */
function toTuple(context: readonly string[]): string {
  const quoted = context.map(step => `'${step}'`);
  return quoted.length === 1 ? `(${quoted[0]},)` : `(${quoted.join(', ')})`;
}
