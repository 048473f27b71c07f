import {
  type Client,
  type InputRequiredResult,
  isInputRequiredResult,
  type Progress,
  type RequestId,
  type RequestOptions,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import { linkSignal, toTimerDelay, wait } from '../../../core/shared/abort.js';
import { objectOf, type PlainObject } from '../../../core/shared/json.js';
import { ABORTED, type McpRequestFacts, type ToolTelemetry } from '../../../core/telemetry.js';
import type { ToolProgress } from '../../tool-source.js';
import { McpFailure, mayHaveRun, toMcpFailure } from '../transport/failures.js';
import type { McpCallFacts } from '../config/callbacks.js';
import type { CallMark } from './running-calls.js';
import { respondToInput } from './server-requests.js';
import type { McpSession } from './session.js';

export interface RequestLimits {
  signal?: AbortSignal;
  /**
   * Maximum time without a response or progress, in milliseconds. It pauses while the server waits for a response of
   * the host to this request, for example for a form that the user fills in. Waiting for other calls does not count.
   */
  timeout: number;
  /** Maximum total time of the request, in milliseconds. */
  totalTimeout: number;
  /** The part of the total time that has passed, in milliseconds. @default 0 */
  elapsed?: number;
  /** Called with the progress that the server reports. */
  onProgress?: (progress: ToolProgress) => void;
}

/**
 * A request to a server. `connection.withSession` opens the session, repeats the request after a lost session and counts
 * as usage; `sendRequest` adds the abort signal, the time limits, progress, and the classification of errors.
 */
interface SentRequest<Result> {
  /**
   * May use any method of the SDK's client, and passes the options on to it. `retry` is part of the parameters of
   * `tools/call`, `prompts/get` and `resources/read`, and `meta` of `_meta` of all requests.
   */
  send: Send<Result>;
  /** The call that the request makes, and by what its messages are recognized. */
  call?: { facts: McpCallFacts } & CallMark;
  /** Describes the request to its observer: that of the tool call, or of the session. */
  facts: Pick<McpRequestFacts, 'method' | 'target' | 'uri'>;
  /** Observes the tool call. @default the session is observed */
  telemetry?: ToolTelemetry | undefined;
}

export type Send<Result> = (
  client: Client,
  options: RequestOptions & { signal: AbortSignal },
  retry: RetryParams,
  meta: PlainObject,
  context: RequestContext,
) => Promise<Result>;

/** The context of a request that consists of several messages. */
export interface RequestContext {
  /** The id of its last message. */
  readonly id: RequestId | undefined;
  /** Responds to what the server requires, by key. Rejects as `respondToInput`. */
  respond(inputRequests: Readonly<Record<string, unknown>>): Promise<Record<string, object>>;
  /** Restarts the time limit because the server has responded. */
  showActivity(): void;
}

/** Responses to the requests in a server's last result, and the state to return to it unchanged. */
export type RetryParams = Pick<InputRequiredResult, 'requestState'> & {
  inputResponses?: Record<string, unknown>;
};

/**
 * Sends one request with its own abort and timeout handling.
 *
 * Corrects the MCP SDK (2.4.0): it uses the same error code for aborts and timeouts; checks the total time only when
 * progress arrives (https://github.com/modelcontextprotocol/typescript-sdk/issues/2695); receives progress only with
 * `onprogress`; counts the time in which a server of revision 2025-11-25 waits for the host; and fires a timer that is too
 * long at once. Tests of the bare SDK: "requests" in test/tools/mcp/sdk-corrections.test.ts.
 *
 * @throws McpFailure, or the signal's reason.
 */
export async function sendRequest<Result>(
  session: McpSession,
  request: SentRequest<Result>,
  { signal, timeout, totalTimeout, elapsed = 0, onProgress }: RequestLimits,
): Promise<Result> {
  signal?.throwIfAborted();
  const running =
    request.call && (await session.calls.start(request.call.facts, { ...request.call, signal }));
  const observer = request.telemetry ?? session.telemetry;
  const observed = observer?.startMcpRequest({ ...session.facts, ...request.facts });
  let isSettled = false;
  const link = linkSignal(signal);
  const totalTimer = setTimeout(
    () => link.abort(new McpFailure({ kind: 'total-timeout', milliseconds: totalTimeout })),
    toTimerDelay(Math.max(totalTimeout - elapsed, 0)),
  );

  /** The last time at which the server showed activity. Time in which it waited for the host does not count either. */
  let activeAt = performance.now();
  let timer = setTimeout(checkActivity, toTimerDelay(timeout));
  function checkActivity(): void {
    const remaining = Math.max(activeAt, running?.lastPendingAt ?? 0) + timeout - performance.now();
    if (remaining > 0) timer = setTimeout(checkActivity, toTimerDelay(Math.ceil(remaining)));
    else link.abort(new McpFailure({ kind: 'timeout', milliseconds: timeout, process: session.report() }));
  }

  const options = {
    signal: link.signal,
    timeout: toTimerDelay(Number.POSITIVE_INFINITY),
    allowInputRequired: true,
    onprogress({ progress, total, message }: Progress) {
      activeAt = performance.now();
      onProgress?.({ progress, total, message });
    },
  };
  const context: RequestContext = {
    get id() {
      return running?.id;
    },
    respond: inputRequests =>
      respondToInput(inputRequests, { call: running, responses: session.responses, signal: link.signal }),
    showActivity() {
      activeAt = performance.now();
    },
  };

  /**
   * Sends the request again with the responses to what the server requires, until it returns a result. Each round has only
   * the responses and the state of the result before it.
   *
   * https://modelcontextprotocol.io/specification/2026-07-28
   */
  async function sendRounds(client: Client): Promise<Result> {
    let retry: RetryParams = {};
    for (let round = 0; ; round++) {
      const result = await request
        .send(client, options, retry, observed?.meta ?? {}, context)
        .catch(toRequiredPages);
      if (!isInputRequiredResult(result) && !UrlElicitationRequiredError.isInstance(result)) return result;
      const requests = toInputRequests(result);
      if (round === maxRounds) {
        throw new McpFailure({
          kind: 'input',
          message: `input was still required after ${maxRounds} rounds`,
        });
      }
      if (Object.keys(requests).length === 0) await wait(postponedDelay, link.signal);
      const inputResponses = await context.respond(requests);
      if (isInputRequiredResult(result)) {
        const { requestState } = result;
        retry = {
          ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
          ...(requestState !== undefined && { requestState }),
        };
      } else if (Object.values(inputResponses).some(response => objectOf(response)?.action !== 'accept')) {
        throw result;
      }
    }
  }

  try {
    if (request.call?.progressToken !== undefined) running?.onProgress(options.onprogress);
    const result = await (observed === undefined
      ? session.use(sendRounds)
      : observed.run(() => session.use(sendRounds)));
    observed?.end(undefined, running?.id);
    isSettled = true;
    return result;
  } catch (error) {
    if (link.signal.aborted) {
      observed?.end(toObservedFailure(link.signal.reason), running?.id);
      throw link.signal.reason;
    }
    const failure = toMcpFailure(error, { process: session.report() });
    observed?.end(toObservedFailure(failure), running?.id);
    isSettled = !mayHaveRun(failure);
    throw failure;
  } finally {
    running?.end({ isSettled });
    clearTimeout(totalTimer);
    clearTimeout(timer);
    link.release();
  }
}

const toObservedFailure = (error: unknown): { kind: string; rpcCode?: number | undefined } =>
  error instanceof McpFailure ? { kind: error.kind, rpcCode: error.rpcCode } : { kind: ABORTED };

/** Maximum number of times that a server may require input for one call. */
const maxRounds = 10;

/** Time before a request is repeated that the server only postponed, in milliseconds. */
const postponedDelay = 250;

/** Returns the error with which servers of revision 2025-11-25 require pages. The repeated call has no responses. */
function toRequiredPages(error: unknown): UrlElicitationRequiredError {
  if (UrlElicitationRequiredError.isInstance(error)) return error;
  throw error;
}

/** Returns the requests that the server requires responses to. */
function toInputRequests(
  result: InputRequiredResult | UrlElicitationRequiredError,
): Readonly<Record<string, unknown>> {
  if (isInputRequiredResult(result)) return result.inputRequests ?? {};
  if (result.elicitations.length === 0) throw result; // nothing that a repeated call could change
  const pages = result.elicitations.map(page => ({
    method: 'elicitation/create',
    params: { ...page, mode: 'url' },
  }));
  return { ...pages };
}

/** Returns `_meta` as a field of the parameters of a request, or nothing if it is empty. */
export const toMetaField = (meta: PlainObject): { _meta?: PlainObject } =>
  Object.keys(meta).length === 0 ? {} : { _meta: meta };
