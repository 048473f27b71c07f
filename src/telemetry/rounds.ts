import { type Attributes, type Context, SpanKind, type Tracer } from '@opentelemetry/api';
import { createPartCollector } from '../core/collector.js';
import type { Finish, Part, Usage } from '../core/part.js';
import { toReasonText } from '../core/finish.js';
import type { ObservedCall, RoundFacts, RoundTelemetry } from '../core/telemetry.js';
import { messageOf } from '../core/shared/errors.js';
import { inform } from '../core/shared/inform.js';
import { idOf, objectOf } from '../core/shared/json.js';
import {
  ATTRIBUTE,
  CONTENT_EVENT,
  type GivenAttributes,
  type Operation,
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
  readonly propagates: (server: string) => boolean;
  readonly propagatesBaggage: (server: string) => boolean;
  /** Returns the id of the conversation by the context of the call. */
  readonly conversationIdOf: (context: unknown) => string | undefined;
}

/** The recorders of one call. */
export interface CallRecorders extends Recorders {
  /** Has the secrets of this call alone, so that those of all users do not pile up. */
  readonly writer: ContentWriter;
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
  /** True under a model call whose duration its host records. */
  readonly isInMeasuredCall: boolean;
  /** The number of the request for this round, from 1. */
  readonly attempt: number;
  /** The request of the same call that submitted the response which this one reads. */
  readonly submitted: RoundOperation | undefined;
}

export interface RoundOperation extends RoundTelemetry {
  /**
   * Ends the operation of a submitted response, which lasts until the response is read, with what the reading has found.
   * So the usage of a response belongs to the request that started it, or to the reading if that is of another call.
   */
  settle(read?: Finish): void;
}

/** Observes one request to a model as a span `chat {model}`. */
export function startRound(
  { tracer, metrics, content, writer, conversationIdOf }: CallRecorders,
  {
    parent,
    providerName,
    server,
    usagePrefix,
    isInMeasuredCall,
    attempt,
    submitted,
    modelId,
    call,
    isReplayed,
  }: RoundOptions,
): RoundOperation {
  const { isStream, turn } = call;
  const readId = toReadId(call);
  const operationName = readId === undefined ? 'chat' : 'fetch_response';
  const base = {
    [ATTRIBUTE.operation]: operationName,
    [ATTRIBUTE.provider]: providerName,
    [ATTRIBUTE.requestModel]: modelId,
    ...server,
  };
  const operation = startOperation(tracer, `${operationName} ${modelId}`, SpanKind.CLIENT, parent, {
    ...base,
    [ATTRIBUTE.responseId]: readId,
    [ATTRIBUTE.turnId]: turn?.id ?? idOf(call.own.turnId),
    [ATTRIBUTE.round]: turn?.round,
    [ATTRIBUTE.attempt]: attempt > 1 ? attempt : undefined,
    [ATTRIBUTE.isReplayed]: isReplayed || undefined,
  });
  operation.add(() => ({
    ...toRequestAttributes(call, conversationIdOf),
    [ATTRIBUTE.isStream]: isStream,
  }));
  const startedAt = performance.now();
  const collector = operation.isRecording && content.outputs ? createPartCollector() : undefined;
  const retries = createRetryCounter(operation, writer);
  let responseModel: string | undefined;
  let firstChunkAt: number | undefined;
  let error: unknown;
  let finish: Finish | undefined;
  let hasFiles = false;
  let isSubmitted = turn?.response === 'submit';

  const add = (part: Part): void => {
    collector?.add(part);
    switch (part.type) {
      case 'stream-start':
      case 'raw':
        return;
      case 'response-metadata': {
        const { id, modelId: model } = part;
        responseModel = model ?? responseModel;
        operation.add(() => ({ [ATTRIBUTE.responseId]: id, [ATTRIBUTE.responseModel]: model }));
        return;
      }
      case 'error':
        error = part.error;
        return;
      case 'finish':
        finish = part;
        return;
      case 'file':
        hasFiles = true;
    }
    firstChunkAt ??= performance.now();
  };

  const end: RoundTelemetry['end'] = (outcome = {}) => {
    const failure = toFailure({ error, ...outcome }, cause =>
      content.outputs ? writer.toText(messageOf(cause)) : undefined,
    );
    // The operation of a submitted response lasts until it is read.
    if (isSubmitted && finish !== undefined && failure === undefined) return;
    if (failure === undefined) submitted?.settle(finish);
    const counts = submitted === undefined ? countsOf(finish?.usage) : [];
    const reason = finish && toReasonText(finish.finishReason);
    const toOutput = (): GivenAttributes => ({
      [ATTRIBUTE.outputMessages]: writer.toOutput(collector?.result().content ?? [], reason),
    });
    const firstChunk =
      firstChunkAt === undefined || !isStream || isReplayed ? undefined : (firstChunkAt - startedAt) / 1000;
    // The prompt is recorded at the end, because the secrets of a round are known only when its request is sent.
    if (content.inputs && content.inSpans) operation.add(() => toInput(writer, call));
    operation.add(() => ({
      [ATTRIBUTE.finishReasons]: reason === undefined ? undefined : [reason],
      ...(submitted === undefined && toUsage(usagePrefix, counts, finish?.usage)),
      [ATTRIBUTE.retries]: retries.count || undefined,
      [ATTRIBUTE.timeToFirstChunk]: firstChunk,
      ...(collector !== undefined && content.inSpans && toOutput()),
    }));
    if (content.inEvents)
      operation.addEvent(CONTENT_EVENT, () => ({
        ...(content.inputs && toInput(writer, call)),
        ...(content.outputs && toOutput()),
      }));
    const seconds = operation.end(failure);
    if (seconds === undefined || isReplayed) return;
    const attributes = withoutMissing({
      ...base,
      [ATTRIBUTE.responseModel]: responseModel,
      [ATTRIBUTE.errorType]: failure?.type,
    });
    metrics.record(isInMeasuredCall ? 'hostedDuration' : 'inferenceDuration', seconds, attributes);
    if (firstChunk !== undefined) metrics.record('timeToFirstChunk', firstChunk, attributes);
    if (counts.length > 0) recordUsage(metrics, counts, attributes, hasMedia(call.prompt), hasFiles);
    if (failure?.type !== undefined && counts.length === 0) recordNoUsage(metrics, attributes);
  };

  return {
    isRecording: operation.isRecording || metrics.isRecording(),
    run: operation.run,
    add(parts) {
      for (const part of parts) add(part);
      if (finish !== undefined) end();
    },
    startHttpRequest: retries.startHttpRequest,
    end,
    settle(read) {
      if (!isSubmitted) return;
      isSubmitted = false;
      finish = read ?? finish;
      end();
    },
  };
}

/** Returns the id of the response that a request reads, which another request has created. */
function toReadId(call: ObservedCall): string | undefined {
  const response = call.turn?.response;
  if (typeof response === 'object') return response.responseId;
  // `resume` is for the first round of a turn.
  return (call.turn?.round ?? 1) === 1 ? idOf(objectOf(call.own.resume)?.responseId) : undefined;
}

/** Adds an event for each HTTP request that repeats one which has failed. */
function createRetryCounter(operation: Operation, writer: ContentWriter) {
  let count = 0;
  /** The last HTTP request, if it failed. Redirects and polls follow one that succeeded. */
  let failed: { readonly status: number | undefined } | undefined;
  return {
    get count() {
      return count;
    },
    startHttpRequest(secrets: readonly string[]) {
      writer.protect(secrets);
      if (failed !== undefined) {
        const { status } = failed;
        const attempt = ++count + 1;
        failed = undefined;
        operation.addEvent(RETRY_EVENT, () => ({
          [ATTRIBUTE.httpStatus]: status,
          [ATTRIBUTE.attempt]: attempt,
        }));
      }
      return (status: number | undefined): void => {
        if (status === undefined || status >= 400) failed = { status };
      };
    },
  };
}

function toInput(writer: ContentWriter, call: ObservedCall): GivenAttributes {
  const { messages, instructions } = writer.toInput(call.prompt);
  return {
    [ATTRIBUTE.inputMessages]: messages,
    [ATTRIBUTE.systemInstructions]: instructions,
    [ATTRIBUTE.toolDefinitions]: writer.toTools(call.tools),
  };
}

type Counts = readonly (readonly [kind: keyof typeof METRICS, count: number])[];

/** Returns token counts as attributes, with the cost by `prices`, or as the server reports it, like OpenRouter. */
function toUsage(prefix: string, counts: Counts, usage: Usage | undefined): GivenAttributes {
  const cost = usage?.cost ?? usage?.raw?.cost;
  return {
    ...Object.fromEntries(counts.map(([kind, count]) => [`${prefix}.${kind}`, count])),
    [`${prefix}.cost`]: typeof cost === 'number' ? cost : undefined,
  };
}

/** Records tokens by modality, which is unknown for a mixture, because servers report sums. */
function recordUsage(
  metrics: Metrics,
  counts: Counts,
  attributes: Attributes,
  isInputMixed: boolean,
  isOutputMixed: boolean,
): void {
  for (const [kind, count] of counts) {
    const isMixed = kind.endsWith('input_tokens') ? isInputMixed : isOutputMixed;
    const modality = isMixed ? 'unknown' : 'text';
    metrics.record(kind, count, { ...attributes, [ATTRIBUTE.modality]: modality });
    if (kind === 'input_tokens') metrics.record('inferenceInput', count, attributes);
    if (kind === 'output_tokens') metrics.record('inferenceOutput', count, attributes);
  }
}

/** A failed request has used no tokens that are known. */
function recordNoUsage(metrics: Metrics, attributes: Attributes): void {
  for (const kind of ['input_tokens', 'output_tokens'] as const)
    metrics.record(kind, 0, { ...attributes, [ATTRIBUTE.modality]: 'unknown' });
}

/** Returns true for a prompt with more than text. */
const hasMedia = (prompt: ObservedCall['prompt']): boolean =>
  prompt.some(
    message =>
      typeof message.content !== 'string' &&
      /"(?:file|reasoning-file|file-\w+|image-\w+|media)"/.test(typesOf(message.content)),
  );

/** Returns the types of parts, and of those in outputs of tools, as JSON. */
const typesOf = (content: readonly unknown[]): string =>
  JSON.stringify(
    content.map(part => {
      const { type, output } = objectOf(part) ?? {};
      const { value } = objectOf(output) ?? {};
      return [type, ...(Array.isArray(value) ? value.map(item => objectOf(item)?.type) : [])];
    }),
  );

function toRequestAttributes(
  { responseFormat, stopSequences, providerOptions, reasoning, own, turn, ...call }: ObservedCall,
  conversationIdOf: Recorders['conversationIdOf'],
): GivenAttributes {
  const { conversation, previousResponseId, reasoningEffort } = { ...providerOptions?.openai, ...own };
  return {
    [ATTRIBUTE.conversationId]: idOf(inform(conversationIdOf, own.context)) ?? idOf(conversation),
    [ATTRIBUTE.previousResponseId]: idOf(previousResponseId),
    [ATTRIBUTE.reasoningLevel]:
      idOf(reasoningEffort) ?? (reasoning === 'provider-default' ? undefined : reasoning),
    [ATTRIBUTE.isCompacted]: turn?.isCompaction || undefined,
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
function countsOf(usage: Usage | undefined): Counts {
  const counts: [kind: keyof typeof METRICS, count: number | undefined][] = [
    ['input_tokens', usage?.inputTokens.total],
    ['output_tokens', usage?.outputTokens.total],
    ['cache_read.input_tokens', usage?.inputTokens.cacheRead],
    ['cache_write.input_tokens', usage?.inputTokens.cacheWrite],
    ['reasoning.output_tokens', usage?.outputTokens.reasoning],
  ];
  return counts.flatMap(([kind, count]) => (count === undefined ? [] : [[kind, count] as const]));
}
