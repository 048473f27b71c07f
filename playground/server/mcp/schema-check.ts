import { runInNewContext } from 'node:vm';
import * as z from 'zod';
import { describeFailure } from '../../shared/failure.js';
import type { SchemaProblem, SchemaRefusal } from '../../shared/mcp-inspection.js';

/** Milliseconds. A schema comes from its server, and a `pattern` can take exponential time. */
const TIMEOUT = 500;

const UNREADABLE = 'The schema cannot be read: ';

export const isUnreadable = ({ message }: SchemaProblem): boolean => message.startsWith(UNREADABLE);

/**
 * Returns where a value breaks a JSON schema.
 *
 * @param ignoreUnreadable By default, a schema that cannot be read is a problem, too.
 */
export function findSchemaProblems(
  schema: unknown,
  value: unknown,
  { ignoreUnreadable = false }: { ignoreUnreadable?: boolean } = {},
): readonly SchemaProblem[] {
  try {
    // The limit of a context interrupts everything that it calls, also a regular expression.
    return runInNewContext(
      'check()',
      { check: () => check(schema, value) },
      { timeout: TIMEOUT },
    ) as SchemaProblem[];
  } catch (error) {
    // The error of another context is no instance of `Error` here.
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return [
        { path: [], message: `The check against the schema took longer than ${TIMEOUT} ms and was stopped` },
      ];
    if (ignoreUnreadable) return [];
    return [{ path: [], message: `${UNREADABLE}${describeFailure(error)}` }];
  }
}

/** The response to a value that was not sent. */
export const toRefusal = (problems: readonly SchemaProblem[]): SchemaRefusal => ({
  error: 'The values do not match the schema, so they were not sent.',
  problems,
});

function check(schema: unknown, value: unknown): SchemaProblem[] {
  const validator = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  return (validator.safeParse(value).error?.issues ?? []).flatMap(issue => toProblems(issue));
}

type Issue = z.core.$ZodIssue;

function toProblems(issue: Issue, base: readonly PropertyKey[] = []): SchemaProblem[] {
  const path = [...base, ...issue.path];
  // Of a union, the variant that the value is closest to.
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const [closest] = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a) || a.length - b.length);
    if (closest !== undefined && depthOf(closest) > 0) return closest.flatMap(one => toProblems(one, path));
  }
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return [{ path: path.map(String), message: isMissing ? 'This value is required' : issue.message }];
}

/** A variant of the right type fails inside of it. */
const depthOf = (issues: readonly Issue[]): number =>
  issues.length === 0 ? 0 : Math.min(...issues.map(({ path }) => path.length));
