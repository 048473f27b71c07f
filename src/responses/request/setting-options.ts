import * as z from 'zod/v4';
import type { PlainObject } from '../../core/shared/json.js';
import type { SchemasByName, SettingsOf } from '../../core/shared/settings.js';

/*
 * The options of a call that are also settings of a provider, and what a row of an option may say. The other options are
 * loaded with the first request.
 */

/** A field of the request that an option determines. */
export interface RequestField {
  readonly field: string;
  readonly convert: (value: unknown) => unknown;
}

/** The row of an option that is a field of the request. */
export const sentAs = <Schema extends z.ZodType>(
  field: string,
  schema: () => Schema,
  convert: RequestField['convert'] = value => value,
): (() => Schema) & RequestField => Object.assign(schema, { field, convert });

const isSent = (row: (() => z.ZodType) | undefined): row is (() => z.ZodType) & RequestField =>
  row !== undefined && 'field' in row;

/** Converts the options of a table to the request fields that its rows name. Undefined options become no fields. */
export function toRequestFields(
  rows: SchemasByName,
  options: Readonly<Record<string, unknown>>,
): PlainObject {
  const fields: Record<string, unknown> = {};
  // Most calls have none of them. The rows determine the order of the fields.
  if (!Object.keys(options).some(name => isRequestField(rows, name))) return fields;
  for (const name of Object.keys(rows)) {
    const value = options[name];
    const row = value === undefined ? undefined : rows[name];
    if (isSent(row)) fields[row.field] = row.convert(value);
  }
  return fields;
}

/** Returns true if the row of an option names a request field. */
export const isRequestField = (rows: SchemasByName, name: string): boolean =>
  Object.hasOwn(rows, name) && isSent(rows[name]);

/** Options of a call that are also settings of a provider, for the calls that do not set them. */
export const settingOptions = {
  /**
   * Stores responses on the server. Otherwise each request contains the complete conversation with encrypted reasoning.
   * @default false
   */
  store: () => z.boolean(),
  /**
   * The role of system messages: by model name (`auto`), always `system` or `developer`, or no system messages
   * (`remove`).
   * @default 'auto'
   */
  systemMessageMode: () => z.enum(['auto', 'system', 'developer', 'remove']),
};

export type SettingOptions = SettingsOf<typeof settingOptions>;

export function toSettingOptions(settings: SettingOptions): SettingOptions {
  const options: Record<string, unknown> = {};
  for (const name of Object.keys(settingOptions)) {
    const value = Object.hasOwn(settings, name) ? settings[name as keyof SettingOptions] : undefined;
    if (value !== undefined) options[name] = value;
  }
  return options;
}
