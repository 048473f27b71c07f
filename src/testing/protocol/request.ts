import {
  isPlainObject,
  numberOf,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
  tryParseJson,
} from '../../core/shared/json.js';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { type ApiError, badRequest } from './wire.js';

/** A request body as the emulator reads it. */
export interface ResponsesRequest {
  readonly model: string;
  /** The conversation, oldest item first: earlier responses, then the input of this request. */
  readonly items: readonly PlainObject[];
  /** The items that the prompt consists of: those from the newest compaction on. */
  readonly shownItems: readonly PlainObject[];
  /** The functions that the model sees, those that it has found included. */
  readonly tools: readonly FunctionTool[];
  /** The deferred functions that a tool search would find. */
  readonly searchableTools: readonly FunctionTool[];
  readonly toolChoice: { readonly mode: 'auto' | 'none' | 'required'; readonly name?: string };
  readonly parallelToolCalls: boolean;
  readonly stream: boolean;
  readonly store: boolean;
  readonly includesEncryptedContent: boolean;
  readonly reasoningSummary: boolean;
  readonly reasons: boolean;
  /** The JSON Schema of the response, or `undefined` for plain text. */
  readonly format?: PlainObject;
  readonly maxOutputTokens?: number;
  readonly body: PlainObject;
}

export interface FunctionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: PlainObject;
  readonly namespace?: string;
  readonly definition: PlainObject;
}

/** Reads the fields that the emulator uses. A field of the wrong type counts as missing. */
export function toRequest(
  body: PlainObject,
  {
    items,
    shownItems = items,
    reasons,
  }: { items: readonly PlainObject[]; shownItems?: readonly PlainObject[]; reasons: boolean },
): ResponsesRequest {
  const reasoning = objectOf(body.reasoning) ?? {};
  const toolChoice = toToolChoice(body.tool_choice);
  const isAllowed = (tool: FunctionTool): boolean => toolChoice.allowed?.includes(tool.name) !== false;
  const { tools, searchable } = toAvailableTools(body.tools, items);
  return {
    model: String(body.model),
    items,
    shownItems,
    tools: tools.filter(isAllowed),
    searchableTools: toolChoice.allowed === undefined ? searchable : [],
    toolChoice,
    parallelToolCalls: body.parallel_tool_calls !== false,
    stream: body.stream === true,
    store: body.store !== false,
    includesEncryptedContent:
      Array.isArray(body.include) && body.include.includes('reasoning.encrypted_content'),
    reasoningSummary: typeof reasoning.summary === 'string' || typeof reasoning.generate_summary === 'string',
    reasons: reasons && reasoning.effort !== 'none',
    format: toFormat(body.text),
    maxOutputTokens: numberOf(body.max_output_tokens),
    body,
  };
}

/** Converts `input` to a list of items. A string becomes one user message. */
export const toInputItems = (input: unknown): PlainObject[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input);

/** Returns the type of an input item. Messages may omit it. */
export const toItemType = (item: PlainObject): string =>
  typeof item.type === 'string' ? item.type : 'role' in item ? 'message' : '';

/** Returns the functions of a request: those of `tools`, and those that the conversation loaded. */
function toAvailableTools(
  tools: unknown,
  items: readonly PlainObject[],
): { tools: FunctionTool[]; searchable: FunctionTool[] } {
  const loaded = items
    .filter(item => item.type === 'additional_tools' || item.type === 'tool_search_output')
    .flatMap(item =>
      // The API calls a function that a search has found in a namespace with the name of the function.
      toFunctionTools(item.tools).map(tool => ({
        ...(item.type === 'tool_search_output' && { namespace: tool.name }),
        ...tool,
      })),
    );
  const toKey = ({ name, namespace = name }: FunctionTool): string => `${namespace}.${name}`;
  const declared = toFunctionTools(tools);
  const visible = declared.filter(tool => tool.definition.defer_loading !== true);
  const byKey = new Map([...visible, ...loaded].map(tool => [toKey(tool), tool]));
  const isSearching = objectsOf(tools).some(entry => entry.type === 'tool_search');
  const hidden = isSearching ? declared.filter(tool => !byKey.has(toKey(tool))) : [];
  return { tools: [...byKey.values()], searchable: hidden };
}

/**
 * Returns the tools as they are in the prompt: of a deferred function only name and description, of a namespace with
 * nothing but deferred functions only its own.
 */
export const toShownTools = (tools: unknown): PlainObject[] =>
  objectsOf(tools).map(tool => {
    if (tool.type === 'namespace') {
      const shown = objectsOf(tool.tools).filter(entry => entry.defer_loading !== true);
      return { ...tool, tools: shown };
    }
    if (tool.defer_loading !== true) return tool;
    return { type: tool.type, name: tool.name, description: tool.description };
  });

function toFunctionTools(tools: unknown, namespace?: string): FunctionTool[] {
  return objectsOf(tools).flatMap((tool): FunctionTool[] => {
    if (tool.type === 'namespace') return toFunctionTools(tool.tools, String(tool.name));
    if (tool.type !== 'function') return [];
    return [
      {
        name: String(tool.name),
        description: stringOf(tool.description),
        parameters: objectOf(tool.parameters) ?? {},
        ...(namespace !== undefined && { namespace }),
        definition: tool,
      },
    ];
  });
}

function toToolChoice(
  choice: unknown,
): ResponsesRequest['toolChoice'] & { readonly allowed?: readonly string[] } {
  if (choice === 'none' || choice === 'required') return { mode: choice };
  if (!isPlainObject(choice)) return { mode: 'auto' };
  if (choice.type === 'function') return { mode: 'required', name: String(choice.name) };
  if (choice.type !== 'allowed_tools') return { mode: 'auto' };
  const allowed = objectsOf(choice.tools).map(tool => String(tool.name));
  return { mode: choice.mode === 'required' ? 'required' : 'auto', allowed };
}

function toFormat(text: unknown): PlainObject | undefined {
  if (!isPlainObject(text) || !isPlainObject(text.format)) return undefined;
  const { type, schema } = text.format;
  if (type === 'json_schema') return objectOf(schema) ?? {};
  return type === 'json_object' ? { type: 'object' } : undefined;
}

/**
 * Parameter rules of a model id.
 *
 * - `reasoning`: emits reasoning items and rejects `temperature` and `top_p`.
 * - `plain`: an OpenAI model that rejects `reasoning` and encrypted reasoning content.
 * - `unknown`: not an OpenAI model id; accepts every parameter and emits no reasoning.
 */
export type ModelKind = 'reasoning' | 'plain' | 'unknown';

/** Returns a model id without the prefix of a vendor. */
export const toModelName = (modelId: string): string =>
  modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();

/** Returns the kind of a model id. A vendor prefix (`openai/gpt-5`) is ignored. */
export function toModelKind(modelId: string): ModelKind {
  const name = toModelName(modelId);
  if (/^(gpt-[34]|chatgpt|gpt-\d+(\.\d+)?-chat)/.test(name)) return 'plain';
  return /^(o\d|gpt-([5-9]|\d\d)|codex-|computer-use)/.test(name) ? 'reasoning' : 'unknown';
}

/** The body of a request. Other fields than the named ones have to be compared or narrowed. */
export interface EmulatorRequestBody {
  readonly model?: string;
  readonly input?: string | readonly PlainObject[];
  readonly instructions?: string;
  readonly tools?: readonly PlainObject[];
  readonly text?: PlainObject;
  readonly reasoning?: PlainObject;
  readonly include?: readonly string[];
  readonly [field: string]: unknown;
}

/** A received request, without its key. */
export interface EmulatorRequest {
  /** The HTTP method, or `response.create` for a frame of a WebSocket. */
  readonly method: string;
  /** Path and query, for example `/v1/responses?api-version=v1`. */
  readonly path: string;
  /** Header names are lower case; credentials are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, as the client sent it: a rejected request may have other types. The text if it is not JSON. */
  readonly body: EmulatorRequestBody;
  /** Number of bytes of the body as it was sent. */
  readonly bodyLength: number;
  /** Number of the WebSocket, from 1, for a frame. */
  readonly connection?: number;
  /**
   * Index of the sent key in the emulator's `apiKey` option; `undefined` if it is not one of them. Without the option, the
   * keys are counted in the order in which they appear.
   */
  readonly apiKeyIndex?: number;
  /** True if the client closed the connection before the response was complete. */
  readonly aborted: boolean;
}

/** Reads a request to its end. Returns the key separately, so that the request can be printed. */
export async function readRequest(
  incoming: IncomingMessage,
  options: {
    keys: KeyNumbers;
    encodings?: readonly string[];
    allowedOrigins?: readonly string[];
  },
): Promise<{
  request: EmulatorRequest & { aborted: boolean };
  key: string | undefined;
  error: ApiError | undefined;
}> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const encoding = incoming.headers['content-encoding'];
  const isKnown = encoding === undefined || (options.encodings ?? []).includes(encoding);
  const text = isKnown ? (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8') : '';
  const key = readKey(incoming.headers);
  const request = {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: redact(incoming.headers),
    // Routes that require JSON respond with 400.
    body: (isKnown ? (tryParseJson(text) ?? text) : undefined) as EmulatorRequestBody,
    bodyLength: bytes.length,
    apiKeyIndex: key === undefined ? undefined : options.keys(key),
    aborted: false,
  };
  const foreign = refuseForeign(incoming.headers, options.allowedOrigins);
  if (isKnown || foreign !== undefined) return { request, key, error: foreign };
  const error = { ...badRequest(`Unsupported content encoding: '${encoding}'.`), status: 415 };
  return { request, key, error };
}

const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Refuses what a browser sends for a page of another site: with its `Origin`, or to a name of that site that resolves to
 * this machine (DNS rebinding). Programs send no `Origin`.
 */
function refuseForeign(
  headers: IncomingHttpHeaders,
  allowedOrigins: readonly string[] | undefined,
): ApiError | undefined {
  const allowed = allowedOrigins?.map(toUrl);
  const own = toUrl(`http://${headers.host}`);
  const page = toUrl(headers.origin);
  const isOwnHost =
    own !== undefined && (isLoopback(own) || allowed?.some(one => one?.host === own.host) === true);
  const isOwnPage =
    headers.origin === undefined ||
    (page !== undefined && (allowed?.some(one => one?.origin === page.origin) ?? isLoopback(page)));
  if (isOwnHost && isOwnPage) return undefined;
  const received = isOwnHost ? `the origin ${headers.origin}` : `the host ${headers.host}`;
  return {
    status: 403,
    message:
      `Expected a request of this machine, to a loopback name such as 127.0.0.1, got one with ${received}. ` +
      'Add its origin to `allowedOrigins` of the emulator to answer it.',
    type: 'invalid_request_error',
    param: null,
    code: 'foreign_origin',
  };
}

const toUrl = (text = ''): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const isLoopback = (url: URL): boolean => LOOPBACK.test(url.hostname);

/** Returns the number of a key, from 0. */
export type KeyNumbers = (key: string) => number | undefined;

/** Numbers the accepted keys, or without a list of them all keys in the order of their appearance. */
export function createKeyNumbers(apiKeys: readonly string[] | undefined): KeyNumbers {
  const known = [...(apiKeys ?? [])];
  return key => {
    if (apiKeys === undefined && !known.includes(key)) known.push(key);
    const index = known.indexOf(key);
    return index < 0 ? undefined : index;
  };
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
  context: { apiKeys?: readonly string[] },
): ApiError | undefined {
  if (context.apiKeys === undefined || (key !== undefined && context.apiKeys.includes(key))) return undefined;
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
