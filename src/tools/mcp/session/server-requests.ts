import {
  type Client,
  type ClientCapabilities,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  isSpecType,
  type ListRootsResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  type Root,
} from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { linkSignal } from '../../../core/shared/abort.js';
import { inform } from '../../../core/shared/inform.js';
import { objectOf, stringOf } from '../../../core/shared/json.js';
import { once } from '../../../core/shared/once.js';

import { McpFailure } from '../transport/failures.js';
import { toShownAddress } from '../auth/addresses.js';
import { appsCapability } from './apps.js';
import type { McpCallbacks, McpRequestContext, McpUrlElicitation } from '../config/callbacks.js';
import { tasksCapability } from './tasks.js';
import type { RunningCall, RunningCalls } from './running-calls.js';
import { quoteName } from '../transport/untrusted-input.js';

type Respond<Result> = (params: unknown, context: McpRequestContext) => Promise<Result>;

/** Responds to the requests of servers, by method. */
export interface HostResponses {
  readonly 'elicitation/create'?: Respond<ElicitResult>;
  readonly 'sampling/createMessage'?: Respond<CreateMessageResult>;
  readonly 'roots/list'?: () => Promise<ListRootsResult>;
}

export function createHostResponses(
  { onElicitation, onSampling }: McpCallbacks,
  roots: readonly string[] | undefined,
): HostResponses {
  return {
    ...(onElicitation && { 'elicitation/create': (...request) => elicit(onElicitation, ...request) }),
    ...(onSampling && { 'sampling/createMessage': (...request) => sample(onSampling, ...request) }),
    ...(roots && { 'roots/list': async () => ({ roots: toRoots(roots) }) }),
  };
}

/** Returns the capabilities to declare to a server. Requests are declared only with a response. */
export function toCapabilities(responses: HostResponses, callbacks: McpCallbacks): ClientCapabilities {
  return {
    ...(responses['elicitation/create'] && { elicitation: { form: { applyDefaults: true }, url: {} } }),
    ...(responses['sampling/createMessage'] && { sampling: {} }),
    ...(responses['roots/list'] && { roots: {} }),
    extensions: { ...tasksCapability, ...((callbacks.apps ?? false) && appsCapability) },
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
      url: z.string().transform((url, context) => {
        try {
          return toShownAddress(url).href;
        } catch {
          context.addIssue('Expected a page.');
          return z.NEVER;
        }
      }),
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
  if (request === undefined)
    throw new InvalidRequest('Expected a form, or an https URL without a user name.');
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
  options: { server: string; calls: RunningCalls; responses: HostResponses },
): void {
  async function respondTo<Result>(
    respond: Respond<Result>,
    params: unknown,
    mcpReq: { id: RequestId; signal: AbortSignal },
  ): Promise<Result> {
    const call = options.calls.find(mcpReq.id, readRelatedTask(params));
    if (call === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, unassignableMessage);
    try {
      return await call.respond(mcpReq.signal, signalOfRequest =>
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
  } = options.responses;
  if (listRoots) client.setRequestHandler('roots/list', listRoots);
  if (onElicit) {
    client.setRequestHandler('elicitation/create', ({ params }, context) =>
      respondTo(onElicit, params, context.mcpReq),
    );
  }
  if (onSample) {
    client.setRequestHandler('sampling/createMessage', ({ params }, context) =>
      respondTo(onSample, params, context.mcpReq),
    );
  }
  if (onLog) {
    client.setNotificationHandler(
      'notifications/message',
      ({ params }) => void inform(onLog, params, { server: options.server, ...options.calls.only?.facts }),
    );
  }
}

/** Returns the task for which a server of revision 2025-11-25 makes a request. */
function readRelatedTask(params: unknown): string | undefined {
  const meta = objectOf(objectOf(params)?._meta);
  const related = objectOf(meta?.['io.modelcontextprotocol/related-task']);
  return related === undefined ? undefined : stringOf(related.taskId);
}

const unassignableMessage =
  'The request does not belong to exactly one running tool call, so no user can respond to it. ' +
  'Send it while the call runs, over Streamable HTTP on the response stream of the call.';

/** Converts the roots of a configuration to those of the protocol. @internal */
export const toRoots = (roots: readonly string[]): Root[] => roots.map(root => ({ uri: toFileUri(root) }));

/** Returns the URI of an absolute path of any platform. A file URI is returned as it is. */
function toFileUri(root: string): string {
  if (/^file:/i.test(root)) return root;
  if (root.startsWith('/')) return `file://${encodePath(root)}`;
  const path = encodePath(root.replaceAll('\\', '/'));
  return path.startsWith('//') ? `file:${path}` : `file:///${path}`; // a network path, or one with a drive letter
}

const encodePath = (path: string): string => encodeURI(path).replace(/[?#]/g, encodeURIComponent);
