import { type ApiError, badRequest, invalidType, invalidValue, missingParameter } from './api-error.js';
import { findSchemaFault } from './find-schema-fault.js';
import { isJsonObject, type JsonObject } from './json-object.js';

/** The first thing the API would object to in `tools`. Only function tools are looked into. */
export function validateTools(tools: unknown): ApiError | undefined {
  if (!Array.isArray(tools)) return undefined;
  for (const [index, tool] of tools.entries()) {
    const error = validateTool(tool, { path: `tools[${index}]` });
    if (error !== undefined) return error;
  }
  return undefined;
}

/** The first thing the API would object to in `text.format`. */
export function validateTextFormat(text: unknown): ApiError | undefined {
  if (!isJsonObject(text) || !isJsonObject(text.format)) return undefined;
  const { type } = text.format;
  if (!['text', 'json_object', 'json_schema'].includes(String(type))) {
    return invalidValue('text.format.type', {
      value: type,
      supported: ['json_object', 'json_schema', 'text'],
    });
  }
  return type === 'json_schema' ? validateJsonSchema(text.format, { path: 'text.format' }) : undefined;
}

/** The first thing the API would object to in the schema an answer is to follow. */
export function validateJsonSchema(
  { name, schema, strict }: JsonObject,
  { path }: { path: string },
): ApiError | undefined {
  if (name === undefined) return missingParameter(`${path}.name`);
  const nameError = validateName(name, { path: `${path}.name` });
  if (nameError !== undefined) return nameError;
  if (schema === undefined) return missingParameter(`${path}.schema`);
  const fault = findSchemaFault(schema, { strict: strict === true });
  if (fault === undefined) return undefined;
  return badRequest(`Invalid schema for response_format '${String(name)}': ${fault}`, {
    param: `${path}.schema`,
    code: 'invalid_json_schema',
  });
}

/** The API's rule for names of tools and formats. */
export function validateName(name: unknown, { path }: { path: string }): ApiError | undefined {
  if (typeof name !== 'string') return invalidType(path, { expected: 'a string', value: name });
  if (name.length > 64) return tooLong(path, { length: name.length });
  if (/^[a-zA-Z0-9_-]+$/.test(name)) return undefined;
  return badRequest(
    `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { param: path, code: 'invalid_value' },
  );
}

/** The API's limit for names and ids. */
export const tooLong = (
  path: string,
  { length, maximum = 64 }: { length: number; maximum?: number },
): ApiError =>
  badRequest(
    `Invalid '${path}': string too long. Expected a string with maximum length ${maximum}, but got a string with length ${length} instead.`,
    { param: path, code: 'string_above_max_length' },
  );

function validateTool(tool: unknown, { path }: { path: string }): ApiError | undefined {
  if (!isJsonObject(tool)) return invalidType(path, { expected: 'an object', value: tool });
  if (tool.type === undefined) return missingParameter(`${path}.type`);
  return tool.type === 'function' ? validateFunction(tool, { path }) : undefined;
}

/** The first thing the API would object to in a declared function. */
export function validateFunction(tool: JsonObject, { path }: { path: string }): ApiError | undefined {
  if (tool.name === undefined) return missingParameter(`${path}.name`);
  const nameError = validateName(tool.name, { path: `${path}.name` });
  if (nameError !== undefined) return nameError;
  // A function without parameters is one that takes none.
  if (tool.parameters === undefined || tool.parameters === null) return undefined;
  const fault = findSchemaFault(tool.parameters, { strict: tool.strict === true });
  if (fault === undefined) return undefined;
  return badRequest(`Invalid schema for function '${String(tool.name)}': ${fault}`, {
    param: `${path}.parameters`,
    code: 'invalid_function_parameters',
  });
}
