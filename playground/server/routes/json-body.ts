import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type * as z from 'zod';

/** Reads the JSON body of a request. Responds with 400 and the reason if it does not match the schema. */
export async function readJson<Type>(context: Context, schema: z.ZodType<Type>): Promise<Type> {
  const body: unknown = await context.req.json().catch(() => undefined);
  const { data, error } = schema.safeParse(body);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const place = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
  throw new HTTPException(400, {
    message: `${issue?.message ?? 'Expected a JSON body that matches the schema'}${place}`,
  });
}
