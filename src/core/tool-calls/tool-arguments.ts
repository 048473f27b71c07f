import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject } from '../shared/json.js';
import { type JsonFault, type JsonReading, readJson, repairJson } from './json-repair.js';
import { hasTypesOf, repairBySchema, unwrapCall, writeJson } from './schema-repair.js';
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
  options: { schema?: JSONSchema7 } = {},
): ParsedToolArguments {
  const read = readToolArguments(text, options);
  if (!read.success) return read;
  const { input, isRepaired } = read;
  return { success: true, input, json: read.toJson(), isRepaired };
}

/** Arguments whose JSON is written on demand, because they may be large. */
type ReadToolArguments =
  | (Omit<Extract<ParsedToolArguments, { success: true }>, 'json'> & { readonly toJson: () => string })
  | FailedArguments;

type FailedArguments = Extract<ParsedToolArguments, { success: false }>;

/** Parses arguments as `parseToolArguments` does. */
export function readToolArguments(
  text: string,
  { schema }: { schema?: JSONSchema7 | undefined } = {},
): ReadToolArguments {
  if (text.trim() === '') return { success: true, input: {}, toJson: () => '{}', isRepaired: text !== '' };
  const valid = readJson(text);
  const reading = unwrapTexts(valid ?? repairJson(text));
  if (reading === 'truncated') return failTruncated(text);
  if (reading === 'malformed') return fail('a JSON object', text);
  const isNothing = reading.value === null || reading.value === '';
  const value = onlyItem(isNothing && acceptsNothing(schema) ? {} : reading.value);
  if (!isPlainObject(value)) return fail('a JSON object', text);
  const { json } = reading;
  const mayPollute = /__proto__|constructor|\\u/.test(json);
  if (mayPollute && hasPrototypeKey(value)) return fail('no prototype key', text);
  if (mayBeDeep(json) && !isWritable(value)) return fail('fewer levels', text);

  const repaired = schema === undefined ? value : repairBySchema(unwrapCall(value, schema), schema, json);
  if (reading.isCompleted && schema !== undefined && !hasTypesOf(repaired, schema))
    return failTruncated(text);
  if (mayPollute && repaired !== value && hasPrototypeKey(repaired)) return fail('no prototype key', text);
  const isSame = repaired === value && value === reading.value;
  return {
    success: true,
    input: repaired,
    toJson() {
      // A long number could lose digits in JavaScript. Digits inside a string are a harmless false positive.
      return isSame && /\d{16}/.test(json) ? json : writeJson(repaired, json);
    },
    isRepaired: !isSame || reading !== valid,
  };
}

const fail = (expected: string, text: string): FailedArguments => ({
  success: false,
  reason: `expected ${expected}, got ${text.length > 100 ? `${withoutRuns(text).slice(0, 100)}…` : text}`,
});

const failTruncated = (text: string): FailedArguments => ({
  success: false,
  reason: `expected complete JSON, got arguments that look truncated: ${text.length > 100 ? `…${withoutRuns(text).slice(-100)}` : text}`,
});

/** An excerpt of nothing but white space would not show the model what it wrote. */
const withoutRuns = (text: string): string => text.replace(/\s+/g, ' ');

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

/** Number of levels that every platform can write. */
const SAFE_LEVELS = 200;

/** Returns false for JSON with so few opening brackets that its levels cannot be too many. */
function mayBeDeep(json: string): boolean {
  const opening = /[[{]/g;
  for (let count = 0; opening.test(json); count++) if (count >= SAFE_LEVELS) return true;
  return false;
}

/** Returns false for values that are nested too deep. They can be parsed, but writing them would throw later. */
function isWritable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
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
