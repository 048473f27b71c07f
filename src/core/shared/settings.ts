import * as z from 'zod/v4';
import { KelivoError } from './errors.js';
import { nearestName } from './names.js';

/** Creates the schema of each setting. The comment of a row is the comment of the setting, in editors and in the reference. */
export type SchemasByName = Readonly<Record<string, () => z.ZodType>>;

/** The type of optional settings, inferred from their schemas. */
export type SettingsOf<Rows extends SchemasByName> = {
  [Name in keyof Rows]?: z.input<ReturnType<Rows[Name]>>;
};

const TABLE = Symbol('kelivo-responses.table');

/**
 * A table of settings. The schema of a setting is built when a value of it is first read: an application sets few of them, and
 * building all schemas would take longer than anything else before a first request.
 */
export class SchemaTable<Rows extends SchemasByName> {
  readonly names: readonly string[];
  /** The schema of an object of these settings. */
  readonly schema: z.ZodType<SettingsOf<Rows>, SettingsOf<Rows>>;
  readonly #rows: SchemasByName;
  readonly #schemas = new Map<string, z.ZodType>();

  /**
   * @param options Settings that an object must have, and what it may have in addition: `null` for no value, and other names,
   *   which are left out.
   */
  constructor(
    rows: Rows,
    options: { required?: readonly string[]; allowsNull?: boolean; allowsOthers?: boolean } = {},
  ) {
    this.#rows = rows;
    this.names = Object.keys(rows);
    const schema: z.ZodType<unknown, unknown> = z.transform((value: unknown, context): unknown => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        context.issues.push({ code: 'invalid_type', expected: 'object', input: value });
        return z.NEVER;
      }
      const settings: Record<string, unknown> = {};
      for (const name of this.names) {
        const isRequired = options.required?.includes(name) === true;
        if (!isRequired && !(name in value)) continue;
        const given: unknown = Reflect.get(value, name);
        settings[name] = given;
        if ((given === undefined && !isRequired) || (given === null && options.allowsNull === true)) continue;
        const result = this.schemaOf(name)?.safeParse(given, ONCE);
        if (result?.success === true) settings[name] = result.data;
        for (const issue of result?.error?.issues ?? [])
          context.issues.push({ ...issue, path: [name, ...issue.path] } as z.core.$ZodRawIssue);
      }
      const keys = Object.keys(value).filter(key => !Object.hasOwn(rows, key));
      if (options.allowsOthers !== true && keys.length > 0)
        context.issues.push({ code: 'unrecognized_keys', keys, input: value as Record<string, unknown> });
      return settings;
    });
    this.schema = schema as z.ZodType<SettingsOf<Rows>, SettingsOf<Rows>>;
    Object.defineProperty(schema, TABLE, { value: this });
  }

  /** Returns the schema of the values of a setting. Undefined for other names. */
  schemaOf(name: string): z.ZodType | undefined {
    const create = Object.hasOwn(this.#rows, name) ? this.#rows[name] : undefined;
    const schema = this.#schemas.get(name) ?? create?.();
    if (schema !== undefined) this.#schemas.set(name, schema);
    return schema;
  }
}

/** A setting that is a function. Its parameters cannot be checked. */
export const functionSetting = <Type>() =>
  z.custom<Type>(value => typeof value === 'function', 'expected a function');

/** Settings are read once, so that a parser compiled for them costs more than it saves. */
const ONCE = { reportInput: true, jitless: true };

/**
 * Validates settings.
 *
 * @param name How error messages refer to the settings, for example "the provider settings".
 * @throws KelivoError with code `invalid-settings`, naming the setting, the expected and the received value.
 */
export function parseSettings<Settings>(schema: z.ZodType<Settings>, value: unknown, name: string): Settings {
  const result = schema.safeParse(value ?? {}, ONCE);
  if (result.success) return result.data;
  const [issue] = describeIssues(result.error, schema, name);
  throw new KelivoError({ code: 'invalid-settings', message: issue ?? `Invalid value for ${name}.` });
}

/** Returns one sentence for each invalid setting, and an empty array for valid settings. */
export function findSettingsIssues(schema: z.ZodType, value: unknown, name: string): string[] {
  const result = schema.safeParse(value, ONCE);
  return result.success ? [] : describeIssues(result.error, schema, name);
}

const describeIssues = (error: z.core.$ZodError, schema: z.ZodType, name: string): string[] =>
  error.issues.map(issue => describe(issue, schema, name));

function describe(issue: z.core.$ZodIssue, schema: z.ZodType, name: string): string {
  // The alternative that fits best fails deepest.
  const [deepest] = issue.code === 'invalid_union' ? issue.errors.flat().toSorted(byDepth) : [];
  if (deepest !== undefined && depthOf(deepest) > 0) {
    return describe({ ...deepest, path: [...issue.path, ...deepest.path] }, schema, name);
  }
  const path = issue.path.map(String);
  const setting = path.length === 0 ? name : `\`${path.join('.')}\` of ${name}`;
  if (issue.code === 'unrecognized_keys') {
    const known = knownNames(schema, path);
    const keys = issue.keys.map(key => `\`${key}\``).join(', ');
    return `Unknown setting ${keys} in ${setting}.${toHint(issue.keys, known)}`;
  }
  const expected = issue.message.replace(/^Invalid input: /, '').replace(/, received .*$/s, '');
  const subject = path.length === 0 ? `value for ${name}` : setting;
  return `Invalid ${subject}: ${expected}, got ${toShown(issue.input)}.`;
}

function toHint(keys: readonly string[], known: readonly string[]): string {
  const [nearest] = keys.flatMap(key => nearestName(key, known) ?? []);
  if (nearest !== undefined) return ` Did you mean \`${nearest}\`?`;
  return known.length > 0 ? ` Valid names: ${known.join(', ')}.` : '';
}

/** Unknown keys are reported for the object that contains them, one level above the keys. */
const depthOf = (issue: z.core.$ZodIssue): number =>
  issue.path.length + (issue.code === 'unrecognized_keys' ? 0.5 : 0);

const byDepth = (a: z.core.$ZodIssue, b: z.core.$ZodIssue): number => depthOf(b) - depthOf(a);

/** The names that the objects at a path accept. */
function knownNames(schema: z.core.$ZodType, path: readonly string[]): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return knownNames(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(option => knownNames(option, path));
  const [key, ...rest] = path;
  const { [TABLE]: table } = schema as {
    readonly [TABLE]?: Pick<SchemaTable<SchemasByName>, 'names' | 'schemaOf'>;
  };
  if (table !== undefined) {
    if (key === undefined) return [...table.names];
    const next = table.schemaOf(key);
    return next === undefined ? [] : knownNames(next, rest);
  }
  if (schema instanceof z.ZodObject) {
    if (key === undefined) return Object.keys(schema.shape);
    const next: unknown = schema.shape[key];
    return next instanceof z.core.$ZodType ? knownNames(next, rest) : [];
  }
  if (key === undefined) return [];
  if (schema instanceof z.ZodRecord) return knownNames(schema.valueType, rest);
  return schema instanceof z.ZodArray ? knownNames(schema.element, rest) : [];
}

/** Describes a value without revealing a secret: numbers and booleans as they are, other values by their type. */
function toShown(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
