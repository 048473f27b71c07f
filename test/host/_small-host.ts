import type { LanguageModelV2Middleware, ProviderV2 } from '@ai-sdk/provider';
import { createProviderRegistry, extractReasoningMiddleware, streamText, wrapLanguageModel } from 'ai';

/** A provider type that the host knows. */
export interface HostProviderConfig {
  readonly id: string;
  readonly name: string;
  readonly creator?: (options: Record<string, unknown>) => ProviderV2;
  readonly aliases?: readonly string[];
}

/** A user account: provider type and connection options. */
export interface HostAccount {
  readonly id: string;
  readonly type: string;
  readonly options: Record<string, unknown>;
}

/**
 * A small chat application with the usual parts: provider configurations, a registry of instances, a resolver of model
 * ids, and an executor that adds the application's middlewares.
 */
export function createSmallHost() {
  const configs = new Map<string, HostProviderConfig>();
  const instances = new Map<string, { signature: string; provider: ProviderV2 }>();
  const applied: string[] = [];

  /** The host's own MCP tool calls, which must not run for providers that run their tools themselves. */
  const ownMcpMiddleware: LanguageModelV2Middleware = {
    wrapStream: ({ doStream }) => {
      applied.push('own-mcp');
      return doStream();
    },
  };

  function register(config: HostProviderConfig): void {
    for (const name of [config.id, ...(config.aliases ?? [])]) configs.set(name, config);
  }

  /** Creates a new instance only if the base URL or the key changed. */
  function ensureInstance({ id, type, options }: HostAccount): void {
    const signature = [options.baseURL, options.apiKey].join('|');
    if (instances.get(id)?.signature === signature) return;
    const config = configs.get(type);
    if (config?.creator === undefined) throw new Error(`No creator for ${type}`);
    instances.set(id, { signature, provider: config.creator({ ...options, mode: 'responses' }) });
  }

  function resolveModel(account: HostAccount, modelId: string) {
    ensureInstance(account);
    const providers = Object.fromEntries([...instances].map(([id, { provider }]) => [id, provider]));
    const model = createProviderRegistry(providers).languageModel(`${account.id}:${modelId}`);
    const middleware: LanguageModelV2Middleware[] = [extractReasoningMiddleware({ tagName: 'think' })];
    if (model.provider.endsWith('.responses')) middleware.push(ownMcpMiddleware);
    return wrapLanguageModel({ model, middleware });
  }

  return {
    applied,
    register,
    streamText: (account: HostAccount, { modelId, prompt }: { modelId: string; prompt: string }) =>
      streamText({ model: resolveModel(account, modelId), prompt, onError: () => {} }),
  };
}
