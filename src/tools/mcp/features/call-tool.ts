import type { Client, RequestId } from '@modelcontextprotocol/client';
import * as z from 'zod/v4';
import { onceAborted } from '../../../core/shared/abort.js';
import { inform } from '../../../core/shared/inform.js';
import {
  isPlainObject,
  type JSONObject,
  type JSONValue,
  type PlainObject,
  toPlainJson,
} from '../../../core/shared/json.js';
import { repeat } from '../../../core/shared/repeat.js';
import {
  effectiveAnnotations,
  type ToolInvocation,
  type ToolCallOptions,
  type ToolDefinition,
  type ToolOutput,
} from '../../tool-source.js';
import { findArgumentIssue, findOutputIssue } from './argument-issues.js';
import type { McpServerConfig } from '../config/config.js';
import type { McpConnection } from '../session/connection.js';
import { redactServerText } from '../auth/secrets.js';
import { toMcpError } from '../session/errors.js';
import {
  isTimeout,
  McpFailure,
  type McpFailureKind,
  mayHaveRun,
  toMcpFailure,
} from '../transport/failures.js';
import type { RequestMeta } from '../config/callbacks.js';
import { requestOriginal } from '../transport/messages.js';
import { toParamHeaders } from '../transport/param-headers.js';
import { type RequestLimits, sendRequest, toMetaField } from '../session/request.js';
import { isWithinBounds } from '../transport/untrusted-input.js';
import type { McpSession } from '../session/session.js';
import {
  readTaskReference,
  takesTasks,
  type TaskHandle,
  type TaskReference,
  toTaskHandle,
  toTaskOrigin,
} from '../session/tasks.js';
import { type CallResult, toToolOutput, unwrapResult } from './tool-output.js';

// Intentionally loose: unknown content blocks are passed on as JSON, and a result that differs from its output schema
// is still a result.
const resultSchema = z.looseObject({
  resultType: z.enum(['complete', 'input_required', 'task']).optional(),
  content: z.array(z.unknown()).optional().catch(undefined),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional().catch(undefined),
  toolResult: z.unknown().optional(),
  _meta: z.unknown().optional(),
});

/** Failures that allow a second attempt: always, or only for read-only and idempotent tools. */
const retries: Readonly<Partial<Record<McpFailureKind, 'always' | 'if-harmless'>>> = {
  'session-expired': 'always', // rejected before the tool ran
  'not-sent': 'always',
  closed: 'if-harmless', // the tool may have run
  network: 'if-harmless',
};

/** Failures after which a task is asked for again. The process of a server ends with its tasks. */
const followedAgain = new Set<McpFailureKind>(['session-expired', 'not-sent', 'closed', 'network']);

/** A tool of a server, and how to reach it. */
interface CalledTool {
  serverName: string;
  config: McpServerConfig;
  connection: McpConnection;
  /** The tool under the server's own name. */
  tool: ToolDefinition;
  /** Returns `_meta` of the request. @default none */
  requestMeta?: RequestMeta | undefined;
}

/** The JSON-RPC error of a server whose schema requests other headers than the client knows. */
const headerMismatch = -32020;

/** Lists the tools again and returns the current definition of a tool. The host's decision to trust it is kept. */
async function findChangedTool(
  connection: McpConnection,
  definition: ToolDefinition,
  options: { signal: AbortSignal },
): Promise<ToolDefinition | undefined> {
  connection.invalidateTools();
  const listed = await connection.listTools({ signal: options.signal }).catch(() => undefined);
  options.signal.throwIfAborted();
  const changed = listed?.tools.find(tool => tool.name === definition.name);
  return changed && { ...changed, trustAnnotations: definition.trustAnnotations };
}

/** The key in `_meta` of a call, the same when a durable turn repeats it. The protocol has no key for this. */
const IDEMPOTENCY_KEY = 'com.npmjs.kelivo-responses/idempotencyKey';

/**
 * Calls a tool of one server if the arguments match its schema. Failures are returned as outputs. The promise rejects
 * only on abort, with the signal's reason.
 */
export async function callTool(
  { serverName, config, connection, requestMeta, ...called }: CalledTool,
  call: Pick<ToolInvocation, 'toolCallId' | 'input'>,
  options: ToolCallOptions & Pick<RequestLimits, 'timeout' | 'totalTimeout'>,
): Promise<ToolOutput> {
  const { signal, callContext, idempotencyKey, requestMeta: callMeta, telemetry, task } = options;
  const facts = { toolCallId: call.toolCallId, ...callContext, server: serverName };
  const keyMeta = idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY]: idempotencyKey };
  let { tool } = called;
  let hasSentHeaders = false;
  const startedAt = performance.now();
  /** The task that the server has created for the call. A failure then leaves its outcome open. */
  let created: { reference: TaskReference; progressToken: RequestId | undefined } | undefined;
  /** Ends the watch over a task that nobody follows yet. */
  let unwatch = (): void => {};

  function cancelTask(handle: TaskHandle, client: Client): void {
    const options = { isKept: task !== undefined, signal };
    import('./follow-task.js').then(module => module.cancelTask(handle, client, options)).catch(() => {});
  }

  async function follow(reference: TaskReference, progressToken?: RequestId): Promise<CallResult> {
    const { followTask } = await import('./follow-task.js');
    const { taskId } = reference;
    const followIn = (session: McpSession): Promise<CallResult> =>
      sendRequest(
        session,
        {
          send(client, sendOptions, _retry, _meta, exchange) {
            unwatch();
            return followTask(reference, client, exchange, task !== undefined, sendOptions);
          },
          call: { facts, params: { taskId }, progressToken },
          facts: { method: 'tasks/result', target: tool.name },
          telemetry,
        },
        { ...options, elapsed: performance.now() - startedAt },
      );
    return connection.withSession(followIn, {
      signal,
      session: reference.session,
      mayRetry: failure =>
        'url' in config && ((failure.isSessionLost ?? false) || followedAgain.has(failure.kind)),
    });
  }

  /** Waits for the task that another process has started. Returns undefined if its outcome cannot be found out. */
  async function resume(known: JSONValue): Promise<ToolOutput | undefined> {
    const reference = await readTaskReference(known, { serverName, config });
    if (reference === undefined) return undefined;
    try {
      return toOutput(await follow(reference));
    } catch (error) {
      signal.throwIfAborted();
      if (isTimeout(toMcpFailure(error))) throw error;
      return undefined;
    }
  }

  async function attempt(): Promise<ToolOutput> {
    if (task?.known !== undefined) {
      const output = await resume(task.known);
      task.isLost = output === undefined;
      return output ?? { type: 'error-text', value: 'The outcome of the call is unknown.' };
    }
    const issue = findArgumentIssue(tool, call.input);
    if (issue !== undefined) return { type: 'error-text', value: issue };
    const hostMeta = {
      ...(requestMeta && toSendableMeta(inform(requestMeta, { ...facts, toolName: tool.name }))),
      ...(callMeta && toSendableMeta(callMeta)),
      ...keyMeta,
    };
    const send = (session: McpSession) => {
      const isTask =
        tool.taskSupport !== undefined &&
        takesTasks(session) &&
        (tool.taskSupport === 'required' || task !== undefined);
      const params = { name: tool.name, arguments: { ...call.input }, ...(isTask && { task: {} }) };
      hasSentHeaders = session.sendsParamHeaders;
      const headers = hasSentHeaders ? toParamHeaders(tool.inputSchema, call.input) : {};
      return sendRequest(
        session,
        {
          send: async (client, sendOptions, retry, meta, exchange) => {
            const metaField = toMetaField({ ...session.callMeta, ...meta, ...hostMeta });
            const received = await requestOriginal(
              client,
              { method: 'tools/call', params: { ...params, ...metaField, ...retry } },
              { schema: resultSchema, options: { ...sendOptions, headers } },
            );
            const handle = toTaskHandle(received);
            if (handle !== undefined) {
              unwatch = onceAborted(signal, () => cancelTask(handle, client));
              const reference = { ...handle, ...(await toTaskOrigin({ serverName, config }, session)) };
              await task?.record(toPlainJson(reference) as JSONObject);
              created = { reference, progressToken: exchange.id };
            }
            return received;
          },
          call: { facts, method: 'tools/call', params },
          facts: { method: 'tools/call', target: tool.name },
          telemetry,
        },
        options,
      );
    };
    const result = await connection.withSession(send, {
      signal,
      mayRetry: failure => mayRetry(failure, tool),
    });
    if (created !== undefined) return toOutput(await follow(created.reference, created.progressToken));
    return toOutput(unwrapResult(result));
  }

  function toOutput(result: CallResult): ToolOutput {
    const { structuredContent, isError = false } = result;
    if (structuredContent !== undefined && !isError) {
      // The model can read it anyway.
      const issue = findOutputIssue(tool, structuredContent);
      if (issue !== undefined) inform(options.onWarning, issue);
    }
    const output = toToolOutput(result);
    return isError ? redactStrings(output, config) : output;
  }

  /** Repeats a call that was rejected because its headers did not match a changed schema, unless it has created a task. */
  const pauseAfter = async (error: unknown, attempts: number): Promise<0 | undefined> => {
    // Without these headers, the code is the server's own, and the tool may have run.
    const isMismatch = hasSentHeaders && error instanceof McpFailure && error.rpcCode === headerMismatch;
    const changed =
      isMismatch && attempts === 0 && created === undefined
        ? await findChangedTool(connection, tool, { signal })
        : undefined;
    if (changed === undefined) return undefined;
    tool = changed;
    return 0;
  };
  try {
    return await repeat(attempt, pauseAfter, signal);
  } catch (error) {
    signal.throwIfAborted();
    const failure = toMcpFailure(error);
    const { message } = toMcpError(failure, { serverName, config, toolName: tool.name });
    const value =
      created !== undefined && !mayHaveRun(failure)
        ? `${message} The tool ${JSON.stringify(tool.name)} may or may not have been executed.`
        : message;
    return { type: 'error-text', value };
  } finally {
    unwatch();
  }
}

/** Redacts an error, which may contain variables or request headers. Other results are passed on unchanged. */
function redactStrings(output: ToolOutput, config: McpServerConfig): ToolOutput {
  const redact = (key: string, value: unknown): unknown =>
    typeof value === 'string' && key !== 'data' && key !== 'blob' ? redactServerText(value, config) : value;
  return JSON.parse(JSON.stringify(output, redact));
}

function mayRetry(failure: McpFailure, tool: ToolDefinition): boolean {
  const retry =
    failure.isSessionLost === true ? (retries[failure.kind] ?? 'if-harmless') : retries[failure.kind];
  // A read-only tool is idempotent as well.
  return retry === 'always' || (retry === 'if-harmless' && effectiveAnnotations(tool).idempotent);
}

/** Limits of `_meta` that the host adds to a request. */
const metaBounds = { maxDepth: 50, maxSize: 64 * 1024 };

/** Returns the metadata of the host that can be sent. The rest is left out: a failing tracer must not stop a call. */
function toSendableMeta(meta: unknown): PlainObject {
  try {
    if (!isPlainObject(meta) || !isWithinBounds(meta, metaBounds)) return {};
    // Also leaves out functions, which JSON cannot contain.
    const sent: PlainObject = JSON.parse(JSON.stringify(meta));
    return Object.fromEntries(Object.entries(sent).filter(([key]) => !isReserved(key)));
  } catch {
    return {};
  }
}

/**
 * Returns true for keys that the protocol defines. Prefixes whose second label is `modelcontextprotocol` or `mcp` are
 * reserved (https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta).
 */
const isReserved = (key: string): boolean =>
  key === 'progressToken' || /^[^./]+\.(?:modelcontextprotocol|mcp)(?:\.[^/]*)?\//.test(key);
