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
