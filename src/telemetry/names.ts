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

/** The event with the contents of a request, for those who do not want them in spans. */
export const CONTENT_EVENT = 'gen_ai.client.inference.operation.details';
/** The event before an HTTP request that repeats another one. */
export const RETRY_EVENT = 'kelivo.retry';

export const METRIC = {
  inferenceDuration: 'gen_ai.client.inference.duration',
  timeToFirstChunk: 'gen_ai.client.inference.time_to_first_chunk',
  usage: 'gen_ai.client.inference.usage',
  toolDuration: 'gen_ai.execute_tool.duration',
  agentDuration: 'gen_ai.invoke_agent.duration',
  agentInferences: 'gen_ai.invoke_agent.inference_calls',
  agentTools: 'gen_ai.invoke_agent.tool_calls',
  mcpDuration: 'mcp.client.operation.duration',
} as const;

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
