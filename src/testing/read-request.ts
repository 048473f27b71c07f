import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request as it came, without its key. */
export interface EmulatorRequest {
  readonly method: string;
  /** Path and query, for example `/v1/responses?api-version=v1`. */
  readonly path: string;
  /** Lower-case names; what identifies the sender is redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text when it is none. */
  readonly body: unknown;
  /** Which of the emulator's `apiKey`s came: 0 for the first; `undefined` for none of them. */
  readonly apiKeyIndex?: number;
  /** Whether the client hung up before it had the whole answer. */
  readonly aborted: boolean;
}

/** Reads a request to its end. The key is returned apart, so that the record can be printed. */
export async function readRequest(
  incoming: IncomingMessage,
  { apiKeys }: { apiKeys?: readonly string[] },
): Promise<{ request: EmulatorRequest & { aborted: boolean }; key: string | undefined }> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const key = readKey(incoming.headers);
  const index = key === undefined ? -1 : (apiKeys ?? []).indexOf(key);
  const request = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: redact(incoming.headers),
    body: parseBody(Buffer.concat(chunks).toString('utf8')),
    apiKeyIndex: index < 0 ? undefined : index,
    aborted: false,
  };
  return { request, key };
}

function readKey(headers: IncomingHttpHeaders): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1];
  return bearer ?? (headers['api-key'] ?? headers['x-goog-api-key'])?.toString();
}

const secretHeaders = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'cookie'];

const redact = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretHeaders.includes(name) ? String(value).replace(/^(Bearer\s)?.*$/is, '$1***') : String(value),
    ]),
  );

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // Answered with a 400 where JSON is due.
  }
}
