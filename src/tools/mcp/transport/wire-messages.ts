import { isSpecType, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/client';
import { isPlainObject, numberOf, objectOf, type PlainObject } from '../../../core/shared/json.js';
import { readError } from '../../../core/shared/reported-error.js';

/*
 * Corrects the MCP SDK (2.4.0), which validates a message before anything else reads it and drops one with a single odd
 * member: servers in Java, C#, PHP and Julia send null for what is unset, and `[]` for an empty object
 * (Apicurio/apicurio-registry#6899, Azure/data-api-builder#3599, JuliaSMLM/ModelContextProtocol.jl#16,
 * anthropics/claude-code#14465). The call then waits for its time limit. Tests of the bare SDK: "messages" in
 * test/tools/mcp/sdk-corrections.test.ts.
 */

/** Marks the error of an answer that cannot be read, in the data of the JSON-RPC error that the SDK receives. */
export const unreadableKey = 'kelivo-responses/unreadable';

const INTERNAL_ERROR = -32603;

/** Length of the beginning of an unreadable answer in its error, in characters. */
const EXCERPT_LENGTH = 200;

interface SentRequest {
  readonly method: string;
  readonly params: PlainObject | undefined;
}

/** The messages of one connection, read before the SDK validates them. */
export class WireMessages {
  /** Requests without an answer. */
  readonly #pending = new Map<RequestId, SentRequest>();

  /** Remembers a request that is sent, until it is answered or cancelled. */
  sent(message: unknown): void {
    const { id, method, params } = objectOf(message) ?? {};
    if (typeof method !== 'string') return;
    const requestId = toId(id);
    if (requestId !== undefined) this.#pending.set(requestId, { method, params: objectOf(params) });
    else if (method === 'notifications/cancelled') this.forget(toId(objectOf(params)?.requestId));
  }

  forget(id: RequestId | undefined): void {
    if (id !== undefined) this.#pending.delete(id);
  }

  /** Returns true if somebody waits for an answer. A stream for announcements stays open, but nobody waits for its end. */
  isAwaited(): boolean {
    for (const { method } of this.#pending.values()) if (method !== 'subscriptions/listen') return true;
    return false;
  }

  /**
   * Returns the valid messages in a JSON value. An answer to a known request is always among them: as a result, as its error,
   * or as an error that it cannot be read.
   *
   * @param exchangeId The request whose HTTP exchange contains the value. An answer without an id belongs to it.
   */
  read(value: unknown, exchangeId?: RequestId): JSONRPCMessage[] {
    if (Array.isArray(value)) return value.flatMap(entry => this.read(entry, exchangeId));
    const message = objectOf(value);
    if (message === undefined) return [];
    const { method, result, error } = message;
    const isError = !isNothing(error);
    const isAnswer = isError || Object.hasOwn(message, 'result');
    if (typeof method === 'string' && method !== '' && !isAnswer) {
      const read = toMethodMessage(message, method);
      return isSpecType.JSONRPCMessage(read) ? [read] : [];
    }
    const ownId = toId(message.id);
    if (!isAnswer && message.jsonrpc === undefined && ownId === undefined) return [];
    // Some servers return the number of a request as a text.
    const isText = typeof ownId === 'string' && !this.#pending.has(ownId) && this.#pending.has(Number(ownId));
    const id = (isText ? Number(ownId) : ownId) ?? exchangeId;
    if (id === undefined) return [];
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    const content = isError
      ? { error: toError(error) }
      : { result: isPlainObject(result) ? toResult(result, request) : undefined };
    const answer = { jsonrpc: '2.0', id, ...content };
    return [isSpecType.JSONRPCMessage(answer) ? answer : toUnreadable(id, JSON.stringify(message))];
  }
}

/** Returns an error for a request whose answer cannot be read. The server may have run it. */
export const toUnreadable = (id: RequestId, text: string): JSONRPCMessage =>
  toMissing(id, JSON.stringify(text.slice(0, EXCERPT_LENGTH)));

/** Returns an error for a request that got the answer to another one. It quotes nothing: the content belongs to the other. */
export const toMisaddressed = (id: RequestId, other: RequestId): JSONRPCMessage =>
  toMissing(id, `an answer to the request ${JSON.stringify(other)}`);

const toMissing = (id: RequestId, got: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: INTERNAL_ERROR,
    message: `expected a result or an error, got ${got}`,
    data: { [unreadableKey]: true },
  },
});

const toId = (value: unknown): RequestId | undefined =>
  typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value)) ? value : undefined;

function toMethodMessage(message: PlainObject, method: string): PlainObject {
  const requestId = toId(message.id);
  const fields = objectOf(message.params);
  return {
    jsonrpc: '2.0',
    ...(requestId !== undefined && { id: requestId }),
    method,
    ...(fields !== undefined && { params: withReadableMeta(fields) }),
  };
}

/** Returns true for values with which servers express that there is no error. */
const isNothing = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0);

function toError(error: unknown): PlainObject {
  const { code, data } = objectOf(error) ?? {};
  const number = typeof code === 'string' && code.trim() !== '' ? Number(code) : code;
  const { message = JSON.stringify(error).slice(0, EXCERPT_LENGTH) } =
    readError({ error }) ?? readError({ error: data }) ?? {};
  return {
    code: Number.isSafeInteger(number) ? number : INTERNAL_ERROR,
    message,
    ...(data !== undefined && data !== null && { data }),
  };
}

/** Corrects the members of a result. One without odd members is returned as it is. */
function toResult(original: PlainObject, request: SentRequest | undefined): PlainObject {
  const fields = Object.values(original).includes(null) ? withoutNull(original) : original;
  const result = Object.hasOwn(fields, '_meta') ? withReadableMeta(fields) : fields;
  switch (request?.method) {
    case 'initialize':
      return toInitializeResult(result, request);
    case 'server/discover':
      return withIdentity(result);
    case 'tools/call': {
      const { content, isError } = result;
      return {
        ...result,
        // Some servers send a text or one block.
        ...(content !== undefined && !Array.isArray(content) && { content: [toBlock(content)] }),
        // A flag of another type is an error unless it denies one: a failed call must not look like a success.
        ...(isError !== undefined && { isError: !isNothing(isError) && isError !== 'false' }),
      };
    }
    case 'resources/read':
      return withList(result, 'contents');
    case 'prompts/get':
      return withList(result, 'messages');
    case 'tools/list':
      return withCursor(withList(result, 'tools'));
    case 'resources/list':
      return withCursor(withList(result, 'resources'));
    case 'resources/templates/list':
      return withCursor(withList(result, 'resourceTemplates'));
    case 'prompts/list':
      return withCursor(withList(result, 'prompts'));
    default:
      return result;
  }
}

const toBlock = (content: unknown): PlainObject =>
  isPlainObject(content) ? content : { type: 'text', text: String(content) };

const withoutNull = (fields: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Removes `_meta` of another type, and a token in it that is none. */
function withReadableMeta({ _meta, ...fields }: PlainObject): PlainObject {
  if (!isPlainObject(_meta)) return fields;
  const { progressToken, ...others } = withoutNull(_meta);
  const token = toId(progressToken);
  return { ...fields, _meta: token === undefined ? others : { ...others, progressToken: token } };
}

function toInitializeResult(result: PlainObject, request: SentRequest): PlainObject {
  const { protocolVersion } = result;
  return withIdentity({
    ...result,
    // Without a version, the server speaks the one that was requested.
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : request.params?.protocolVersion,
    serverInfo: result.serverInfo ?? {},
    // Without readable capabilities, the server is asked for its tools.
    capabilities: isPlainObject(result.capabilities) ? result.capabilities : { tools: {} },
  });
}

/** Makes the members readable that describe a server. */
function withIdentity({ capabilities, serverInfo, instructions, ...result }: PlainObject): PlainObject {
  return {
    ...result,
    ...(capabilities !== undefined && { capabilities: toCapabilities(capabilities) }),
    ...(serverInfo !== undefined && { serverInfo: toServerInfo(serverInfo) }),
    ...(typeof instructions === 'string' && { instructions }),
  };
}

/** Capabilities whose members are booleans. */
const FLAGGED = new Set(['tools', 'prompts', 'resources', 'logging', 'completions']);

function toCapabilities(capabilities: unknown): PlainObject {
  const entries = Object.entries(objectOf(capabilities) ?? {}).flatMap(
    ([name, value]): [string, unknown][] => {
      if (value === null || value === false) return [];
      const members = Object.entries(objectOf(value) ?? {});
      const isReadable = FLAGGED.has(name)
        ? ([, member]: [string, unknown]) => typeof member === 'boolean'
        : ([, member]: [string, unknown]) => isPlainObject(member);
      return [[name, Object.fromEntries(members.filter(isReadable))]];
    },
  );
  return Object.fromEntries(entries);
}

function toServerInfo(info: unknown): PlainObject {
  const { name, version, ...others } = objectOf(info) ?? {};
  const texts = Object.entries(others).filter(([, value]) => typeof value === 'string');
  return {
    ...Object.fromEntries(texts),
    name: typeof name === 'string' ? name : 'unknown',
    version: typeof version === 'string' ? version : String(numberOf(version) ?? 'unknown'),
  };
}

/** Returns a list for one entry, and for the object that PHP makes of a list with gaps. */
function withList(result: PlainObject, field: string): PlainObject {
  const { [field]: value } = result;
  if (!isPlainObject(value)) return result;
  const entries = Object.values(value);
  return { ...result, [field]: entries.every(isPlainObject) ? entries : [value] };
}

/** A cursor is a text. Some servers count in numbers. */
function withCursor({ nextCursor, ...result }: PlainObject): PlainObject {
  if (typeof nextCursor === 'string') return { ...result, nextCursor };
  return typeof nextCursor === 'number' ? { ...result, nextCursor: String(nextCursor) } : result;
}
