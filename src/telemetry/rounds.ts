import type { LanguageModelV2StreamPart, LanguageModelV2Usage } from '@ai-sdk/provider';
import { type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import { createPartCollector } from '../parts/collector.js';
import { numberOf } from '../shared/json.js';
import type { RoundFacts, RoundTelemetry } from '../shared/telemetry.js';
import { ATTRIBUTE, CONTENT_EVENT, METRIC, RETRY_EVENT } from './names.js';
import { type GivenAttributes, startOperation, toFailure, withoutMissing } from './spans.js';
import type { ContentMode, ContentWriter } from './content.js';
import type { Metrics } from './metrics.js';

type Part = LanguageModelV2StreamPart;

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
  {
    parent,
    providerName,
    server,
    usagePrefix,
    attempt,
    modelId,
    options,
    isStream,
    isReplayed,
  }: RoundOptions,
): RoundTelemetry {
  const { turnId, round } = options.providerOptions?.kelivo ?? {};
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
      [ATTRIBUTE.turnId]: typeof turnId === 'string' ? turnId : undefined,
      [ATTRIBUTE.round]: numberOf(round),
      [ATTRIBUTE.attempt]: attempt > 1 ? attempt : undefined,
      [ATTRIBUTE.isReplayed]: isReplayed || undefined,
    },
  });
  operation.add(() => ({
    ...toRequestAttributes(options),
    [ATTRIBUTE.isStream]: isStream,
    ...(content.inputs && content.inSpans && toInput()),
  }));
  const startedAt = performance.now();
  const collector = operation.isRecording && content.outputs ? createPartCollector() : undefined;
  let responseModel: string | undefined;
  let firstChunkAt: number | undefined;
  let error: unknown;
  let finish: Extract<Part, { type: 'finish' }> | undefined;
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
    metrics.recordDuration(METRIC.inferenceDuration, seconds, attributes);
    if (firstChunkAt !== undefined && isStream)
      metrics.recordDuration(METRIC.timeToFirstChunk, (firstChunkAt - startedAt) / 1000, attributes);
    for (const [kind, count] of countsOf(finish?.usage)) metrics.addTokens(kind, count, attributes);
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
      ...(finish && { [ATTRIBUTE.finishReasons]: [finish.finishReason] }),
      ...Object.fromEntries(counts),
    };
  }

  function toInput(): GivenAttributes {
    const { messages, instructions } = writer.toInput(options.prompt);
    return {
      [ATTRIBUTE.inputMessages]: messages,
      [ATTRIBUTE.systemInstructions]: instructions,
      [ATTRIBUTE.toolDefinitions]: writer.toTools(options.tools),
    };
  }

  function toOutput(): GivenAttributes {
    const { content: parts = [] } = collector?.result() ?? {};
    return { [ATTRIBUTE.outputMessages]: writer.toOutput(parts, finish?.finishReason) };
  }

  function toMessage(cause: unknown): string | undefined {
    if (!content.outputs) return undefined;
    return writer.toText(cause instanceof Error ? cause.message : String(cause));
  }
}

function toRequestAttributes({ responseFormat, ...options }: RoundFacts['options']): GivenAttributes {
  return {
    [ATTRIBUTE.outputType]: responseFormat?.type,
    'gen_ai.request.temperature': options.temperature,
    'gen_ai.request.top_p': options.topP,
    'gen_ai.request.top_k': options.topK,
    'gen_ai.request.max_tokens': options.maxOutputTokens,
    'gen_ai.request.seed': options.seed,
    'gen_ai.request.stop_sequences': options.stopSequences,
    'gen_ai.request.presence_penalty': options.presencePenalty,
    'gen_ai.request.frequency_penalty': options.frequencyPenalty,
  };
}

/** Returns the token counts of a response. Those of the input include cached ones. */
function countsOf(
  usage: (LanguageModelV2Usage & { readonly cacheWriteInputTokens?: number }) | undefined,
): [kind: string, count: number][] {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteInputTokens, reasoningTokens } =
    usage ?? {};
  return Object.entries({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    'cache_read.input_tokens': cachedInputTokens,
    'cache_write.input_tokens': cacheWriteInputTokens,
    'reasoning.output_tokens': reasoningTokens,
  }).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
}
