import { createHash } from 'node:crypto';
import type { Exchange, Trace, TraceTool } from '../../shared/trace.js';

/**
 * Traces as OTLP JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. The exporters of OpenTelemetry cannot
 * read a stored trace.
 */
export interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: 1 | 3;
  /** Nanoseconds since 1970. */
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  /** Code 2 is an error. */
  readonly status: { readonly code?: 2; readonly message?: string };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | OtlpList;
}

interface OtlpList {
  readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] };
}

type Attributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * Converts a turn to spans: the turn, its rounds, and their HTTP requests and tool calls. The names are those of the
 * conventions for generative AI: https://github.com/open-telemetry/semantic-conventions-genai
 *
 * @param trace A trace without secrets.
 * @param turnId Determines the ids of trace and spans, so that a turn that is exported twice is the same trace.
 */
export function toOtlp(trace: Trace, { turnId }: { turnId: string }): OtlpTraces {
  const traceId = toId(turnId, 32);
  const began = Date.parse(trace.startedAt ?? '') || 0;
  const endAt = trace.end?.at ?? trace.lastAt;
  const toTime = (at: number): string =>
    String(BigInt(began) * 1_000_000n + BigInt(Math.round(at * 1_000_000)));
  const toSpan = ({
    id,
    parent,
    name,
    kind,
    from,
    to = endAt,
    attributes,
    problem,
  }: SpanFacts): OtlpSpan => ({
    traceId,
    spanId: toId(`${turnId} ${id}`, 16),
    ...(parent !== undefined && { parentSpanId: toId(`${turnId} ${parent}`, 16) }),
    name,
    kind,
    startTimeUnixNano: toTime(from),
    endTimeUnixNano: toTime(Math.max(to, from)),
    attributes: toAttributes(attributes),
    status: problem === undefined ? {} : { code: 2, message: problem },
  });
  const spans = [
    toTurnSpan(trace),
    ...trace.rounds.map(({ round, startAt, endAt: to, finishReason, usage }): SpanFacts => ({
      id: `round ${round}`,
      parent: 'turn',
      name: `chat ${trace.modelId ?? ''}`.trim(),
      kind: 3,
      from: startAt,
      to,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': trace.modelId,
        'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
        'gen_ai.usage.input_tokens': usage?.inputTokens,
        'gen_ai.usage.output_tokens': usage?.outputTokens,
        'kelivo.round': round,
      },
    })),
    ...trace.exchanges.map(toExchangeSpan),
    ...trace.tools.map(toToolSpan),
  ];
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes({ 'service.name': 'kelivo-responses playground' }) },
        scopeSpans: [{ scope: { name: 'kelivo-responses playground' }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

interface SpanFacts {
  readonly id: string;
  readonly parent?: string;
  readonly name: string;
  readonly kind: OtlpSpan['kind'];
  /** Milliseconds since the turn began. */
  readonly from: number;
  readonly to?: number;
  readonly attributes: Attributes;
  /** The text of an error. */
  readonly problem?: string;
}

function toTurnSpan({ flag, modelId, endpoint, fault, firstTokenAt, end }: Trace): SpanFacts {
  return {
    id: 'turn',
    name: 'invoke_agent',
    kind: 1,
    from: 0,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.request.model': modelId,
      'kelivo.provider': flag,
      'kelivo.endpoint': endpoint,
      'kelivo.fault': fault,
      'kelivo.end': end?.end,
      // An integer, because the conventions have none for it.
      'kelivo.first_token_ms': firstTokenAt === undefined ? undefined : Math.round(firstTokenAt),
    },
    ...(end?.end === 'failed' && { problem: end.message ?? 'The turn failed.' }),
  };
}

function toExchangeSpan({ exchange, round, startAt, request, status, end }: Exchange): SpanFacts {
  const isFailed = (status ?? 0) >= 400 || end?.end === 'broken';
  return {
    id: `exchange ${exchange}`,
    parent: `round ${round}`,
    name: request.method,
    kind: 3,
    from: startAt,
    to: end?.at,
    attributes: {
      'http.request.method': request.method,
      'url.full': request.url,
      'http.response.status_code': status,
      'error.type': isFailed ? String(status !== undefined && status >= 400 ? status : end?.end) : undefined,
    },
    ...(isFailed && { problem: end?.message ?? `Status ${status}` }),
  };
}

function toToolSpan({ toolCallId, toolName, round, startAt, endAt, state, input }: TraceTool): SpanFacts {
  return {
    id: `tool ${toolCallId}`,
    parent: `round ${round}`,
    name: `execute_tool ${toolName}`,
    kind: 1,
    from: startAt,
    to: endAt,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': toolName,
      'gen_ai.tool.call.id': toolCallId,
      'gen_ai.tool.call.arguments': input,
      'error.type': state === 'failed' ? 'tool_error' : undefined,
    },
    ...(state === 'failed' && { problem: 'The tool returned an error.' }),
  };
}

const toId = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

const toAttributes = (attributes: Attributes): readonly OtlpAttribute[] =>
  Object.entries(attributes).flatMap(([key, value]): OtlpAttribute[] => {
    if (value === undefined) return [];
    if (typeof value === 'number') return [{ key, value: { intValue: String(value) } }];
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }];
    return [{ key, value: { arrayValue: { values: value.map(stringValue => ({ stringValue })) } } }];
  });
