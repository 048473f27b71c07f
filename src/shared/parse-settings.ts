import * as z from 'zod/v4';
import { KelivoError } from './errors.js';

/**
 * Checks settings once, at the border.
 *
 * @throws KelivoError with code `invalid-settings`, naming the setting, what was expected and what came.
 */
export function parseSettings<Settings>(schema: z.ZodType<Settings>, value: unknown, name: string): Settings {
  const result = schema.safeParse(value ?? {}, { reportInput: true });
  if (result.success) return result.data;
  const [fault] = describeIssues(result.error, { schema, name });
  throw new KelivoError({ code: 'invalid-settings', message: fault ?? `Invalid ${name}.` });
}

/** All that is wrong with a value, a sentence for each fault. Empty where it is right. */
export function findSettingsIssues(schema: z.ZodType, value: unknown, name: string): string[] {
  const result = schema.safeParse(value, { reportInput: true });
  return result.success ? [] : describeIssues(result.error, { schema, name });
}

const describeIssues = (
  { issues }: z.core.$ZodError,
  { schema, name }: { schema: z.ZodType; name: string },
): string[] => issues.map(issue => describe(issue, schema, name));

function describe(issue: z.core.$ZodIssue, schema: z.ZodType, name: string): string {
  // Of alternatives, the one that fits best fails deepest.
  const [deepest] = issue.code === 'invalid_union' ? issue.errors.flat().toSorted(byDepth) : [];
  if (deepest !== undefined && deepest.path.length > 0) {
    return describe({ ...deepest, path: [...issue.path, ...deepest.path] }, schema, name);
  }
  const path = issue.path.join('.');
  const setting = path === '' ? name : `\`${path}\` of ${name}`;
  if (issue.code === 'unrecognized_keys') {
    const known = path === '' && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const keys = issue.keys.map(key => `\`${key}\``).join(', ');
    const closest = known.find(key => key.toLowerCase() === issue.keys[0]?.toLowerCase());
    const hint =
      closest !== undefined
        ? ` Did you mean \`${closest}\`?`
        : known.length > 0
          ? ` Known are: ${known.join(', ')}.`
          : '';
    return `Unknown setting ${keys} in ${setting}.${hint}`;
  }
  return `Invalid ${setting}: ${issue.message}, got ${toShown(issue.input)}.`;
}

const byDepth = (a: z.core.$ZodIssue, b: z.core.$ZodIssue): number => b.path.length - a.path.length;

/** What came, without what could be a secret: the kind for texts, the value for what cannot be one. */
function toShown(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
