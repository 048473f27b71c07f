import { gunzipSync } from 'node:zlib';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { appBatch } from '../apps/apps.js';
import type { PlaygroundContext } from '../context.js';
import { createSpanReceiver } from '../otlp/receiver.js';
import { readJsonSpans, readProtobufSpans } from '../otlp/spans.js';
import { isEqual } from '../session.js';

/** Bytes, as received and unpacked. */
const MAX_BODY = 16_000_000;
const MAX_UNPACKED = 64_000_000;

/**
 * `POST /devtools` takes what `devTools()` sends, and `POST /traces` is a receiver of OpenTelemetry (OTLP over HTTP). Their
 * token can only send. Programs send no origin, so a page is refused, whatever it knows.
 */
export function appRoutes({ apps, redactor }: Pick<PlaygroundContext, 'apps' | 'redactor'>): Hono {
  const spans = createSpanReceiver({ apps, redactor });
  return new Hono()
    .use(async (context, next) => {
      if (context.req.header('origin') !== undefined)
        return context.json({ error: 'Expected a program, got a request from a page.' }, 403);
      const given = /^Bearer (\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
      if (isEqual(given ?? '', apps.token)) return next();
      const error = 'Expected the token for applications, which the playground prints when it starts.';
      return context.json({ error }, 401);
    })
    .use(
      bodyLimit({
        maxSize: MAX_BODY,
        onError() {
          throw new HTTPException(413, { message: 'Expected at most 16 MB, got more.' });
        },
      }),
    )
    .post('/devtools', async context => {
      const { success, data } = appBatch.safeParse(parseJson(await readBody(context)));
      if (!success) return context.json({ error: 'Expected a batch of `devTools()`.' }, 400);
      apps.receive(data);
      return context.json({});
    })
    .post('/traces', async context => {
      const isProtobuf = context.req.header('content-type')?.startsWith('application/x-protobuf') === true;
      const body = await readBody(context);
      const { rejected, spans: received } = isProtobuf ? readProtobuf(body) : readJsonSpans(parseJson(body));
      spans.add(received, body.length);
      // The empty message reports success.
      if (isProtobuf) return context.body('', 200, { 'content-type': 'application/x-protobuf' });
      return context.json(rejected === 0 ? {} : { partialSuccess: { rejectedSpans: String(rejected) } });
    });
}

async function readBody(context: Context): Promise<Uint8Array> {
  const body = new Uint8Array(await context.req.arrayBuffer());
  const encoding = context.req.header('content-encoding') ?? 'identity';
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip')
    throw new HTTPException(415, { message: `Expected gzip or no encoding, got ${encoding}.` });
  try {
    return gunzipSync(body, { maxOutputLength: MAX_UNPACKED });
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new HTTPException(413, { message: 'Expected at most 64 MB after unpacking, got more.', cause });
    throw new HTTPException(400, {
      message: 'Expected a body in gzip, got one that cannot be unpacked.',
      cause,
    });
  }
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (cause) {
    throw new HTTPException(400, { message: 'Expected JSON.', cause });
  }
}

function readProtobuf(body: Uint8Array): ReturnType<typeof readProtobufSpans> {
  try {
    return readProtobufSpans(body);
  } catch (cause) {
    throw new HTTPException(400, { message: 'Expected an export request in protobuf.', cause });
  }
}
