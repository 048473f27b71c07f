import * as z from 'zod';
import { describeFailure } from '../../shared/failure.js';
import type { SchemaProblem } from '../../shared/mcp-inspection.js';

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
    const validator = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    const { error } = validator.safeParse(value);
    return (error?.issues ?? []).map(({ path, message }) => ({ path: path.map(String), message }));
  } catch (error) {
    if (ignoreUnreadable) return [];
    return [{ path: [], message: `The schema cannot be read: ${describeFailure(error)}` }];
  }
}
