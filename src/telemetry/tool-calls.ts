import { context, type Context, isSpanContextValid, propagation, SpanKind, trace } from '@opentelemetry/api';
import { messageOf } from '../core/shared/errors.js';
import { tryParseJson } from '../core/shared/json.js';
import {
  ABORTED,
  type McpRequestFacts,
  type McpRequestTelemetry,
  type ToolFacts,
  type ToolTelemetry,
} from '../core/telemetry.js';
import {
  ATTRIBUTE,
  type Failure,
  type GivenAttributes,
  safely,
  startOperation,
  toFailure,
  toServerAttributes,
  withoutMissing,
} from './spans.js';
import type { CallRecorders, Recorders } from './rounds.js';

/** Observes one tool call as a span `execute_tool {name}`, which also has the attributes of its MCP request. */
export function startTool(
  recorders: CallRecorders,
  { toolCallId, toolName, description, input, turnId, round, notRun }: ToolFacts,
  parent: Context,
): ToolTelemetry {
  const { tracer, metrics, content, writer } = recorders;
  const base = { [ATTRIBUTE.operation]: 'execute_tool', [ATTRIBUTE.toolName]: toolName };
  const operation = startOperation(tracer, `execute_tool ${toolName}`, SpanKind.INTERNAL, parent, {
    ...base,
    [ATTRIBUTE.toolCallId]: toolCallId,
    [ATTRIBUTE.toolType]: 'function',
    [ATTRIBUTE.turnId]: turnId,
    [ATTRIBUTE.round]: round,
    [ATTRIBUTE.isReplayed]: notRun === 'replayed' || undefined,
    [ATTRIBUTE.isRefused]: notRun === 'refused' || undefined,
  });
  /** The failed MCP request, which explains the output of the call. */
  let mcpFailure: string | undefined;

  return {
    run: operation.run,
    startMcpRequest(facts) {
      writer.protect(facts.secrets);
      operation.add(() => toMcpAttributes(facts));
      return observeMcpRequest(recorders, facts, {
        active: operation.context,
        run: operation.run,
        end(failure, attributes) {
          mcpFailure = failure?.type;
          operation.add(() => ({ ...attributes, ...failure?.attributes }));
        },
      });
    },
    end({ output, isError = false, ...outcome }) {
      // Texts are recorded at the end, because the secrets of an MCP request are known only when it is sent.
      operation.add(() => ({
        [ATTRIBUTE.toolDescription]: description && writer.toText(description),
        ...(content.inputs && { [ATTRIBUTE.toolArguments]: writer.toJson(tryParseJson(input) ?? input) }),
      }));
      if (output !== undefined && content.outputs)
        operation.add(() => ({ [ATTRIBUTE.toolResult]: writer.toToolOutput(output) }));
      const failure = isError
        ? { type: mcpFailure ?? (notRun === 'refused' ? 'refused' : 'tool_error') }
        : toFailure(outcome, toMessage);
      const seconds = operation.end(failure);
      if (seconds === undefined || notRun !== undefined) return;
      const attributes = withoutMissing({ ...base, [ATTRIBUTE.errorType]: failure?.type });
      metrics.record('toolDuration', seconds, attributes);
    },
  };

  function toMessage(error: unknown): string | undefined {
    return content.outputs ? writer.toText(messageOf(error)) : undefined;
  }
}

/** Observes a request to an MCP server outside of the tool calls of a loop, as a span `{method} {target}`. */
export function startMcpRequest(recorders: Recorders, facts: McpRequestFacts): McpRequestTelemetry {
  const { method, target } = facts;
  const isToolCall = method === 'tools/call';
  const name = target === undefined ? method : `${method} ${target}`;
  const operation = startOperation(recorders.tracer, name, SpanKind.CLIENT, context.active(), {
    ...toMcpAttributes(facts),
    [ATTRIBUTE.operation]: isToolCall ? 'execute_tool' : undefined,
    [ATTRIBUTE.toolName]: isToolCall ? target : undefined,
  });
  return observeMcpRequest(recorders, facts, {
    active: operation.context,
    run: operation.run,
    end(failure, attributes) {
      operation.add(() => ({ ...attributes, ...failure?.attributes }));
      operation.end(failure);
    },
  });
}

interface McpRequestOptions {
  readonly active: Context;
  readonly run: McpRequestTelemetry['run'];
  readonly end: (
    failure: (Failure & { readonly attributes: GivenAttributes }) | undefined,
    attributes: GivenAttributes,
  ) => void;
}

function observeMcpRequest(
  { metrics, propagates, propagatesBaggage }: Recorders,
  facts: McpRequestFacts,
  options: McpRequestOptions,
): McpRequestTelemetry {
  const startedAt = performance.now();
  const { method, target, server } = facts;
  return {
    meta:
      safely(() => propagates(server)) === true
        ? toTraceContext(options.active, { hasBaggage: safely(() => propagatesBaggage(server)) === true })
        : {},
    run: options.run,
    end(failure, id) {
      const type = failure?.kind === ABORTED ? undefined : failure?.kind;
      options.end(
        failure && {
          type: failure.kind === 'rpc' ? String(failure.rpcCode ?? '_OTHER') : type,
          attributes: { [ATTRIBUTE.rpcStatus]: failure.rpcCode?.toString() },
        },
        { [ATTRIBUTE.rpcRequestId]: id?.toString() },
      );
      const seconds = (performance.now() - startedAt) / 1000;
      const {
        [ATTRIBUTE.mcpSession]: _id,
        [ATTRIBUTE.mcpResource]: _uri,
        ...attributes
      } = toMcpAttributes(facts);
      metrics.record(
        'mcpDuration',
        seconds,
        withoutMissing({
          ...attributes,
          [ATTRIBUTE.toolName]: method === 'tools/call' ? target : undefined,
          [ATTRIBUTE.errorType]: type,
        }),
      );
    },
  };
}

const toMcpAttributes = ({ method, server, uri, url, ...facts }: McpRequestFacts): GivenAttributes => ({
  [ATTRIBUTE.mcpMethod]: method,
  [ATTRIBUTE.mcpServer]: server,
  [ATTRIBUTE.mcpProtocol]: facts.protocolVersion,
  [ATTRIBUTE.mcpSession]: facts.sessionId,
  [ATTRIBUTE.mcpResource]: uri,
  [ATTRIBUTE.networkTransport]: url === undefined ? 'pipe' : 'tcp',
  [ATTRIBUTE.networkProtocol]: url === undefined ? undefined : 'http',
  ...toServerAttributes(url),
});

/**
 * Returns the trace context for `_meta`, in the formats of W3C Trace Context, whatever propagator the application uses for
 * HTTP.
 *
 * https://www.w3.org/TR/trace-context/, https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
function toTraceContext(active: Context, options: { hasBaggage: boolean }): Record<string, string> {
  const spanContext = trace.getSpanContext(active);
  if (spanContext === undefined || !isSpanContextValid(spanContext)) return {};
  const { traceId, spanId, traceFlags, traceState } = spanContext;
  const tracestate = traceState?.serialize();
  const entries = options.hasBaggage ? (propagation.getBaggage(active)?.getAllEntries() ?? []) : [];
  const baggage = entries.map(([name, { value }]) => `${name}=${encodeURIComponent(value)}`).join(',');
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    ...(tracestate && { tracestate }),
    ...(baggage !== '' && { baggage }),
  };
}
