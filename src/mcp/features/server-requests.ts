import {
  type Client,
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  isSpecType,
  type ListRootsResult,
  type LoggingLevel,
  type LoggingMessageNotificationParams,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { linkSignal } from '../../shared/abort.js';
import { objectOf } from '../../shared/json.js';
import { once } from '../../shared/settings.js';
import { McpFailure } from '../session/failures.js';
import { appsCapability } from './apps.js';
import type { McpMessage } from '../session/messages.js';
import { toRoots } from './roots.js';
import type { McpCallFacts, RunningCall, RunningCalls } from '../session/running-calls.js';
import { quoteName } from './untrusted-input.js';

/**
 * Callbacks for requests and notifications of servers. Servers learn which callbacks exist when the connection opens,
 * and offer tools that need a callback only if it exists. With any callback, the connection to a Streamable HTTP
 * server keeps a listening stream open, which keeps an idle Node process alive until `close()`.
 */
export interface McpCallbacks {
  /**
   * Responds to a server that requests input from the user. Without a `mode` or with the mode `form`, it is a form of a
   * few fields, given as a JSON Schema. Fields that are missing from the response get the defaults of the schema. With
   * the mode `url`, it is a page to open: show the complete URL, open it only after the user agreed, and return the
   * action `accept`. The call is then repeated. Show the user which server asks. The context names the call that the
   * request belongs to; a request that cannot be assigned to one running call is rejected.
   *
   * Servers of revision 2025-11-25 and earlier do not name the call of a request over stdio and SSE, so with this
   * callback or `onSampling` the calls of such a server run one at a time. The callbacks must not wait for another call
   * of the same server.
   * @default such requests are rejected
   */
  onElicitation?: (
    request: ElicitRequestFormParams | McpUrlElicitation,
    context: McpRequestContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Responds to a server that requests a model completion. The user pays for it, so ask the user first. Calls are
   * assigned and run as with `onElicitation`.
   * @default such requests are rejected
   */
  onSampling?: (
    request: CreateMessageRequestParams,
    context: McpRequestContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /**
   * Receives the log messages of servers. The context names a call only if it is the only one of the server.
   * @default log messages are ignored
   */
  onLog?: (message: LoggingMessageNotificationParams, context: McpMessageContext) => void;
  /**
   * Minimum level of the log messages that servers send to `onLog`.
   * @default `info` since revision 2026-07-28, and the choice of the server before
   */
  logLevel?: LoggingLevel;
  /**
   * Called for every JSON-RPC message in both directions, with a copy that contains no secrets of the configuration and
   * no text that looks like a credential. Errors it throws are ignored.
   * @default messages are not observed
   */
  onMessage?: (message: McpMessage) => void;
  /**
   * Called for each line that a server over stdio writes to its standard error, without line end, terminal sequences,
   * secrets of the configuration and text that looks like a credential. Invalid UTF-8 is replaced, empty lines are left
   * out, and a line of more than 16,384 characters is shortened. Errors it throws are ignored.
   * @default only the last lines are kept, for the errors of a server that has ended
   */
  onStderr?: (line: string, context: Pick<McpMessageContext, 'server'>) => void;
  /**
   * Declares to servers that the host displays the user interfaces of tools (MCP Apps). Some servers offer tools with a
   * user interface only to such hosts. The metadata of a tool has the address of its page.
   * @default false
   */
  apps?: boolean;
}

/** A page that the user has to open, for example to sign in or to pay. Its result never passes through the host. */
export interface McpUrlElicitation {
  readonly mode: 'url';
  readonly message: string;
  /** An absolute http or https URL. */
  readonly url: string;
  /** Only from servers of revision 2025-11-25. */
  readonly elicitationId?: string;
}

/** The sender of a message, and the call during which it was sent. */
export interface McpMessageContext extends Partial<McpCallFacts> {
  /** The server's name in the configuration. If sources share the connection, its name in the first of them. */
  readonly server: string;
}

/** The call that a request belongs to, and a signal that ends with the request. */
export interface McpRequestContext extends McpCallFacts {
  /** Aborts when the response is no longer needed: the server cancelled the request, or its call ended. */
  readonly signal: AbortSignal;
}

type Respond<Result> = (params: unknown, context: McpRequestContext) => Promise<Result>;

/** Responds to the requests of servers, by method. */
export interface HostResponses {
  readonly 'elicitation/create'?: Respond<ElicitResult>;
  readonly 'sampling/createMessage'?: Respond<CreateMessageResult>;
  readonly 'roots/list'?: () => Promise<ListRootsResult>;
}

export function createHostResponses(
  { onElicitation, onSampling }: McpCallbacks,
  { roots }: { roots: readonly string[] | undefined },
): HostResponses {
  return {
    ...(onElicitation && { 'elicitation/create': (...request) => elicit(onElicitation, ...request) }),
    ...(onSampling && { 'sampling/createMessage': (...request) => sample(onSampling, ...request) }),
    ...(roots && { 'roots/list': async () => ({ roots: toRoots(roots) }) }),
  };
}

/** Returns the capabilities to declare to a server: only those with a response. */
export function toCapabilities(responses: HostResponses, { apps = false }: McpCallbacks): ClientCapabilities {
  return {
    ...(responses['elicitation/create'] && { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(responses['sampling/createMessage'] && { sampling: {} }),
    ...(responses['roots/list'] && { roots: {} }),
    ...(apps && { extensions: appsCapability }),
  };
}

/** A request that the callbacks cannot respond to. The server and the model may receive its message. */
class InvalidRequest extends Error {}

const elicitationSchema = once(() =>
  z.union([
    z.looseObject({
      mode: z.literal('url'),
      message: z.string(),
      // The host opens it, so other schemes such as `javascript` and `file` are rejected.
      url: z.string().refine(url => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)),
      elicitationId: z.string().optional(),
    }),
    z.looseObject({
      mode: z.literal('form').optional(),
      message: z.string(),
      requestedSchema: z.looseObject({
        type: z.literal('object'),
        properties: z.record(z.string(), z.looseObject({ default: z.unknown().optional() })),
      }),
    }),
  ]),
);

async function elicit(
  onElicitation: NonNullable<McpCallbacks['onElicitation']>,
  params: unknown,
  context: McpRequestContext,
): Promise<ElicitResult> {
  const { data: request } = elicitationSchema().safeParse(params);
  if (request === undefined) throw new InvalidRequest('Expected a form, or an http or https URL.');
  // The schema checks the parts that differ between revisions. Hosts show the rest.
  const result = await onElicitation(request as ElicitRequestFormParams | McpUrlElicitation, context);
  if (!isSpecType.ElicitResult(result)) throw new Error('Expected an action and flat content.');
  if (request.mode === 'url' || result.action !== 'accept') return result;
  const defaults = Object.entries(request.requestedSchema.properties)
    .filter(([, property]) => property.default !== undefined)
    .map(([name, property]) => [name, property.default]);
  return { ...result, content: { ...Object.fromEntries(defaults), ...result.content } };
}

async function sample(
  onSampling: NonNullable<McpCallbacks['onSampling']>,
  params: unknown,
  context: McpRequestContext,
): Promise<CreateMessageResult> {
  if (!isSpecType.CreateMessageRequestParams(params))
    throw new InvalidRequest('Expected messages for a model.');
  const result = await onSampling(params, context);
  if (!isSpecType.CreateMessageResult(result)) throw new Error('Expected a message of a model.');
  return result;
}

/**
 * Responds to the requests that a server of revision 2026-07-28 or later returned instead of a result, all at the same
 * time. If one fails, the others are aborted.
 *
 * @throws McpFailure `input`, or the signal's reason.
 */
export async function respondToInput(
  inputRequests: Readonly<Record<string, unknown>>,
  {
    call,
    responses,
    signal,
  }: { call: RunningCall | undefined; responses: HostResponses; signal: AbortSignal },
): Promise<Record<string, object>> {
  const round = linkSignal(signal);
  const respondByMethod = new Map<unknown, Respond<object>>(Object.entries({ ...responses }));
  try {
    const entries = Object.entries(inputRequests).map(async ([key, request]) => {
      const { method, params } = objectOf(request) ?? {};
      const respond = respondByMethod.get(method);
      if (respond === undefined || call === undefined)
        throw new McpFailure({ kind: 'input', message: `no callback handles ${quoteName(String(method))}` });
      const response = await call.respond(round.signal, signalOfRequest =>
        respond(params, { ...call.facts, signal: signalOfRequest }),
      );
      return [key, response] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  } catch (error) {
    signal.throwIfAborted();
    round.abort(error);
    throw error instanceof McpFailure ? error : new McpFailure({ kind: 'input', message: toReason(error) });
  } finally {
    round.release();
  }
}

/** Returns a message for the server and the model. The host's error may contain information for neither. */
const toReason = (error: unknown): string =>
  error instanceof InvalidRequest ? error.message : 'The host could not respond.';

/** Passes the requests of servers up to revision 2025-11-25, and log messages, to the callbacks of the host. */
export function handleServerRequests(
  client: Client,
  { onLog }: McpCallbacks,
  { server, calls, responses }: { server: string; calls: RunningCalls; responses: HostResponses },
): void {
  async function respondTo<Result>(
    respond: Respond<Result>,
    params: unknown,
    { id, signal }: { id: RequestId; signal: AbortSignal },
  ): Promise<Result> {
    const call = calls.find(id);
    if (call === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, unassignableMessage);
    try {
      return await call.respond(signal, signalOfRequest =>
        respond(params, { ...call.facts, signal: signalOfRequest }),
      );
    } catch (error) {
      const code =
        error instanceof InvalidRequest ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
      throw new ProtocolError(code, toReason(error));
    }
  }

  const {
    'elicitation/create': onElicit,
    'sampling/createMessage': onSample,
    'roots/list': listRoots,
  } = responses;
  if (listRoots) client.setRequestHandler('roots/list', listRoots);
  if (onElicit) {
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      respondTo(onElicit, params, mcpReq),
    );
  }
  if (onSample) {
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
      respondTo(onSample, params, mcpReq),
    );
  }
  if (onLog) {
    client.setNotificationHandler('notifications/message', ({ params }) =>
      onLog(params, { server, ...calls.only?.facts }),
    );
  }
}

const unassignableMessage =
  'The request does not belong to exactly one running tool call, so no user can respond to it. ' +
  'Send it while the call runs, over Streamable HTTP on the response stream of the call.';
