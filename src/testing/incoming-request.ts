import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { tryParseJson } from '../shared/json.js';
import { type ApiError, badRequest } from './protocol/errors.js';

/** A received request, without its key. */
export interface EmulatorRequest {
  /** The HTTP method, or `response.create` for a frame of a WebSocket. */
  readonly method: string;
  /** Path and query, for example `/v1/responses?api-version=v1`. */
  readonly path: string;
  /** Header names are lower case; credentials are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text if it is not JSON. */
  readonly body: unknown;
  /** Number of bytes of the body as it was sent. */
  readonly bodyLength: number;
  /** Number of the WebSocket, from 1, for a frame. */
  readonly connection?: number;
  /** Index of the sent key in the emulator's `apiKey` option; `undefined` if it is not one of them. */
  readonly apiKeyIndex?: number;
  /** True if the client closed the connection before the response was complete. */
  readonly aborted: boolean;
}

/** Reads a request to its end. Returns the key separately, so that the request can be printed. */
export async function readRequest(
  incoming: IncomingMessage,
  { apiKeys = [], encodings = [] }: { apiKeys?: readonly string[]; encodings?: readonly string[] },
): Promise<{
  request: EmulatorRequest & { aborted: boolean };
  key: string | undefined;
  error: ApiError | undefined;
}> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const encoding = incoming.headers['content-encoding'];
  const isKnown = encoding === undefined || encodings.includes(encoding);
  const text = isKnown ? (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8') : '';
  const key = readKey(incoming.headers);
  const index = key === undefined ? -1 : apiKeys.indexOf(key);
  const request = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: redact(incoming.headers),
    // Routes that require JSON respond with 400.
    body: isKnown ? (tryParseJson(text) ?? text) : undefined,
    bodyLength: bytes.length,
    apiKeyIndex: index < 0 ? undefined : index,
    aborted: false,
  };
  if (isKnown) return { request, key, error: undefined };
  const error = { ...badRequest(`Unsupported content encoding: '${encoding}'.`), status: 415 };
  return { request, key, error };
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

/** Returns the API's error for a missing or wrong key, or `undefined` for an accepted one. Keys are masked. */
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

/** Shows the first and last characters of long keys only, as OpenAI does. */
const mask = (key: string): string =>
  key.length < 24 ? '*'.repeat(8) : `${key.slice(0, 8)}${'*'.repeat(key.length - 12)}${key.slice(-4)}`;
