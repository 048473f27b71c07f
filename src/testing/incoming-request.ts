import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ApiError } from './api-errors.js';

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

/** The API's objection to a key, or `undefined` if it is let in. A key is never repeated whole. */
export function authorize(
  key: string | undefined,
  { apiKeys }: { apiKeys?: readonly string[] },
): ApiError | undefined {
  if (apiKeys === undefined || (key !== undefined && apiKeys.includes(key))) return undefined;
  const error = { status: 401, type: 'invalid_request_error', param: null };
  if (key === undefined) {
    return {
      ...error,
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using " +
        'Bearer auth (i.e. Authorization: Bearer YOUR_KEY). You can obtain an API key from ' +
        'https://platform.openai.com/account/api-keys.',
      code: null,
    };
  }
  return {
    ...error,
    message: `Incorrect API key provided: ${mask(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    code: 'invalid_api_key',
  };
}

/** Shows the ends of a key that is long enough to keep its secret all the same. */
const mask = (key: string): string =>
  key.length < 24 ? '*'.repeat(8) : `${key.slice(0, 8)}${'*'.repeat(key.length - 12)}${key.slice(-4)}`;
