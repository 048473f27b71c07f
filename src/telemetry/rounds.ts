import { type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import { createPartCollector } from '../core/collector.js';
import type { Finish, Part, Usage } from '../core/part.js';
import { toReasonText } from '../core/finish.js';
import type { ObservedCall, RoundFacts, RoundTelemetry } from '../core/telemetry.js';
import { idOf } from '../shared/json.js';
import {
  ATTRIBUTE,
  CONTENT_EVENT,
  type GivenAttributes,
  RETRY_EVENT,
  startOperation,
  toFailure,
  withoutMissing,
} from './spans.js';
import type { ContentMode, ContentWriter } from './content.js';
import type { METRICS, Metrics } from './metrics.js';

/** Everything that observers of one `createTelemetry()` share. */
export interface Recorders {
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  readonly content: ContentMode;
  readonly writer: ContentWriter;
  readonly propagates: (server: string) => boolean;
  readonly propagatesBaggage: (server: string) => boolean;
}

/** A round of a call. */
export interface RoundOptions extends RoundFacts {
  readonly parent: Context;
  /** `gen_ai.provider.name`. */
  readonly providerName: string;
  /** `server.address` and `server.port`. */
  readonly server: GivenAttributes;
  /** The prefix of token counts, which decides if backends add them up. */
  readonly usagePrefix: 'gen_ai.usage' | 'kelivo.usage';
  /** The number of the request for this round, from 1. */
  readonly attempt: number;
}

/** Observes one request to a model as a span `chat {model}`. */
export function startRound(
  { tracer, metrics, content, writer }: Recorders,
  { parent, providerName, server, usagePrefix, attempt, modelId, call, isReplayed }: RoundOptions,
): RoundTelemetry {
  const { isStream, turn } = call;
  const base = {
    [ATTRIBUTE.operation]: 'chat',
    [ATTRIBUTE.provider]: providerName,
    [ATTRIBUTE.requestModel]: modelId,
    ...server,
  };
  const operation = startOperation(tracer, {
    name: `chat ${modelId}`,
    kind: SpanKind.CLIENT,
    parent,
    attributes: {
      ...base,
      [ATTRIBUTE.turnId]: turn?.id ?? idOf(call.own.turnId),
      [ATTRIBUTE.round]: turn?.round,
      [ATTRIBUTE.attempt]: attempt > 1 ? attempt : undefined,
      [ATTRIBUTE.isReplayed]: isReplayed || undefined,
    },
  });
  operation.add(() => ({
    ...toRequestAttributes(call),
    [ATTRIBUTE.isStream]: isStream,
    ...(content.inputs && content.inSpans && toInput()),
  }));
  const startedAt = performance.now();
  const collector = operation.isRecording && content.outputs ? createPartCollector() : undefined;
  let responseModel: string | undefined;
  let firstChunkAt: number | undefined;
  let error: unknown;
  let finish: Finish | undefined;
  let retries = 0;
  /** The last HTTP request, if it failed. */
  let failed: { readonly status: number | undefined } | undefined;

  const add = (part: Part): void => {
    if (part.type === 'stream-start' || part.type === 'raw') return;
    collector?.add(part);
    if (part.type === 'response-metadata') {
      responseModel = part.modelId ?? responseModel;
      const { id, modelId: model } = part;
      operation.add(() => ({ [ATTRIBUTE.responseId]: id, [ATTRIBUTE.responseModel]: model }));
    } else if (part.type === 'error') error = part.error;
    else if (part.type === 'finish') finish = part;
    else firstChunkAt ??= performance.now();
  };

  const end: RoundTelemetry['end'] = (outcome = {}) => {
    const failure = toFailure({ error, ...outcome }, toMessage);
    if (finish !== undefined) operation.add(() => toResponseAttributes());
    if (retries > 0) operation.add(() => ({ [ATTRIBUTE.retries]: retries }));
    operation.add(() =>
      firstChunkAt === undefined || !isStream || isReplayed
        ? {}
        : { [ATTRIBUTE.timeToFirstChunk]: (firstChunkAt - startedAt) / 1000 },
    );
    if (collector !== undefined && content.inSpans) operation.add(toOutput);
    if (content.inEvents)
      operation.addEvent(CONTENT_EVENT, () => ({
        ...(content.inputs && toInput()),
        ...(content.outputs && toOutput()),
      }));
    const seconds = operation.end(failure);
    if (seconds === undefined || isReplayed) return;
    const attributes = withoutMissing({
      ...base,
      [ATTRIBUTE.responseModel]: responseModel,
      [ATTRIBUTE.errorType]: failure?.type,
    });
    metrics.record('inferenceDuration', seconds, attributes);
    if (firstChunkAt !== undefined && isStream)
      metrics.record('timeToFirstChunk', (firstChunkAt - startedAt) / 1000, attributes);
    for (const [kind, count] of countsOf(finish?.usage)) metrics.record(kind, count, attributes);
  };

  return {
    isRecording: operation.isRecording || metrics.isRecording(),
    run: operation.run,
    add(parts) {
      for (const part of parts) add(part);
      if (finish !== undefined) end();
    },
    startHttpRequest(secrets) {
      writer.protect(secrets);
      // Redirects and polls follow a request that succeeded.
      if (failed !== undefined) {
        const { status } = failed;
        const attempt = ++retries + 1;
        failed = undefined;
        operation.addEvent(RETRY_EVENT, () => ({
          [ATTRIBUTE.httpStatus]: status,
          [ATTRIBUTE.attempt]: attempt,
        }));
      }
      return status => {
        if (status === undefined || status >= 400) failed = { status };
      };
    },
    end,
  };

  function toResponseAttributes(): GivenAttributes {
    const counts = countsOf(finish?.usage).map(([kind, count]) => [`${usagePrefix}.${kind}`, count]);
    return {
      ...(finish && { [ATTRIBUTE.finishReasons]: [toReasonText(finish.finishReason)] }),
      ...Object.fromEntries(counts),
    };
  }

  function toInput(): GivenAttributes {
    const { messages, instructions } = writer.toInput(call.prompt);
    return {
      [ATTRIBUTE.inputMessages]: messages,
      [ATTRIBUTE.systemInstructions]: instructions,
      [ATTRIBUTE.toolDefinitions]: writer.toTools(call.tools),
    };
  }

  function toOutput(): GivenAttributes {
    const { content: parts = [] } = collector?.result() ?? {};
    return {
      [ATTRIBUTE.outputMessages]: writer.toOutput(parts, finish && toReasonText(finish.finishReason)),
    };
  }

  function toMessage(cause: unknown): string | undefined {
    if (!content.outputs) return undefined;
    return writer.toText(cause instanceof Error ? cause.message : String(cause));
  }
}

function toRequestAttributes({ responseFormat, stopSequences, ...call }: ObservedCall): GivenAttributes {
  return {
    [ATTRIBUTE.outputType]: responseFormat?.type,
    'gen_ai.request.temperature': call.temperature,
    'gen_ai.request.top_p': call.topP,
    'gen_ai.request.top_k': call.topK,
    'gen_ai.request.max_tokens': call.maxOutputTokens,
    'gen_ai.request.seed': call.seed,
    'gen_ai.request.stop_sequences': stopSequences && [...stopSequences],
    'gen_ai.request.presence_penalty': call.presencePenalty,
    'gen_ai.request.frequency_penalty': call.frequencyPenalty,
  };
}

/** Returns the token counts of a response by the metrics that count them. Those of the input include cached ones. */
function countsOf(usage: Usage | undefined): [kind: keyof typeof METRICS, count: number][] {
  const counts: [kind: keyof typeof METRICS, count: number | undefined][] = [
    ['input_tokens', usage?.inputTokens.total],
    ['output_tokens', usage?.outputTokens.total],
    ['cache_read.input_tokens', usage?.inputTokens.cacheRead],
    ['cache_write.input_tokens', usage?.inputTokens.cacheWrite],
    ['reasoning.output_tokens', usage?.outputTokens.reasoning],
  ];
  return counts.flatMap(([kind, count]) => (count === undefined ? [] : [[kind, count]]));
}
