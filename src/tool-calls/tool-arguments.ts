import type { JSONSchema7 } from '@ai-sdk/provider';
import { isPlainObject } from '../shared/json.js';
import { repairBySchema } from './schema-repair.js';
import { type JsonReading, readJson, repairJson } from './json-repair.js';

/** What is known of the arguments. */
export interface ParseToolArgumentsOptions {
  /**
   * The JSON Schema of the arguments. With it, a text in a place where no text may be is read as the JSON that may:
   * `"3"` is 3 where a number is wanted, and stays a text where one is. @default nothing is read twice
   */
  schema?: JSONSchema7;
}

/** The arguments of a call, or why there are none. */
export type ParsedToolArguments =
  | {
      readonly success: true;
      readonly input: Record<string, unknown>;
      /** The same as JSON. A number with more digits than JavaScript can count has them all here. */
      readonly json: string;
      /** Whether the text was anything but the JSON of an object that fits. */
      readonly isRepaired: boolean;
    }
  | {
      readonly success: false;
      /** What was expected and what came, for the model to read. */
      readonly reason: string;
    };

/**
 * Reads the arguments of a call as an object. No arguments are `{}`; JSON that is escaped twice, or has a slip, is
 * repaired. Arguments that end within a text are cut, and are not: half a path or half a command must not run. Without
 * a schema no value is turned into another one.
 */
export function parseToolArguments(
  text: string,
  { schema }: ParseToolArgumentsOptions = {},
): ParsedToolArguments {
  if (text.trim() === '') return { success: true, input: {}, json: '{}', isRepaired: text !== '' };
  const whole = readJson(text);
  const reading = unwrapTexts(whole ?? repairJson(text));
  const value = reading?.value;
  if (!isPlainObject(value)) return fail('a JSON object', text);
  if (hasPrototypeKey(value)) return fail('no key that means a prototype', text);
  const compact = toJson(value);
  if (compact === undefined) return fail('fewer levels', text);

  const mended = schema === undefined ? value : repairBySchema(value, schema);
  const isMended = mended !== value;
  const exact = reading !== undefined && hasLongNumber(compact) ? reading.json : compact;
  return {
    success: true,
    input: mended,
    json: isMended ? JSON.stringify(mended) : exact,
    isRepaired: isMended || reading !== whole,
  };
}

const fail = (expected: string, text: string): ParsedToolArguments => ({
  success: false,
  reason: `expected ${expected}, got ${excerpt(text)}`,
});

/** JSON that was made JSON again, as often as that was done. */
function unwrapTexts(reading: JsonReading | undefined): JsonReading | undefined {
  let inner = reading;
  for (let level = 0; level < 3 && typeof inner?.value === 'string'; level++) {
    inner = readJson(inner.value) ?? repairJson(inner.value);
  }
  return inner;
}

/** Nesting that JSON can be read with, but not written, would end the turn rather than the call. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Whether a number may lose digits on its way through JavaScript. A look-alike within a text does no harm. */
const hasLongNumber = (json: string): boolean => /\d{16}/.test(json);

/** Keys that, copied carelessly, change objects that have nothing to do with the call. */
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

const excerpt = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
