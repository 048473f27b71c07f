import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type * as z from 'zod';

/** The JSON body of a request, as the schema wants it; else the request is answered with 400 and the reason. */
export async function readJson<Type>(context: Context, schema: z.ZodType<Type>): Promise<Type> {
  const body: unknown = await context.req.json().catch(() => undefined);
  const { data, error } = schema.safeParse(body);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const place = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
  throw new HTTPException(400, { message: `${issue?.message ?? 'Not what was expected'}${place}` });
}
