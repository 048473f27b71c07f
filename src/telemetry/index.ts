import * as z from 'zod/v4';
import { type Context, context, type Meter, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import type { CallFacts, CallTelemetry, Telemetry } from '../core/telemetry.js';
import { objectOf } from '../core/shared/json.js';
import { once } from '../core/shared/once.js';
import { functionSetting, parseSettings } from '../core/shared/settings.js';
import { createContentWriter, readEnvironment, toContentMode } from './content.js';
import { createMetrics } from './metrics.js';
import { type CallRecorders, type Recorders, type RoundOperation, startRound } from './rounds.js';
import {
  ATTRIBUTE,
  type Operation,
  SCOPE,
  startOperation,
  toFailure,
  toProviderName,
  toServerAttributes,
  withoutMissing,
} from './spans.js';
import { startMcpRequest, startTool } from './tool-calls.js';

export type { Telemetry } from '../core/telemetry.js';
export { RoundSpanProcessor } from './round-span-processor.js';

/** Options of `createTelemetry`. */
export interface TelemetryOptions {
  /** Creates the spans. @default that of the application's global tracer provider, with the scope `kelivo-responses` */
  tracer?: Tracer;
  /** Records the metrics. @default that of the application's global meter provider, with the scope `kelivo-responses` */
  meter?: Meter;
  /**
   * Records prompts, tool definitions and arguments of tools. API keys, headers, the environment of MCP servers and
   * encrypted reasoning are never recorded; media are recorded as their type and size. Texts of more than 10,000 characters end
   * with a mark, and of the messages of a request, the last 100,000 characters are recorded.
   * @default by the environment variable `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, else false
   */
  recordInputs?: boolean;
  /**
   * Records responses, outputs of tools and messages of errors, with the same exceptions.
   * @default by the environment variable `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, else false
   */
  recordOutputs?: boolean;
  /**
   * Names of the token counts of rounds. `gen_ai`: `gen_ai.usage.*`, which backends add up. `kelivo`: `kelivo.usage.*`,
   * for hosts whose own span of the model call contains the sum of all rounds. `auto`: `kelivo` if the parent is such a
   * span of `ai` 5, 6 or 7.
   * @default 'auto'
   */
  usage?: 'auto' | 'gen_ai' | 'kelivo';
  /**
   * Returns the id of the conversation by the `context` of a call, for `gen_ai.conversation.id`.
   * @default the stored conversation of the request, if there is one
   */
  conversationId?: (context: unknown) => string | undefined;
  /**
   * Sends the trace context (`traceparent`, `tracestate`) to MCP servers, in `_meta` of their requests. A function
   * receives the name of the server and returns false for servers that must not receive it.
   * @default true
   */
  propagateTo?: boolean | ((server: string) => boolean);
  /**
   * Sends the baggage with the trace context. It may contain personal data.
   * @default false
   */
  propagateBaggageTo?: boolean | ((server: string) => boolean);
}

const schema = once(() => {
  const perServer = z
    .union([z.boolean(), functionSetting<(server: string) => boolean>()], 'expected a boolean or a function')
    .optional();
  return z.strictObject({
    tracer: z.custom<Tracer>(hasMethod('startSpan'), 'expected a tracer of OpenTelemetry').optional(),
    meter: z.custom<Meter>(hasMethod('createHistogram'), 'expected a meter of OpenTelemetry').optional(),
    recordInputs: z.boolean().optional(),
    recordOutputs: z.boolean().optional(),
    conversationId: functionSetting<NonNullable<TelemetryOptions['conversationId']>>().optional(),
    usage: z.enum(['auto', 'gen_ai', 'kelivo']).optional(),
    propagateTo: perServer,
    propagateBaggageTo: perServer,
  });
});

const hasMethod =
  (name: string) =>
  (value: unknown): boolean =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';

/**
 * Observes models, tools and MCP servers with OpenTelemetry: spans under the active span of the application or of `ai`,
 * and metrics, by the semantic conventions for generative AI and MCP. Pass the result as `telemetry` to the provider, to
 * `withToolLoop`, or to `createMcpTools` and `createMcpConnectionPool` for requests outside of tool calls. `error.type` is the HTTP
 * status, the code of an error of this package, `timeout`, `tool_error`, the kind of an MCP failure or the code of a JSON-RPC error.
 *
 * @example
 * ```ts
 * const provider = createKelivoResponsesProvider({ telemetry: createTelemetry() });
 * ```
 *
 * @throws KelivoError with code `invalid-settings` for an invalid option.
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const settings = parseSettings<TelemetryOptions>(schema(), options, 'the telemetry options');
  const { tracer = trace.getTracer(SCOPE), meter, usage = 'auto' } = settings;
  const { propagateTo = true, propagateBaggageTo = false } = settings;
  const recorders: Recorders = {
    tracer,
    metrics: createMetrics(meter),
    content: toContentMode(settings.recordInputs, settings.recordOutputs, readEnvironment()),
    conversationIdOf: settings.conversationId ?? (() => undefined),
    propagates: toDecision(propagateTo),
    propagatesBaggage: toDecision(propagateBaggageTo),
  };
  return {
    startCall: facts =>
      startCall(
        { ...recorders, writer: createContentWriter() },
        { ...facts, usage, parent: context.active() },
      ),
    startMcpRequest: facts => startMcpRequest(recorders, facts),
  };
}

const toDecision = (setting: boolean | ((server: string) => boolean)): ((server: string) => boolean) =>
  typeof setting === 'function' ? setting : () => setting;

interface CallOptions extends CallFacts {
  readonly parent: Context;
  readonly usage: NonNullable<TelemetryOptions['usage']>;
}

function startCall(recorders: CallRecorders, options: CallOptions): CallTelemetry {
  const modelCall = modelCallOf(options.parent);
  const isInModelCall = modelCall !== undefined;
  const usesOwnNames = options.usage === 'kelivo' || (options.usage === 'auto' && isInModelCall);
  const serverAttributes = toServerAttributes(options.server);
  const { [ATTRIBUTE.serverAddress]: host } = serverAttributes;
  /** Requests by round. */
  const attempts = new Map<unknown, number>();
  let turn: Operation | undefined;
  let rounds = 0;
  let toolCalls = 0;
  /** The last request that submitted a response in the background. */
  let submitted: RoundOperation | undefined;

  return {
    startTurn({ turnId }) {
      // The span of the host's model call stands for the turn.
      if (isInModelCall) return;
      turn = startOperation(recorders.tracer, INVOKE_AGENT, SpanKind.INTERNAL, options.parent, {
        [ATTRIBUTE.operation]: INVOKE_AGENT,
        [ATTRIBUTE.turnId]: turnId,
      });
    },
    endTurn(outcome = {}) {
      submitted?.settle();
      // The message of the error is recorded by the operation that failed.
      const failure = toFailure(outcome, () => undefined);
      const seconds = turn?.end(failure);
      if (seconds === undefined) return;
      const attributes = withoutMissing({
        [ATTRIBUTE.operation]: INVOKE_AGENT,
        [ATTRIBUTE.errorType]: failure?.type,
      });
      recorders.metrics.record('agentDuration', seconds, attributes);
      recorders.metrics.record('agentInferences', rounds, attributes);
      recorders.metrics.record('agentTools', toolCalls, attributes);
    },
    startRound(facts) {
      const number = facts.call.turn?.round;
      const response = facts.call.turn?.response;
      const isRead = typeof response === 'object';
      const attempt = (attempts.get(number) ?? 0) + (isRead ? 0 : 1);
      attempts.set(number, attempt);
      const isReplayed = facts.isReplayed === true;
      if (!isReplayed) rounds++;
      if (!isRead) submitted?.settle();
      const round = startRound(recorders, {
        ...facts,
        submitted: isRead ? submitted : undefined,
        parent: turn?.context ?? options.parent,
        providerName: toProviderName(facts.provider, typeof host === 'string' ? host : undefined),
        server: serverAttributes,
        // The tokens of a recorded round were counted when it was requested.
        usagePrefix: usesOwnNames || isReplayed ? 'kelivo.usage' : 'gen_ai.usage',
        isInMeasuredCall: modelCall?.scope === MEASURING_SCOPE,
        attempt,
      });
      if (!isRead) submitted = response === 'submit' ? round : undefined;
      return round;
    },
    startTool(facts) {
      if (facts.notRun === undefined) toolCalls++;
      return startTool(recorders, facts, turn?.context ?? options.parent);
    },
  };
}

const INVOKE_AGENT = 'invoke_agent';

/** The scope of the spans and metrics of `@ai-sdk/otel`, the integration of `ai` 7, which measures model calls. */
const MEASURING_SCOPE = 'gen_ai';

/** Returns the active span if it is that of a model call of `ai` 5, 6 or 7, or of an outer model of this package. */
function modelCallOf(active: Context): { readonly scope: unknown } | undefined {
  // The spans of SDKs can be read. `ai` 5 and 6 use names such as `ai.streamText.doStream`, with the id of a function.
  const span = objectOf(trace.getSpan(active));
  const attributes = objectOf(span?.attributes);
  const { [ATTRIBUTE.operation]: operation, 'operation.name': name } = attributes ?? {};
  const isModelCall =
    operation === 'chat' || (typeof name === 'string' && /^ai\.\w+\.do(?:Generate|Stream)\b/.test(name));
  return isModelCall ? { scope: objectOf(span?.instrumentationScope)?.name } : undefined;
}
