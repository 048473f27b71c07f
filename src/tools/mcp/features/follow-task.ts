import { type Client, ProtocolError, type RequestOptions } from '@modelcontextprotocol/client';
import {
  type ApplicationInputRequest,
  type ConnectedMcpSessionPort,
  JsonRpcResponseError,
  type TaskOutcome,
  type TaskView,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client';
import { linkSignal, onceAborted, toTimerDelay } from '../../../core/shared/abort.js';
import { KelivoError } from '../../../core/shared/errors.js';
import { type JSONObject, type JSONValue, objectOf, stringOf } from '../../../core/shared/json.js';
import type { RequestContext, Send } from '../session/request.js';
import { anyResult } from '../transport/messages.js';
import type { TaskHandle } from '../session/tasks.js';
import type { CallResult } from './tool-output.js';

type Dispatch = ConnectedMcpSessionPort['dispatch'];

const inputMethods: Readonly<Record<ApplicationInputRequest['kind'], string>> = {
  elicitation: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
};

/**
 * Waits for a task and returns the result of its call. A task that failed or was cancelled has the result of a failed tool.
 *
 * Corrects `@modelcontextprotocol/ext-tasks` (0.2.2), which requests the result of a task of revision 2025-11-25 only at its
 * end, while the server asks the user on the stream of that request. Test of the bare package: "a task that requires input is
 * only looked at" in test/tools/mcp/sdk-corrections.test.ts.
 *
 * When the signal aborts, the server is asked to cancel the task, except at the end of this process's turn if another
 * process can go on with it.
 *
 * @param isKept True if another process can go on with the task.
 * @throws the error of a request for the task, or the signal's reason.
 */
export async function followTask(
  { generation, ...handle }: TaskHandle,
  client: Client,
  context: RequestContext,
  isKept: boolean,
  { signal, onprogress }: Parameters<Send<CallResult>>[1],
): Promise<CallResult> {
  const taskId = handle.taskId as TaskView['taskId'];
  const { respond, showActivity } = context;
  const dispatch = createDispatch(client, { generation, showActivity });
  /** A server of revision 2025-11-25 sends its requests to the host while the result is requested. */
  let early: ReturnType<Dispatch> | undefined;
  const requestResult = (resultOptions?: Parameters<Dispatch>[1]): ReturnType<Dispatch> =>
    (early ??= dispatch({ method: 'tasks/result', params: { taskId } }, resultOptions));
  const following = linkSignal(signal);

  const tasks = withTasks(
    {
      endpointId: '',
      taskCapabilities:
        generation === 'v2'
          ? { generation, capabilities: {} }
          : { generation, capabilities: client.getServerCapabilities()?.tasks ?? {} },
      invalidated: false,
      dispatch: (request, requestOptions) =>
        objectOf(request)?.method === 'tasks/result'
          ? requestResult(requestOptions)
          : dispatch(request, requestOptions),
      // The session receives the requests of the server, and asks for the state often enough.
      onServerRequest: () => () => {},
      onNotification: () => () => {},
      onInvalidated: () => () => {},
    },
    {
      tools: { currentTool: () => undefined },
      onError: () => {},
      async onInputRequest(request) {
        const { input } = await respond({
          input: { method: inputMethods[request.kind], params: request.params },
        });
        return input as never; // its callback has checked it
      },
    },
  );
  const stop = onceAborted(signal, () => cancelTask({ generation, taskId }, client, { isKept, signal }));
  try {
    const execution = await tasks.resumeTask<CallResult>(
      { endpointId: '', generation, taskId, originalOperation: 'tools/call' },
      {
        signal: following.signal,
        resultCodec: { parse: value => ({ success: true, value: objectOf(value) ?? {} }) },
      },
    );
    const report = createReports(onprogress);
    const { outcome } = await execution.settle({
      signal: following.signal,
      close: false,
      onEvent(event) {
        if (event.type !== 'task') return;
        report(event.task);
        if (event.task.status === 'input_required' && generation === 'v1')
          requestResult({ signal: following.signal }).catch(() => (early = undefined));
      },
    });
    signal.throwIfAborted();
    return await toResult(outcome, { requestResult: generation === 'v1' ? requestResult : undefined });
  } catch (error) {
    signal.throwIfAborted();
    throw toCause(error);
  } finally {
    stop();
    following.abort(undefined);
    following.release();
  }
}

/**
 * Asks the server to cancel a task, which it may refuse. At the end of this process's turn, the task goes on if another
 * process can go on with it.
 */
export function cancelTask(
  { generation, taskId }: TaskHandle,
  client: Client,
  { isKept, signal }: { isKept: boolean; signal: AbortSignal },
): void {
  if (isKept && mayGoOn(signal.reason)) return;
  const dispatch = createDispatch(client, { generation, showActivity: () => {} });
  dispatch({ method: 'tasks/cancel', params: { taskId } }).catch(() => {});
}

/** Errors of this package after which a turn is repeated, in this process or another one. */
const mayGoOn = (reason: unknown): boolean =>
  KelivoError.isInstance(reason) && reason.code !== 'turn-cancelled';

/** Creates the function that sends the requests for a task. The SDK adds the capabilities and reads no result. */
function createDispatch(
  client: Client,
  handle: Pick<TaskHandle, 'generation'> & Pick<RequestContext, 'showActivity'>,
): Dispatch {
  // Members that are null are left out of answers, and the SDK removes the type of a result.
  const defaults: JSONObject =
    handle.generation === 'v2' ? { resultType: 'complete', ttlMs: null } : { ttl: null };
  return async (request, options = {}) => {
    const { method, params } = objectOf(request) ?? {};
    const { _meta, ...fields } = objectOf(params) ?? {};
    const timeout = toTimerDelay(Number.POSITIVE_INFINITY);
    try {
      const result = await client.request({ method: stringOf(method), params: fields }, anyResult, {
        ...(options.signal && { signal: options.signal, timeout }),
        ...(options.context?.headers && { headers: { ...options.context.headers } }),
      });
      handle.showActivity();
      return { kind: 'result', result: { ...defaults, ...(result as JSONObject) } };
    } catch (error) {
      if (!ProtocolError.isInstance(error)) throw error;
      const { code, message, data } = error;
      return {
        kind: 'error',
        error: { code, message, ...(data !== undefined && { data: data as JSONValue }) },
      };
    }
  };
}

const ended = new Set<TaskView['status']>(['completed', 'failed', 'cancelled']);

/** Creates a function that reports a changed status as progress. The end of a task is that of its call. */
function createReports(onprogress: RequestOptions['onprogress']): (task: TaskView) => void {
  let reported: string | undefined;
  let progress = 0;
  return ({ status, statusMessage = status }) => {
    if (statusMessage === reported || ended.has(status)) return;
    reported = statusMessage;
    onprogress?.({ progress: ++progress, message: statusMessage });
  };
}

async function toResult(
  outcome: TaskOutcome<CallResult>,
  options: { requestResult: (() => ReturnType<Dispatch>) | undefined },
): Promise<CallResult> {
  if (outcome.status === 'completed') return outcome.result;
  if (outcome.status === 'cancelled') return toFailedResult('The task was cancelled.');
  if (outcome.task?.status !== 'failed') throw outcome.error;
  // In revision 2025-11-25, the result says why the task failed.
  const response = await options.requestResult?.();
  const result = response?.kind === 'result' ? objectOf(response.result) : undefined;
  if (Array.isArray(result?.content)) return { ...result, isError: true };
  return toFailedResult(response?.kind === 'error' ? response.error.message : outcome.error.message);
}

const toFailedResult = (text: string): CallResult => ({ isError: true, content: [{ type: 'text', text }] });

/** Returns the error of the request itself. */
function toCause(error: unknown): unknown {
  if (error instanceof JsonRpcResponseError) return new ProtocolError(error.code, error.message, error.data);
  return error instanceof Error && error.cause instanceof Error ? toCause(error.cause) : error;
}
