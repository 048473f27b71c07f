import {
  type AttributeValue,
  type Attributes,
  type Context,
  context,
  type Span,
  SpanStatusCode,
  type SpanKind,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { OperationOutcome } from '../core/telemetry.js';

/*
 * Names of the semantic conventions of OpenTelemetry for generative AI and MCP that this package writes. They
 * are in development, and the package `@opentelemetry/semantic-conventions` has an earlier set.
 *
 * https://github.com/open-telemetry/semantic-conventions-genai
 */

export const ATTRIBUTE = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  isStream: 'gen_ai.request.stream',
  outputType: 'gen_ai.output.type',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  conversationId: 'gen_ai.conversation.id',
  isCompacted: 'gen_ai.conversation.compacted',
  previousResponseId: 'gen_ai.request.previous_response.id',
  reasoningLevel: 'gen_ai.request.reasoning.level',
  modality: 'gen_ai.token.modality',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  toolType: 'gen_ai.tool.type',
  toolDescription: 'gen_ai.tool.description',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  systemInstructions: 'gen_ai.system_instructions',
  toolDefinitions: 'gen_ai.tool.definitions',
  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  httpStatus: 'http.response.status_code',
  mcpMethod: 'mcp.method.name',
  mcpProtocol: 'mcp.protocol.version',
  mcpSession: 'mcp.session.id',
  mcpResource: 'mcp.resource.uri',
  networkTransport: 'network.transport',
  networkProtocol: 'network.protocol.name',
  rpcRequestId: 'jsonrpc.request.id',
  rpcStatus: 'rpc.response.status_code',
  // Those of this package.
  turnId: 'kelivo.turn_id',
  round: 'kelivo.round',
  attempt: 'kelivo.attempt',
  isReplayed: 'kelivo.replayed',
  isRefused: 'kelivo.refused',
  isAborted: 'kelivo.aborted',
  retries: 'kelivo.retries',
  mcpServer: 'kelivo.mcp.server',
} as const;

/** The name of the instrumentation. */
export const SCOPE = 'kelivo-responses';

/** The event with the contents of a request, for those who do not want them in spans. */
export const CONTENT_EVENT = 'gen_ai.client.inference.operation.details';
/** The event before an HTTP request that repeats another one. */
export const RETRY_EVENT = 'kelivo.retry';

/** Attributes, of which those without a value are left out. */
export type GivenAttributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A span from its start to its end. A failing tracer never breaks what it observes. */
export interface Operation {
  /** The context in which the span is active. */
  readonly context: Context;
  /** False if nothing reads the attributes of the span. */
  readonly isRecording: boolean;
  run<T>(start: () => T): T;
  /** Adds attributes that are computed only if something reads them. */
  add(attributes: () => GivenAttributes): void;
  addEvent(name: string, attributes: () => GivenAttributes): void;
  /** Ends the span once. Returns the seconds since its start, and undefined if it has ended before. */
  end(failure?: Failure): number | undefined;
}

/** The error of an operation, as the conventions describe it. */
export interface Failure {
  /** `error.type`; undefined if the caller ended the operation. */
  readonly type: string | undefined;
  /** The message, which may contain content. @default it is not recorded */
  readonly message?: string | undefined;
}

export function startOperation(
  tracer: Tracer,
  name: string,
  kind: SpanKind,
  parent: Context,
  given: GivenAttributes,
): Operation {
  const startedAt = performance.now();
  const attributes = withoutMissing(given);
  const span: Span = safely(() => tracer.startSpan(name, { kind, attributes }, parent)) ?? NO_SPAN;
  const active = trace.setSpan(parent, span);
  const isRecording = safely(() => span.isRecording()) === true;
  let hasEnded = false;
  const add = (given: () => GivenAttributes): void => {
    if (isRecording && !hasEnded) safely(() => span.setAttributes(withoutMissing(given())));
  };
  return {
    context: active,
    isRecording,
    run: start => context.with(active, start),
    add,
    addEvent(event, given) {
      if (isRecording && !hasEnded) safely(() => span.addEvent(event, withoutMissing(given())));
    },
    end(failure) {
      if (hasEnded) return undefined;
      if (failure?.type !== undefined) {
        const { type, message } = failure;
        add(() => ({ [ATTRIBUTE.errorType]: type }));
        safely(() =>
          span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) }),
        );
      } else if (failure !== undefined) add(() => ({ [ATTRIBUTE.isAborted]: true }));
      hasEnded = true;
      safely(() => span.end());
      return (performance.now() - startedAt) / 1000;
    },
  };
}

/** A span that records nothing. */
const NO_SPAN = trace.wrapSpanContext({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 });

/** Runs code of a tracer, a meter or a propagator, whose failure must not break a turn. */
export function safely<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

export const withoutMissing = (attributes: GivenAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** Returns `server.address` and `server.port` of a URL. */
export function toServerAttributes(url: string | undefined): GivenAttributes {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return {
    [ATTRIBUTE.serverAddress]: hostname,
    [ATTRIBUTE.serverPort]: Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}

/**
 * Describes the end of an operation. An abort by the caller is no failure of the operation; a time limit and the closing
 * of a provider are.
 */
export function toFailure(
  outcome: OperationOutcome,
  toMessage: (error: unknown) => string | undefined,
): Failure | undefined {
  if (outcome.error === undefined && !outcome.isAborted) return undefined;
  const { name, code, statusCode } = fieldsOf(outcome.error);
  if (name === 'TimeoutError') return { type: 'timeout', message: toMessage(outcome.error) };
  // The code of an error of this package; others use codes, too, for example an aborted request of a database.
  const isOwn = name === 'KelivoError' && typeof code === 'string';
  if ((outcome.isAborted && !isOwn) || name === 'AbortError') return { type: undefined };
  const type = isOwn ? code : typeof statusCode === 'number' ? String(statusCode) : name;
  return {
    type: typeof type === 'string' && type !== 'Error' ? type : '_OTHER',
    message: toMessage(outcome.error),
  };
}

const fieldsOf = (error: unknown): { name?: unknown; code?: unknown; statusCode?: unknown } =>
  typeof error === 'object' && error !== null ? error : {};

/** Providers by the last labels of their hosts. */
const BY_HOST: Readonly<Record<string, string>> = {
  'api.openai.com': 'openai',
  'openai.azure.com': 'azure.ai.openai',
  'services.ai.azure.com': 'azure.ai.inference',
  'generativelanguage.googleapis.com': 'gcp.gemini',
  'aiplatform.googleapis.com': 'gcp.vertex_ai',
  'api.anthropic.com': 'anthropic',
  'amazonaws.com': 'aws.bedrock',
  'api.mistral.ai': 'mistral_ai',
  'api.deepseek.com': 'deepseek',
  'api.groq.com': 'groq',
  'api.x.ai': 'x_ai',
  'api.perplexity.ai': 'perplexity',
  'api.cohere.com': 'cohere',
  'api.moonshot.ai': 'moonshot_ai',
  'api.moonshot.cn': 'moonshot_ai',
  'openrouter.ai': 'openrouter',
};

/** Providers by the beginning of `model.provider` in the AI SDK. */
const BY_PROVIDER: readonly (readonly [prefix: string, name: string])[] = [
  ['azure', 'azure.ai.openai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['google.vertex', 'gcp.vertex_ai'],
  ['google', 'gcp.gemini'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
  ['moonshot', 'moonshot_ai'],
];

/** Returns `gen_ai.provider.name`: by the host of the model's server, else by the name of the provider. */
export function toProviderName(provider: string, host: string | undefined): string {
  const labels = host?.split('.') ?? [];
  for (let first = 0; first < labels.length; first++) {
    const found = BY_HOST[labels.slice(first).join('.')];
    if (found !== undefined) return found;
  }
  const known = BY_PROVIDER.find(([prefix]) => provider.startsWith(prefix));
  return known?.[1] ?? provider.split('.')[0] ?? provider;
}
