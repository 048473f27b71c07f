import type { JSONValue } from '@ai-sdk/provider';

/**
 * Readers for fields of events that come from outside. A field of the wrong type counts as missing,
 * so that one odd event never costs the stream.
 */
export type WireRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is WireRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const recordOf = (value: unknown): WireRecord | undefined => (isRecord(value) ? value : undefined);

export const recordsOf = (value: unknown): WireRecord[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

export const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An id, where `""` counts as missing: responses.js and xAI send empty ids. */
export const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** A value of an event, where JSON is asked for: it came out of `JSON.parse`. */
export const asJson = (value: unknown): JSONValue => value as JSONValue;
