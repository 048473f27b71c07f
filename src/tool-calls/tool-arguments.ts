import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject } from '../shared/json.js';
import { type JsonFault, type JsonReading, readJson, repairJson } from './json-repair.js';
import { hasTypesOf, repairBySchema, unwrapCall } from './schema-repair.js';
import { normalizeToolName } from './tool-names.js';

/** The arguments of a call, or the reason why they cannot be used. */
export type ParsedToolArguments =
  | {
      readonly success: true;
      readonly input: Record<string, unknown>;
      /** The input as JSON, with all digits of numbers that JavaScript cannot represent. */
      readonly json: string;
      /** True if the text was not a JSON object that fits the schema. */
      readonly isRepaired: boolean;
    }
  | {
      readonly success: false;
      /** The expected and the received value, as text for the model. */
      readonly reason: string;
    };

/**
 * Parses the arguments of a call as an object. An empty text becomes `{}`, and so does `null` if the schema requires no
 * property. Double-encoded and slightly malformed JSON is repaired.
 *
 * Truncated arguments are rejected: half a path, half a number or half a list must not run. Missing closing brackets are
 * added only after a complete value, and only if the result has the types and required properties of the schema.
 *
 * @param options `schema` is the JSON Schema of the arguments. Strings are parsed as JSON where it does not allow a string:
 *   `"3"` becomes 3 if a number is expected. Without it, strings stay strings.
 */
export function parseToolArguments(
  text: string,
  { schema }: { schema?: JSONSchema7 } = {},
): ParsedToolArguments {
  if (text.trim() === '') return { success: true, input: {}, json: '{}', isRepaired: text !== '' };
  const valid = readJson(text);
  const reading = unwrapTexts(valid ?? repairJson(text));
  if (reading === 'truncated') return failTruncated(text);
  if (reading === 'malformed') return fail('a JSON object', text);
  const value = onlyItem(isNothing(reading.value) && acceptsNothing(schema) ? {} : reading.value);
  if (!isPlainObject(value)) return fail('a JSON object', text);
  const mayPollute = /__proto__|constructor|\\u/.test(reading.json);
  if (mayPollute && hasPrototypeKey(value)) return fail('no prototype key', text);
  const compact = toJson(value);
  if (compact === undefined) return fail('fewer levels', text);

  const { json } = reading;
  const repaired = schema === undefined ? value : repairBySchema(unwrapCall(value, schema), schema, { json });
  if (reading.isCompleted && schema !== undefined && !hasTypesOf(repaired, schema))
    return failTruncated(text);
  if (mayPollute && repaired !== value && hasPrototypeKey(repaired)) return fail('no prototype key', text);
  const isSame = repaired === value && value === reading.value;
  // A long number could lose digits in JavaScript. Digits inside a string are a harmless false positive.
  const exact = isSame && /\d{16}/.test(compact) ? reading.json : compact;
  return {
    success: true,
    input: repaired,
    json: repaired === value ? exact : JSON.stringify(repaired),
    isRepaired: !isSame || reading !== valid,
  };
}

const fail = (expected: string, text: string): ParsedToolArguments => ({
  success: false,
  reason: `expected ${expected}, got ${text.length > 100 ? `${text.slice(0, 100)}…` : text}`,
});

const failTruncated = (text: string): ParsedToolArguments => ({
  success: false,
  reason: `expected complete JSON, got arguments that look truncated: ${text.length > 100 ? `…${text.slice(-100)}` : text}`,
});

const isNothing = (value: unknown): boolean => value === null || value === '';

/** Returns true if the schema accepts a call without arguments. */
const acceptsNothing = (schema: JSONSchema7 | undefined): boolean =>
  schema !== undefined && hasTypesOf({}, schema);

/** Decodes JSON that was encoded as a JSON string, up to three times. */
function unwrapTexts(outer: JsonReading | JsonFault): JsonReading | JsonFault {
  let reading = outer;
  for (let level = 0; level < 3; level++) {
    if (typeof reading === 'string' || typeof reading.value !== 'string' || reading.value === '') break;
    reading = readJson(reading.value) ?? repairJson(reading.value);
  }
  return reading;
}

/** Unwraps an object that is the only item of a list. */
const onlyItem = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 && isPlainObject(value[0]) ? value[0] : value;

/** Returns undefined for values that are nested too deep. They can be parsed, but writing them would throw later. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Returns true if a key could pollute a prototype when the object is copied. */
function hasPrototypeKey(value: object): boolean {
  const open: object[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, inner] of Object.entries(next)) {
      if (typeof inner !== 'object' || inner === null) {
        if (key === '__proto__') return true;
        continue;
      }
      if (key === '__proto__' || (key === 'constructor' && Object.hasOwn(inner, 'prototype'))) return true;
      open.push(inner);
    }
  }
  return false;
}

/**
 * Repairs the name and the arguments of a call that `ai` could not read, by the rules of `ToolCallPipeline` and
 * `parseToolArguments`. It is a value for the option `experimental_repairToolCall` of `ai` 5 and 6, `repairToolCall` of `ai` 7.
 *
 * @returns null if the call cannot be repaired, for example because its arguments are truncated, and if these rules
 *   change nothing.
 */
export async function repairToolCall<Call extends { readonly toolName: string; readonly input: string }>({
  toolCall,
  tools,
  inputSchema,
}: {
  readonly toolCall: Call;
  readonly tools: object;
  readonly inputSchema: (options: { toolName: string }) => JSONSchema7 | PromiseLike<JSONSchema7>;
}): Promise<Call | null> {
  const toolName = normalizeToolName(toolCall.toolName, new Set(Object.keys(tools)));
  if (toolName === undefined) return null;
  const parsed = parseToolArguments(toolCall.input, { schema: await inputSchema({ toolName }) });
  if (!parsed.success || (toolName === toolCall.toolName && !parsed.isRepaired)) return null;
  return { ...toolCall, toolName, input: parsed.json };
}
