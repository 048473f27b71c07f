import type { JSONSchema7, JSONSchema7Definition } from '@ai-sdk/provider';
import {
  alternativesOf,
  deeper,
  fitsSchema,
  isObject,
  itemSchema,
  propertySchema,
  resolveSchema,
  type SchemaPlace,
  toPlace,
} from './fits-schema.js';
import { readJson, repairJson } from './read-json.js';

/**
 * Reads texts as JSON where the schema allows no text: `"3"` for an integer, `"[1, 2]"` for an array, `"null"` for a
 * number that may be null. The schema judges: what fits it is left alone, and so is what fits in no reading.
 *
 * @returns the value itself if nothing had to be mended.
 */
export function repairBySchema(value: Record<string, unknown>, schema: JSONSchema7): Record<string, unknown> {
  const mended = mend(value, schema, toPlace(schema));
  return isObject(mended) ? mended : value;
}

function mend(value: unknown, schema: JSONSchema7Definition, place: SchemaPlace): unknown {
  if (typeof schema === 'boolean' || fitsSchema(value, schema, place)) return value;
  const known = resolveSchema(schema, place);
  for (const alternative of alternativesOf(known)) {
    const mended = mend(value, alternative, deeper(place));
    if (fitsSchema(mended, alternative, deeper(place))) return mended;
  }
  if (typeof value === 'string') return mendText(value, known, place);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => mend(item, itemSchema(known, index), deeper(place)));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [
    name,
    mend(inner, propertySchema(known, name), deeper(place)),
  ]);
  return entries.every(([name, inner]) => inner === value[name]) ? value : Object.fromEntries(entries);
}

function mendText(text: string, schema: JSONSchema7, place: SchemaPlace): unknown {
  const value = readText(text);
  if (value === undefined || typeof value === 'string') return text;
  const mended = mend(value, schema, deeper(place));
  return fitsSchema(mended, schema, place) ? mended : text;
}

/** Constants in the spelling of JSON, of Python, and of those who shout. */
const constants: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
]);

function readText(text: string): unknown {
  const word = text.trim();
  if (/^-?\d/.test(word)) return keepsDigits(word) ? readJson(word)?.value : undefined;
  if (/^[{[]/.test(word)) return (readJson(word) ?? repairJson(word))?.value;
  return constants.get(word.toLowerCase());
}

/** Whether a number has no more digits than JavaScript can count: else the text tells more. */
function keepsDigits(literal: string): boolean {
  const digits = literal.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');
  return digits.length <= 15;
}
